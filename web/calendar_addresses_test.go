package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/savedviews"
)

// calendarAddress makes the address of a view, or of the user's work, and returns its path.
func (b *browser) calendarAddress(t testing.TB, of string) string {
	t.Helper()
	made := b.post("/acme/calendars/"+of).is(t, http.StatusCreated)
	path, ok := strings.CutPrefix(made.value(t, "#calendar-address"), "http://example.com")
	if !ok {
		t.Fatalf("the address is %q", made.value(t, "#calendar-address"))
	}
	return path
}

// subscribes returns the events of a calendar as a program without a session reads it: "20300508 NINJA-1 Paint".
func (e *env) subscribes(t testing.TB, path string) (events []string) {
	t.Helper()
	a := e.visitor().get(path).is(t, http.StatusOK)
	if got := a.header.Get("Content-Type"); got != "text/calendar; charset=utf-8" {
		t.Errorf("the type is %q", got)
	}
	calendar := domaintest.OK(ics.ParseCalendar(strings.NewReader(a.body)))(t)
	for _, event := range calendar.Events() {
		say := func(property ics.ComponentProperty) string {
			if p := event.GetProperty(property); p != nil {
				return p.Value
			}
			return ""
		}
		events = append(events, say(ics.ComponentPropertyDtStart)+" "+say(ics.ComponentPropertySummary))
	}
	return events
}

func TestCalendarAddresses(t *testing.T) {
	t.Parallel()
	soon := time.Now().UTC().AddDate(0, 0, 7)
	t.Run("a program reads due dates by an address, until it is replaced or revoked", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, `Paint, "the door"; red\blue`, "Wax", "Undated", strings.Repeat("long ü ", 27))
		ana := e.ana()
		ana.post("/acme/NINJA-1/dates", "due", soon.Format("2006-01-02")).is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-2/dates", "due", soon.Format("2006-01-02")+" 10:30").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-4/dates", "due", soon.AddDate(0, 0, 1).Format("2006-01-02")).is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-2/assignees", "quick", "1", "add", "1").is(t, http.StatusSeeOther)
		ana.post(boardViews, viewed("All", "")...).is(t, http.StatusSeeOther)

		day := soon.Format("20060102")
		view, work := ana.calendarAddress(t, "1"), ana.calendarAddress(t, "work")
		want := []string{day + ` NINJA-1 Paint, "the door"; red\blue`, day + "T103000Z NINJA-2 Wax",
			soon.AddDate(0, 0, 1).Format("20060102") + " NINJA-4 " + strings.TrimSpace(strings.Repeat("long ü ", 27))}
		if got := e.subscribes(t, view); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the view has %q", got)
		}
		if got := e.subscribes(t, work); len(got) != 1 || got[0] != want[1] {
			t.Errorf("the work has %q", got)
		}
		file := e.visitor().get(view)
		for line := range strings.SplitSeq(file.body, "\r\n") {
			if len(line) > 75 {
				t.Errorf("a line has %d bytes: %s", len(line), line)
			}
		}
		if !strings.Contains(file.body, "http://example.com/acme/NINJA-1") || file.header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("the file has no address of a ticket, or may leak its own: %s", file.body)
		}

		ana.post("/acme/NINJA-1/closure", "closed", "1").is(t, http.StatusSeeOther)
		if got := e.subscribes(t, view); !strings.Contains(got[0], "✓ NINJA-1") {
			t.Errorf("a closed ticket is %q", got[0])
		}
		next := ana.calendarAddress(t, "1")
		e.visitor().get(view).is(t, http.StatusNotFound)
		e.subscribes(t, next)
		ana.get("/acme/calendars").has(t, 0, "#calendar-address").has(t, 2, "#calendar-addresses [aria-label^='Revoke']")
		ana.post("/acme/calendars/1/revocation").goesTo(t, "/acme/calendars")
		e.visitor().get(next).is(t, http.StatusNotFound)
		e.subscribes(t, work)
		ana.get("/acme/audit").textHas(t, "main", "made a calendar address of My work")
		ana.get("/acme/audit").textHas(t, "main", "revoked the calendar address of All")
	})

	t.Run("it shows what its member may see at that time", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		b := e.newBoard("NINJA")
		e.newTickets("NINJA", b.Columns[0].ID, "Secret")
		e.account("ben", "acme", accounts.Member)
		ana, ben := e.ana(), e.signedIn("ben")
		ana.post("/acme/NINJA-1/dates", "due", soon.Format("2006-01-02")).is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-1/labels", "named", "wood").is(t, http.StatusSeeOther)
		ana.post("/acme/NINJA-1/assignees", "quick", "1", "add", fmt.Sprint(e.idOf("ben"))).is(t, http.StatusSeeOther)
		ana.post(boardViews, viewed("Wood", "label:wood", "shared", "1")...).is(t, http.StatusSeeOther)
		view, work := ben.calendarAddress(t, "1"), ben.calendarAddress(t, "work")
		if len(e.subscribes(t, view)) != 1 || len(e.subscribes(t, work)) != 1 {
			t.Error("ben does not read the ticket")
		}
		ana.post("/acme/labels/"+e.labelID(t, "wood")+"/deletion").is(t, http.StatusSeeOther)
		if got := e.subscribes(t, view); len(got) != 1 || !strings.Contains(got[0], "wood") || strings.Contains(got[0], "Secret") {
			t.Errorf("a view of a deleted label has %q", got)
		}
		ana.post("/acme/boards/NINJA/privacy", "private", "yes").is(t, http.StatusSeeOther)
		e.visitor().get(view).is(t, http.StatusNotFound)
		if got := e.subscribes(t, work); len(got) != 0 {
			t.Errorf("ben reads %q of a private board", got)
		}
		ben.post("/acme/calendars/1").is(t, http.StatusNotFound)
		ana.post("/acme/boards/NINJA/privacy", "private", "no").is(t, http.StatusSeeOther)
		e.visitor().get(view).is(t, http.StatusOK)
		ana.post(fmt.Sprintf("/acme/people/%d/removal", e.idOf("ben"))).is(t, http.StatusSeeOther)
		e.visitor().get(view).is(t, http.StatusNotFound)
		e.visitor().get(work).is(t, http.StatusNotFound)
	})

	t.Run("unknown addresses are refused alike, and there is a limit", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, secret := range []string{"x", "x.ics", strings.Repeat("a", 43) + ".ics", strings.Repeat("a", 5000), "%00", "..%2f"} {
			e.visitor().get("/c/"+secret).is(t, http.StatusNotFound)
		}
		ana := e.ana()
		for _, of := range []string{"0", "99", "x", "-1", "18446744073709551616"} {
			ana.post("/acme/calendars/"+of).is(t, http.StatusNotFound)
		}
		e.exec(`INSERT INTO saved_view (company_id, board_id, account_id, name, layout, query, lanes, shared, created_at, updated_at)
			SELECT b.company_id, b.id, 1, 'One', 'list', '', '', FALSE, NOW(6), NOW(6) FROM board b WHERE b.slug = 'DEMO'`)
		e.exec(`INSERT INTO calendar_address (account_id, company_id, view_id, hash, created_at)
			SELECT 1, 1, 1, UNHEX(SHA2('x', 256)), NOW(6)`)
		for n := range savedviews.MaxAddresses {
			e.exec(`INSERT INTO saved_view (company_id, board_id, account_id, name, layout, query, lanes, shared, created_at, updated_at)
				SELECT company_id, board_id, account_id, ?, layout, query, lanes, shared, NOW(6), NOW(6) FROM saved_view WHERE id = 1`, fmt.Sprint("More ", n))
			want := http.StatusCreated
			if n == savedviews.MaxAddresses-1 {
				want = http.StatusConflict
			}
			a := ana.post(fmt.Sprint("/acme/calendars/", n+2)).is(t, want)
			if want == http.StatusConflict {
				a.textHas(t, ".summary", "at most 50")
			}
		}
		ana.post("/acme/calendars/1").is(t, http.StatusCreated) // in place of its own
		ana.post("/acme/views/2/deletion").is(t, http.StatusSeeOther)
		ana.post("/acme/calendars/work").is(t, http.StatusCreated) // that of the deleted view is gone
	})
}
