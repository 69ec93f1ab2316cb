// Package app builds the program on one database: what users, operators and workers call, and what is delivered after
// a commit. The command line and tests open one; no package below it imports it.
package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/delivery"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/kinds/bulkedit"
	"github.com/counterfoil/counterfoil/domain/kinds/codes"
	"github.com/counterfoil/counterfoil/domain/kinds/columns"
	"github.com/counterfoil/counterfoil/domain/kinds/copying"
	"github.com/counterfoil/counterfoil/domain/kinds/handover"
	"github.com/counterfoil/counterfoil/domain/kinds/images"
	"github.com/counterfoil/counterfoil/domain/kinds/importer"
	kindlabels "github.com/counterfoil/counterfoil/domain/kinds/labels"
	"github.com/counterfoil/counterfoil/domain/kinds/republish"
	"github.com/counterfoil/counterfoil/domain/kinds/upkeep"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/migrations/worker"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// App is everything on one database. Make one with New, end it with Close.
type App struct {
	Workflows *workflows.Workflows // use cases of users
	Console   *console.Console     // use cases of operators
	Delivery  *delivery.Delivery   // after the commit
	Engine    *migrations.Engine   // opens, reads and controls runs
	Monitor   *monitor.Monitor     // measures them
	Worker    *worker.Process      // works on them
	Feeds     *feeds.Engine
}

// Option is a setting of an App.
type Option func(*settings)

type settings struct {
	files    *blobs.Store
	download *outbound.Client
	webhook  *outbound.Client
	picture  *outbound.Client
	issuer   *outbound.Client
	resolver accounts.Resolver
	replicas []monitor.Replica
	version  string
	log      *slog.Logger
	days     int
	keys     *secrets.Keys
	search   string
	base     string
	cost     accounts.Cost
	bulk     bulkedits.Limits
	more     []*migrations.Migration
}

// WithFiles stores uploads and images there. Without it they are Unavailable.
func WithFiles(files *blobs.Store) Option { return func(s *settings) { s.files = files } }

// WithDownloads has operators' downloads use that client. Without it one is used that reaches public hosts alone.
func WithDownloads(client *outbound.Client) Option { return func(s *settings) { s.download = client } }

// WithWebhooks has webhooks use that client. Without it one is used that reaches public hosts alone.
func WithWebhooks(client *outbound.Client) Option { return func(s *settings) { s.webhook = client } }

// WithPictures has pictures of texts fetched by that client. Without it one is used that reaches public hosts alone.
func WithPictures(client *outbound.Client) Option { return func(s *settings) { s.picture = client } }

// WithIssuers has issuers asked by that client. Without it one is used that reaches public hosts alone.
func WithIssuers(client *outbound.Client) Option { return func(s *settings) { s.issuer = client } }

// WithResolver looks the records of domains up there. Without it the machine's resolver does.
func WithResolver(resolver accounts.Resolver) Option {
	return func(s *settings) { s.resolver = resolver }
}

// WithSearch keeps search indexes in that folder. Without it the texts of tickets cannot be searched.
func WithSearch(folder string) Option { return func(s *settings) { s.search = folder } }

// WithURL sets the public base URL: addresses in messages to webhooks begin with it.
func WithURL(base string) Option { return func(s *settings) { s.base = strings.TrimSuffix(base, "/") } }

// WithAuditDays removes entries of the audit lists after so many days; 0 keeps them for ever.
func WithAuditDays(days int) Option { return func(s *settings) { s.days = days } }

// WithBulkLimits bounds the bulk edits of each company. Without it bulkedits.DefaultLimits do.
func WithBulkLimits(limits bulkedits.Limits) Option { return func(s *settings) { s.bulk = limits } }

// WithKeys encrypts secrets with those keys. Without it nothing that has a secret can be made or read.
func WithKeys(keys *secrets.Keys) Option { return func(s *settings) { s.keys = keys } }

// WithPasswordCost hashes passwords at another cost than the default one.
func WithPasswordCost(cost accounts.Cost) Option { return func(s *settings) { s.cost = cost } }

// WithVersion sets the version of the program, which its workers show.
func WithVersion(version string) Option { return func(s *settings) { s.version = version } }

// WithReplicas pauses runs while one of the replicas lags too far.
func WithReplicas(replicas ...monitor.Replica) Option {
	return func(s *settings) { s.replicas = replicas }
}

// WithLog sets the log of background work.
func WithLog(log *slog.Logger) Option { return func(s *settings) { s.log = log } }

// WithMigrations registers additional migrations.
func WithMigrations(list ...*migrations.Migration) Option {
	return func(s *settings) { s.more = append(s.more, list...) }
}

// New builds an App. It panics if a migration is malformed, which is a mistake in the program.
func New(d *db.DB, options ...Option) *App {
	var s settings
	for _, set := range options {
		set(&s)
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.bulk == (bulkedits.Limits{}) {
		s.bulk = bulkedits.DefaultLimits
	}
	if s.download == nil {
		s.download = outbound.New(outbound.Options{Purpose: outbound.Downloads})
	}
	if s.webhook == nil {
		s.webhook = outbound.New(outbound.Options{Purpose: outbound.Webhooks})
	}
	if s.picture == nil {
		s.picture = outbound.New(outbound.Options{Purpose: outbound.Pictures})
	}
	if s.issuer == nil {
		s.issuer = outbound.New(outbound.Options{Purpose: outbound.Issuers})
	}
	bulk := d.WithPool(db.BulkConnections) // for runs, so that pages do not wait for connections
	published := feeds.New(d, s.log, workflows.FeedList()...)
	pool := refs.New(d)
	lookups := &requests.Meter{}
	imports := importer.New(d, bulk)
	var kept migrations.Files // nil, and not a nil store
	if s.files != nil {
		kept = s.files
	}
	list := upkeep.New(d, bulk, s.files).Migrations()
	list = append(list, imports.Migration(), images.New(d, bulk, kept, s.download).Migration(),
		republish.New(d, bulk, published).Migration(), columns.New(d, bulk).Migration(),
		copying.New(d, bulk, workflows.MediaOf(s.files, s.base, s.picture)).Migration(),
		handover.New(d, bulk).Migration(), kindlabels.New(d, bulk).Migration())
	list = append(list, codes.New(d, bulk, pool).Migrations()...)
	var users *workflows.Workflows
	edits := bulkedit.New(d, s.bulk.Tickets, func(ctx context.Context, slug string, of workflows.TicketList) ([]tickets.Ticket, *tickets.Cursor, error) {
		_, page, next, err := users.TicketsOf(ctx, slug, of)
		return page, next, err
	})
	list = append(list, edits.Migration())
	engine := migrations.New(d, kept, s.log, append(list, s.more...)...)
	measures := monitor.New(d, engine, s.replicas...)
	out := delivery.New(delivery.Config{
		DB: d, Bulk: bulk, Engine: engine, Feeds: published, Refs: pool, Lookups: lookups, Outbound: s.webhook, Files: kept, Search: s.search,
		Base:     s.base,
		Pictures: s.picture, Log: s.log, AuditDays: s.days, Keys: s.keys,
	})
	users = workflows.New(workflows.Config{
		DB: d, Engine: engine, Feeds: published, Files: s.files, Base: s.base, Refs: pool, Lookups: lookups,
		Outbound: s.webhook, Pictures: s.picture, Issuers: s.issuer, Resolver: s.resolver, Log: s.log,
		Sender: out, Finder: out.Search(), Importer: imports, PasswordCost: s.cost, Keys: s.keys, BulkEdits: s.bulk.Active,
	})
	return &App{
		Workflows: users, Console: console.New(d, users, engine, measures, published, pool), Delivery: out, Engine: engine,
		Monitor: measures,
		Worker:  worker.New(d, engine, measures, s.version, s.log), Feeds: published,
	}
}

// Close refuses new tickets and pops, and waits for the accepted ones, or until ctx ends.
func (a *App) Close(ctx context.Context) error {
	err := errors.Join(a.Workflows.Close(ctx), a.Console.Close(ctx))
	a.Delivery.Close(ctx)
	return err
}
