package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/views"
)

// minted adds a lot of a mint, with how many codes there were before and how many chance makes it.
func (e *env) minted(collided, expected int) int64 {
	e.t.Helper()
	return e.exec("INSERT INTO ref_lot (run_id, source, length, codes, drawn, collided, expected, created_at) SELECT "+
		"COALESCE(MAX(run_id), 0) + 1, 'mint', 5, 1000000, 1000000, ?, ?, UTC_TIMESTAMP(6) FROM ref_lot l", collided,
		1000*expected)
}

func TestRefPages(t *testing.T) {
	t.Parallel()
	t.Run("before there is a code they say so", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		a := e.ana().get(views.RefsPath).is(t, http.StatusOK)
		a.has(t, 1, "#refs[data-live]").has(t, 2, ".lengths tbody tr").has(t, 0, ".lots").has(t, 0, "#refs .banner").
			has(t, 1, ".chart-empty")
		if a.text(t, "#refs-available") != "0" || a.text(t, "#refs-runway") != "—" ||
			!strings.Contains(a.text(t, "#refill-state"), "Not needed yet") {
			t.Error(a.text(t, "#refs"))
		}
		a.textIs(t, "#length-six td:last-child", "—")
		a.has(t, 1, "a[href='/admin/migrations/load-refs/new']").has(t, 1, "nav[aria-label=Server] a[href='/admin/refs']")
		e.program().post("/refs/pop", `{}`).problem(t, http.StatusServiceUnavailable, "")
		e.ana().get(views.RefsPath).has(t, 1, "#refs .banner")
	})

	t.Run("it shows how the pool stands, and asks for that part again", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.codes("aaaaa", "bbbbb", "ccccc", "ddddd")
		e.program().post("/refs/pop", `{"count":2}`).is(t, http.StatusOK)
		e.exec("INSERT INTO ref_sample (at, source, popped, empties, p50_us, p99_us) VALUES (DATE_FORMAT(UTC_TIMESTAMP() - " +
			"INTERVAL 2 MINUTE, '%Y-%m-%d %H:%i:00'), 7, 2, 3, 1500, 40000)")
		e.exec("INSERT INTO lookup_hour (hour, hits, misses, refused, canaries) VALUES (DATE_FORMAT(UTC_TIMESTAMP(), " +
			"'%Y-%m-%d %H:00:00'), 60, 40, 0, 2)")
		a := e.ana().htmx(views.RefsID).get(views.RefsPath).is(t, http.StatusOK).has(t, 0, "h1").
			has(t, 0, "form[action='/admin/refs/policy']").has(t, 1, "#refs[data-live]")
		for id, want := range map[string]string{"available": "4", "runway": "2.0 h", "rate": "2.0", "issued": "2",
			"minted": "6", "empties": "3", "misses": "40 (40 %)", "canaries": "2"} {
			a.textIs(t, "#refs-"+id, want)
		}
		if text := a.text(t, ".run-chart figcaption"); !strings.Contains(text, "40 ms") ||
			!strings.Contains(text, "p50 1 ms") {
			t.Error(text)
		}
		label := a.page().Find(".run-chart svg[role=img]").AttrOr("aria-label", "")
		if !strings.Contains(label, "2 in all") || !strings.Contains(label, "40 ms") {
			t.Error(label)
		}
		a.textHas(t, "#length-five td:last-child", "years")
	})

	t.Run("a refill is shown with its run, whatever became of it", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.exec("UPDATE ref_policy SET wanted = TRUE, refill_run = 1")
		e.ana().get(views.RefsPath).has(t, 1, "#refill-run a[href='"+views.RunPath(1)+"']").has(t, 1, "#refill-state .busy")
		for state, class := range map[string]string{"pausing": "failed", "paused": "failed", "throttled": "held"} {
			e.exec("UPDATE migration_run SET state = ?", state)
			a := e.ana().get(views.RefsPath).has(t, 1, "#refill-state ."+class).
				has(t, 1, "#refills-head ~ .spread a[href='"+views.RunPath(1)+"']")
			if text := a.text(t, "#refills-head ~ .spread"); !strings.Contains(text, "On hold") ||
				!strings.Contains(text, "o other starts") {
				t.Errorf("%s: %s", state, text)
			}
		}
		e.exec("UPDATE migration_run SET state = 'cancelled', finished_at = NOW(6)")
		e.ana().get(views.RefsPath).has(t, 1, "#refill-state .failed").
			has(t, 0, "#refills-head ~ .spread a[href='"+views.RunPath(1)+"']")
		e.exec("UPDATE ref_policy SET refill_run = 99")
		a := e.ana().get(views.RefsPath).is(t, http.StatusOK).has(t, 0, "#refill-run").has(t, 1, "#refill-state .busy")
		a.textHas(t, "#refills-head ~ .spread", "99,998 codes are missing")
	})

	t.Run("collisions that chance does not make stand out", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.minted(50_100, 50_000)
		a := e.ana().get(views.RefsPath).has(t, 0, "#refs .banner").has(t, 0, ".lots .failed")
		if text := a.text(t, "#collisions"); !strings.Contains(text, "5.01 %") || !strings.Contains(text, "5.00 %") {
			t.Error(text)
		}
		bad := e.minted(90_000, 50_000)
		a = e.ana().get(views.RefsPath).has(t, 1, fmt.Sprintf("#lot-%d .failed", bad)).has(t, 1, "#refs .banner")
		a.textHas(t, "#refs .banner", fmt.Sprintf("Lot %d met 90,000 codes", bad))
	})

	t.Run("many lots and minutes are read by pages, each of which stays where it is", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		statements := func() int {
			e.watch.Take()
			ana.get(views.RefsPath).is(t, http.StatusOK)
			sent, _ := e.watch.Take()
			return len(sent)
		}
		statements()
		few := statements()
		for range 45 {
			e.minted(10, 10)
		}
		if many := statements(); many > few {
			t.Errorf("%d statements for none, %d for many", few, many)
		}
		first := ana.get(views.RefsPath).has(t, 20, ".lots tbody tr")
		more := first.page().Find(".more a").AttrOr("href", "")
		next := ana.get(more).is(t, http.StatusOK).has(t, 20, ".lots tbody tr").has(t, 0, "#lot-26").has(t, 1, "#lot-25")
		if from := next.page().Find("#refs").AttrOr("data-from", ""); from != more {
			t.Errorf("%s asks for %s", more, from)
		}
		ana.get(views.RefsPath+"?before=1").is(t, http.StatusOK).has(t, 0, ".lots")
		for _, path := range []string{"?before=x", "?before=-1"} {
			ana.get(views.RefsPath+path).is(t, http.StatusBadRequest)
		}
	})
}

func TestMintPages(t *testing.T) {
	t.Parallel()
	t.Run("codes are minted after a question that states their number", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		otto := e.signedIn("otto")
		e.unchanged(t, func() {
			a := otto.get(views.RefMintsPath+"?codes=2,000&length=6").is(t, http.StatusOK).
				has(t, 1, "form[method=post] button.primary")
			a.textHas(t, "h1", "2,000 codes of six characters")
			for _, bad := range []struct{ field, codes, length string }{
				{"codes", "", "5"},
				{"codes", "-1", "5"},
				{"codes", "0", "5"},
				{"codes", "many", "5"},
				{"codes", "100000001", "5"},
				{"codes", strings.Repeat("9", 5000), "5"},
				{"codes", "<b>7</b>", "5"},
				{"codes", "7\x00", "6"},
				{"length", "7", "4"},
				{"length", "7", "5 or 6"},
			} {
				for _, a := range []*answer{
					otto.get(views.RefMintsPath + "?" + form("codes", bad.codes, "length", bad.length).Encode()),
					otto.post(views.RefMintsPath, "codes", bad.codes, "length", bad.length),
				} {
					a.is(t, http.StatusUnprocessableEntity).has(t, 1, "#mint-"+bad.field+"-error").has(t, 1, "#mint-codes")
					if got := a.value(t, "#mint-codes"); !strings.ContainsAny(bad.codes, "\x00") && got != bad.codes {
						t.Errorf("%q was typed, %q stands there", bad.codes, got)
					}
				}
			}
		})
		e.exec("UPDATE ref_counter SET minted = 540000000 WHERE length = 5 AND slot = 1")
		otto.post(views.RefMintsPath, "codes", "90000000", "length", "5").is(t, http.StatusUnprocessableEntity).
			has(t, 1, "#mint-codes-error")
		otto.post(views.RefMintsPath, "codes", "2,000", "length", "6").goesTo(t, views.RunPath(2))
		e.counts(t, 1, "SELECT COUNT(*) FROM migration_run WHERE name = 'mint-refs'")
	})
	t.Run("how full the pool is kept is changed, and what is wrong stays typed", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		otto := e.signedIn("otto")
		e.unchanged(t, func() {
			for _, bad := range []struct{ field, least, low, high string }{
				{"at_least", "some", "1", "2"},
				{"at_least", "10,000,001", "1", "2"},
				{"low_hours", "5", "0", "2"},
				{"low_hours", "5", "1.5", "2"},
				{"high_hours", "5", "24", "24"},
				{"high_hours", "5", "24", "8761"},
				{"high_hours", "5", "24", ""},
			} {
				a := otto.post(views.RefPolicyPath, "at_least", bad.least, "low_hours", bad.low, "high_hours", bad.high).
					is(t, http.StatusUnprocessableEntity).has(t, 1, "#policy-"+bad.field+"-error")
				if a.value(t, "#policy-at_least") != bad.least || a.value(t, "#policy-low_hours") != bad.low ||
					a.value(t, "#policy-high_hours") != bad.high {
					t.Errorf("%v does not stand there", bad)
				}
			}
			otto.post(views.RefPausePath, "paused", "perhaps").is(t, http.StatusUnprocessableEntity)
		})
		otto.post(views.RefPausePath, "paused", "yes").goesTo(t, views.RefsPath)
		otto.get(views.RefsPath).has(t, 1, "#refill-state .held").has(t, 1, "#refills-pause[value=no]")
		otto.post(views.RefPolicyPath, "at_least", "20,000", "low_hours", "2", "high_hours", "30").goesTo(t, views.RefsPath)
		if n := e.count("SELECT COUNT(*) FROM ref_policy WHERE paused AND at_least = 20000 AND low_hours = 2 AND " +
			"high_hours " +
			"= 30"); n != 1 {
			t.Error("the numbers are not those, or refills go on by themselves")
		}
		otto.post(views.RefPausePath, "paused", "no").goesTo(t, views.RefsPath)
		a := otto.get(views.RefsPath).has(t, 1, "#refills-pause[value=yes]")
		if got := a.value(t, "#policy-at_least"); got != "20000" {
			t.Error(got)
		}
	})
	t.Run("a lot goes into quarantine after a question that states its number", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		otto := e.signedIn("otto")
		path := views.LotQuarantinePath(1)
		e.unchanged(t, func() {
			a := otto.get(path).is(t, http.StatusOK).has(t, 1, "form button.danger")
			a.textHas(t, "h1", "lot 1 of 2 codes")
			for _, no := range []string{views.LotQuarantinePath(99), views.LotQuarantinePath(0),
				views.RefsPath + "/lots/x/quarantine", views.RefsPath + "/lots/-1/quarantine"} {
				otto.get(no).is(t, http.StatusNotFound).has(t, 1, "main .actions a[href='"+views.RefsPath+"']")
				otto.post(no).is(t, http.StatusNotFound)
			}
		})
		otto.get(views.RefsPath).has(t, 1, "#lot-1 a[href='"+path+"']")
		otto.post(path).goesTo(t, views.RunPath(2))
		otto.get(views.RefsPath).has(t, 1, "#lot-1 .held").has(t, 0, "#lot-1 a[href='"+path+"']").
			has(t, 1, "#refs .banner a[href='"+views.RunPath(2)+"']")
		e.unchanged(t, func() {
			otto.post(path).is(t, http.StatusConflict).has(t, 1, ".summary").has(t, 0, "button.danger")
			otto.get(path).is(t, http.StatusOK).has(t, 0, "button.danger").has(t, 1, "a[href='"+views.RunPath(2)+"']")
		})
	})
}

func TestRecountOnThePage(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	for _, step := range []struct {
		set     string
		text    string
		banners int
	}{
		{"counted_at = NULL", "Not counted yet.", 0},
		{"counted_at = UTC_TIMESTAMP(6), count_began_at = UTC_TIMESTAMP(6), count_ended_at = UTC_TIMESTAMP(6)",
			"the counters are right.", 0},
		{"counted_off = 1234", "the counters were off by 1,234, and were corrected.", 0},
		{"count_began_at = UTC_TIMESTAMP(6) + INTERVAL 1 DAY, count_ended_at = count_began_at",
			"took too long and was given up.", 0},
		{"counted_lost = 1", "the tables disagree about 1 code, run counterfoil verify.", 1},
	} {
		e.exec("UPDATE ref_policy SET " + step.set)
		a := ana.get(views.RefsPath).is(t, http.StatusOK).has(t, step.banners, "#refs .banner")
		if text := a.text(t, "#recount"); !strings.Contains(strings.Join(strings.Fields(text), " "), step.text) {
			t.Errorf("with %s: %q", step.set, text)
		}
	}
}

func TestMetricsOfRefs(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	if body := e.metrics(); strings.Contains(body, "counterfoil_refs_runway_seconds ") {
		t.Error("with nothing given out it says how long the pool lasts")
	} else if strings.Contains(body, "counterfoil_refs_counted_timestamp_seconds ") {
		t.Error("codes were never counted, and it says when")
	}
	p := e.program()
	p.post("/refs/pop", `{}`).problem(t, http.StatusServiceUnavailable, "")
	e.codes("ukrEP", "UkrEP", "abcde")
	p.post("/refs/pop", `{"count":2}`).is(t, http.StatusOK)
	e.exec("INSERT INTO ref_sample (at, source, popped, empties, p50_us, p99_us) VALUES (UTC_TIMESTAMP(), 7, 2, 0, 1, 1)")
	e.exec("UPDATE ref_policy SET counted_at = '2026-01-01', counted_off = 12, counted_lost = 3")
	body := e.metrics()
	for _, want := range []string{
		`counterfoil_refs_available{length="5"} 1`,
		`counterfoil_refs_available{length="6"} 0`,
		`counterfoil_refs_minted_total{length="5"} 3`,
		`counterfoil_refs_issued_total{length="5"} 2`,
		`counterfoil_refs_quarantined_total{length="5"} 0`,
		"counterfoil_refs_runway_seconds 1800\n",
		"counterfoil_refs_popped_total 2\n",
		"counterfoil_refs_empties_total 1\n",
		"counterfoil_refs_counted_timestamp_seconds 1.7672256e+09\n",
		"counterfoil_refs_counters_off 12\n",
		"counterfoil_refs_tables_disagree 3\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, code := range []string{"ukrEP", "abcde"} {
		if strings.Contains(body, code) {
			t.Errorf("it tells everyone of %q", code)
		}
	}
}
