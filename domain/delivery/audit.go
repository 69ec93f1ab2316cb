package delivery

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// tendAudit is how often new entries of the audit lists are looked for.
const tendAudit = 500 * time.Millisecond

// WorkAudit copies entries of the instance into the audit lists of the companies that they are about, until ctx ends.
func (d *Delivery) WorkAudit(ctx context.Context) {
	wait.Every(ctx, tendAudit, func(ctx context.Context) {
		if err := d.TendAudit(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("keep the audit lists", "error", err)
		}
	})
}

// TendAudit does once what WorkAudit does.
func (d *Delivery) TendAudit(ctx context.Context) error {
	for {
		more, err := accounts.SpreadOnce(ctx, d.db)
		if err != nil || !more {
			return err
		}
	}
}
