package workflows

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Config is what the use cases need.
type Config struct {
	DB       *db.DB
	Engine   *migrations.Engine
	Feeds    *feeds.Engine
	Files    *blobs.Store // nil if there is no place for them
	Base     string       // public base URL, without a slash at the end
	Refs     *refs.Engine
	Lookups  *requests.Meter
	Outbound *outbound.Client  // which addresses webhooks may have
	Pictures *outbound.Client  // which addresses pictures of texts may have
	Issuers  *outbound.Client  // which addresses issuers may have
	Resolver accounts.Resolver // of domains' records; nil is the machine's
	Log      *slog.Logger      // of what no request waits for
	Sender   Sender
	Finder   Finder
	Importer ImportReader
	Keys     *secrets.Keys // of secrets

	PasswordCost accounts.Cost // DefaultCost if it is 0
	BulkEdits    int           // how many a company has under way at once
}

// Workflows runs use cases on a database. Make one with New, end it with Close.
type Workflows struct {
	db       *db.DB
	openings *coalesce.Group[boardRef, *openRequest, tickets.Ticket]
	lookups  *coalesce.Group[requests.OriginGroup, lookup, lookedUp]
	meter    *requests.Meter
	boards   coalesce.Recent[boardRef, openBoard]
	bearers  coalesce.Recent[string, accounts.Actor] // by the token's hash
	engine   *migrations.Engine
	feeds    *feeds.Engine
	aside    sync.WaitGroup // writes that no request waits for
	files    *blobs.Store
	placed   atomic.Bool // files are where those of other servers are
	uploads  uploads
	base     string
	refs     *refs.Engine
	outbound *outbound.Client
	media    Media
	issuers  *outbound.Client
	resolver accounts.Resolver
	log      *slog.Logger
	byHand   chan struct{}      // bounds the messages to webhooks that a caller waits for
	sending  singleflight.Group // such messages of forms
	sender   Sender
	finder   Finder
	importer ImportReader

	keys *secrets.Keys
	key  atomic.Pointer[[]byte] // for signatures

	providers providers

	passwordCost accounts.Cost
	bulkEdits    int
}

// New returns the use cases on a database.
func New(c Config) *Workflows {
	w := &Workflows{
		db: c.DB, engine: c.Engine, feeds: c.Feeds, files: c.Files, base: c.Base, refs: c.Refs, meter: c.Lookups,
		outbound: c.Outbound, media: MediaOf(c.Files, c.Base, c.Pictures), issuers: c.Issuers, resolver: c.Resolver, log: c.Log,
		byHand: make(chan struct{}, 16), sender: c.Sender, finder: c.Finder, importer: c.Importer,
		keys: c.Keys, passwordCost: cmp.Or(c.PasswordCost, accounts.DefaultCost), bulkEdits: c.BulkEdits,
	}
	if w.resolver == nil {
		w.resolver = net.DefaultResolver
	}
	if c.Engine != nil {
		c.Engine.RecordWith(recordControl)
	}
	w.lookups = coalesce.New(w.lookUp, coalesce.Options{Max: 1, Alone: func(error) bool { return false }})
	w.openings = coalesce.New(w.openBatch, coalesce.Options{
		Alone:  func(err error) bool { return !errors.Is(err, fault.Unavailable) },
		Return: 10 * time.Millisecond,
	})
	return w
}

// Close refuses new tickets, and waits until the accepted ones are committed, or ctx ends.
func (w *Workflows) Close(ctx context.Context) error {
	w.aside.Wait() // each has a short time
	return errors.Join(w.openings.Close(ctx), w.lookups.Close(ctx))
}

// CodeStopping: the server is stopping or starting. Try again after Retry-After.
const CodeStopping fault.Code = "Server.Stopping"

func Stopping() error {
	return fault.Unavailable.New(CodeStopping, "",
		"Counterfoil is stopping or starting. Nothing was lost; try again in a moment.")
}

// Ready returns Unavailable if the database does not answer.
func (w *Workflows) Ready(ctx context.Context) error {
	_, err := accounts.Installed(ctx, w.db.Queries)
	return err
}

// MayRead returns the caller if it may read with the scope. It returns MissingScope.
func MayRead(ctx context.Context, scope string) (accounts.Actor, error) {
	actor := accounts.ActorFrom(ctx)
	if !actor.May(scope) {
		return actor, accounts.MissingScope(scope)
	}
	return actor, nil
}

// mayWrite returns the caller if it may change things with the scope, on boards that mayWriteOn allows. It returns
// MissingScope or ReadOnly.
func mayWrite(ctx context.Context, scope string) (accounts.Actor, error) {
	actor := accounts.ActorFrom(ctx)
	if !actor.Edits() { // another token would not help
		return actor, accounts.ReadOnly()
	}
	return MayRead(ctx, scope)
}

// mayWriteAnywhere is mayWrite for what is on no board. It also returns NotForGuests.
func mayWriteAnywhere(ctx context.Context, scope string) (accounts.Actor, error) {
	actor, err := mayWrite(ctx, scope)
	if err == nil {
		err = noGuest(actor)
	}
	return actor, err
}

// noGuest returns NotForGuests if the actor is a guest: what belongs to the company as a whole is not theirs.
func noGuest(actor accounts.Actor) error {
	if actor.Role == accounts.Guest {
		return accounts.NotForGuests()
	}
	return nil
}

// mayWriteOn returns ReadOnly unless the actor may change tickets on a board that it sees.
func mayWriteOn(actor accounts.Actor, grant db.Grant) error {
	if access.On(actor, grant) < access.Write {
		return accounts.ReadOnly()
	}
	return nil
}

// mayChange is mayWrite for what is shown to the caller afterwards, or in a conflict: that takes the right to read it,
// too. area is the part of a scope before the colon.
func mayChange(ctx context.Context, area string) (accounts.Actor, error) {
	if actor, err := mayWrite(ctx, area+":write"); err != nil {
		return actor, err
	}
	return MayRead(ctx, area+":read")
}

func user(actor accounts.Actor) tickets.User {
	return tickets.User{ID: actor.Account.ID, Name: actor.Account.Name, Avatar: actor.Account.Avatar}
}
