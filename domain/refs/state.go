package refs

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// State is the state of the pool.
type State struct {
	Counts
	ByLength []LengthState
	Rate     float64 // codes per hour: the higher of the last hour's and the last day's
	Guarded  bool    // a lot is being quarantined
	Policy   Policy
	Recount  Recount
	At       time.Time
}

// Counts are numbers of codes.
type Counts struct{ Minted, Issued, Quarantined, Available uint64 }

// LengthState is the state of the codes of a length.
type LengthState struct {
	Length int
	Counts
	Space uint64
}

// Share is which part of the codes of the length was ever in the ledger, 0 to 1.
func (l LengthState) Share() float64 { return float64(l.Minted) / float64(l.Space) }

// Runway is how long the pool lasts at the recent rate; false if none are popped.
func (s State) Runway() (time.Duration, bool) { return timeLeft(s.Available, s.Rate) }

// RunsOut is how long the codes of the length last at so many pops an hour, those included that can still be minted:
// up to MostUsed of all. It is false if none are popped.
func (l LengthState) RunsOut(perHour float64) (time.Duration, bool) {
	most := uint64(MostUsed * float64(l.Space))
	return timeLeft(l.Available+most-min(most, l.Minted), perHour)
}

// Longest bounds the reported durations.
const Longest = 200 * 365 * 24 * time.Hour

// timeLeft is how long so many codes last, up to Longest.
func timeLeft(codes uint64, perHour float64) (time.Duration, bool) {
	if perHour <= 0 {
		return 0, false
	}
	return time.Duration(min(float64(codes)/perHour, Longest.Hours()) * float64(time.Hour)), true
}

// Policy is how the pool is kept filled.
type Policy struct {
	Wanted    bool // codes are in use
	Paused    bool
	AtLeast   uint64 // codes in the pool at any time
	LowHours  int    // it is filled when codes last shorter
	HighHours int    // and then so that they last so long
	Refill    id.Run // the last unattended run that filled it, 0: none
	Sweep     id.Run // the last run that quarantines a lot, 0: none
}

// Bounds of a policy.
const (
	mostAtLeast = 10_000_000
	mostHours   = 24 * 365
)

// Check returns BadPolicy for numbers that make no sense.
func (p Policy) Check() error {
	var atLeast, low, high error
	if p.AtLeast > mostAtLeast {
		atLeast = BadPolicy("at_least", "Keep at most 10,000,000 codes at any time.")
	}
	if p.LowHours < 1 || p.LowHours > mostHours {
		low = BadPolicy("low_hours", "Codes are to last 1 to 8,760 hours at least.")
	}
	if low == nil && p.HighHours <= p.LowHours || p.HighHours > mostHours {
		high = BadPolicy("high_hours", "After a refill codes are to last longer than before it, up to 8,760 hours.")
	}
	return fault.Join(atLeast, low, high)
}

// full is how many codes there are after a refill at any rate: so many more than the least that the next is far off.
func (p Policy) full() uint64 { return 2 * p.AtLeast }

// Refill is how many codes are missing: 0 if there are enough, or codes are not in use, or refills are paused.
func (s State) Refill() uint64 {
	p := s.Policy
	low := max(p.AtLeast, uint64(s.Rate*float64(p.LowHours)))
	if !p.Wanted || p.Paused || s.Available >= low {
		return 0
	}
	return min(MaxMint, max(p.full(), uint64(s.Rate*float64(p.HighHours)))-s.Available)
}

// MostUsed is the share of the codes of five characters up to which refills mint them: beyond, a new one takes ten
// draws, and a guess hits one in a few tries.
const MostUsed = 0.9

// RefillLength is the length of a refill's codes: five characters until those run out.
func (s State) RefillLength() int {
	for _, l := range s.ByLength {
		if l.Length == Short && float64(l.Minted+s.Refill()) > MostUsed*float64(l.Space) {
			return Long
		}
	}
	return Short
}

// ReadState returns the state of the pool.
func ReadState(ctx context.Context, q *db.Queries, now time.Time) (State, error) {
	return readState(ctx, q, now, popped)
}

// popsBetween returns how many codes were popped from a time on to before another.
type popsBetween func(ctx context.Context, q *db.Queries, since, to time.Time) (uint64, error)

func readState(ctx context.Context, q *db.Queries, now time.Time, earlier popsBetween) (s State, err error) {
	s.At = now
	rows, err := db.Read(q.CountRefs(ctx))
	if err != nil {
		return s, fmt.Errorf("read the counters of codes: %w", err)
	}
	for _, r := range rows {
		of := ofLength(r)
		s.ByLength = append(s.ByLength, of)
		s.Counts = Counts{s.Minted + of.Minted, s.Issued + of.Issued, s.Quarantined + of.Quarantined,
			s.Available + of.Available}
		s.Guarded = s.Guarded || r.Guarded != 0
	}
	row, err := db.Read(q.RefPolicy(ctx))
	if err != nil {
		return s, fmt.Errorf("read how the pool is filled: %w", err)
	}
	s.Policy, s.Recount = policyFrom(row), recountFrom(row)
	s.Rate, err = rate(ctx, q, now, earlier)
	return s, err
}

// CountByLength returns how many codes of each length there are.
func CountByLength(ctx context.Context, q *db.Queries) (list []LengthState, err error) {
	rows, err := db.Read(q.CountRefs(ctx))
	if err != nil {
		return nil, fmt.Errorf("read the counters of codes: %w", err)
	}
	for _, r := range rows {
		list = append(list, ofLength(r))
	}
	return list, nil
}

func ofLength(r db.CountRefsRow) LengthState {
	return LengthState{Length: int(r.Length), Space: Space(int(r.Length)), Counts: Counts{
		Minted: uint64(r.Minted), Issued: uint64(r.Issued), Quarantined: uint64(r.Quarantined),
		Available: uint64(max(0, r.Minted-r.Issued-r.Quarantined)),
	}}
}

func policyFrom(row db.RefPolicy) Policy {
	return Policy{Wanted: row.Wanted, Paused: row.Paused, AtLeast: row.AtLeast, LowHours: int(row.LowHours),
		HighHours: int(row.HighHours), Refill: row.RefillRun, Sweep: row.SweepRun}
}

// LockPolicy returns the policy and locks it until the transaction ends: one refill at a time.
func LockPolicy(ctx context.Context, tx *db.Tx) (Policy, error) {
	row, err := tx.RefPolicyForUpdate(ctx)
	if err != nil {
		return Policy{}, fmt.Errorf("lock how the pool is filled: %w", err)
	}
	return policyFrom(row), nil
}

// SetPolicy changes how the pool is filled. It returns BadPolicy.
func SetPolicy(ctx context.Context, q *db.Queries, p Policy) error {
	if err := p.Check(); err != nil {
		return err
	}
	err := q.SetRefPolicy(ctx, db.SetRefPolicyParams{Paused: p.Paused, AtLeast: p.AtLeast, LowHours: uint32(p.LowHours),
		HighHours: uint32(p.HighHours)})
	if err != nil {
		return fmt.Errorf("store how the pool is filled: %w", err)
	}
	return nil
}

// RequestRefill records that codes are in use, so that the pool is to be filled.
func RequestRefill(ctx context.Context, q *db.Queries) error {
	if _, err := q.RequestRefill(ctx); err != nil {
		return fmt.Errorf("note that codes are wanted: %w", err)
	}
	return nil
}

// SetRefill records the unattended run that fills the pool. The policy is locked.
func SetRefill(ctx context.Context, tx *db.Tx, run id.Run) error {
	if err := tx.SetRefill(ctx, run); err != nil {
		return fmt.Errorf("note which run fills the pool: %w", err)
	}
	return nil
}

// rate is how many codes an hour are popped. earlier counts those of the day before the last hour.
func rate(ctx context.Context, q *db.Queries, now time.Time, earlier popsBetween) (float64, error) {
	last, err := popped(ctx, q, now.Add(-time.Hour), now.Add(time.Hour)) // another process's clock may be fast
	if err != nil {
		return 0, err
	}
	before, err := earlier(ctx, q, now.Add(-24*time.Hour), now.Add(-time.Hour))
	if err != nil {
		return 0, err
	}
	return max(float64(last), float64(last+before)/24), nil
}

func popped(ctx context.Context, q *db.Queries, since, to time.Time) (uint64, error) {
	n, err := db.Read(q.RefsPopped(ctx, since, to))
	if err != nil {
		return 0, fmt.Errorf("read the rate of codes: %w", err)
	}
	return uint64(n), nil
}

// Minute is how many codes all processes popped in a minute.
type Minute struct {
	At              time.Time
	Popped, Empties uint64
	P50, P99        time.Duration // of the slowest process
}

// Minutes returns the minutes since a time in which there was something.
func Minutes(ctx context.Context, q *db.Queries, since time.Time) (list []Minute, err error) {
	rows, err := db.Read(q.RefSamples(ctx, since))
	if err != nil {
		return nil, fmt.Errorf("read how many codes were given out: %w", err)
	}
	for _, r := range rows {
		if len(list) == 0 || !list[len(list)-1].At.Equal(r.At) {
			list = append(list, Minute{At: r.At})
		}
		m := &list[len(list)-1]
		m.Popped += uint64(r.Popped)
		m.Empties += uint64(r.Empties)
		m.P50 = max(m.P50, time.Duration(r.P50Us)*time.Microsecond)
		m.P99 = max(m.P99, time.Duration(r.P99Us)*time.Microsecond)
	}
	return list, nil
}
