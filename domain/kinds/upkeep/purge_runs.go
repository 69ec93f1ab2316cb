package upkeep

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

const (
	// runsAtOnce is how many runs are read at once.
	runsAtOnce = 100
	// tasksAtOnce is how many tasks of another run a task of purge-runs removes.
	tasksAtOnce = 500
)

// purgeRunTask is a task of purge-runs: tasks of a run, or the run without any.
type purgeRunTask struct {
	Run   id.Run    `json:"run"`
	Name  string    `json:"name"`
	At    time.Time `json:"finished_at"`
	Tasks []id.Task `json:"tasks,omitempty"`
}

// purgeRuns removes what old runs did, and keeps what they were.
func (m *Upkeep) purgeRuns() *migrations.Migration {
	kept := int64(migrations.KeepRuns / (24 * time.Hour))
	return &migrations.Migration{
		Name: "purge-runs", Title: "Purge old runs",
		Description: "Permanently removes what runs that ended long ago did: their tasks, attempts, errors, rejected lines, logs and files, and the secrets of their parameters. The runs stay in the list, with their parameters, dates and totals. Their tasks cannot be tried again.",
		Params: []migrations.Param{
			{Name: "days", Label: "Ended more than this many days ago", Kind: migrations.Number, Required: true,
				Default: "90", Min: kept, Max: 36_500, Help: "At least 30."},
		},
		Fill:    m.fillPurgeRuns,
		Write:   writePurgeRuns,
		Preview: previewPurgeRuns,
		Label:   purgeRunLabel,
		Knobs:   migrations.Knobs{Concurrency: 1, Block: 4},
	}
}

// endedBefore is the time before which runs are purged, by the database's clock.
func endedBefore(ctx context.Context, q *db.Queries, values migrations.Values) (time.Time, error) {
	days, err := strconv.Atoi(values["days"])
	if err != nil {
		return time.Time{}, migrations.Permanent{Err: fmt.Errorf("read days: %w", err)}
	}
	now, err := db.Read(q.Clock(ctx))
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time: %w", err)
	}
	return now.Add(-max(migrations.KeepRuns, time.Duration(days)*24*time.Hour)), nil
}

// fillPurgeRuns's cursor is the last run.
func (m *Upkeep) fillPurgeRuns(ctx context.Context, into migrations.Filler) error {
	before, err := endedBefore(ctx, m.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	last, _ := strconv.ParseUint(into.Cursor(), 10, 64) // 0 at first
	for after := id.Run(last); ; {
		rows, err := db.Read(m.bulk.RunsToPurge(ctx, db.RunsToPurgeParams{After: after, Before: &before, Limit: runsAtOnce}))
		if err != nil {
			return fmt.Errorf("read runs: %w", err)
		}
		for _, row := range rows {
			if err := m.fillPurgeRun(ctx, into, row); err != nil {
				return err
			}
			after = row.ID
		}
		if len(rows) < runsAtOnce {
			return nil
		}
	}
}

// fillPurgeRun adds the tasks for one run. Only the last has the run as its cursor: if filling is interrupted before, the
// tasks for the run are added again, and find nothing to remove.
func (m *Upkeep) fillPurgeRun(ctx context.Context, into migrations.Filler, row db.RunsToPurgeRow) error {
	cursor := strconv.FormatUint(uint64(row.ID)-1, 10)
	task := purgeRunTask{Run: row.ID, Name: row.Name, At: *row.FinishedAt}
	add := func(tasks []id.Task) error {
		task.Tasks = tasks
		payload, err := json.Marshal(task)
		if err != nil {
			return fmt.Errorf("write payload: %w", err)
		}
		return into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: cursor})
	}
	for _, state := range []string{migrations.TaskOpen, migrations.TaskWaiting, migrations.TaskComplete, migrations.TaskFailed, migrations.TaskSkipped} {
		for after := id.Task(0); ; {
			tasks, err := db.Read(m.bulk.TaskIDsIn(ctx, db.TaskIDsInParams{RunID: row.ID, State: state, After: after, Limit: tasksAtOnce}))
			if err != nil {
				return fmt.Errorf("read tasks: %w", err)
			}
			if len(tasks) == 0 {
				break
			}
			if err := add(tasks); err != nil {
				return err
			}
			after = tasks[len(tasks)-1]
		}
	}
	cursor = strconv.FormatUint(uint64(row.ID), 10)
	return add(nil)
}

func purgeRunLabel(payload string) string {
	fields := migrations.PayloadFields(payload)
	ended, err := time.Parse(time.RFC3339, fields["finished_at"])
	if err != nil {
		return ""
	}
	return fmt.Sprintf("Run %s, %s, ended on %s", fields["run"], fields["name"], ended.UTC().Format("2 January 2006"))
}

// count is how many tasks are removed, in words.
func (p purgeRunTask) count() string { return kinds.Count(len(p.Tasks), "task", "tasks") }

func purgeRunOf(work *migrations.Work) (p purgeRunTask, err error) {
	if err := json.Unmarshal([]byte(work.Task.Payload), &p); err != nil {
		return p, migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return p, nil
}

func writePurgeRuns(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	before, err := endedBefore(ctx, tx.Queries, works[0].Values) // of the run
	if err != nil {
		return err
	}
	for _, work := range works {
		p, err := purgeRunOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		done, err := migrations.PurgeRun(ctx, tx, p.Run, p.Tasks, before)
		switch {
		case err != nil:
			return err
		case !done:
			work.Note(fmt.Sprintf("Run %d goes on, or ended later. It was left alone.", p.Run))
		case len(p.Tasks) > 0:
			work.Note(fmt.Sprintf("Removed %s of run %d.", p.count(), p.Run))
		default:
			work.Note(fmt.Sprintf("Removed the rest of run %d.", p.Run))
		}
	}
	return nil
}

func previewPurgeRuns(_ context.Context, work *migrations.Work) (string, error) {
	p, err := purgeRunOf(work)
	if err != nil {
		return "", err
	}
	if len(p.Tasks) > 0 {
		return fmt.Sprintf("Would remove %s of run %d.", p.count(), p.Run), nil
	}
	return fmt.Sprintf("Would remove the rest of run %d.", p.Run), nil
}
