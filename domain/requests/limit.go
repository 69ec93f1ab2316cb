package requests

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// What strangers may do is counted in the database, so that any number of servers share the counts. Of an IPv6
// address the first 64 bits are what is counted as an address, for they belong to one person, who has the others to
// choose from; the first 48, which one customer has at most, are its network. An address of IPv4 is in none.
const (
	window = time.Hour // in which what is sent is counted

	// Misses are codes and links that lead to nothing. Those of an address, and of a network, are free at first;
	// then each doubles the wait, until a day is quiet. Those of everyone are counted by the minute: when they are
	// too many, codes alone open nothing for the rest of it. Wrong private links are counted apart, for nobody
	// guesses those; right ones are never refused.
	freeMisses    = 20
	freeOfNetwork = 60
	missesOfAll   = 600
	firstWait     = 2 * time.Second
	maxWait       = 15 * time.Minute
	forgetful     = 24 * time.Hour
	trapCost      = 10 // misses that a canary counts for: whoever finds one is guessing

	keepLimits  = 2 * forgetful
	keepLookups = 30 * 24 * time.Hour
)

// From is where somebody asks from: an address, of IPv6 its first 64 bits and its network.
type From struct{ address, network string }

// FromAddress returns where an address is; what is none is a place of its own.
func FromAddress(address string) From {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return From{}
	}
	at = at.Unmap().WithZone("")
	if !at.Is6() {
		return From{address: at.String()}
	}
	own, _ := at.Prefix(64)
	network, _ := at.Prefix(48)
	return From{own.String(), network.String()}
}

// Neighbours are those whose looks wait for one another, so that many at once are no more than one by one.
type Neighbours string

// Neighbours are all of a network, or who shares an address.
func (f From) Neighbours() Neighbours {
	if f.network != "" {
		return Neighbours(f.network)
	}
	return Neighbours(f.address)
}

func limitName(parts ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return sum[:]
}

func inWindow(now time.Time) (name string, rest time.Duration) {
	begun := now.Truncate(window)
	return strconv.FormatInt(begun.Unix(), 10), begun.Add(window).Sub(now)
}

// allowance is how much of what strangers send is taken in a window; what is more is refused.
type allowance struct {
	kind                 string
	byAddress, byNetwork uint32
	target               string // what it is sent to
	onTarget             uint32
}

var (
	forms   = allowance{kind: "form", byAddress: 20, byNetwork: 60, target: "board", onTarget: 1000}
	replies = allowance{kind: "reply", byAddress: 30, byNetwork: 60, target: "ticket", onTarget: 60}
)

// CountForm counts a form that is sent to a board, or returns TooMany and counts for nobody who is at the limit
// already. Commit it before the form is taken.
func CountForm(ctx context.Context, tx *db.Tx, board id.Board, from From) error {
	return forms.count(ctx, tx, from, uint64(board))
}

// CountReply counts a reply to a ticket, as CountForm does.
func CountReply(ctx context.Context, tx *db.Tx, ticket id.Ticket, from From) error {
	return replies.count(ctx, tx, from, uint64(ticket))
}

// level is how much is taken at most of who or for what has a name.
type level struct {
	name []byte
	most uint32
}

func (a allowance) levels(from From, target uint64, in string) []level {
	list := []level{{limitName(a.kind, "address", from.address, in), a.byAddress}}
	if from.network != "" {
		list = append(list, level{limitName(a.kind, "network", from.network, in), a.byNetwork})
	}
	return append(list, level{limitName(a.kind, a.target, strconv.FormatUint(target, 10), in), a.onTarget})
}

// count looks at all levels first, for a network has too many addresses to keep a row for each that is refused. Then
// it goes from level to level while they let it: what one address sends too much does not count against its network
// or the target.
func (a allowance) count(ctx context.Context, tx *db.Tx, from From, target uint64) error {
	in, rest := inWindow(tx.Now)
	levels := a.levels(from, target, in)
	var names [][]byte
	for _, level := range levels {
		names = append(names, level.name)
	}
	used, err := limits(ctx, tx.Queries, names)
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
		now, err := limits(ctx, tx.Queries, [][]byte{level.name}) // which others used meanwhile
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
	err := tx.UsePublicLimit(ctx, db.UsePublicLimitParams{Name: name, Cost: cost, Now: tx.Now, Forgotten: tx.Now.Add(-forgetful)})
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	return nil
}

func limits(ctx context.Context, q *db.Queries, names [][]byte) (map[string]db.PublicLimit, error) {
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

// budget is what misses count against.
type budget struct{ address, network, all []byte }

func budgetOf(from From, private bool, now time.Time) budget {
	what := "codes"
	if private {
		what = "links"
	}
	b := budget{address: limitName("miss", "address", from.address), all: limitName("miss", what, strconv.FormatInt(now.Truncate(time.Minute).Unix(), 10))}
	if from.network != "" {
		b.network = limitName("miss", "network", from.network)
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

// MayLook returns TooMany where so many codes or links from an address led to nothing that it has to wait;
// private is a look by a link.
func MayLook(ctx context.Context, q *db.Queries, from From, private bool, now time.Time) error {
	b := budgetOf(from, private, now)
	used, err := limits(ctx, q, b.names())
	if err != nil {
		return err
	}
	wait := max(backOff(used[string(b.address)], freeMisses, now), backOff(used[string(b.network)], freeOfNetwork, now))
	if used[string(b.all)].Used >= missesOfAll {
		wait = max(wait, now.Truncate(time.Minute).Add(time.Minute).Sub(now))
	}
	if wait > 0 {
		return TooMany{Wait: wait, Look: true}
	}
	return nil
}

// backOff is how long to wait until the next look.
func backOff(row db.PublicLimit, free uint32, now time.Time) time.Duration {
	since := now.Sub(row.LastAt)
	if row.Used < free || since >= forgetful {
		return 0
	}
	wait := maxWait
	if doubled := row.Used - free; doubled < 10 {
		wait = min(maxWait, firstWait<<doubled)
	}
	return max(0, wait-since)
}

// Missed counts a code or a link that led to nothing against the budgets; trapped says that it was a canary.
func Missed(ctx context.Context, tx *db.Tx, from From, private, trapped bool) error {
	b := budgetOf(from, private, tx.Now)
	for _, name := range b.names() {
		cost := uint32(1)
		if trapped && !bytes.Equal(name, b.all) { // it is not everyone who guesses
			cost = trapCost
		}
		if err := use(ctx, tx, name, cost); err != nil {
			return err
		}
	}
	return nil
}

// Forget removes up to two thousand counts that no longer say anything, and returns how many.
func Forget(ctx context.Context, q *db.Queries, now time.Time) (int64, error) {
	limits, err := db.Read(q.ForgetPublicLimits(ctx, now.Add(-keepLimits)))
	if err != nil {
		return limits, err
	}
	hours, err := db.Read(q.ForgetLookups(ctx, now.Add(-keepLookups)))
	return limits + hours, err
}
