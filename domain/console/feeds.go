package console

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// FeedStates returns the states of the feeds, with their recent rates.
func (c *Console) FeedStates(ctx context.Context) ([]feeds.State, error) {
	return ask(ctx, func(actor) ([]feeds.State, error) {
		states, err := c.feeds.States(ctx)
		for i := range states {
			if states[i].Rates, err = c.feeds.Rates(ctx, states[i]); err != nil {
				return nil, err
			}
		}
		return states, err
	})
}

// gaugesFor is how old the gauges of the feeds may be.
const gaugesFor = 2 * time.Second

// feedGauges keeps the last answer, so that frequent callers cost little.
type feedGauges struct {
	mu        sync.Mutex
	states    []feeds.State
	consumers []feeds.Consumer
	at        time.Time
}

// FeedGauges returns the states of the feeds and of the first thousand consumers for monitoring, at most two seconds
// old. The caller need not be an operator.
func (c *Console) FeedGauges(ctx context.Context) ([]feeds.State, []feeds.Consumer, error) {
	kept := &c.gauges
	kept.mu.Lock()
	defer kept.mu.Unlock()
	now := c.db.Now()
	if age := now.Sub(kept.at); age >= 0 && age < gaugesFor {
		return kept.states, kept.consumers, nil
	}
	states, err := c.feeds.States(ctx)
	if err != nil {
		return nil, nil, err
	}
	consumers, err := c.feeds.Consumers(ctx, 0, 0, 1000)
	if err != nil {
		return nil, nil, err
	}
	kept.states, kept.consumers, kept.at = states, consumers, now
	return states, consumers, nil
}

// Republish publishes rows of a company again: a few at once (Rows says how many of them are the company's), or a board,
// or all, by a run that starts unattended; all of all companies if company is "". A run is of all feeds if feed is "",
// and of rate rows a second, the usual number if that is "". It returns feeds.NotFound, feeds.BadSelection,
// feeds.NoKeys, tickets.UnknownKey, or migrations.BadParam for a wrong company, board or rate.
func (c *Console) Republish(
	ctx context.Context, feed, company string, which feeds.Selection, rate string,
	once *workflows.Once[workflows.Republished],
) (done workflows.Republished, err error) {
	err = operate(ctx, func(actor) error {
		if err := which.Check(); err != nil {
			return err
		}
		if feed != "" || which.HasRows() {
			if _, err := c.feeds.Feed(feed); err != nil {
				return err
			}
		}
		if which.HasRows() {
			of, err := accounts.CompanyBySlug(ctx, c.db.Queries, company)
			if err != nil {
				return err
			}
			done.Rows, err = c.workflows.RepublishNow(ctx, db.SightOfAll(of.ID), feed, which,
				workflows.OncePart(once, func(n int64) workflows.Republished { return workflows.Republished{Rows: n} }),
				c.recordRepublished(ctx, of, feed))
			return err
		}
		values := migrations.Values{"feed": feed, "company": company, "board": which.Board, "rate": rate}
		opening := workflows.OncePart(once, func(run migrations.Run) workflows.Republished {
			return workflows.Republished{Run: &workflows.RepublishRun{Run: run}}
		})
		done.Run, err = c.workflows.OpenRepublishRun(ctx, func() (migrations.Run, error) {
			return c.OpenRun(ctx, workflows.RepublishName, values, migrations.Draft{}, opening)
		})
		return err
	})
	return done, err
}

// NewEpoch has all earlier cursors refused: after a failover, positions may have been published that this database
// does not know.
func (c *Console) NewEpoch(ctx context.Context) error {
	return operate(ctx, func(actor) error {
		err := c.db.InTx(ctx, func(tx *db.Tx) error {
			if _, err := tx.NewEpoch(ctx); err != nil {
				return err
			}
			return recordInstance(ctx, tx, accounts.AuditEpochBegun, accounts.AuditDetail{})
		})
		if err != nil {
			return fmt.Errorf("begin a new epoch: %w", err)
		}
		return nil
	})
}

// recordRepublished records that rows of a company are published again.
func (c *Console) recordRepublished(ctx context.Context, of accounts.Company, feed string) func(*db.Tx, int64) error {
	return func(tx *db.Tx, n int64) error {
		detail := accounts.AuditDetail{Feed: feed, Company: of.Slug, Note: fmt.Sprintf("%d rows", n)}
		if err := recordInstance(ctx, tx, accounts.AuditRowsRepublished, detail); err != nil {
			return err
		}
		return accounts.Record(ctx, tx, of.ID, accounts.ActorFrom(ctx).Account.ID, accounts.AuditRowsRepublished, detail)
	}
}
