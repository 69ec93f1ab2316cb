package console_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// mint mints codes as an operator does.
func (e *env) mint(t testing.TB, codes int, length string) migrations.Run {
	t.Helper()
	run, _ := e.RunToEnd(t, workflows.MintName, migrations.Values{"codes": fmt.Sprint(codes), "length": length},
		migrations.Draft{})
	return run
}

func (e *env) state(t testing.TB) refs.State {
	t.Helper()
	return domaintest.OK(e.Console.RefState(e.Ctx))(t)
}

// untilRun waits for a state of a run.
func (e *env) untilRun(t testing.TB, run id.Run, wanted func(migrations.Run) bool) (r migrations.Run) {
	t.Helper()
	domaintest.Until(t, "the run is as wanted", func() bool {
		var err error
		if r, err = e.Console.Run(console.AsCommandLine(e.Ctx), run); err != nil {
			t.Fatal(err)
		}
		return wanted(r)
	}, func() string { return fmt.Sprintf("it is %s (%s): %+v", r.State, r.Reason, r.Progress) })
	return r
}

func TestRefs(t *testing.T) {
	t.Parallel()
	t.Run("minted codes can be popped, by many at once, each once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		run := e.mint(t, 25_000, "5")
		if run.State != migrations.Complete || run.Progress.Complete != 3 {
			t.Fatalf("%+v", run)
		}
		var mu sync.Mutex
		seen := map[refs.Code]bool{}
		var group sync.WaitGroup
		for n := range 50 {
			group.Go(func() {
				for range 40 {
					codes, err := e.Console.PopRefs(e.Ctx, 1+n%5+n/49*200, "", nil)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for _, code := range codes {
						if seen[code] {
							t.Errorf("%s twice", code)
						}
						seen[code] = true
					}
					mu.Unlock()
				}
			})
		}
		group.Wait()
		if s := e.state(t); s.Minted != 25_000 || s.Issued != uint64(len(seen)) || s.Available != 25_000-s.Issued {
			t.Errorf("%+v, and %d were received", s.Counts, len(seen))
		}
		e.Counts(t, len(seen), "SELECT COUNT(*) FROM ref_issue WHERE company_id = 1 AND token_id = 0 AND ticket_id = 0")
	})
	t.Run("a mint that is paused, and whose worker stops, resumes: each code is counted once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		operator := console.AsCommandLine(e.Ctx)
		run := domaintest.OK(e.Console.OpenRun(operator, workflows.MintName,
			migrations.Values{"codes": "60000", "length": "5"}, migrations.Draft{}, nil))(t)
		slow := migrations.KnobChange{"rate": 0.02, "concurrency": 1} // it does not end before it is paused
		domaintest.OK(e.Console.ChangeKnobs(operator, run.ID, slow))(t)
		work := func(until func(migrations.Run) bool) migrations.Run {
			working, end := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- e.Worker.Work(working) }()
			defer func() { end(); <-done }()
			return e.untilRun(t, run.ID, until)
		}
		whole := func(codes uint64) {
			t.Helper()
			lots, _, err := e.Console.RefLots(e.Ctx, 0)
			if err != nil || len(lots) != 1 || lots[0].Added != codes {
				t.Errorf("%+v, %v", lots, err)
			}
			if s := e.state(t); s.Minted != codes || s.Available != codes-s.Issued {
				t.Errorf("%d codes: %+v", codes, s.Counts)
			}
			ledger, pool, issued := e.Count(t, "SELECT COUNT(*) FROM ref_ledger"), e.Count(t,
				"SELECT COUNT(*) FROM ref_pool"), e.Count(t, "SELECT COUNT(*) FROM ref_issue")
			if uint64(ledger) != codes || ledger != pool+issued {
				t.Errorf("%d codes: %d in the ledger, %d in the pool, %d given out", codes, ledger, pool, issued)
			}
		}
		paused := work(func(r migrations.Run) bool {
			if r.State == migrations.Running && r.Progress.Complete > 0 {
				if _, err := e.Console.PauseRun(operator, run.ID); err != nil {
					t.Error(err)
				}
			}
			return r.State == migrations.Paused
		})
		if n := paused.Progress.Complete; n == 0 || n == 6 {
			t.Fatalf("%+v", paused)
		}
		domaintest.OK(e.Console.PopRefs(e.Ctx, 500, "", nil))(t)
		whole(10_000 * uint64(paused.Progress.Complete))
		domaintest.OK(e.Console.ChangeKnobs(operator, run.ID, migrations.KnobChange{"rate": 0}))(t)
		domaintest.OK(e.Console.ResumeRun(operator, run.ID))(t)
		if r := work(func(r migrations.Run) bool { return r.FinishedAt != nil }); r.State != migrations.Complete ||
			r.Progress.Complete != 6 {
			t.Errorf("%+v", r)
		}
		whole(60_000)
	})
}

func TestRefill(t *testing.T) {
	t.Parallel()
	t.Run("a pool that runs low is filled, by one run at a time, once codes are in use", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		tend := func(want int) {
			t.Helper()
			if err := e.Delivery.TendRefs(context.Background()); err != nil { // it notes what was popped, too
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for range 5 { // as five processes do
				group.Go(func() {
					if err := e.Delivery.TendRefs(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if n := e.Count(t, "SELECT COUNT(*) FROM migration_run WHERE name = 'mint-refs'"); n != want {
				t.Fatalf("%d refills, not %d", n, want)
			}
		}
		policy := refs.Policy{AtLeast: 500, LowHours: 24, HighHours: 100}
		domaintest.Must(t, e.Console.SetRefPolicy(e.Ctx, policy))
		tend(0)
		if _, err := e.Console.PopRefs(e.Ctx, 1, "", nil); !errors.Is(err, refs.CodeEmpty) {
			t.Fatal(err)
		}
		tend(1)
		e.WorkAll(t, workflows.MintName)
		if s := e.state(t); s.Available != 1000 {
			t.Errorf("%+v", s.Counts)
		}
		tend(1)
		domaintest.OK(e.Console.PopRefs(e.Ctx, 240, "", nil))(t)
		tend(2) // 240 in the last hour are 5,760 a day
		e.WorkAll(t, workflows.MintName)
		if s := e.state(t); s.Available != 24_000 || s.Rate != 240 {
			t.Errorf("%+v", s)
		}
		policy.AtLeast = 100_000
		domaintest.Must(t, errors.Join(e.Console.PauseRefills(e.Ctx, true), e.Console.SetRefPolicy(e.Ctx, policy)))
		tend(2)
		domaintest.Must(t, e.Console.PauseRefills(e.Ctx, false))
		tend(3)
		tend(3)
		e.Exec(t, "UPDATE migration_run SET state = 'cancelled', finished_at = NOW(6), active_key = NULL WHERE name = 'mint-refs' AND state <> 'complete'")
		tend(3) // not again at once
		e.Exec(t, "UPDATE migration_run SET finished_at = NOW(6) - INTERVAL 2 HOUR WHERE name = 'mint-refs'")
		tend(4)
	})
	t.Run("when five characters run out, six are minted", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Exec(t, "UPDATE ref_counter SET minted = 540000000, issued = 540000000 WHERE length = 5 AND slot = 0")
		if _, err := e.Console.OpenRun(console.AsCommandLine(e.Ctx), workflows.MintName,
			migrations.Values{"codes": "10000000", "length": "5"}, migrations.Draft{}, nil); err == nil ||
			!strings.Contains(err.Error(), "longer") {
			t.Errorf("got %v", err)
		}
		if _, err := e.Console.PopRefs(e.Ctx, 1, "", nil); !errors.Is(err, refs.CodeEmpty) {
			t.Fatal(err)
		}
		e.Exec(t, "UPDATE ref_policy SET at_least = 3000000")
		domaintest.Must(t, e.Delivery.TendRefs(e.Ctx))
		e.Exec(t, "UPDATE ref_policy SET paused = TRUE")
		if n := e.Count(t, "SELECT COUNT(*) FROM migration_run WHERE params LIKE '%\"length\":\"6\"%'"); n != 1 {
			t.Fatal("the refill is not of six characters")
		}
		e.mint(t, 100, "6")
		codes, err := e.Console.PopRefs(e.Ctx, 3, "", nil)
		if err != nil || len(codes[0]) != 6 {
			t.Errorf("%v, %v", codes, err)
		}
	})
	t.Run("a guard that cannot end leaves no pool empty", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Exec(t, "UPDATE ref_policy SET wanted = TRUE, sweep_run = 999")
		e.Exec(t, "UPDATE ref_counter SET guarded = TRUE")
		if err := e.Delivery.TendRefs(e.Ctx); err == nil {
			t.Error("nobody hears of it")
		}
		e.Counts(t, 1, "SELECT COUNT(*) FROM migration_run WHERE name = 'mint-refs'")
	})
}

func TestLoadCodes(t *testing.T) {
	t.Parallel()
	t.Run("a file is loaded line by line: lines without a code, or with a known one, are rejected", func(t *testing.T) {
		t.Parallel()
		for name, file := range map[string]string{
			"without a heading": "ukrEP\nUkrEP\nukrE\nabcdef\nukrEP\n0OlI1\n<b>12\n\"a,b\"\n",
			"with one":          "\xef\xbb\xbfCode,Printed\r\nukrEP,yes\r\nUkrEP,\r\nukrE,\r\nabcdef,\r\nukrEP,\r\n0OlI1,\r\n<b>12,\r\n\"a,b\",\r\n",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := newEnv(t, apptest.Files(t))
				load := func() migrations.Run {
					run, _ := e.RunToEnd(t, workflows.LoadName, migrations.Values{"length": "5", "encoding": "detect"},
						migrations.Draft{Upload: strings.NewReader(file), UploadName: "labels.txt"})
					return run
				}
				run := load()
				if p := run.Progress; run.Rejected != 5 || p.Complete != 2 || p.Failed != 0 {
					t.Errorf("%d rejected, %+v", run.Rejected, p)
				}
				if s := e.state(t); s.Available != 3 || s.Minted != 3 {
					t.Errorf("%+v", s.Counts)
				}
				rejected, _, err := e.Console.RunRejections(e.Ctx, run.ID, 0)
				domaintest.Must(t, err)
				heading := uint32(0)
				if strings.HasPrefix(name, "with one") {
					heading = 1
				}
				text := map[uint32]string{}
				for _, r := range rejected {
					text[uint32(r.Line)-heading] = r.Reason
				}
				if text[1] != "" { // of two lines with a code in two tasks at a time, the first to be done counts
					text[5] = text[1]
					delete(text, 1)
				}
				none := refs.BadCode().Error()
				if want := map[uint32]string{3: none, 4: "The code abcdef has 6 characters, and this run is for codes of 5.",
					5: refs.Known("ukrEP").Error(), 7: none, 8: none}; !maps.Equal(text, want) {
					t.Errorf("rejected: %v", text)
				}
				if run := load(); run.Rejected != 8 || run.Progress.Failed != 0 {
					t.Errorf("again: %d rejected, %+v", run.Rejected, run.Progress)
				}
				codes, err := e.Console.PopRefs(e.Ctx, 3, "", nil)
				if err != nil || len(codes) != 3 {
					t.Errorf("%v, %v", codes, err)
				}
				if run := load(); run.Rejected != 8 || e.state(t).Available != 0 {
					t.Errorf("once more, when they are given out: %d rejected", run.Rejected)
				}
			})
		}
	})
	t.Run("thousands of lines are a few tasks, and the first ten thousand known ones are listed", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, apptest.Files(t))
		const alphabet = "23456789abcdefghijkmnpqrstuvwxyz"
		var file strings.Builder
		for i := range 10_500 {
			if i == 5000 {
				file.WriteString("not a code\n")
			}
			fmt.Fprintf(&file, "%c%c%c%c%c\n", alphabet[i>>10&31], alphabet[i>>5&31], alphabet[i&31], alphabet[0], alphabet[i>>15&31])
		}
		load := func(dry bool) (migrations.Run, []migrations.Task) {
			return e.RunToEnd(t, workflows.LoadName, migrations.Values{"length": "5", "encoding": "detect"},
				migrations.Draft{Dry: dry, Upload: strings.NewReader(file.String()), UploadName: "labels.txt"})
		}
		if run, tasks := load(true); run.Progress.Complete != 6 || tasks[0].Note != "Would add 2000 codes." {
			t.Errorf("a dry run: %+v, %q", run.Progress, tasks[0].Note)
		}
		if run, tasks := load(false); run.Progress.Complete != 6 || run.Rejected != 1 || tasks[2].Note != "1000 codes" || tasks[3].Line != 5002 {
			t.Errorf("%+v, %d rejected, %+v", run.Progress, run.Rejected, tasks)
		}
		if s := e.state(t); s.Available != 10_500 {
			t.Errorf("%d are there", s.Available)
		}
		run, _ := load(false)
		e.Counts(t, migrations.MaxRejections, "SELECT COUNT(*) FROM migration_rejection WHERE run_id = ?", uint64(run.ID))
		if run.Rejected != 10_501 || run.Unlisted() != 501 || e.state(t).Available != 10_500 {
			t.Errorf("again: %d rejected, %d of them only counted", run.Rejected, run.Unlisted())
		}
	})
	t.Run("a run that an earlier version filled has a line in each task", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, apptest.Files(t))
		run, tasks := e.RunToEnd(t, workflows.LoadName, migrations.Values{"length": "5", "encoding": "detect"},
			migrations.Draft{Upload: strings.NewReader("ukrEP\n"), UploadName: "labels.txt"})
		if tasks[0].Note != "1 code" {
			t.Errorf("the note is %q", tasks[0].Note)
		}
		works := []*migrations.Work{
			{Values: run.Values, Task: migrations.Task{Run: run.ID, Line: 2, Payload: "UkrEP"}},
			{Values: run.Values, Task: migrations.Task{Run: run.ID, Line: 3, Payload: "ukrEP"}},
		}
		domaintest.Must(t, e.DB.InTx(e.Ctx, func(tx *db.Tx) error {
			return e.Migration(t, workflows.LoadName).Write(e.Ctx, tx, works)
		}))
		rejected, _, err := e.Console.RunRejections(e.Ctx, run.ID, 0)
		if err != nil || len(rejected) != 1 || rejected[0].Line != 3 || e.state(t).Available != 2 {
			t.Errorf("%+v, %v; %d are there", rejected, err, e.state(t).Available)
		}
	})
	t.Run("a lot in quarantine is taken out of the pool by a run, and then the guard ends", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.mint(t, 1000, "5")
		e.mint(t, 1000, "5")
		lots, _, err := e.Console.RefLots(e.Ctx, 0)
		if err != nil || len(lots) != 2 {
			t.Fatal(lots, err)
		}
		bad := lots[1].ID
		domaintest.OK(e.Console.QuarantineRefs(e.Ctx, bad))(t)
		if !e.state(t).Guarded {
			t.Error("nothing guards the pool")
		}
		domaintest.OK(e.Console.PopRefs(e.Ctx, 700, "", nil))(t)
		if runs := e.WorkAll(t, workflows.QuarantineName); len(runs) != 1 || runs[0].Progress.Failed > 0 {
			t.Fatalf("%+v", runs)
		}
		domaintest.Must(t, e.Delivery.TendRefs(e.Ctx))
		s := e.state(t)
		if s.Guarded || s.Quarantined != 1000 || s.Available != 300 {
			t.Errorf("%+v", s)
		}
		e.Counts(t, 0, "SELECT COUNT(*) FROM ref_issue i JOIN ref_ledger l ON l.code = i.code JOIN ref_batch b ON b.id = l.batch WHERE b.lot_id = ?", uint64(bad))
		domaintest.Fails(e.Console.QuarantineRefs(e.Ctx, bad))(t, refs.CodeInQuarantine)
		domaintest.Fails(e.Console.QuarantineRefs(e.Ctx, id.Lot(99)))(t, refs.CodeLotNotFound)
	})
}
