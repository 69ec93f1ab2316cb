package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// RepublishRun is a run that publishes rows again.
type RepublishRun struct {
	migrations.Run
	Already bool // it was opened before, and has published nothing so far
}

// Republished is what was published again: so many rows, or by a run.
type Republished struct {
	Rows int64
	Run  *RepublishRun
}

// OpenRepublishRun opens a run, or finds the pending one. If that began or ended meanwhile, it tries again.
func (w *Workflows) OpenRepublishRun(
	ctx context.Context, open func() (migrations.Run, error),
) (run *RepublishRun, err error) {
	for range 3 {
		opened, refused := open()
		if run, err = w.orPending(ctx, opened, refused); !errors.Is(err, migrations.CodeActiveRun) {
			break
		}
	}
	return run, err
}

// orPending returns a run that was opened, or the pending one that it was refused for. A run that has begun does not
// count: rows that it has passed would not come again.
func (w *Workflows) orPending(ctx context.Context, opened migrations.Run, err error) (*RepublishRun, error) {
	var active migrations.ActiveRun
	switch {
	case err == nil:
		return &RepublishRun{Run: opened}, nil
	case !errors.As(err, &active):
		return nil, err
	}
	there, missing := w.engine.Run(ctx, active.Run)
	if missing != nil || there.StartedAt != nil || !there.State.IsActive() {
		return nil, err
	}
	return &RepublishRun{Run: there, Already: true}, nil
}

// RepublishRows publishes rows of a feed again as they are: a few at once (n says how many of them are the company's),
// or those of a board, or all, by an unattended run: the pending one, or a new one. It returns feeds.NotFound,
// feeds.BadSelection, feeds.NoKeys, tickets.UnknownKey, MissingScope, boards.NotFound, and for all NotOperator.
func (w *Workflows) RepublishRows(
	ctx context.Context, feed string, which feeds.Selection,
) (n int64, run *RepublishRun, err error) {
	if _, err := w.feeds.Feed(feed); err != nil {
		return 0, nil, err
	}
	if err := which.Check(); err != nil {
		return 0, nil, err
	}
	if which.All {
		operator, err := Operator(ctx)
		if err != nil {
			return 0, nil, err
		}
		still := func(ctx context.Context, tx *db.Tx, _ migrations.Run) error {
			return StillOperator(ctx, tx, accounts.ActorFrom(ctx))
		}
		run, err = w.OpenRepublishRun(ctx, func() (migrations.Run, error) {
			return w.engine.OpenRun(ctx, operator, RepublishName, migrations.Values{"feed": feed}, migrations.Draft{Also: still})
		})
		return 0, run, err
	}
	actor, err := w.mayChangeFeed(ctx, feed)
	if err != nil {
		return 0, nil, err
	}
	if which.Board == "" {
		n, err = w.RepublishNow(ctx, actor.Sight(), feed, which, nil, nil)
		return n, nil, err
	}
	board, err := boards.BySlug(ctx, w.db.Queries, actor.Sight(), which.Board)
	if err != nil {
		return 0, nil, err
	}
	if err := mayWriteOn(actor, board.Grant); err != nil {
		return 0, nil, err
	}
	values := migrations.Values{"feed": feed, "company": actor.Company.Slug, "board": board.Slug}
	run, err = w.OpenRepublishRun(ctx, func() (migrations.Run, error) {
		return w.engine.OpenRun(ctx, runActor(actor), RepublishName, values, migrations.Draft{})
	})
	return 0, run, err
}

// namedAtOnce is how many rows a statement names: MariaDB takes a list of a thousand for a table, and joins it.
const namedAtOnce = 500

// RepublishNow publishes some rows in sight again, and returns how many. It checks no rights: the caller has. record
// runs in its transaction, and may be nil. With once it returns Replay.
func (w *Workflows) RepublishNow(
	ctx context.Context, by db.Sight, feed string, which feeds.Selection, once *Once[int64],
	record func(*db.Tx, int64) error,
) (n int64, err error) {
	of, err := FeedByName(feed)
	if err != nil {
		return 0, err
	}
	rows := which.IDs
	if len(which.Keys) > 0 {
		if of.keyed == nil {
			return 0, feeds.NoKeys(feed)
		}
		keyed, err := of.keyed(ctx, w.db.Queries, by, which.Keys)
		if err != nil {
			return 0, err
		}
		rows = slices.Concat(rows, keyed)
	}
	rows = slices.Compact(slices.Sorted(slices.Values(rows))) // all lock them in one order
	n, err = DoOnce(ctx, w, once, func() (n int64, err error) {
		err = w.change(ctx, func(tx *db.Tx) error {
			n = 0
			for part := range slices.Chunk(rows, namedAtOnce) {
				again, err := of.republish(ctx, tx, by, part)
				if err != nil {
					return err
				}
				n += again
			}
			if record != nil {
				if err := record(tx, n); err != nil {
					return err
				}
			}
			return StoreResponses(ctx, tx, once.Row(tx, n))
		})
		return n, err
	})
	if err != nil {
		return 0, fmt.Errorf("republish: %w", err)
	}
	return n, nil
}
