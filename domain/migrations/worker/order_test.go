package worker

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// A worker locks the run's row before its tasks, as operators who retry or skip do: else they would deadlock.
func TestTheRunIsLockedBeforeItsTasks(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(h manualWorker, run id.Run) error{
		"the keeper wakes tasks":      func(h manualWorker, run id.Run) error { return h.k.promote(h.b.t.Context(), h.b.row(run)) },
		"a worker claims at first":    func(h manualWorker, _ id.Run) error { _, err := h.exchange(nil, 5); return err },
		"the keeper takes tasks back": func(h manualWorker, run id.Run) error { return h.k.reap(h.b.t.Context(), h.b.row(run)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
			run := b.running(10, migrations.Knobs{})
			h := b.manualWorker(run)
			b.exec("UPDATE migration_task SET state = 'waiting', due_at = NOW(6) - INTERVAL 1 SECOND WHERE payload < '3'")
			b.exec("UPDATE migration_task SET state = 'processing', worker_id = 999, fence = 999 << 32, attempt = 1, claimed_at = NOW(6) WHERE payload > '7'")
			operator := domaintest.OK(b.d.SQL.BeginTx(t.Context(), nil))(t)
			defer operator.Rollback()
			domaintest.OK(b.d.WithTx(operator).LockRun(t.Context(), run))(t)
			done := make(chan error, 1)
			go func() { done <- take(h, run) }()
			b.waits("migration_run.*(FOR UPDATE|SHARE MODE)")
			if _, err := operator.Exec("SELECT id FROM migration_task WHERE run_id = ? FOR UPDATE NOWAIT",
				uint64(run)); err != nil {
				t.Errorf("it holds tasks while it waits for the run: %v", err)
			}
			operator.Rollback()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// Works that are completed together lock what they are about in one order, whatever that of the tasks is.
func TestCommitsLockInOrder(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var order []int
	b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
	run := b.running(10, migrations.Knobs{})
	h := b.manualWorker(run)
	list := h.claims(10)
	for _, one := range list {
		n := domaintest.OK(strconv.Atoi(one.work.Task.Payload))(t)
		one.began = time.Now()
		row := 7 * n % 10
		one.work.Locks(uint64(row))
		one.work.Commit(func(context.Context, *db.Tx) error {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, row)
			return nil
		})
	}
	h.commit(list)
	if !slices.Equal(order, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("locked in the order %v", order)
	}
	if p := b.progress(run); p.Complete != 10 {
		t.Errorf("%+v", p)
	}
}

func TestKeeperBeginsBehindTheRunThatItCheckedLast(t *testing.T) {
	t.Parallel()
	var runs []migrations.Run
	for _, n := range []id.Run{2, 5, 9} {
		runs = append(runs, migrations.Run{ID: n})
	}
	for last, want := range map[id.Run][]id.Run{0: {2, 5, 9}, 2: {5, 9, 2}, 4: {5, 9, 2}, 5: {9, 2, 5}, 9: {2, 5, 9}, 12: {2, 5, 9}} {
		var got []id.Run
		for _, run := range behind(runs, last) {
			got = append(got, run.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("behind %d: %v", last, got)
		}
	}
}
