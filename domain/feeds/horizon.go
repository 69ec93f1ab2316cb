package feeds

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// PassedPosition returns the position of a feed that all consumers and webhooks have passed who can read on from where
// they are. Whoever keeps a cursor of their own is not known.
func PassedPosition(ctx context.Context, q *db.Queries, feed string) (uint64, error) {
	consumers, err := q.PassedByConsumers(ctx, feed)
	if err != nil {
		return 0, fmt.Errorf("read where consumers are: %w", err)
	}
	webhooks, err := q.PassedByWebhooks(ctx, feed)
	if err != nil {
		return 0, fmt.Errorf("read where webhooks are: %w", err)
	}
	return uint64(min(consumers, webhooks)), nil
}

// RaiseHorizon says that rows with positions of a feed up to one may be gone without a trace, from when the
// transaction commits: it is the one that removes them. Of several feeds, raise them by name, after all else.
func RaiseHorizon(ctx context.Context, tx *db.Tx, feed string, upto uint64) error {
	if upto == 0 {
		return nil
	}
	n, err := tx.RaiseHorizon(ctx, int64(upto), feed)
	if err != nil {
		return fmt.Errorf("raise horizon: %w", err)
	}
	if n != 1 {
		return fmt.Errorf("feeds: sequences has %d rows of %q", n, feed)
	}
	return nil
}
