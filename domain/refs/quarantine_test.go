package refs_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/refs"
)

// quarantined puts a lot in quarantine; its codes are in the pool until they are swept.
func (s env) quarantined(t testing.TB, lot id.Lot) {
	t.Helper()
	s.in(t, func(tx *db.Tx) error { return refs.Quarantine(s.ctx, tx, lot, 9) })
}

// good is how many codes of the pool can be popped.
func (s env) good(t testing.TB) uint64 {
	t.Helper()
	return s.count(t, "ref_pool JOIN ref_ledger USING (code) JOIN ref_batch ON ref_batch.id = batch JOIN ref_lot ON ref_lot.id = lot_id WHERE quarantined_at IS NULL")
}

func TestSetSweep(t *testing.T) {
	t.Parallel()
	s, watch := watchedEnv(t)
	for _, step := range []struct {
		run    id.Run
		writes int
	}{{7, 1}, {7, 0}, {6, 0}, {8, 1}} {
		watch.Take()
		s.in(t, func(tx *db.Tx) error { return refs.SetSweep(s.ctx, tx, step.run) })
		sent, _ := watch.Take()
		if n := strings.Count(strings.Join(sent, "\n"), "UPDATE ref_policy"); n != step.writes {
			t.Errorf("run %d: %d writes", step.run, n)
		}
	}
	if n := s.count(t, "ref_policy WHERE sweep_run = 8"); n != 1 {
		t.Error("the newest run is not noted")
	}
}

// The codes of a restore are in quarantine, with their lots, in transactions of a bounded size.
func TestRestored(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	short := s.mint(t, 1, refs.Short, 10_000)
	domaintest.OK(s.pop(30))(t)
	long := s.mint(t, 2, refs.Long, 10)
	domaintest.Must(t, refs.QuarantinePool(s.ctx, s.DB))
	for lot, want := range map[id.Lot]uint64{short: 9970, long: 10} {
		one, err := refs.LotByID(s.ctx, s.Queries, lot)
		if err != nil || one.Quarantined != want || one.QuarantinedAt == nil {
			t.Errorf("%+v, %v", one, err)
		}
	}
	if n := s.count(t, "ref_quarantine"); n != 9980 || s.count(t, "ref_pool") != 0 {
		t.Errorf("%d codes", n)
	}
	s.checkBalance(t)
}

func TestPopsWhileALotIsTakenOut(t *testing.T) {
	t.Parallel()
	t.Run("many at once find the one good code in fifty while it is swept: each once, and none is left", func(t *testing.T) {
		t.Parallel()
		const good = 80
		s := newEnv(t)
		bad := s.mint(t, 1, refs.Short, 49*good/2)
		worse := s.mint(t, 2, refs.Short, 49*good/2)
		s.mint(t, 3, refs.Short, good)
		s.quarantined(t, bad)
		s.quarantined(t, worse)

		var mu sync.Mutex
		seen := map[refs.Code]int{}
		var begun, empty atomic.Int64
		var group sync.WaitGroup
		group.Go(func() {
			for _, part := range refs.Parts(1) {
				err := s.InTx(s.ctx, func(tx *db.Tx) error { _, err := refs.Sweep(s.ctx, tx, []string{part}); return err })
				if err != nil {
					t.Error(err)
				}
			}
		})
		for range 10 {
			group.Go(func() {
				for {
					begun.Add(1)
					codes, err := s.pop(1)
					if errors.Is(err, refs.CodeEmpty) {
						if some := begun.Load() - empty.Add(1); some < good { // others that may have one
							t.Errorf("none was found when %d at most were taken", some)
						}
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					seen[codes[0]]++
					mu.Unlock()
				}
			})
		}
		group.Wait()
		for code, n := range seen {
			if n > 1 {
				t.Errorf("%s was given out %d times", code, n)
			}
		}
		if len(seen) != good || s.good(t) != 0 {
			t.Errorf("%d were given out, and %d are left", len(seen), s.good(t))
		}
		s.checkBalance(t)
		for _, lot := range []id.Lot{bad, worse} {
			if one, err := refs.LotByID(s.ctx, s.Queries, lot); err != nil || one.Quarantined != 49*good/2 {
				t.Errorf("%+v, %v", one, err)
			}
		}
	})
	t.Run("as many as are good can be taken at once, however many are not", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		bad := s.mint(t, 1, refs.Short, 9000)
		s.mint(t, 2, refs.Short, 600)
		s.mint(t, 3, refs.Long, 600)
		s.quarantined(t, bad)
		if codes, err := s.pop(1000); err != nil || len(codes) != 1000 {
			t.Fatalf("%d, %v", len(codes), err)
		}
		domaintest.Fails(s.pop(201))(t, refs.CodeEmpty)
		if codes, err := s.pop(200); err != nil || len(codes) != 200 {
			t.Errorf("%d, %v", len(codes), err)
		}
		s.checkBalance(t)
	})
	t.Run("one code takes few statements", func(t *testing.T) {
		t.Parallel()
		s, watch := watchedEnv(t)
		bad := s.mint(t, 1, refs.Short, 5000)
		s.mint(t, 2, refs.Short, 500)
		s.quarantined(t, bad)
		watch.Take()
		for range 50 {
			domaintest.OK(s.pop(1))(t)
			if sent, _ := watch.Take(); len(sent) > 18 {
				t.Fatalf("%d statements: %s", len(sent), strings.Join(sent, "\n"))
			}
		}
	})
	t.Run("pops do not wait for a sweep", func(t *testing.T) {
		t.Parallel()
		s, watch := watchedEnv(t)
		bad := s.mint(t, 1, refs.Short, 3000)
		s.mint(t, 2, refs.Short, 300)
		s.quarantined(t, bad)
		var chunks int
		var codes []refs.Code
		var between error
		watch.After(func(statement string) {
			if strings.Contains(statement,
				"FROM ref_ledger l FORCE INDEX (PRIMARY) STRAIGHT_JOIN ref_batch b ON b.id = l.batch WHERE") {
				if chunks++; chunks == 3 { // two are swept
					soon, cancel := context.WithTimeout(s.ctx, 30*time.Second)
					defer cancel()
					between = s.InTx(soon, func(tx *db.Tx) (err error) {
						codes, err = refs.PopTx(soon, tx, refs.Use{}, 100)
						return err
					})
				}
			}
		})
		s.in(t, func(tx *db.Tx) error { _, err := refs.Sweep(s.ctx, tx, refs.Parts(0)); return err })
		if between != nil || len(codes) != 100 {
			t.Errorf("%d codes, %v", len(codes), between)
		}
		if n := s.count(t, "ref_pool"); n != 200 {
			t.Errorf("%d are left", n)
		}
		s.checkBalance(t)
	})
}
