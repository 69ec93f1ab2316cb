package refs

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Sources of lots.
const (
	FromMint = "mint"
	FromFile = "file"
)

// Lot is the codes of one mint, or of one file.
type Lot struct {
	ID     id.Lot
	Run    id.Run
	Source string
	Length int
	MintResult
	// Quarantined counts codes out of use. The lot is in quarantine, or on its way there, if QuarantinedAt is set.
	Quarantined   uint64
	QuarantinedAt *time.Time
	Sweep         id.Run // the run that takes its codes out of the pool, 0: none
	CreatedAt     time.Time
}

// lotsPerPage is how many lots a page has.
const lotsPerPage = 20

// OpenLot returns the lot of a run, and makes it for its first codes. It returns InQuarantine if the lot is in
// quarantine. A lot that exists is not locked, so that several tasks can add to it at once; they check again when they
// count.
func OpenLot(ctx context.Context, tx *db.Tx, run id.Run, source string, length int) (id.Lot, error) {
	row, err := tx.LotOfRun(ctx, run)
	if db.IsNotFound(err) {
		var lot int64
		if lot, err = tx.OpenLot(ctx, db.OpenLotParams{RunID: run, Source: source, Length: uint8(length),
			Now: tx.Now}); err == nil {
			row, err = tx.Lot(ctx, id.Lot(lot))
		}
	}
	if err != nil {
		return 0, fmt.Errorf("open lot: %w", err)
	}
	if row.QuarantinedAt != nil {
		err = InQuarantine(row.ID)
	}
	return row.ID, err
}

// Lots returns a page of the lots below one, the newest first; below 0, the first.
func Lots(ctx context.Context, q *db.Queries, before id.Lot) (list []Lot, more bool, err error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := db.Read(q.Lots(ctx, before, lotsPerPage+1))
	if err != nil {
		return nil, false, fmt.Errorf("read lots: %w", err)
	}
	if more = len(rows) > lotsPerPage; more {
		rows = rows[:lotsPerPage]
	}
	for _, row := range rows {
		list = append(list, lotFrom(row))
	}
	return list, more, nil
}

// LotByID returns a lot, or LotNotFound.
func LotByID(ctx context.Context, q *db.Queries, lot id.Lot) (Lot, error) {
	row, err := db.Read(q.Lot(ctx, lot))
	if db.IsNotFound(err) {
		return Lot{}, LotNotFound(lot)
	}
	if err != nil {
		return Lot{}, fmt.Errorf("read lot: %w", err)
	}
	return lotFrom(row), nil
}

func lotFrom(row db.RefLot) Lot {
	return Lot{
		ID: row.ID, Run: row.RunID, Source: row.Source, Length: int(row.Length),
		MintResult: MintResult{Added: row.Codes, Drawn: row.Drawn, Blocked: row.Blocked, Collided: row.Collided,
			Expected: float64(row.Expected) / 1000},
		Quarantined: row.Quarantined, QuarantinedAt: row.QuarantinedAt, Sweep: row.SweepRun, CreatedAt: row.CreatedAt,
	}
}

// Suspicious reports whether a mint met codes that there were already far more, or less, often than chance makes it:
// then the generator or the ledger is broken. By chance that is one mint in millions.
func (l Lot) Suspicious() bool {
	if l.Source != FromMint {
		return false
	}
	return math.Abs(float64(l.Collided)-l.Expected) > chance(l.Expected)
}

// Quarantine stops all pops of a lot's codes from the commit on; sweep is the run that takes them out of the pool.
// Until Unguard the counters are guarded, so that pops check the lots of their codes; pops under way are waited for.
// The policy is locked. It returns LotNotFound, or InQuarantine.
func Quarantine(ctx context.Context, tx *db.Tx, lot id.Lot, sweep id.Run) error {
	n, err := tx.QuarantineLot(ctx, db.QuarantineLotParams{Now: &tx.Now, SweepRun: sweep, ID: lot})
	if err != nil {
		return fmt.Errorf("quarantine lot: %w", err)
	}
	if n == 0 {
		if _, err := LotByID(ctx, tx.Queries, lot); err != nil {
			return err
		}
		return InQuarantine(lot)
	}
	if err := SetSweep(ctx, tx, sweep); err != nil {
		return err
	}
	if _, err := tx.GuardRefs(ctx, true); err != nil {
		return fmt.Errorf("guard the counters: %w", err)
	}
	return nil
}

// SetSweep records the run that takes the codes of all quarantined lots out of the pool: when the newest such run is
// complete, none is left there. It locks the policy if that changes.
func SetSweep(ctx context.Context, tx *db.Tx, run id.Run) error {
	row, err := tx.RefPolicy(ctx)
	if err == nil && row.SweepRun < run { // it only grows
		err = tx.SetSweep(ctx, int64(run))
	}
	if err != nil {
		return fmt.Errorf("note who takes codes out: %w", err)
	}
	return nil
}

// Unguard ends the guard of Quarantine, when no code of a lot in quarantine is in the pool. The policy is locked.
func Unguard(ctx context.Context, tx *db.Tx) error {
	if _, err := tx.GuardRefs(ctx, false); err != nil {
		return fmt.Errorf("end the guard of the counters: %w", err)
	}
	return nil
}

// pooledCodes is how many codes of a pool are quarantined in one transaction.
const pooledCodes = 9000

// QuarantinePool quarantines the whole pool of a database that was restored or promoted, which nobody else uses: some of
// its codes may have been popped after the last moment that it knows.
func QuarantinePool(ctx context.Context, d *db.DB) error {
	for last, more := "", true; more; {
		var rows []db.RefOfLot
		err := d.InTx(ctx, func(tx *db.Tx) (err error) {
			if rows, err = tx.PooledOfLots(ctx, last, pooledCodes); err != nil || len(rows) == 0 {
				return err
			}
			return quarantinePooled(ctx, tx, rows)
		})
		if err != nil {
			return fmt.Errorf("put reference codes into quarantine: %w", err)
		}
		if more = len(rows) == pooledCodes; more {
			last = rows[len(rows)-1].Code
		}
	}
	return d.InTx(ctx, func(tx *db.Tx) error { return Unguard(ctx, tx) })
}

// quarantinePooled takes codes out of the pool, and their lots out of use.
func quarantinePooled(ctx context.Context, tx *db.Tx, rows []db.RefOfLot) error {
	codes := make([]string, len(rows))
	for i, r := range rows {
		codes[i] = r.Code
	}
	dropped, err := tx.DropRefs(ctx, codes)
	if err == nil && dropped != int64(len(rows)) {
		err = fmt.Errorf("%d of %d codes were in the pool", dropped, len(rows))
	}
	if err != nil {
		return err
	}
	var out quarantineBatch
	if err := out.put(ctx, tx, rows); err != nil {
		return err
	}
	delete(out.ofLot, 0) // verify tells of a code that is not in the ledger
	for lot := range out.ofLot {
		if _, err := tx.QuarantineLot(ctx, db.QuarantineLotParams{Now: &tx.Now, ID: lot}); err != nil {
			return err
		}
	}
	return out.count(ctx, tx, 0)
}

// sweepCodes is how many codes of the ledger a sweep reads in one transaction.
const sweepCodes = 900

// Sweep takes the codes of quarantined lots out of the pool, from parts made by Parts, and returns how many there were
// in each.
func Sweep(ctx context.Context, tx *db.Tx, parts []string) ([]int, error) {
	var out quarantineBatch
	swept := make([]int, len(parts))
	for i, part := range parts {
		n, err := sweepPart(ctx, tx, &out, part)
		if err != nil {
			return nil, fmt.Errorf("take codes out of the pool: %w", err)
		}
		swept[i] = n
	}
	return swept, out.count(ctx, tx, 0)
}

func sweepPart(ctx context.Context, tx *db.Tx, out *quarantineBatch, part string) (n int, err error) {
	from, to, _ := strings.Cut(part, " ")
	for first := true; ; first = false {
		rows, err := tx.LedgerFrom(ctx, from, to, sweepCodes, first)
		if err != nil || len(rows) == 0 {
			return n, err
		}
		from = rows[len(rows)-1].Code
		swept, err := sweep(ctx, tx, out, rows)
		if err != nil {
			return n, err
		}
		n += swept
	}
}

func sweep(ctx context.Context, tx *db.Tx, out *quarantineBatch, rows []db.RefOfLot) (int, error) {
	codes := make([]string, len(rows))
	for i, r := range rows {
		codes[i] = r.Code
	}
	bad, err := tx.QuarantinedAmong(ctx, codes)
	if err != nil || len(bad) == 0 {
		return 0, err
	}
	codes = codes[:0]
	for _, r := range bad {
		codes = append(codes, r.Code)
	}
	pooled, err := tx.LockPooled(ctx, codes) // a pop of one has checked its lot, or will return it
	if err != nil || len(pooled) == 0 {
		return 0, err
	}
	bad = slices.DeleteFunc(bad, func(r db.RefOfLot) bool { _, in := slices.BinarySearch(pooled, r.Code); return !in })
	dropped, err := tx.DropRefs(ctx, pooled)
	if err == nil && dropped != int64(len(bad)) {
		err = fmt.Errorf("%d of %d locked codes were in the pool", dropped, len(bad))
	}
	if err != nil {
		return 0, err
	}
	return len(bad), out.put(ctx, tx, bad)
}

// quarantineBatch is codes that a transaction took from the pool and out of use.
type quarantineBatch struct {
	ofLength map[int]int
	ofLot    map[id.Lot]uint64
}

// put records codes from the pool as quarantined.
func (a *quarantineBatch) put(ctx context.Context, tx *db.Tx, bad []db.RefOfLot) error {
	if a.ofLength == nil {
		a.ofLength, a.ofLot = map[int]int{}, map[id.Lot]uint64{}
	}
	codes := make([]string, len(bad))
	for i, r := range bad {
		codes[i] = r.Code
		a.ofLength[len(r.Code)]++
		a.ofLot[r.Lot]++
	}
	if err := tx.QuarantineRefs(ctx, codes); err != nil {
		return fmt.Errorf("quarantine codes: %w", err)
	}
	return nil
}

// count adds to the counters and the lots, once and last: other takers of the same lots wait for these rows until the
// transaction ends, so it may only wait for transactions that lock them in the same order.
func (a *quarantineBatch) count(ctx context.Context, tx *db.Tx, slot uint8) error {
	for _, length := range slices.Sorted(maps.Keys(a.ofLength)) {
		if err := one(tx.AddQuarantined(ctx, db.AddQuarantinedParams{N: int64(a.ofLength[length]), Length: uint8(length),
			Slot: slot})); err != nil {
			return fmt.Errorf("count codes in quarantine: %w", err)
		}
	}
	for _, lot := range slices.Sorted(maps.Keys(a.ofLot)) {
		if err := one(tx.AddQuarantinedToLot(ctx, a.ofLot[lot], lot)); err != nil {
			return fmt.Errorf("count codes of lot %d in quarantine: %w", lot, err)
		}
	}
	return nil
}

// one fails unless one row was there to be changed.
func one(n int64, err error) error {
	if err == nil && n != 1 {
		err = fmt.Errorf("%d rows in place of one", n)
	}
	return err
}
