package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/ops/failover"
	"github.com/counterfoil/counterfoil/ops/opstest"
)

// mintCodes fills the pool of an install whose server works.
func mintCodes(t *testing.T, i *install, codes int) {
	t.Helper()
	operator, w, _ := i.operator(t)
	domaintest.Must(t, w.Console.SetRefPolicy(operator, refs.Policy{LowHours: 1, HighHours: 2}))
	mint := domaintest.OK(w.Console.OpenRun(operator, workflows.MintName,
		migrations.Values{"codes": fmt.Sprint(codes), "length": "5"}, migrations.Draft{}, nil))(t)
	until(t, w, operator, mint.ID, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })
}

// feedOf reads the feed of tickets until it has so many, and returns its cursor.
func feedOf(t *testing.T, c *client, at string, tickets int) (cursor string) {
	t.Helper()
	domaintest.Until(t, "the tickets are published", func() bool {
		page := feedPage{}
		domaintest.OK(c.call("GET", at+"/api/v1/feeds/tickets?limit=1000", "", nil, &page))(t)
		cursor = page.Cursor
		return len(page.Items) >= tickets
	})
	return cursor
}

// popped takes codes until it has so many, or there are none left.
func popped(t *testing.T, c *client, at string, most int) map[string]bool {
	t.Helper()
	codes := map[string]bool{}
	for len(codes) < most {
		var out struct{ Refs []string }
		response := domaintest.OK(c.call("POST", at+"/api/v1/refs/pop", "", map[string]int{"count": min(most-len(codes), 100)}, &out))(t)
		if response.StatusCode != http.StatusOK {
			return codes
		}
		for _, code := range out.Refs {
			codes[code] = true
		}
	}
	return codes
}

const runningRun = `INSERT INTO migration_run (name, params, state, state_since, knobs, account_id, actor, created_at)
	VALUES ('rebalance-ranks', '{}', 'running', NOW(6), '{}', 1, 'Ana', NOW(6))`

// laggingPair is a primary and its asynchronous replica: for all rights, and the URLs of an ordinary account.
type laggingPair struct {
	primary, replica *db.DB
	oldURL, newURL   string
}

func newLaggingPair(t *testing.T) laggingPair {
	t.Helper()
	primary, replica := opstest.Pair(t)
	open := func(url string) *db.DB {
		d := domaintest.OK(db.OpenToLook(url))(t) // also while it is read-only, or marked
		t.Cleanup(func() { d.Close() })
		return d
	}
	p := laggingPair{primary: open(primary), replica: open(replica)}
	semi := "rpl_semi_sync_master_enabled"
	if opstest.OnMySQL() {
		semi = "rpl_semi_sync_source_enabled"
	}
	domaintest.Exec(t, p.primary, "SET GLOBAL "+semi+" = OFF")
	domaintest.Exec(t, p.primary, "CREATE USER app@'%' IDENTIFIED BY 'counterfoil'")
	domaintest.Exec(t, p.primary, "GRANT ALL ON counterfoil.* TO app@'%'")
	url := func(d *db.DB) string {
		return fmt.Sprintf("mysql://app:counterfoil@127.0.0.1:%d/counterfoil", domaintest.Number(t, d, "SELECT @@port"))
	}
	p.oldURL, p.newURL = url(p.primary), url(p.replica)
	return p
}

// part waits until the replica has all, and lets it get nothing more.
func (p laggingPair) part(t *testing.T) {
	t.Helper()
	domaintest.Exec(t, p.primary, "CREATE TABLE caught_up (id INT PRIMARY KEY)")
	domaintest.Until(t, "the replica has caught up", func() bool {
		return domaintest.Number(t, p.replica, "SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'caught_up'") == 1
	})
	domaintest.Exec(t, p.replica, "STOP REPLICA")
	domaintest.Exec(t, p.primary, "DROP TABLE caught_up")
	domaintest.Exec(t, p.replica, "DROP TABLE caught_up")
}

// TestFailover promotes a replica that lacks 20 tickets and 276 codes.
func TestFailover(t *testing.T) {
	t.Parallel()
	pair := newLaggingPair(t)
	old := onURL(t, pair.oldURL)
	server := old.serve(t)
	c := newClient(old)
	here := func() string { return server.url }
	c.board(t, server.url, "NINJA")
	for n := range 5 {
		domaintest.OK(c.open(here, "NINJA", fmt.Sprint("Ticket ", n), 0))(t)
	}
	mintCodes(t, old, 1000)
	feedOf(t, c, server.url, 5)
	domaintest.Exec(t, pair.primary, "INSERT INTO counterfoil.audit (company_id, account_id, kind, detail, address, created_at) VALUES (1, 1, 'token-made', '{\"name\": \"Nightly\"}', '', NOW(6))")
	pair.part(t)

	lost := map[string]bool{}
	for n := range 20 {
		lost[domaintest.OK(c.open(here, "NINJA", fmt.Sprint("Lost ", n), 0))(t).Key] = true
	}
	codes := popped(t, c, server.url, 276)
	cursor := feedOf(t, c, server.url, 25)
	domaintest.Must(t, server.stop(t))

	to := &install{token: old.token, env: []string{"DATABASE_URL=" + pair.newURL, "COUNTERFOIL_DATA=" + t.TempDir(),
		"COUNTERFOIL_KEY_FILE=" + old.keyFile()}}
	fails := func(with string, args ...string) {
		t.Helper()
		code, out := to.command(t, append([]string{"failover", "--lost", "30s"}, args...)...)
		if code != 1 || !strings.Contains(out, with) {
			t.Errorf("failover %v ends with %d, wanted %q:\n%s", args, code, with, out)
		}
	}
	fails("still takes writes", "--old", pair.oldURL)
	fails("is the same database", "--old", pair.newURL)
	fails("cannot be told", "--old", strings.Replace(pair.oldURL, "app:counterfoil", "app:wrong", 1))
	fails("cannot be told", "--old", "mysql://app@nowhere.invalid/counterfoil")
	domaintest.Exec(t, pair.replica, "SET GLOBAL read_only = ON")
	fails("Promote its server first", "--old-is-gone")
	domaintest.Exec(t, pair.replica, "SET GLOBAL read_only = OFF")
	domaintest.Exec(t, pair.replica, "START REPLICA SQL_THREAD")
	if !opstest.OnMySQL() { // which does not show it to this account
		fails("still applies changes", "--old-is-gone")
	}
	domaintest.Exec(t, pair.replica, "STOP REPLICA")
	domaintest.Exec(t, pair.replica, "RESET REPLICA ALL")
	domaintest.Exec(t, pair.primary, "SET GLOBAL read_only = ON")

	// What a new epoch alone leaves: the next numbers and the codes in the pool are those of before.
	d := pair.replica
	last := domaintest.Number(t, d, "SELECT i.max_ticket_id FROM board_ticket_incrementer i JOIN board b ON b.id = i.board_id WHERE b.slug = 'NINJA'")
	again := 0
	for n := last + 1; n <= last+len(lost); n++ {
		if lost[fmt.Sprint("NINJA-", n)] {
			again++
		}
	}
	inPool := 0
	for code := range codes {
		inPool += domaintest.Number(t, d, "SELECT COUNT(*) FROM ref_pool WHERE code = ?", code)
	}
	if again != 20 || inPool != 276 {
		t.Fatalf("without a failover %d keys and %d codes would be handed out again, not 20 and 276", again, inPool)
	}
	domaintest.Exec(t, d, runningRun)
	domaintest.Exec(t, d, "INSERT INTO sessions (token, data, expiry) VALUES (REPEAT('x', 43), '', NOW(6) + INTERVAL 1 DAY)")

	code, out := to.command(t, "failover", "--old", pair.oldURL, "--lost", "30s", "--json")
	if code != 0 {
		t.Fatalf("failover ends with %d:\n%s", code, out)
	}
	var report failover.Report
	domaintest.Must(t, json.Unmarshal([]byte(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]), &report))
	if !strings.Contains(report.Answer, "takes no writes") || report.CodesQuarantined != 1000 || report.MintRun == 0 ||
		len(report.Boards) != 2 || report.Boards[1].Skipped != 100 || len(report.RunsPaused) != 1 || report.SessionsEnded != 1 ||
		len(report.Review) == 0 || report.LostSeconds != 30 {
		t.Errorf("the report is %+v", report)
	}
	if _, shown := to.command(t, "failover", "--report"); !strings.Contains(shown, "1,000 from the pool are in quarantine") ||
		!strings.Contains(shown, "token-made") {
		t.Errorf("the kept report is\n%s", shown)
	}
	to.verified(t)

	server = to.serve(t)
	c = newClient(to)
	for n := range 30 {
		if made := domaintest.OK(c.open(here, "NINJA", fmt.Sprint("New ", n), 0))(t); lost[made.Key] {
			t.Errorf("%s was handed out again", made.Key)
		}
	}
	operator, w, _ := to.operator(t)
	until(t, w, operator, report.MintRun, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })
	fresh := popped(t, c, server.url, 1000)
	for code := range fresh {
		if codes[code] {
			t.Errorf("%s was handed out again", code)
		}
	}
	if len(fresh) != 1000 {
		t.Errorf("%d new codes", len(fresh))
	}
	response := domaintest.OK(c.call("GET", server.url+"/api/v1/feeds/tickets?cursor="+url.QueryEscape(cursor), "", nil, &feedPage{}))(t)
	if response.StatusCode != http.StatusConflict {
		t.Errorf("the old cursor is answered with %s", response.Status)
	}
	domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM migration_run WHERE name = 'rebalance-ranks' AND state = 'paused'")
	to.verified(t)
}

// TestFailoverIsKilled kills failovers at random moments while two servers try to get in.
func TestFailoverIsKilled(t *testing.T) {
	t.Parallel()
	kills, codes := 3, 5000
	if soak {
		kills, codes = 50, 200_000
	}
	dice := rand.New(rand.NewPCG(3, chaosSeed(t)))
	i := onURL(t, dbtest.Empty(t))
	server := i.serve(t)
	c := newClient(i)
	c.board(t, server.url, "NINJA")
	domaintest.OK(c.open(func() string { return server.url }, "NINJA", "Ticket", 0))(t)
	mintCodes(t, i, codes)
	before := restored{token: i.token, cursor: feedOf(t, c, server.url, 1), given: map[string]bool{}}
	domaintest.Must(t, server.stop(t))
	_, _, template := i.operator(t)
	domaintest.Exec(t, template, runningRun)
	rows := domaintest.OK(template.SQL.Query("SELECT code FROM ref_pool"))(t)
	defer rows.Close()
	for rows.Next() {
		var code string
		domaintest.Must(t, rows.Scan(&code))
		before.given[code] = true
	}
	server0, _, _ := strings.Cut(strings.TrimPrefix(i.env[0], "DATABASE_URL="), ")/")
	promoted := func() *install {
		_, name := dbtest.Copy(t, template).Location()
		return &install{token: i.token, env: []string{"DATABASE_URL=" + server0 + ")/" + name, "COUNTERFOIL_DATA=" + t.TempDir(),
			"COUNTERFOIL_KEY_FILE=" + i.keyFile()}}
	}
	failOver := []string{"failover", "--old-is-gone", "--lost", "10s"}
	first := promoted()
	began := time.Now()
	if code, out := first.command(t, failOver...); code != 0 {
		t.Fatalf("failover: exit code %d\n%s", code, out)
	}
	took, cut, refused := time.Since(began), 0, 0
	for n := 0; n < kills || cut == 0 && n < 5*kills; n++ {
		to := promoted()
		cmd := to.program(failOver...)
		cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
		domaintest.Must(t, cmd.Start())
		domaintest.Until(t, "the failover has begun", func() bool { return marked(t, template, to) || cmd.ProcessState != nil })
		g := &guest{restored: before, i: to}
		ctx, leave := context.WithCancel(t.Context())
		var guests sync.WaitGroup
		for range 2 {
			guests.Go(func() { g.visit(ctx) })
		}
		_ = wait.Sleep(t.Context(), time.Duration(dice.Float64()*float64(took))) // a random moment, not a result to wait for
		_ = cmd.Process.Kill()
		err := cmd.Wait()
		domaintest.Until(t, "the server has ended the last statement", func() bool { // a kill does not end it
			list := domaintest.OK(dbtest.Connections(t.Context(), template.SQL))(t)
			return !slices.ContainsFunc(list, func(c dbtest.Connection) bool {
				return c.Database == databaseOf(to) && strings.HasPrefix(c.Statement, "DROP TABLE")
			})
		})
		if left := marked(t, template, to); left {
			cut++
			tried := g.refusals()
			domaintest.Until(t, "a server is refused", func() bool { return g.refusals() > tried || len(g.wrongs()) > 0 })
			for _, command := range []string{"verify", "doctor"} {
				if code, out := to.command(t, command); code == 0 || !strings.Contains(out, underWay) {
					t.Errorf("%s says nothing of it: %d\n%s", command, code, out)
				}
			}
			if code, out := to.command(t, failOver...); code != 0 {
				t.Errorf("the next failover ends with %d:\n%s", code, out)
			}
		}
		leave()
		guests.Wait()
		refused += g.refusals()
		for _, wrong := range g.wrongs() {
			t.Error(wrong)
		}
		t.Logf("%d: %v; servers were refused %d times", n, exitOf(err), g.refusals())
		to.verified(t)
		_, _, d := to.operator(t)
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM failover WHERE ended_at IS NOT NULL")
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM failover_board f JOIN board b ON b.id = f.board_id WHERE b.slug = 'NINJA' AND f.last_number = 1 AND f.skipped = 100")
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM migration_run WHERE name = 'rebalance-ranks' AND state = 'paused'")
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM migration_run WHERE name = 'mint-refs' AND actor = 'failover'")
		domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM audit WHERE kind = 'failed-over'")
		domaintest.Counts(t, d, codes, "SELECT COUNT(*) FROM ref_quarantine")
		if t.Failed() {
			return
		}
	}
	if cut == 0 || refused == 0 {
		t.Errorf("%d failovers were cut off, servers were refused %d times: then nothing was tried", cut, refused)
	}
}

// marked reports whether the database of an install is marked.
func marked(t *testing.T, on *db.DB, to *install) bool {
	t.Helper()
	return domaintest.Number(t, on, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
		databaseOf(to), string(db.FailoverMark)) == 1
}

// databaseOf is the name of the database of an installation.
func databaseOf(i *install) string { return i.env[0][strings.LastIndex(i.env[0], "/")+1:] }
