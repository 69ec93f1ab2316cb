package refs

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// Mints, pops and quarantines keep the counters, so that tens of millions of rows need not be counted. Once a day one
// server counts them in the background, and corrects the counters if they are wrong.

const (
	// recountEvery is how long after the last count began the next one does.
	recountEvery = 24 * time.Hour
	// recountAnew is the age at which an unfinished count is taken for dead.
	recountAnew = time.Hour
	// LongestRecount is how long a count may take: meanwhile the server keeps everything that is deleted.
	LongestRecount = 30 * time.Minute
	// countAtOnce is how many codes one statement counts.
	countAtOnce = 20_000
	// longestRest is how long a count rests between two statements at most: the server ends a transaction that is
	// silent for longer.
	longestRest = 5 * time.Second
)

// Recount is the state of the last count.
type Recount struct {
	BeganAt *time.Time // nil: never
	EndedAt *time.Time // nil: it is under way, or its server died
	At      *time.Time // of the last that was complete, nil: none was
	// Off is by how many codes the counters were wrong. Lost is how many codes are in the ledger and in no other
	// table, or the reverse: then the tables are wrong, and nothing was mended.
	Off, Lost uint64
}

// GaveUp reports whether the last count took too long.
func (r Recount) GaveUp() bool { return r.EndedAt != nil && (r.At == nil || r.At.Before(*r.BeganAt)) }

func (r Recount) due(now time.Time) bool {
	if r.BeganAt == nil {
		return true
	}
	age := now.Sub(*r.BeganAt)
	return age >= recountEvery || r.EndedAt == nil && age >= recountAnew
}

func recountFrom(row db.RefPolicy) Recount {
	return Recount{BeganAt: row.CountBeganAt, EndedAt: row.CountEndedAt, At: row.CountedAt, Off: row.CountedOff,
		Lost: row.CountedLost}
}

// RecountIfDue counts all codes as of one moment, and mends what two counts agree on of the counters, once a day on one
// server; done reports whether it did. Concurrent changes stay counted. If the tables disagree among themselves, nothing is mended. It
// returns TooManyToCount if it takes longer than longest, and TakenOver.
func RecountIfDue(ctx context.Context, d *db.DB, longest time.Duration) (r Recount, done bool, err error) {
	began, due, err := beginRecount(ctx, d)
	if err != nil || !due {
		return r, false, err
	}
	counting, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	at := d.Now()
	off, err := compareTwice(counting, d)
	if err != nil && counting.Err() != nil && ctx.Err() == nil {
		return r, false, giveUpRecount(ctx, d, began, longest)
	}
	if err == nil {
		r, err = mend(ctx, d, began, at, off)
	}
	if err != nil {
		return r, false, fmt.Errorf("count reference codes: %w", err)
	}
	return r, true, nil
}

// beginRecount reports whether this process is to count. The time at which it began identifies its count.
func beginRecount(ctx context.Context, d *db.DB) (began time.Time, due bool, err error) {
	row, err := db.Read(d.RefPolicy(ctx))
	if err == nil && recountFrom(row).due(d.Now()) {
		err = d.InTx(ctx, func(tx *db.Tx) error {
			row, err := tx.RefPolicyForUpdate(ctx)
			if due = err == nil && recountFrom(row).due(tx.Now); !due {
				return err
			}
			began = tx.Now
			return tx.BeginRefCount(ctx, &began)
		})
	}
	if err != nil {
		return began, false, fmt.Errorf("begin to count reference codes: %w", err)
	}
	return began, due, nil
}

func giveUpRecount(ctx context.Context, d *db.DB, began time.Time, longest time.Duration) error {
	now := d.Now()
	if _, err := d.AbandonRefCount(ctx, &now, &began); err != nil {
		return fmt.Errorf("give up counting reference codes: %w", err)
	}
	return TooManyToCount(longest)
}

// difference is what has to be added to the counters of a length to match the tables, and how many more codes the
// ledger has than the other tables.
type difference struct {
	minted, issued, quarantined int64
	lost                        int64
}

// compareTwice returns the differences in which two counts agree: a count beside commits can see a later one without an
// earlier one, which is no mistake of the counters.
func compareTwice(ctx context.Context, d *db.DB) (map[int]difference, error) {
	off, err := compare(ctx, d)
	if err != nil || !slices.ContainsFunc(slices.Collect(maps.Values(off)), difference.some) {
		return off, err
	}
	again, err := compare(ctx, d)
	if err != nil {
		return nil, err
	}
	for length, o := range off {
		off[length] = o.agreed(again[length])
	}
	return off, nil
}

func (o difference) some() bool { return o != difference{} }

// agreed is what two differences have in common: nothing where they see the tables differ among themselves differently.
func (o difference) agreed(other difference) difference {
	if o.lost != other.lost {
		return difference{}
	}
	same := func(a, b int64) int64 {
		if a != b {
			return 0
		}
		return a
	}
	return difference{same(o.minted, other.minted), same(o.issued, other.issued), same(o.quarantined, other.quarantined),
		o.lost}
}

// compare compares the counters with the tables, all as of one moment.
func compare(ctx context.Context, d *db.DB) (off map[int]difference, err error) {
	err = db.Snapshot(ctx, d.SQL, func(conn *sql.Conn) error {
		q := db.New(conn)
		counters, err := q.CountRefs(ctx)
		if err != nil {
			return err
		}
		tables := map[db.RefTable]map[int]int64{}
		for _, table := range []db.RefTable{db.InLedger, db.InPool, db.InIssue, db.InQuarantine} {
			if tables[table], err = countCodes(ctx, q, table); err != nil {
				return err
			}
		}
		off = map[int]difference{}
		for _, c := range counters {
			n := int(c.Length)
			ledger, issued, aside := tables[db.InLedger][n], tables[db.InIssue][n], tables[db.InQuarantine][n]
			off[n] = difference{ledger - c.Minted, issued - c.Issued, aside - c.Quarantined,
				ledger - issued - aside - tables[db.InPool][n]}
		}
		return nil
	})
	return off, err
}

// countCodes counts the codes of a table by their length, and rests as long as it works.
func countCodes(ctx context.Context, q *db.Queries, table db.RefTable) (map[int]int64, error) {
	of := map[int]int64{}
	for last := ""; ; {
		began := time.Now()
		part, err := q.CountCodes(ctx, table, last, countAtOnce, Long)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		of[Long] += int64(part.OfLength)
		of[Short] += int64(part.Codes - part.OfLength)
		if part.Codes < countAtOnce {
			return of, nil
		}
		last = part.Last
		if err := wait.Sleep(ctx, min(time.Since(began), longestRest)); err != nil {
			return nil, err
		}
	}
}

// mend adds the differences to the counters. Both have changed since, but not the difference: a change of the tables
// changes the counters in the same transaction.
func mend(ctx context.Context, d *db.DB, began, at time.Time, off map[int]difference) (r Recount, err error) {
	r = Recount{BeganAt: &began, At: &at}
	for _, o := range off {
		r.Off += size(o.minted) + size(o.issued) + size(o.quarantined)
		r.Lost += size(o.lost)
	}
	err = d.InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.EndRefCount(ctx, db.EndRefCountParams{Now: &tx.Now, CountedAt: &at, CountedOff: r.Off,
			CountedLost: r.Lost, BeganAt: &began})
		if err != nil {
			return err
		}
		if n == 0 {
			return TakenOver()
		}
		for _, length := range []int{Short, Long} {
			o := off[length]
			if r.Lost > 0 || o.minted == 0 && o.issued == 0 && o.quarantined == 0 {
				continue
			}
			n, err := tx.CorrectRefCounter(ctx, db.CorrectRefCounterParams{Minted: o.minted, Issued: o.issued,
				Quarantined: o.quarantined, Length: uint8(length)})
			if err == nil && n != 1 {
				err = fmt.Errorf("%d counters of codes of %d characters to mend", n, length)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return r, err
}

func size(n int64) uint64 {
	if n < 0 {
		n = -n
	}
	return uint64(n)
}
