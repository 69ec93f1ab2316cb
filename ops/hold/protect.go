package hold

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
)

// lostWorkers is more than the ids that workers can have got after the last moment that the database knows. A worker
// is part of the fences of its claims, so no other may get its id.
const lostWorkers = 10_000

// atOnce is how many rows of workers a transaction removes.
const atOnce = 1000

// Protect makes data fit for use whose database may have gone on elsewhere, after the last moment that it knows. Feeds
// begin a new epoch and the pool of reference codes is quarantined, because positions and codes may have been used.
// Workers of before must register anew, under ids that none had. Runs wait for an operator, with the reason. It may be
// repeated. Nobody else uses the database.
func Protect(ctx context.Context, d *db.DB, reason string) error {
	if _, err := db.Read(d.NewEpoch(ctx)); err != nil {
		return fmt.Errorf("begin a new epoch: %w", err)
	}
	if err := d.NoteAllDurable(ctx); err != nil {
		return fmt.Errorf("note what is durable: %w", err)
	}
	if err := refs.QuarantinePool(ctx, d); err != nil {
		return err
	}
	if err := forgetWorkers(ctx, d); err != nil {
		return fmt.Errorf("forget the workers: %w", err)
	}
	return migrations.PauseAll(ctx, d, reason)
}

// forgetWorkers removes them with their leases, in transactions of bounded size.
func forgetWorkers(ctx context.Context, d *db.DB) error {
	var last uint64
	err := d.SQL.QueryRowContext(ctx, `SELECT GREATEST(COALESCE((SELECT MAX(worker_id) FROM migration_task), 0), COALESCE((SELECT MAX(worker_id) FROM migration_counter), 0),
		COALESCE((SELECT MAX(worker_id) FROM migration_attempt), 0), COALESCE((SELECT MAX(fill_worker) FROM migration_run), 0),
		COALESCE((SELECT MAX(id) FROM migration_worker), 0))`).Scan(&last)
	if err != nil {
		return err
	}
	// Before their rows are gone: a repetition still finds the last.
	if _, err := d.SQL.ExecContext(ctx, fmt.Sprintf("ALTER TABLE migration_worker AUTO_INCREMENT = %d",
		last+lostWorkers)); err != nil {
		return err
	}
	for _, remove := range []string{
		"DELETE FROM migration_worker ORDER BY id LIMIT ?", "DELETE FROM migration_lease ORDER BY name LIMIT ?",
	} {
		for n := int64(atOnce); n == atOnce; {
			result, err := d.SQL.ExecContext(ctx, remove, atOnce)
			if err != nil {
				return err
			}
			if n, err = result.RowsAffected(); err != nil {
				return err
			}
		}
	}
	return nil
}
