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
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/refs"
)

// watchedEnv is an env with a Watch of its database.
func watchedEnv(t testing.TB) (env, *dbtest.Watch) {
	t.Helper()
	d, watch := dbtest.NewWatched(t)
	s := env{DB: d, ctx: context.Background()}
	var err error
	if s.canaries, err = refs.ReadCanaries(s.ctx, d.Queries); err != nil {
		t.Fatal(err)
	}
	return s, watch
}

// counts reports a statement that counts codes of a table.
func counts(statement string) bool { return strings.Contains(statement, "SUM(CHAR_LENGTH(code)") }

// putOff makes the counters wrong by 25 codes.
func (s env) putOff(t testing.TB) {
	t.Helper()
	s.exec(t, s.SQL, "UPDATE ref_counter SET minted = minted + 7, issued = issued - 11 WHERE length = 5 AND slot = 3")
	s.exec(t, s.SQL, "UPDATE ref_counter SET quarantined = quarantined + 2, minted = minted - 5 WHERE length = 6 AND slot = 9")
}

func (s env) recount(t testing.TB) (refs.Recount, bool) {
	t.Helper()
	r, done, err := refs.RecountIfDue(s.ctx, s.DB, refs.LongestRecount)
	domaintest.Must(t, err)
	return r, done
}

func (s env) recounted(t testing.TB) refs.Recount {
	t.Helper()
	now := domaintest.OK(refs.ReadState(s.ctx, s.Queries, s.Now()))(t)
	return now.Recount
}

func TestRecount(t *testing.T) {
	t.Parallel()
	t.Run("counters that are wrong are mended exactly, while codes are minted and taken", func(t *testing.T) {
		t.Parallel()
		s, watch := watchedEnv(t)
		s.mint(t, 1, refs.Short, 21_000) // more than are counted at once
		s.mint(t, 2, refs.Long, 300)
		bad := s.mint(t, 3, refs.Short, 200)
		s.in(t, func(tx *db.Tx) error { return refs.Quarantine(s.ctx, tx, bad, 4) })
		s.in(t, func(tx *db.Tx) error { _, err := refs.Sweep(s.ctx, tx, refs.Parts(0)); return err })
		domaintest.OK(s.pop(700))(t)
		s.putOff(t)
		var first atomic.Bool
		watch.After(func(statement string) {
			if !counts(statement) {
				return
			}
			if first.CompareAndSwap(false, true) {
				s.mint(t, 5, refs.Short, 100)
			}
			if _, err := s.pop(9); err != nil {
				t.Error(err)
			}
		})
		var stop atomic.Bool
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				for !stop.Load() {
					if _, err := s.pop(2); errors.Is(err, refs.CodeEmpty) {
						if left := s.count(t, "ref_pool"); left > 5 { // the others hold at most two each
							t.Errorf("none is found of %d", left)
						}
						return
					} else if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		r, done, err := refs.RecountIfDue(s.ctx, s.DB, refs.LongestRecount)
		stop.Store(true)
		group.Wait()
		domaintest.Must(t, err)
		if !done || r.Off != 25 || r.Lost != 0 {
			t.Errorf("%v, %+v", done, r)
		}
		s.checkBalance(t)
		if now := s.recounted(t); now.At == nil || now.Off != 25 || now.Lost != 0 || now.EndedAt == nil || now.GaveUp() {
			t.Errorf("noted is %+v", now)
		}
	})
	t.Run("what a second count does not find is not mended", func(t *testing.T) {
		t.Parallel()
		s, watch := watchedEnv(t)
		s.mint(t, 1, refs.Short, 100)
		s.putOff(t)
		var first atomic.Bool
		watch.After(func(statement string) { // the view of the first count is open
			if counts(statement) && first.CompareAndSwap(false, true) {
				s.exec(t, s.SQL, "UPDATE ref_counter SET minted = minted - 7, issued = issued + 11 WHERE length = 5 AND slot = 3")
			}
		})
		if r, done := s.recount(t); !done || r.Off != 7 || r.Lost != 0 {
			t.Errorf("%v, %+v", done, r)
		}
		s.checkBalance(t)
	})
	t.Run("of servers that would all count one does, once a day", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		now := s.Now()
		s.SetClock(func() time.Time { return now })
		s.mint(t, 1, refs.Short, 100)
		all := func() int32 {
			var did atomic.Int32
			var group sync.WaitGroup
			for range 5 {
				group.Go(func() {
					if _, done, err := refs.RecountIfDue(s.ctx, s.DB, refs.LongestRecount); err != nil {
						t.Error(err)
					} else if done {
						did.Add(1)
					}
				})
			}
			group.Wait()
			return did.Load()
		}
		for _, step := range []struct {
			later time.Duration
			want  int32
		}{{0, 1}, {0, 0}, {24*time.Hour - time.Second, 0}, {time.Second, 1}} {
			now = now.Add(step.later)
			if n := all(); n != step.want {
				t.Errorf("%s later %d count, not %d", step.later, n, step.want)
			}
		}
	})
}

func TestRecountInTrouble(t *testing.T) {
	t.Parallel()
	t.Run("a count whose server died is begun anew an hour later", func(t *testing.T) {
		t.Parallel()
		s, watch := watchedEnv(t)
		now := s.Now()
		s.SetClock(func() time.Time { return now })
		s.mint(t, 1, refs.Short, 100)
		s.putOff(t)
		ctx, die := context.WithCancel(s.ctx)
		watch.After(func(statement string) {
			if counts(statement) {
				die()
			}
		})
		if _, done, err := refs.RecountIfDue(ctx, s.DB, refs.LongestRecount); done || !errors.Is(err, context.Canceled) {
			t.Fatalf("it did not stop at once: %v, %v", done, err)
		}
		now = now.Add(time.Hour - time.Second)
		if _, done := s.recount(t); done {
			t.Error("it was taken for dead too soon")
		}
		now = now.Add(time.Second)
		if r, done := s.recount(t); !done || r.Off != 25 {
			t.Errorf("%v, %+v", done, r)
		}
		s.checkBalance(t)
	})
	t.Run("one that was taken for dead and was only slow mends nothing a second time", func(t *testing.T) {
		t.Parallel()
		s, watch := watchedEnv(t)
		now := s.Now()
		s.SetClock(func() time.Time { return now })
		s.mint(t, 1, refs.Short, 100)
		s.putOff(t)
		var slow atomic.Bool
		watch.After(func(statement string) {
			if counts(statement) && slow.CompareAndSwap(false, true) {
				now = now.Add(time.Hour)
				if r, done, err := refs.RecountIfDue(s.ctx, s.DB, refs.LongestRecount); err != nil || !done || r.Off != 25 {
					t.Errorf("the second: %v, %+v, %v", done, r, err)
				}
			}
		})
		if _, done, err := refs.RecountIfDue(s.ctx, s.DB, refs.LongestRecount); done || !errors.Is(err, refs.CodeTakenOver) {
			t.Errorf("%v, %v", done, err)
		}
		s.checkBalance(t)
	})
	t.Run("tables that disagree are reported, and no counter is changed", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		s.mint(t, 1, refs.Short, 100)
		s.mint(t, 2, refs.Long, 100)
		s.putOff(t)
		s.exec(t, s.SQL, "DELETE FROM ref_pool WHERE CHAR_LENGTH(code) = 5 ORDER BY code LIMIT 3")                                            // lost
		s.exec(t, s.SQL, "INSERT INTO ref_issue (code, issued_at, company_id, ticket_id, token_id) VALUES ('......', '2026-01-01', 0, 0, 0)") // never minted
		before := s.sums(t)
		r, done := s.recount(t)
		if after := s.sums(t); !done || r.Lost != 4 || after != before {
			t.Errorf("%v, %+v; the counters were %s and are %s", done, r, before, after)
		}
		if now := s.recounted(t); now.Lost != 4 || now.At == nil {
			t.Errorf("noted is %+v", now)
		}
	})
	t.Run("one that takes too long is given up until the next day, and that is said", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		now := s.Now()
		s.SetClock(func() time.Time { return now })
		s.mint(t, 1, refs.Short, 100)
		s.putOff(t)
		if _, done, err := refs.RecountIfDue(s.ctx, s.DB, time.Nanosecond); done || !errors.Is(err, refs.CodeTooManyToCount) {
			t.Fatalf("%v, %v", done, err)
		}
		if r := s.recounted(t); !r.GaveUp() || r.At != nil {
			t.Errorf("noted is %+v", r)
		}
		now = now.Add(2 * time.Hour)
		if _, done := s.recount(t); done {
			t.Error("it was tried again in two hours")
		}
		now = now.Add(22 * time.Hour)
		if _, done := s.recount(t); !done || s.recounted(t).GaveUp() {
			t.Error("the next day nothing was counted")
		}
		s.checkBalance(t)
	})
}

// sums are all counters.
func (s env) sums(t testing.TB) (all string) {
	t.Helper()
	domaintest.Must(t, s.SQL.QueryRow(
		"SELECT GROUP_CONCAT(minted, ' ', issued, ' ', quarantined ORDER BY length, slot) FROM ref_counter").Scan(&all))
	return all
}
