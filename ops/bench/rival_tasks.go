package bench

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// A rival hands out tasks of a table of its own. completions counts the completions of a task, so the table shows what
// was done twice.
const rivalTable = `CREATE TABLE bench_task (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  status VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'open',
  payload VARCHAR(255) NOT NULL,
  claimed_by VARCHAR(60) CHARACTER SET ascii COLLATE ascii_bin NULL,
  claimed_at DATETIME(6) NULL,
  completed_at DATETIME(6) NULL,
  completions INT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (id)%s
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`

// originalIndexes are those of the design that this project started from.
const originalIndexes = `, KEY ix_claimed (claimed_by, status), KEY ix_overdue (status, completed_at, claimed_at)`

// taskRival is a way to claim a block of tasks and to complete them.
type taskRival struct {
	name, note, indexes, isolation string
	claim                          func(ctx context.Context, w rivalWorker) (claimedIDs, error)
	complete                       func(ctx context.Context, w rivalWorker, tasks claimedIDs) error
}

// claimedIDs are the ids of tasks.
type claimedIDs []uint64

// rivalRun is shared by the workers of a rival.
type rivalRun struct {
	block     int
	tasks     uint64
	taken     atomic.Uint64 // of the floor, which counts in this process
	stopped   atomic.Bool   // the time was up
	deadlocks atomic.Uint64
}

// rivalWorker has a connection of its own, with the isolation level of its strategy.
type rivalWorker struct {
	*rivalRun
	name string
	conn *sql.Conn
}

var taskRivals = []taskRival{
	{
		"original", "overdue reset, UPDATE … WHERE status = 'open' ORDER BY id LIMIT n, read back, complete one by one",
		originalIndexes, "REPEATABLE READ", claimOriginal, completeOneByOne,
	},
	{
		"skip locked", "SELECT … FOR UPDATE SKIP LOCKED on the original's indexes, complete one by one",
		originalIndexes, "READ COMMITTED", claimSkipLocked, completeOneByOne,
	},
	{
		"floor", "the same writes in blocks by primary key, nothing looked for: only one process can hand out so",
		"", "READ COMMITTED", claimNext, completeBlock,
	},
}

// again repeats one statement or transaction while the server chooses it as a deadlock's victim.
func (w rivalWorker) again(ctx context.Context, fn func() error) error {
	for {
		err := fn()
		if !db.IsDeadlock(err) {
			return err
		}
		w.deadlocks.Add(1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func claimOriginal(ctx context.Context, w rivalWorker) (tasks claimedIDs, err error) {
	err = w.again(ctx, func() error {
		_, err := w.conn.ExecContext(ctx, `UPDATE bench_task SET status = 'open', claimed_by = NULL, claimed_at = NULL
			WHERE status = 'processing' AND completed_at IS NULL AND claimed_at < NOW(6) - INTERVAL 2 MINUTE`)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = w.again(ctx, func() error {
		_, err := w.conn.ExecContext(ctx,
			"UPDATE bench_task SET status = 'processing', claimed_by = ?, claimed_at = NOW(6) WHERE status = 'open' ORDER BY id LIMIT ?", w.name, w.block)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ids(w.conn.QueryContext(ctx, "SELECT id FROM bench_task WHERE claimed_by = ? AND status = 'processing'",
		w.name))
}

func completeOneByOne(ctx context.Context, w rivalWorker, tasks claimedIDs) error {
	for _, id := range tasks {
		err := w.again(ctx, func() error {
			_, err := w.conn.ExecContext(ctx,
				"UPDATE bench_task SET status = 'complete', completed_at = NOW(6), completions = completions + 1 WHERE id = ?", id)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func claimSkipLocked(ctx context.Context, w rivalWorker) (tasks claimedIDs, err error) {
	err = w.again(ctx, func() error {
		tx, err := w.conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if tasks, err = ids(tx.QueryContext(ctx,
			"SELECT id FROM bench_task WHERE status = 'open' ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED",
			w.block)); err != nil || len(tasks) == 0 {
			return err
		}
		if _, err := tx.ExecContext(ctx,
			"UPDATE bench_task SET status = 'processing', claimed_by = ?, claimed_at = NOW(6) WHERE id IN "+tasks.in(),
			w.name); err != nil {
			return err
		}
		return tx.Commit()
	})
	return tasks, err
}

func claimNext(ctx context.Context, w rivalWorker) (tasks claimedIDs, err error) {
	upto := w.taken.Add(uint64(w.block))
	for id := upto - uint64(w.block) + 1; id <= min(upto, w.tasks); id++ {
		tasks = append(tasks, id)
	}
	if len(tasks) == 0 {
		return nil, nil
	}
	_, err = w.conn.ExecContext(ctx,
		"UPDATE bench_task SET status = 'processing', claimed_by = ?, claimed_at = NOW(6) WHERE id IN "+tasks.in(), w.name)
	return tasks, err
}

func completeBlock(ctx context.Context, w rivalWorker, tasks claimedIDs) error {
	_, err := w.conn.ExecContext(ctx,
		"UPDATE bench_task SET status = 'complete', completed_at = NOW(6), completions = completions + 1 WHERE id IN "+tasks.in())
	return err
}

func (c claimedIDs) in() string {
	return "(" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]uint64(c))), ","), "[]") + ")"
}

func ids(rows *sql.Rows, err error) (claimedIDs, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list claimedIDs
	for rows.Next() {
		var id uint64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		list = append(list, id)
	}
	return list, rows.Err()
}

// fillRival recreates the rival's table with so many open tasks.
func fillRival(ctx context.Context, conn *sql.DB, indexes string, tasks int) error {
	if _, err := conn.ExecContext(ctx, "DROP TABLE IF EXISTS bench_task"); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf(rivalTable, indexes)); err != nil {
		return err
	}
	for done := 0; done < tasks; done += 1000 {
		n := min(1000, tasks-done)
		values := strings.TrimSuffix(strings.Repeat("('https://example.com/image.png'),", n), ",")
		if _, err := conn.ExecContext(ctx, "INSERT INTO bench_task (payload) VALUES "+values); err != nil {
			return err
		}
	}
	return nil
}

// measureRival has the workers hand out and complete all tasks, or as many as they can in the time.
func measureRival(ctx context.Context, d *db.DB, rival taskRival, load TaskLoad, workers, block int) (Row, error) {
	if err := fillRival(ctx, d.SQL, rival.indexes, load.Tasks); err != nil {
		return Row{}, fmt.Errorf("fill: %w", err)
	}
	r := &rivalRun{block: block, tasks: uint64(load.Tasks)}
	var times durations
	began := time.Now()
	err := together(workers, func(n int) error {
		conn, err := d.SQL.Conn(ctx)
		if err != nil {
			return err
		}
		defer discard(conn)
		if _, err := conn.ExecContext(ctx, "SET SESSION TRANSACTION ISOLATION LEVEL "+rival.isolation); err != nil {
			return err
		}
		w := rivalWorker{r, fmt.Sprintf("worker-%d", n), conn}
		for {
			start := time.Now()
			tasks, err := rival.claim(ctx, w)
			times.add(time.Since(start))
			if err != nil || len(tasks) == 0 {
				return err
			}
			if err := rival.complete(ctx, w, tasks); err != nil {
				return err
			}
			if load.Patience > 0 && time.Since(began) >= load.Patience {
				r.stopped.Store(true)
				return nil
			}
		}
	})
	took := time.Since(began)
	if err != nil {
		return Row{}, err
	}
	row := Row{Strategy: rival.name, Note: rival.note, Workers: workers, Block: block, Tasks: r.tasks,
		Deadlocks: to(r.deadlocks.Load())}
	row.P50, row.P99 = times.quantiles()
	var completions uint64
	if err := d.SQL.QueryRowContext(ctx,
		"SELECT COUNT(*), COALESCE(SUM(completions), 0) FROM bench_task WHERE status = 'complete'").Scan(&row.Done,
		&completions); err != nil {
		return Row{}, err
	}
	row.PerSecond, row.Duplicates = float64(row.Done)/took.Seconds(), completions-row.Done
	if !r.stopped.Load() { // workers that find no more and leave some are a fault
		row.Gaps = row.Tasks - row.Done
	}
	return row, nil
}

// discard closes a connection for good: its next user would not know its isolation level.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	conn.Close()
}
