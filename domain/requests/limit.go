package requests

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/limits"
)

// The actions of strangers are counted in the database, so that any number of servers share the counts.
const (
	window = time.Hour // for counting submissions

	// Misses are lookups that fail. Those of an address, and of a network, are free at first; then each doubles the
	// wait, until there was none for a day. Those of all addresses are counted by the minute: if there are too many,
	// lookups by code fail for the rest of it. Failed links are counted apart, because they cannot be guessed; valid ones
	// are never refused. Those of boards are known to many, so they take nothing from the budget of an address for the
	// others.
	missesOfAll = 600
	forgetful   = 24 * time.Hour
	trapCost    = 10 // misses that a canary counts for

	keepLimits  = 2 * forgetful
	keepLookups = 30 * 24 * time.Hour
)

var (
	misses          = limits.Doubling{Free: 20, First: 2 * time.Second, Longest: 15 * time.Minute, Forget: forgetful}
	missesOfNetwork = limits.Doubling{Free: 60, First: misses.First, Longest: misses.Longest, Forget: forgetful}
)

// OriginGroup is a set of origins whose lookups are serialised, so that many at once get no further than one by one.
type OriginGroup string

// OriginGroupOf is the group of a network, or else of an address.
func OriginGroupOf(from limits.Origin) OriginGroup {
	return OriginGroup(cmp.Or(from.Network, from.Address))
}

// allowance is how many submissions are accepted in a window.
type allowance struct {
	kind                 string
	byAddress, byNetwork uint32
	target               string // the kind of receiver
	onTarget             uint32
}

var (
	forms   = allowance{kind: "form", byAddress: 20, byNetwork: 60, target: "board", onTarget: 1000}
	replies = allowance{kind: "reply", byAddress: 30, byNetwork: 60, target: "ticket", onTarget: 60}
)

// CountForm counts a form for a board, or returns TooMany; a limit that is reached is not counted further.
// Commit it before the form is accepted.
func CountForm(ctx context.Context, tx *db.Tx, board id.Board, from limits.Origin) error {
	return forms.count(ctx, tx, from, uint64(board))
}

// CountReply counts a reply to a ticket, as CountForm does.
func CountReply(ctx context.Context, tx *db.Tx, ticket id.Ticket, from limits.Origin) error {
	return replies.count(ctx, tx, from, uint64(ticket))
}

// level is the limit of one name.
type level struct {
	name []byte
	most uint32
}

func (a allowance) levels(from limits.Origin, target uint64, in string) []level {
	list := []level{{limits.Name(a.kind, "address", from.Address, in), a.byAddress}}
	if from.Network != "" {
		list = append(list, level{limits.Name(a.kind, "network", from.Network, in), a.byNetwork})
	}
	return append(list, level{limits.Name(a.kind, a.target, strconv.FormatUint(target, 10), in), a.onTarget})
}

// count checks all levels first, because a network has too many addresses to keep a row for each that is refused. Then
// it counts level by level while they allow it: an address over its limit does not count against its network or the
// target.
func (a allowance) count(ctx context.Context, tx *db.Tx, from limits.Origin, target uint64) error {
	in, rest := limits.Window(tx.Now, window)
	levels := a.levels(from, target, in)
	var names [][]byte
	for _, level := range levels {
		names = append(names, level.name)
	}
	used, err := counts(ctx, tx.Queries, names)
	if err != nil {
		return err
	}
	for _, level := range levels {
		if used[string(level.name)].Used >= level.most {
			return TooMany{Wait: rest}
		}
	}
	for _, level := range levels {
		if err := use(ctx, tx, level.name, 1); err != nil {
			return err
		}
		now, err := counts(ctx, tx.Queries, [][]byte{level.name}) // which others used meanwhile
		if err != nil {
			return err
		}
		if now[string(level.name)].Used > level.most {
			return TooMany{Wait: rest}
		}
	}
	return nil
}

func use(ctx context.Context, tx *db.Tx, name []byte, cost uint32) error {
	err := tx.UsePublicLimit(ctx, db.UsePublicLimitParams{Name: name, Cost: cost, Now: tx.Now,
		Forgotten: tx.Now.Add(-forgetful)})
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	return nil
}

func counts(ctx context.Context, q *db.Queries, names [][]byte) (map[string]db.PublicLimit, error) {
	rows, err := db.Read(q.PublicLimits(ctx, names))
	if err != nil {
		return nil, fmt.Errorf("read limits: %w", err)
	}
	byName := make(map[string]db.PublicLimit, len(rows))
	for _, row := range rows {
		byName[string(row.Name)] = row
	}
	return byName, nil
}

// budget has the names that misses count against.
type budget struct{ address, network, all []byte }

// Target is what a lookup looks for.
type Target int

// The targets.
const (
	ByCode      Target = iota // the ticket of a code
	ByLink                    // the ticket of a private link
	ByBoardLink               // the board of a public link
)

func budgetOf(from limits.Origin, target Target, now time.Time) budget {
	kind, what := "miss", "codes"
	switch target {
	case ByCode:
	case ByLink:
		what = "links"
	case ByBoardLink:
		kind, what = "board miss", "links"
	}
	minute, _ := limits.Window(now, time.Minute)
	b := budget{address: limits.Name(kind, "address", from.Address), all: limits.Name(kind, what, minute)}
	if from.Network != "" {
		b.network = limits.Name(kind, "network", from.Network)
	}
	return b
}

// names are in the order of locks.
func (b budget) names() [][]byte {
	names := [][]byte{b.address, b.all}
	if b.network != nil {
		names = append(names, b.network)
	}
	slices.SortFunc(names, bytes.Compare)
	return names
}

// AllowLookup returns TooMany if an address has to wait after failed lookups.
func AllowLookup(ctx context.Context, q *db.Queries, from limits.Origin, target Target, now time.Time) error {
	b := budgetOf(from, target, now)
	used, err := counts(ctx, q, b.names())
	if err != nil {
		return err
	}
	wait := max(misses.Wait(countOf(used[string(b.address)]), now),
		missesOfNetwork.Wait(countOf(used[string(b.network)]), now))
	if used[string(b.all)].Used >= missesOfAll {
		_, rest := limits.Window(now, time.Minute)
		wait = max(wait, rest)
	}
	if wait > 0 {
		return TooMany{Wait: wait, Lookup: true}
	}
	return nil
}

func countOf(row db.PublicLimit) limits.Count { return limits.Count{Used: row.Used, At: row.LastAt} }

// CountMiss counts a failed lookup against the budgets; trapped says that the code was a canary.
func CountMiss(ctx context.Context, tx *db.Tx, from limits.Origin, target Target, trapped bool) error {
	b := budgetOf(from, target, tx.Now)
	for _, name := range b.names() {
		cost := uint32(1)
		if trapped && !bytes.Equal(name, b.all) { // a canary counts once for all addresses
			cost = trapCost
		}
		if err := use(ctx, tx, name, cost); err != nil {
			return err
		}
	}
	return nil
}

// Forget removes up to two thousand expired counts, and returns how many.
func Forget(ctx context.Context, q *db.Queries, now time.Time) (int64, error) {
	forgotten, err := db.Read(q.ForgetPublicLimits(ctx, now.Add(-keepLimits)))
	if err != nil {
		return forgotten, err
	}
	hours, err := db.Read(q.ForgetLookups(ctx, now.Add(-keepLookups)))
	return forgotten + hours, err
}
