package delivery

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// tendAudit is how often new entries of the audit lists are looked for.
const tendAudit = 500 * time.Millisecond

// hourAudit is how often heads are logged and old entries purged.
const hourAudit = time.Hour

// WorkAudit copies entries of the instance into the audit lists of the companies that they are about, seals all, logs
// the heads of the chains and purges old entries, until ctx ends.
func (d *Delivery) WorkAudit(ctx context.Context) {
	var hourly time.Time
	wait.Every(ctx, tendAudit, func(ctx context.Context) {
		if err := d.TendAudit(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("keep the audit lists", "error", why(err))
		}
		if time.Since(hourly) < hourAudit {
			return
		}
		hourly = time.Now()
		if err := d.TendAuditHourly(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("keep the audit lists", "error", why(err))
		}
	})
}

// TendAuditHourly purges what is kept no longer, and logs the heads.
func (d *Delivery) TendAuditHourly(ctx context.Context) error {
	if d.auditDays > 0 {
		if err := d.sealer.PurgeAudit(ctx, d.db.Now().AddDate(0, 0, -d.auditDays)); err != nil {
			return err
		}
	}
	return d.sealer.LogHeads(ctx, d.log)
}

// TendAudit copies and seals new entries.
func (d *Delivery) TendAudit(ctx context.Context) error {
	for {
		more, err := accounts.SpreadOnce(ctx, d.db)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	for {
		more, err := d.sealer.SealOnce(ctx)
		if err != nil || !more {
			return err
		}
	}
}
