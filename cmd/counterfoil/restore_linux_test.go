package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// restored is a backup, and what was done in its original after it.
type restored struct {
	file, token, cursor string
	given               map[string]bool // codes that were given out after the backup
}

// newRestored makes a backup of an install with a run under way, and then gives out all of its codes.
func newRestored(t *testing.T, codes, tickets int) restored {
	t.Helper()
	i := onURL(t, dbtest.Empty(t))
	server := i.serve(t)
	operator, w, d := i.operator(t)
	domaintest.Must(t, w.Console.SetRefPolicy(operator, refs.Policy{LowHours: 1, HighHours: 2}))
	mint := domaintest.OK(w.Console.OpenRun(operator, workflows.MintName,
		migrations.Values{"codes": fmt.Sprint(codes), "length": "5"}, migrations.Draft{}, nil))(t)
	until(t, w, operator, mint.ID, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })
	c := newClient(i)
	c.board(t, server.url, "NINJA")
	for n := range tickets {
		domaintest.OK(c.open(func() string { return server.url }, "NINJA", fmt.Sprint("Ticket ", n), 0))(t)
	}
	r := restored{file: filepath.Join(t.TempDir(), "acme.backup"), token: i.token, given: map[string]bool{}}
	domaintest.Until(t, "the tickets are published", func() bool {
		page := feedPage{}
		domaintest.OK(c.call("GET", server.url+"/api/v1/feeds/tickets?limit=1000", "", nil, &page))(t)
		r.cursor = page.Cursor
		return len(page.Items) >= tickets
	})
	domaintest.Must(t, server.stop(t))
	domaintest.Exec(t, d, `INSERT INTO migration_run (name, params, state, state_since, knobs, account_id, actor, created_at)
		VALUES ('rebalance-ranks', '{}', 'running', NOW(6), '{}', 1, 'Ana', NOW(6))`)
	if code, out := i.command(t, "backup", r.file); code != 0 {
		t.Fatalf("backup: exit code %d\n%s", code, out)
	}
	for len(r.given) < codes {
		for _, code := range domaintest.OK(w.Console.PopRefs(operator, min(codes-len(r.given), 100), "", nil))(t) {
			r.given[string(code)] = true
		}
	}
	return r
}

type feedPage struct {
	Items  []any
	Cursor string
}

// guest is a server that tries to get in beside a restore, again and again, and uses what it gets.
type guest struct {
	restored
	i *install

	mu      sync.Mutex
	refused int      // how often it was refused with the sentence
	wrong   []string // what must not be
}

const underWay = "nothing may use it until that is done"

// visit starts servers until ctx ends.
func (g *guest) visit(ctx context.Context) {
	for ctx.Err() == nil {
		g.once(ctx)
	}
}

func (g *guest) once(ctx context.Context) {
	var said bytes.Buffer
	cmd := g.i.program("serve")
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		g.note("start serve: %v", err)
		return
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at, ready := strings.CutPrefix(lines.Text(), "Counterfoil is ready at "); ready {
			g.use(ctx, at)
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	err = cmd.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil && strings.Contains(said.String(), underWay) {
		g.refused++
	}
}

// use takes codes and reads on with the old cursor, for as long as it is served.
func (g *guest) use(ctx context.Context, at string) {
	c := newClient(g.i)
	defer c.http.CloseIdleConnections()
	for n := 0; n < 20 && ctx.Err() == nil; n++ {
		var popped struct{ Refs []string }
		response, err := c.call("POST", at+"/api/v1/refs/pop", "", map[string]int{"count": 3}, &popped)
		for _, code := range popped.Refs {
			if g.given[code] {
				g.note("%s was given out twice", code)
			}
		}
		if err == nil && response.StatusCode >= 500 && response.StatusCode != http.StatusServiceUnavailable {
			g.note("a pop is answered with %s", response.Status)
		}
		var page feedPage
		response, err = c.call("GET", at+"/api/v1/feeds/tickets?cursor="+url.QueryEscape(g.cursor), "", nil, &page)
		if err == nil && response.StatusCode == http.StatusOK {
			g.note("the old cursor is good for %d items", len(page.Items))
		}
		if err == nil && response.StatusCode >= 500 && response.StatusCode != http.StatusServiceUnavailable {
			g.note("a page of the feed is answered with %s", response.Status)
		}
		_ = wait.Sleep(ctx, 20*time.Millisecond) // as an honest client does
	}
}

func (g *guest) note(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wrong = append(g.wrong, fmt.Sprintf(format, args...))
}

// TestRestoreIsKilled kills restores at random moments while two servers try to get in. Nothing is given out twice, no
// old cursor is good, no run goes on, and the next restore completes.
func TestRestoreIsKilled(t *testing.T) {
	t.Parallel()
	kills, codes, tickets := 3, 5000, 20
	if soak {
		kills, codes, tickets = 50, 200_000, 200
	}
	dice := rand.New(rand.NewPCG(2, chaosSeed(t)))
	from := newRestored(t, codes, tickets)
	at := func() *install {
		return &install{token: from.token, env: []string{"DATABASE_URL=" + dbtest.Empty(t), "COUNTERFOIL_DATA=" + t.TempDir()}}
	}
	began := time.Now()
	if code, out := at().command(t, "restore", from.file); code != 0 {
		t.Fatalf("restore: exit code %d\n%s", code, out)
	}
	took := time.Since(began)
	cut, refused := 0, 0
	for n := 0; n < kills || cut == 0 && n < 5*kills; n++ {
		to := at()
		g := &guest{restored: from, i: to}
		ctx, leave := context.WithCancel(t.Context())
		var guests sync.WaitGroup
		for range 2 {
			guests.Go(func() { g.visit(ctx) })
		}
		cmd := to.program("restore", from.file)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = io.Discard, &said
		domaintest.Must(t, cmd.Start())
		moment := time.Duration((.1 + 1.4*dice.Float64()) * float64(took))
		_ = wait.Sleep(t.Context(), moment) // a random moment, not a result to wait for
		_ = cmd.Process.Kill()
		err := cmd.Wait()
		tried := g.refusals()
		_, verified := to.command(t, "verify")
		marked := strings.Contains(verified, underWay)
		if marked {
			cut++
			domaintest.Until(t, "a server is refused", func() bool { return g.refusals() > tried || len(g.wrongs()) > 0 })
			if _, out := to.command(t, "doctor"); !strings.Contains(out, underWay) {
				t.Errorf("doctor says nothing of it:\n%s", out)
			}
			if code, out := to.command(t, "refs", "pop"); code == 0 || !strings.Contains(out, underWay) {
				t.Errorf("a command gets in: %d %s", code, out)
			}
		}
		if err != nil { // it was killed before its end
			code, out := to.command(t, "restore", from.file)
			if code != 0 && (marked || !strings.Contains(out, "empty database only")) {
				t.Errorf("the next restore ends with %d:\n%s", code, out)
			}
		}
		leave()
		guests.Wait()
		refused += g.refusals()
		t.Logf("%d: killed after %s of about %s, %v; marked: %v; servers were refused %d times; it said %q", n, moment.Round(time.Millisecond),
			took.Round(time.Millisecond), exitOf(err), marked, g.refusals(), said.String())
		for _, wrong := range g.wrongs() {
			t.Error(wrong)
		}
		from.holds(t, to)
		if t.Failed() {
			return
		}
	}
	if cut == 0 || refused == 0 {
		t.Errorf("%d restores were cut off, servers were refused %d times: then nothing was tried", cut, refused)
	}
}

func exitOf(err error) string {
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.String()
	}
	return "it was done before"
}

func (g *guest) refusals() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refused
}

func (g *guest) wrongs() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.wrong
}

// holds fails unless a restored install is verified, gives out no code of the backup, refuses the old cursor and lets
// no run go on.
func (r restored) holds(t *testing.T, to *install) {
	t.Helper()
	to.verified(t)
	server := to.serve(t)
	g := &guest{restored: r, i: to}
	g.use(t.Context(), server.url)
	for _, wrong := range g.wrongs() {
		t.Error(wrong)
	}
	_, _, d := to.operator(t)
	domaintest.Counts(t, d, 1, "SELECT COUNT(*) FROM migration_run WHERE name = 'rebalance-ranks' AND state = 'paused' AND reason = 'Restored from a backup.'")
	domaintest.Counts(t, d, len(r.given), "SELECT COUNT(*) FROM ref_quarantine")
	domaintest.Must(t, server.stop(t))
}
