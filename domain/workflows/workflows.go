// Package workflows has the use cases. Each opens the transaction, coordinates entities in a fixed
// lock order (columns by id, then the incrementer, then rows by id) and records activity.
//
// Who asks comes with the context (accounts.WithActor); a use case checks that they may.
package workflows

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Workflows runs use cases on a database. Make one with New, end it with Close.
type Workflows struct {
	db       *db.DB
	bulk     *db.DB // the same, for what migrations read: however many of them ask, pages do not wait
	openings *coalesce.Group[boardRef, *opening, tickets.Ticket]
	poppings *coalesce.Group[struct{}, *popping, []refs.Code]
	lookups  *coalesce.Group[requests.Neighbours, lookup, requests.Tracked]
	looked   *requests.Meter
	boards   coalesce.Recent[boardRef, boards.Board]
	bearers  coalesce.Recent[string, accounts.Actor] // by the token's hash
	engine   *migrations.Engine
	feeds    *feeds.Engine
	gauges   feedGauges
	refs     *refs.Engine
	live     *live.Hub
	people   coalesce.Recent[id.Company, *directory]
	aside    sync.WaitGroup   // writes that no request waits for
	files    migrations.Files // nil where there is no place for them
	outbound *outbound.Client
	base     string        // public URL
	log      *slog.Logger  // of what no request waits for
	byHand   chan struct{} // bounds what is sent to webhooks while somebody waits
	sendFor  time.Duration // a message to a webhook may take
	sender   Sender
	importer ImportReader
}

// New returns the use cases on a database.
func New(d *db.DB, options ...Option) *Workflows {
	var s settings
	for _, set := range options {
		set(&s)
	}
	w := &Workflows{db: d, bulk: d.Apart(db.BulkConnections), files: s.files, outbound: s.outbound, base: s.base, log: s.engine.Log, byHand: make(chan struct{}, 16), sendFor: sendFor, live: live.New(), looked: &requests.Meter{}}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.outbound == nil {
		w.outbound = outbound.New(outbound.Options{})
	}
	w.sender, w.importer = w, w
	w.feeds = feeds.New(d, s.engine.Log, forEngine()...)
	w.engine = migrations.New(d, s.files, s.engine, append(w.registered(), s.more...)...)
	w.refs = refs.New(d)
	w.poppings = coalesce.New(w.popBatch, coalesce.Options{Alone: aloneWorth})
	w.lookups = coalesce.New(w.lookUp, coalesce.Options{Max: 1, Alone: func(error) bool { return false }})
	w.openings = coalesce.New(w.openBatch, coalesce.Options{
		Alone: func(err error) bool { return !errors.Is(err, fault.Unavailable) },
	})
	return w
}

// Close refuses new tickets and pops, and waits until those accepted are committed, or ctx ends.
func (w *Workflows) Close(ctx context.Context) error {
	w.aside.Wait() // each has a short time
	err := errors.Join(w.openings.Close(ctx), w.poppings.Close(ctx), w.lookups.Close(ctx))
	w.lastSample(ctx)
	return err
}

// CodeStopping: the server is stopping or starting. Try again after Retry-After.
const CodeStopping fault.Code = "Server.Stopping"

func Stopping() error {
	return fault.Error{
		Kind: fault.Unavailable, Code: CodeStopping,
		Message: "Counterfoil is stopping or starting. Nothing was lost; try again in a moment.",
	}
}

// Ready returns Unavailable where the database does not answer.
func (w *Workflows) Ready(ctx context.Context) error {
	_, err := accounts.Installed(ctx, w.db.Queries)
	return err
}

// reading returns who asks where they may read with the scope.
func reading(ctx context.Context, scope string) (accounts.Actor, error) {
	actor := accounts.ActorFrom(ctx)
	if !actor.May(scope) {
		return actor, accounts.MissingScope(scope)
	}
	return actor, nil
}

// writing returns who asks where they may change things with the scope.
func writing(ctx context.Context, scope string) (accounts.Actor, error) {
	actor, err := reading(ctx, scope)
	if err != nil {
		return actor, err
	}
	if !actor.Writes() {
		return actor, accounts.ReadOnly()
	}
	return actor, nil
}

// changing is writing for what is shown to whoever changes it, or where somebody else was first: that
// takes the right to read it, too. area is what comes before the colon of a scope.
func changing(ctx context.Context, area string) (accounts.Actor, error) {
	if actor, err := writing(ctx, area+":write"); err != nil {
		return actor, err
	}
	return reading(ctx, area+":read")
}

func person(actor accounts.Actor) tickets.Person {
	return tickets.Person{ID: actor.Account.ID, Name: actor.Account.Name}
}
