package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// TestCodesWhileAServerDies has four servers pop codes while a mint and refills run, and one of the servers is killed
// again and again. A client whose answer was lost sends its request once more, to another server.
func TestCodesWhileAServerDies(t *testing.T) {
	t.Parallel()
	kills, codes := 4, uint64(60_000)
	if soak {
		kills, codes = 100, 300_000
	}
	i := onURL(t, dbtest.Empty(t))
	servers := &fleet{list: []*process{i.serve(t), i.serve(t), i.serve(t), i.serve(t)}}
	operator, w, d := i.operator(t)
	atLeast := func(codes uint64) {
		domaintest.Must(t, w.Console.SetRefPolicy(operator, refs.Policy{AtLeast: codes, LowHours: 1, HighHours: 2}))
	}
	atLeast(0)
	run := domaintest.OK(w.Console.OpenRun(operator, workflows.MintName,
		migrations.Values{"codes": strconv.FormatUint(codes, 10), "length": "5"}, migrations.Draft{}, nil))(t)
	mintAt := func(rate float64) {
		domaintest.OK(w.Console.ChangeKnobs(operator, run.ID, migrations.KnobChange{"rate": rate}))(t)
	}
	mintAt(.02) // the mint is not over before the first server dies
	until(t, w, operator, run.ID, "has minted some", func(r migrations.Run) bool { return r.Progress.Complete > 0 })

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	poppers := &poppers{token: i.token, servers: servers, seen: map[string]int{}}
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() { poppers.pop(ctx, t, n) })
	}
	amid := 0
	for n := range kills {
		if n == kills/2 {
			atLeast(codes + codes/15) // more than there are: a refill starts
		}
		answers := poppers.answers.Load()
		domaintest.Until(t, "codes are given out, so that it dies in the middle of them", func() bool {
			return t.Failed() || poppers.answers.Load() >= answers+300
		})
		minting := domaintest.OK(w.Console.Run(operator, run.ID))(t)
		lost := poppers.lost.Load()
		servers.at(0).kill(t)
		if minting.FinishedAt == nil {
			amid++
		}
		domaintest.Until(t, "a request misses the server that died",
			func() bool { return t.Failed() || poppers.lost.Load() > lost })
		if n == 0 {
			mintAt(0)
		}
		servers.replace(0, i.serve(t))
		t.Logf("killed %d times, %d of them during the mint; %d answers, %d requests that got none", n+1, amid,
			poppers.answers.Load(), poppers.lost.Load())
	}
	if amid == 0 {
		t.Error("no server died while the mint was under way")
	}
	until(t, w, operator, run.ID, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })
	until(t, w, operator, refill(t, d), "is complete",
		func(r migrations.Run) bool { return r.State == migrations.Complete })
	stop()
	group.Wait()

	for code, n := range poppers.seen {
		if n > 1 {
			t.Errorf("%s was given out %d times", code, n)
		}
	}
	var issued int
	domaintest.Must(t, d.SQL.QueryRow("SELECT COUNT(*) FROM ref_issue").Scan(&issued))
	if issued != len(poppers.seen) {
		t.Errorf("%d codes were noted as given out, and %d were received", issued, len(poppers.seen))
	}
	i.verified(t)
}

// refill waits for a refill to start.
func refill(t *testing.T, d *db.DB) (run id.Run) {
	t.Helper()
	domaintest.Until(t, "a refill begins", func() bool {
		err := d.SQL.QueryRow("SELECT id FROM migration_run WHERE actor = 'refill' ORDER BY id LIMIT 1").Scan(&run)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			t.Fatal(err)
		}
		return err == nil
	})
	return run
}

// fleet are servers, one of which may be replaced by another.
type fleet struct {
	mu   sync.Mutex
	list []*process
}

func (f *fleet) at(n int) *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.list[n%len(f.list)]
}

func (f *fleet) replace(n int, by *process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list[n] = by
}

// poppers pop codes through any of the servers.
type poppers struct {
	token         string
	servers       *fleet
	answers, lost atomic.Int64 // requests without any answer

	mu   sync.Mutex
	seen map[string]int
}

// pop pops a few codes at a time until ctx ends. Each request is repeated until it is answered.
func (p *poppers) pop(ctx context.Context, t *testing.T, who int) {
	for n := 0; ctx.Err() == nil; n++ {
		key := fmt.Sprintf("%d-%d", who, n)
		for try := 0; ; try++ {
			codes, err := p.ask(p.servers.at(who+n+try).url, key, 1+n%3)
			if err == nil {
				p.note(codes)
				break
			}
			if errors.As(err, new(*url.Error)) {
				p.lost.Add(1)
			}
			if try == 1000 {
				t.Error(err)
				return
			}
			_ = wait.Sleep(context.Background(), 20*time.Millisecond) // as an honest client does
		}
	}
}

func (p *poppers) note(codes []string) {
	p.answers.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, code := range codes {
		p.seen[code]++
	}
}

func (p *poppers) ask(server, key string, count int) ([]string, error) {
	request, err := http.NewRequest(http.MethodPost, server+"/api/v1/refs/pop",
		bytes.NewBufferString(`{"count":`+strconv.Itoa(count)+`}`))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct{ Refs []string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK || len(answer.Refs) != count {
		return nil, fmt.Errorf("%s, %d of %d codes", response.Status, len(answer.Refs), count)
	}
	return answer.Refs, nil
}

func TestCodesByCommand(t *testing.T) {
	t.Parallel()
	i := onURL(t, dbtest.Empty(t))
	if code, out := i.command(t, "refs", "pop"); code == 0 {
		t.Errorf("an empty pool gave %s", out)
	}
	i.command(t, "refs", "mint", "100")
	i.work(t)
	var out string
	for code, tries := 1, 0; code != 0; tries++ {
		if code, out = i.command(t, "refs", "pop", "3"); tries == 300 {
			t.Fatal(out)
		}
	}
	if code, out := i.command(t, "refs", "status"); code != 0 ||
		!bytes.Contains([]byte(out), []byte("At 3 codes an hour")) {
		t.Errorf("what was popped does not count: %s", out)
	}
	for tries := 0; !bytes.Contains([]byte(out), []byte("the counters are right")); tries++ {
		if _, out = i.command(t, "refs", "status"); tries == 300 {
			t.Fatalf("nobody counts: %s", out)
		}
	}
}
