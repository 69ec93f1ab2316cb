package private

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestWatch(t *testing.T) {
	t.Run("a database that dies is started again and has every acknowledged commit", func(t *testing.T) {
		dir := seededDir(t)
		s := open(t, dir)
		watch(t, s)
		db := connect(t, s.URL(database))
		execute(t, db, "CREATE TABLE written (n INT PRIMARY KEY)")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var acknowledged atomic.Int64
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for n := int64(1); ctx.Err() == nil; {
				_, err := db.ExecContext(ctx, "INSERT INTO written VALUES (?) ON DUPLICATE KEY UPDATE n = n", n)
				if err != nil {
					continue // the same number again: it may or may not have been written
				}
				acknowledged.Store(n)
				n++
			}
		}()
		for range 3 {
			before, pid := acknowledged.Load(), s.Pid()
			domaintest.Until(t, "rows are written", func() bool { return acknowledged.Load() > before+50 })
			domaintest.Must(t, syscall.Kill(pid, syscall.SIGKILL))
			domaintest.Until(t, "another process runs", func() bool { return s.Pid() != pid })
		}
		before := acknowledged.Load()
		domaintest.Until(t, "rows are written", func() bool { return acknowledged.Load() > before })
		stop()
		<-ended
		if got, want := ask[int64](t, db, "SELECT COUNT(*) FROM written"), acknowledged.Load(); got != want && got != want+1 {
			t.Errorf("%d rows of %d acknowledged", got, want)
		}
	})

	t.Run("a database that another program stopped comes back", func(t *testing.T) {
		s := open(t, seededDir(t))
		watch(t, s)
		pid := s.Pid()
		domaintest.Must(t, syscall.Kill(pid, syscall.SIGTERM))
		db := connect(t, s.URL(database))
		domaintest.Until(t, "the database answers again", func() bool { return s.Pid() != pid && db.Ping() == nil })
	})

	t.Run("a database whose socket was removed listens at the same place again", func(t *testing.T) {
		s := open(t, seededDir(t))
		watch(t, s)
		url, pid := s.URL(database), s.Pid()
		domaintest.Must(t, os.RemoveAll(filepath.Dir(s.state.Socket)))
		domaintest.Until(t, "another process runs", func() bool { return s.Pid() != pid })
		db := connect(t, url)
		domaintest.Until(t, "the database answers again", func() bool { return db.Ping() == nil })
	})

	t.Run("Close ends it", func(t *testing.T) {
		s := domaintest.OK(Open(t.Context(), options(seededDir(t), nil)))(t)
		ended := make(chan error, 1)
		go func() { ended <- s.Watch(context.Background()) }()
		domaintest.Must(t, s.Close(context.Background()))
		domaintest.Must(t, <-ended)
	})

	t.Run("gives up after many failed starts in a row, but waits for space on a full disk", func(t *testing.T) {
		s, err := newServer(options(t.TempDir(), nil))
		domaintest.Must(t, err)
		defer s.closeLocks()
		failed := 0
		for range 2 * startsTried {
			if failed, err = s.judge(DiskFull("", 0, 0), failed); err != nil {
				t.Fatal(err)
			}
		}
		if failed, err = s.judge(nil, failed); err != nil || failed != 0 {
			t.Fatal(failed, err)
		}
		broken := StartFailed("", "", "why", "")
		for range startsTried - 1 {
			if failed, err = s.judge(broken, failed); err != nil {
				t.Fatal(err)
			}
		}
		if _, err = s.judge(broken, failed); !errors.Is(err, broken) {
			t.Errorf("after %d failed starts: %v", startsTried, err)
		}
	})
}
