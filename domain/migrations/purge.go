package migrations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// KeepRuns is how long a run stays whole after its end, at least.
const KeepRuns = 30 * 24 * time.Hour

// purgeRows is how many samples, and entries of its log, a step of a purge removes of a run.
const purgeRows = 5000

// CodePurged: the tasks of the run were removed by a purge. Open a new run.
const CodePurged fault.Code = "Run.Purged"

func Purged(run id.Run) error {
	return fault.Conflict.New(CodePurged, "",
		fmt.Sprintf("The tasks of run %d were purged, so they cannot be tried again or skipped. Open a new run.", run))
}

// PurgeRun removes tasks of a run that ended before a time, with their attempts and the failures that began with them.
// The first time it also marks the run as purged, sums up its counters, and removes its file, the secrets of its
// parameters and its rejections, and each time up to purgeRows of its samples and of its log. It returns false, and
// changes nothing, if the run is active or ended later.
func PurgeRun(ctx context.Context, tx *db.Tx, run id.Run, tasks []id.Task, before time.Time) (bool, error) {
	row, err := LockRun(ctx, tx, run)
	switch {
	case errors.Is(err, CodeRunNotFound):
		return false, nil
	case err != nil:
		return false, err
	case row.FinishedAt == nil || !row.FinishedAt.Before(before):
		return false, nil
	}
	if row.PurgedAt == nil {
		if err := markPurged(ctx, tx, row); err != nil {
			return false, fmt.Errorf("mark run %d as purged: %w", run, err)
		}
	}
	if err := tx.PurgeRunSamples(ctx, run, purgeRows); err != nil {
		return false, err
	}
	if err := tx.PurgeRunEvents(ctx, run, purgeRows); err != nil {
		return false, err
	}
	if len(tasks) == 0 {
		return true, nil
	}
	if err := tx.PurgeTaskAttempts(ctx, tasks); err != nil {
		return false, err
	}
	if err := tx.PurgeTaskFailures(ctx, tasks); err != nil {
		return false, err
	}
	return true, tx.PurgeTasks(ctx, run, tasks)
}

// markPurged keeps of a run what its page shows of a purged one.
func markPurged(ctx context.Context, tx *db.Tx, row db.MigrationRun) error {
	s, err := readStoredParams(row.Params)
	if err != nil {
		return err
	}
	params, err := json.Marshal(storedParams{Plain: s.Plain})
	if err != nil {
		return err
	}
	sum, err := tx.ProgressOf(ctx, row.ID)
	if err != nil {
		return err
	}
	if err := tx.PurgeRunCounters(ctx, row.ID); err != nil {
		return err
	}
	if err := tx.AddToCounter(ctx, db.AddToCounterParams{RunID: row.ID, Processing: sum.Processing, Waiting: sum.Waiting,
		Complete: sum.Complete, Failed: sum.Failed, Skipped: sum.Skipped, Errors: sum.Errors, Refused: sum.Refused,
		Reclaimed: sum.Reclaimed}); err != nil {
		return err
	}
	if err := tx.PurgeRunRejections(ctx, row.ID); err != nil {
		return err
	}
	return tx.PurgeRun(ctx, string(params), row.ID)
}
