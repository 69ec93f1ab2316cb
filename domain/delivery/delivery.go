package delivery

import (
	"context"
	"log/slog"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// Config is what a Delivery works with.
type Config struct {
	DB       *db.DB
	Bulk     *db.DB // the same database with connections of its own
	Engine   *migrations.Engine
	Feeds    *feeds.Engine
	Refs     *refs.Engine
	Lookups  *requests.Meter
	Outbound *outbound.Client // for webhooks
	Pictures *outbound.Client
	Files    images.Files // nil if there is no place for them
	Search   string       // folder of search indexes, "" for none
	Base     string       // public base URL, without a slash at its end
	Log      *slog.Logger

	Keys      *secrets.Keys
	AuditDays int // entries of audit lists are kept so long; 0: for ever
}

// Delivery does what follows a commit. Make one with New; each Work method is a loop that ends with its
// context.
type Delivery struct {
	sealer    *accounts.Sealer
	auditDays int
	keys      *secrets.Keys

	db       *db.DB
	bulk     *db.DB
	engine   *migrations.Engine
	feeds    *feeds.Engine
	refs     *refs.Engine
	lookups  *requests.Meter
	live     *live.Hub
	search   *SearchIndexes
	outbound *outbound.Client // for webhooks
	images   *outbound.Client // for pictures of texts
	files    images.Files
	base     string
	log      *slog.Logger
	pictures outbound.Limits
	sendFor  time.Duration // a message to a webhook may take
	freshFor time.Duration // a row may be old when it is sent
}

// New returns a Delivery. Its Work methods do the work.
func New(c Config) *Delivery {
	return &Delivery{
		db: c.DB, bulk: c.Bulk, engine: c.Engine, feeds: c.Feeds, refs: c.Refs, lookups: c.Lookups, live: live.New(), search: newSearchIndexes(c),
		outbound: c.Outbound, images: c.Pictures, files: c.Files, base: c.Base, log: c.Log,
		pictures: pictureLimits, sendFor: sendFor,
		freshFor: freshFor, sealer: accounts.NewSealer(c.DB, c.Keys), auditDays: c.AuditDays, keys: c.Keys,
	}
}

// Close stores the last figures about reference codes.
func (d *Delivery) Close(ctx context.Context) { d.storeLastSample(ctx) }
