package feeds

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// forgottenAtOnce is how many batches of a feed ForgetBatches removes.
const forgottenAtOnce = 1000

// ForgetBatches removes up to a thousand batches of each feed that are older than 90 days, but never the newest, and
// returns how many. The age of a cursor before them is then unknown.
func (e *Engine) ForgetBatches(ctx context.Context) (removed int64, err error) {
	for _, feed := range e.feeds {
		old, err := db.Read(e.db.OldBatches(ctx, db.OldBatchesParams{Feed: feed.Name, Limit: forgottenAtOnce}))
		if err != nil {
			return removed, fmt.Errorf("read batches: %w", err)
		}
		if len(old) == 0 {
			continue
		}
		n, err := db.Read(e.db.ForgetBatches(ctx, feed.Name, old))
		if err != nil {
			return removed, fmt.Errorf("forget batches: %w", err)
		}
		removed += n
	}
	return removed, nil
}
