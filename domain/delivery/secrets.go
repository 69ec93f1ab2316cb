package delivery

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// encryptEvery is how often secrets are looked for that are in the clear.
const encryptEvery = time.Minute

// WorkSecrets encrypts what an earlier release stored in the clear, until ctx ends: at once, or when the last server of
// that release has ended.
func (d *Delivery) WorkSecrets(ctx context.Context) {
	waiting := false
	wait.Every(ctx, encryptEvery, func(ctx context.Context) {
		n, waits, err := d.keys.Encrypt(ctx, d.db)
		if err != nil && ctx.Err() == nil {
			d.log.Warn("encrypt the secrets in the database", "error", why(err))
		}
		if n > 0 {
			d.log.Info("secrets in the database were encrypted", "secrets", n)
		}
		if waits && !waiting {
			d.log.Info("secrets in the database are encrypted once no server of the release before runs on it")
		}
		waiting = waits
	})
}

// why is the cause of an error if it has one: what users are not told is for the log.
func why(err error) error {
	if cause := fault.Cause(err); cause != nil {
		return cause
	}
	return err
}
