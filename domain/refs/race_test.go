package refs_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
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

// The race in which refilled pools give one code out twice: the refill checks whether a code was popped; a pop takes
// it from the pool; the refill puts it into the pool.
func TestTheRefillRace(t *testing.T) {
	t.Parallel()
	t.Run("a refill that looks among the codes that were given out puts one back", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		for _, statement := range []string{
			"CREATE TABLE naive_pool (code CHAR(5) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY) ENGINE=InnoDB",
			"CREATE TABLE naive_used LIKE naive_pool", "INSERT INTO naive_pool VALUES ('ukrEP')",
		} {
			s.exec(t, s.SQL, statement)
		}
		refill, taker := s.begin(t), s.begin(t)
		var used int
		if err := refill.SQL.QueryRow("SELECT COUNT(*) FROM naive_used WHERE code = 'ukrEP'").Scan(&used); err != nil ||
			used != 0 {
			t.Fatal(used, err)
		}
		s.exec(t, taker.SQL, "DELETE FROM naive_pool WHERE code = 'ukrEP'")
		s.exec(t, taker.SQL, "INSERT INTO naive_used VALUES ('ukrEP')")
		s.commit(t, taker)
		s.exec(t, refill.SQL, "INSERT IGNORE INTO naive_pool VALUES ('ukrEP')")
		s.commit(t, refill)
		if n := s.count(t, "naive_pool JOIN naive_used USING (code)"); n != 1 {
			t.Errorf("%d codes are free and given out; the race is not what it was", n)
		}
	})
	t.Run("ours does not, in whatever order", func(t *testing.T) {
		t.Parallel()
		orders := interleavings("rrr", "tt")
		if len(orders) != 10 {
			t.Fatalf("%d orders", len(orders))
		}
		for _, order := range orders {
			for _, end := range []string{"commit", "rollback"} {
				t.Run(order+" "+end, func(t *testing.T) {
					t.Parallel()
					s := newEnv(t)
					s.in(t, func(tx *db.Tx) error {
						lot, err := refs.OpenLot(s.ctx, tx, 1, refs.FromFile, refs.Short)
						if err != nil {
							return err
						}
						_, err = refs.Load(s.ctx, tx, lot, refs.Short, []refs.Code{"ukrEP"})
						return err
					})
					s.race(t, order, end)
				})
			}
		}
	})
}

// A lot that goes into quarantine while another is being taken out of the pool waits for those who have looked
// whether their codes are of lots in quarantine.
func TestTheQuarantineRace(t *testing.T) {
	t.Parallel()
	s, watch := watchedEnv(t)
	first := s.mint(t, 1, refs.Short, 1)
	second := s.mint(t, 2, refs.Short, 200)
	s.in(t, func(tx *db.Tx) error { return refs.Quarantine(s.ctx, tx, first, 3) })

	var once sync.Once
	var between error
	watch.After(func(statement string) {
		if !strings.Contains(statement, "quarantined_at IS NOT NULL") {
			return
		}
		once.Do(func() {
			soon, cancel := context.WithTimeout(s.ctx, time.Second)
			defer cancel()
			between = s.InTx(soon, func(tx *db.Tx) error { return refs.Quarantine(soon, tx, second, 4) })
		})
	})
	codes := domaintest.OK(s.pop(1))(t)
	if between == nil {
		t.Errorf("%d codes of a lot were given out after it went into quarantine", len(codes))
	}
	s.in(t, func(tx *db.Tx) error { return refs.Quarantine(s.ctx, tx, second, 4) })
	domaintest.Fails(s.pop(1))(t, refs.CodeEmpty)
}

// race has a refill draw ukrEP and UkrEP while a pop takes the only code of the pool, ukrEP: a letter of the order is
// a step of one of the two.
func (s env) race(t *testing.T, order, end string) {
	refill, taker := s.begin(t), s.begin(t)
	batch := domaintest.OK(s.OpenBatch(s.ctx, 1))(t)
	drawn := []string{"UkrEP", "ukrEP"}
	steps := map[rune][]func() error{
		'r': {
			func() error { return refill.AddToLedger(s.ctx, uint32(batch), drawn) },
			func() error { _, err := refill.AddToPool(s.ctx, uint32(batch), drawn); return err },
			func() error { return refill.SQL.Commit() },
		},
		't': {
			func() error { _, err := taker.PickRefs(s.ctx, []string{"ukrEP"}, 1); return take(s.ctx, taker, err) },
			func() error {
				if end == "rollback" {
					return taker.SQL.Rollback()
				}
				return taker.SQL.Commit()
			},
		},
	}
	for n, actor := range order {
		if err := steps[actor][0](); err != nil {
			t.Fatalf("step %d of %s: %v", n+1, order, err)
		}
		steps[actor] = steps[actor][1:]
	}
	in := func(table, code string) bool { return s.count(t, table+" WHERE code = '"+code+"'") == 1 }
	if in("ref_pool", "ukrEP") == (end == "commit") || in("ref_issue", "ukrEP") != (end == "commit") {
		t.Errorf("ukrEP: in the pool %v, given out %v", in("ref_pool", "ukrEP"), in("ref_issue", "ukrEP"))
	}
	if !in("ref_pool", "UkrEP") {
		t.Error("UkrEP, which is another code, is not in the pool")
	}
}

// take pops ukrEP.
func take(ctx context.Context, tx *db.Tx, err error) error {
	if err != nil {
		return err
	}
	n, err := tx.DropRefs(ctx, []string{"ukrEP"})
	if err != nil || n != 1 {
		return fmt.Errorf("%d codes were in the pool: %w", n, err)
	}
	return tx.IssueRefs(ctx, []db.RefIssue{{Code: "ukrEP", IssuedAt: tx.Now, CompanyID: 1}})
}

// interleavings are all orders of two sequences of steps.
func interleavings(a, b string) []string {
	if a == "" || b == "" {
		return []string{a + b}
	}
	var all []string
	for _, rest := range interleavings(a[1:], b) {
		all = append(all, a[:1]+rest)
	}
	for _, rest := range interleavings(a, b[1:]) {
		all = append(all, b[:1]+rest)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (s env) begin(t *testing.T) *db.Tx {
	t.Helper()
	tx := domaintest.OK(s.SQL.BeginTx(s.ctx, nil))(t)
	t.Cleanup(func() { _ = tx.Rollback() })
	return &db.Tx{Queries: s.Queries.WithTx(tx), SQL: tx, Now: s.Now()}
}

func (s env) commit(t *testing.T, tx *db.Tx) {
	t.Helper()
	domaintest.Must(t, tx.SQL.Commit())
}

func (s env) exec(t testing.TB, on interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}, statement string) {
	t.Helper()
	if _, err := on.ExecContext(s.ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Two slices of a lot are minted at the same time; a lot that goes into quarantine meanwhile gets nothing of either.
func TestMintsAtTheSameTime(t *testing.T) {
	t.Parallel()
	slice := func(i uint64) refs.Slice {
		return refs.Slice{Length: refs.Short, From: i * 1_000_000, To: (i + 1) * 1_000_000, Codes: 50}
	}
	begin := func(t *testing.T) (env, id.Lot, func(i uint64) func(*db.Tx) error, func(func())) {
		s, watch := watchedEnv(t)
		lot := s.mint(t, 1, refs.Short, 10)
		mint := func(i uint64) func(*db.Tx) error {
			return func(tx *db.Tx) error {
				lot, err := refs.OpenLot(s.ctx, tx, 1, refs.FromMint, refs.Short)
				if err != nil {
					return err
				}
				_, err = refs.Mint(s.ctx, tx, s.canaries, lot, slice(i))
				return err
			}
		}
		return s, lot, mint, func(do func()) {
			var first atomic.Bool
			watch.After(func(statement string) {
				if strings.HasPrefix(statement, "INSERT INTO ref_pool") && first.CompareAndSwap(false, true) {
					do()
				}
			})
		}
	}
	t.Run("one does not wait for the other", func(t *testing.T) {
		t.Parallel()
		s, _, mint, amid := begin(t)
		var between error
		amid(func() {
			soon, cancel := context.WithTimeout(s.ctx, time.Minute)
			defer cancel()
			between = s.InTx(soon, mint(2))
		})
		s.in(t, mint(1))
		if between != nil {
			t.Error(between)
		}
		if n := s.count(t, "ref_pool"); n != 110 {
			t.Errorf("%d codes", n)
		}
		s.checkBalance(t)
	})
	t.Run("codes that are added to a lot in quarantine are in quarantine", func(t *testing.T) {
		t.Parallel()
		s, lot, mint, amid := begin(t)
		amid(func() {
			if err := s.InTx(s.ctx, func(tx *db.Tx) error { return refs.Quarantine(s.ctx, tx, lot, 3) }); err != nil {
				t.Error(err)
			}
		})
		domaintest.Is(t, s.InTx(s.ctx, mint(1)), refs.CodeInQuarantine)
		if n := s.count(t, "ref_ledger"); n != 10 {
			t.Errorf("%d codes", n)
		}
		s.checkBalance(t)
	})
	t.Run("in a slice that has few codes, and in one that has many, those that were there are left out", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		for _, round := range []refs.Slice{{Codes: 3000}, {Before: 90_000_000, Codes: 2000},
			{Before: 300_000_000, Codes: 50}} {
			round.Length, round.To = refs.Short, 20_000
			s.in(t, func(tx *db.Tx) error {
				lot, err := refs.OpenLot(s.ctx, tx, 1, refs.FromMint, refs.Short)
				if err != nil {
					return err
				}
				m, err := refs.Mint(s.ctx, tx, s.canaries, lot, round)
				if m.Added != uint64(round.Codes) {
					t.Errorf("%+v of %+v", m, round)
				}
				return err
			})
			s.checkBalance(t)
			if _, err := s.pop(500); err != nil {
				t.Error(err)
			}
		}
	})
}
