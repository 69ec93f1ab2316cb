package feeds

// Orders of steps that broke other systems, if no wrong feed in mutants_test.go covers them.

import (
	"context"
	"database/sql"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// newCalm returns a run whose actors do not stop.
func newCalm(t *testing.T) *run {
	t.Helper()
	return domaintest.OK(newRun(newPaperEnv(t, cast...), right(), plan{Limits: [2]int{4, 4}}))(t)
}

func (r *run) publish(t *testing.T, name string) int {
	t.Helper()
	return domaintest.OK(r.engines[name].RunOnce(t.Context(), theFeed))(t)
}

func TestRunOnce(t *testing.T) {
	t.Parallel()
	t.Run("a feed without a sequence is an error, and publishes nothing", func(t *testing.T) {
		r := newCalm(t)
		exec(t, r.actor("operator").db, "DELETE FROM sequences WHERE name = 'papers'")
		if n, err := r.engines["publisher 1"].RunOnce(t.Context(), theFeed); err == nil {
			t.Errorf("%d rows were published", n)
		}
		exec(t, r.actor("operator").db, "INSERT INTO sequences (name, value, version, epoch) VALUES ('papers', 2, 1, 1)")
		if n := r.publish(t, "publisher 1"); n != 1 {
			t.Errorf("%d rows waited", n)
		}
	})
	t.Run("it does not wait for a slow writer, whose rows are published later", func(t *testing.T) {
		r := newCalm(t)
		domaintest.Must(t, r.actor("writer 1").db.InTx(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.SQL.Exec("UPDATE paper SET content = 2, feed_sync_id = NULL WHERE id = 3"); err != nil {
				return err
			}
			if err := r.parts.edit(t.Context(), r.actor("writer 2").db, 1); err != nil {
				return err
			}
			if n := r.publish(t, "publisher 1"); n != 1 {
				t.Errorf("%d rows were published beside the one that is locked", n)
			}
			return nil
		}))
		if n := r.publish(t, "publisher 1"); n != 1 {
			t.Errorf("%d rows were published after it", n)
		}
	})
	t.Run("a row that is never free is waited for in turn", func(t *testing.T) {
		r := newCalm(t)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		defer all.Wait()
		defer cancel()
		writers := []*db.DB{r.actor("writer 1").db, r.actor("writer 2").db}
		reads := func(n int) *sql.Tx { // as a foreign key does
			tx, err := writers[n%2].SQL.BeginTx(context.Background(), nil)
			if err == nil {
				_, err = tx.Exec("SELECT content FROM paper WHERE id = 3 LOCK IN SHARE MODE")
			}
			if err != nil {
				t.Error(err)
			}
			return tx
		}
		exec(t, r.actor("operator").db, "UPDATE paper SET content = 7, feed_sync_id = NULL WHERE id = 3")
		held := reads(0)
		all.Go(func() {
			for n := 1; ctx.Err() == nil && !t.Failed(); n++ { // the next begins before the last ends, unless it is made to wait
				next := make(chan *sql.Tx, 1)
				go func() { next <- reads(n) }()
				var tx *sql.Tx
				select {
				case tx = <-next:
				case <-time.After(100 * time.Millisecond):
				}
				_ = held.Rollback()
				if held = tx; tx == nil {
					held = <-next
				}
			}
			_ = held.Rollback()
		})
		all.Go(func() { r.engines["publisher 1"].Run(ctx) })
		domaintest.Until(t, "it is published", func() bool {
			position := domaintest.OK(r.actor("operator").db.PositionOf(t.Context(), "paper", 3))(t)
			return position != nil
		})
	})
	t.Run("a row that is changed while it is published is published again", func(t *testing.T) {
		r := newCalm(t)
		for range 3 { // a row that changes all the time goes out whenever it rests
			domaintest.Must(t, r.parts.edit(t.Context(), r.actor("writer 1").db, 3))
			if n := r.publish(t, "publisher 1"); n != 1 {
				t.Errorf("%d rows were published", n)
			}
		}
		if n := r.publish(t, "publisher 1"); n != 0 {
			t.Errorf("%d rows were published that had not changed", n)
		}
	})
	t.Run("a publisher with an old list gives no position twice", func(t *testing.T) {
		r := newCalm(t)
		s := r.stage
		var counts [2]int
		passes := func(n int) func() error {
			return func() (err error) {
				counts[n], err = r.engines[cast[2+n]].RunOnce(context.Background(), theFeed)
				return err
			}
		}
		// The first has read which rows wait when the second publishes them.
		held := &stop{steps: 2, orders: []string{"publisher 1", "publisher 2"}}
		err := s.play(map[string][]func() error{"publisher 1": {passes(0)}, "publisher 2": {passes(1)}}, held.chooser(),
			r.observe)
		if err != nil || len(r.wrong) > 0 {
			t.Error(err, r.wrong)
		}
		if counts != [2]int{0, 1} {
			t.Errorf("they published %v", counts)
		}
	})
}

func TestRead(t *testing.T) {
	t.Parallel()
	t.Run("a page without rows for the reader leads on to the head", func(t *testing.T) {
		r := newCalm(t)
		r.publish(t, "publisher 1")
		at, err := r.engines["consumer 1"].Start(t.Context(), theFeed)
		domaintest.Must(t, err)
		page, err := r.engines["consumer 1"].Read(t.Context(), at, 100, Scope{Board: 9})
		if err != nil || len(page.Items) != 0 || page.More || page.Cursor.Position != 3 || page.Cursor.Began != 0 {
			t.Errorf("%+v, %v", page, err)
		}
	})
	t.Run("a page that ends at the head has no more behind it", func(t *testing.T) {
		r := newCalm(t)
		at, err := r.engines["consumer 1"].Start(t.Context(), theFeed)
		domaintest.Must(t, err)
		page, err := r.engines["consumer 1"].Read(t.Context(), at, 2, Scope{})
		if err != nil || len(page.Items) != 2 || page.More {
			t.Errorf("%+v, %v", page, err)
		}
	})
	t.Run("a reader in its first reading is not refused by the horizon it came behind", func(t *testing.T) {
		r := newCalm(t)
		e, d := r.engines["consumer 1"], r.actor("writer 1").db
		domaintest.Must(t, r.parts.remove(t.Context(), d, 1))
		r.publish(t, "publisher 1") // two rows: up to 4
		domaintest.Must(t, r.parts.purge(t.Context(), d))
		at := domaintest.OK(e.Start(t.Context(), theFeed))(t)
		for reads := 1; ; reads++ {
			page, err := e.Read(t.Context(), at, 1, Scope{})
			domaintest.Must(t, err)
			if at = page.Cursor; !page.More {
				break
			}
			if at, err = ParseCursor(theFeed, at.String()); err != nil || reads > 3 {
				t.Fatal(err, at)
			}
		}
		old := Cursor{Epoch: at.Epoch, Feed: theFeed, Position: 2}
		if _, err := e.Read(t.Context(), old, 1, Scope{}); err != (CursorExpired(theFeed)) {
			t.Errorf("a cursor of before: %v", err)
		}
	})
}
