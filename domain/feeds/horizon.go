package feeds

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// PassedPosition returns the position that all consumers and webhooks that can read on have passed. Readers that keep
// their own cursors are unknown here.
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

// RaiseHorizon declares that rows up to a position may be removed, by this transaction. Raise several feeds in the
// order of their names, as the last statements.
func RaiseHorizon(ctx context.Context, tx *db.Tx, feed string, to uint64) error {
	if to == 0 {
		return nil
	}
	n, err := tx.RaiseHorizon(ctx, int64(to), feed)
	if err != nil {
		return fmt.Errorf("raise horizon: %w", err)
	}
	if n != 1 {
		return fmt.Errorf("feeds: sequences has %d rows of %q", n, feed)
	}
	return nil
}
