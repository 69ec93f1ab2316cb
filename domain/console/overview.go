package console

import (
	"context"
	"errors"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

// Overview is the state of the server at a glance: each list as far as its page shows it at first.
type Overview struct {
	Active, Attention         []migrations.Run
	ActiveMore, AttentionMore bool
	Workers                   []migrations.Worker
	Feeds                     []feeds.State
	Consumers                 []feeds.Consumer // the first thousand
	Stopped                   []id.Webhook     // of all companies, StoppedShown + 1 at most
	Codes                     refs.State
	Refill                    *migrations.Run // the last of the codes; nil if there was none
	Companies                 int             // CompaniesCounted + 1 means more
	Forwarded                 bool            // lately a peer that is no trusted proxy sent X-Forwarded-For
	Engine                    string          // of the database, with its version
	Schema, Latest            uint            // version of the schema, and the newest that this program knows
}

// How far an overview counts.
const (
	StoppedShown     = 5
	CompaniesCounted = 100
)

// Overview returns the state of the server. Each of its queries is bounded.
func (c *Console) Overview(ctx context.Context) (Overview, error) {
	return ask(ctx, func(actor) (o Overview, err error) {
		if o.Active, o.ActiveMore, err = c.engine.Runs(ctx, migrations.ListActive, 0); err != nil {
			return o, err
		}
		if o.Attention, o.AttentionMore, err = c.engine.Runs(ctx, migrations.ListAttention, 0); err != nil {
			return o, err
		}
		if o.Workers, err = c.engine.Workers(ctx); err != nil {
			return o, err
		}
		if o.Feeds, o.Consumers, err = c.FeedGauges(ctx); err != nil {
			return o, err
		}
		if o.Stopped, err = webhooks.FirstStopped(ctx, c.db.Queries, StoppedShown+1); err != nil {
			return o, err
		}
		if o.Codes, err = c.refs.State(ctx, c.db.Queries, c.db.Now()); err != nil {
			return o, err
		}
		if o.Refill, err = c.lastRefill(ctx, o.Codes.Policy.Refill); err != nil {
			return o, err
		}
		if o.Companies, err = accounts.CountCompanies(ctx, c.db.Queries, CompaniesCounted+1); err != nil {
			return o, err
		}
		if o.Forwarded, err = accounts.Forwarded(ctx, c.db.Queries, c.db.Now()); err != nil {
			return o, err
		}
		server, err := c.db.Server(ctx)
		if err != nil {
			return o, err
		}
		schema, err := c.db.SchemaNow(ctx)
		o.Engine, o.Schema, o.Latest = server.String(), schema.Version, schema.Latest
		return o, err
	})
}

func (c *Console) lastRefill(ctx context.Context, run id.Run) (*migrations.Run, error) {
	if run == 0 {
		return nil, nil //nolint:nilnil // there was none
	}
	r, err := c.engine.Run(ctx, run)
	if errors.Is(err, fault.NotFound) {
		return nil, nil //nolint:nilnil // it was removed
	}
	return &r, err
}
