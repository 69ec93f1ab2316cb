package feeds

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// forgottenAtOnce is how many batches of a feed ForgetBatches removes.
const forgottenAtOnce = 1000

// ForgetBatches removes up to a thousand batches of each feed that are older than 90 days, and returns how
// many: how long ago a cursor stands before that is not known any more. The newest stays.
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
