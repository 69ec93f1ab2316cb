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

	for _, c := range []struct {
		name, flush string
		stopped     bool
		renewed     bool
	}{
		{"a death that may take back commits begins a new epoch of the feeds", "0", false, true},
		{"a death that takes back nothing begins none", "1", false, false},
		{"a stop begins none", "0", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, settings := seededDir(t), map[string]string{"innodb_flush_log_at_trx_commit": c.flush}
			first := domaintest.OK(Open(t.Context(), options(dir, settings)))(t)
			db := connect(t, first.URL(database))
			execute(t, db, "SET GLOBAL innodb_flush_log_at_trx_commit = 1") // the table itself is not lost
			execute(t, db, "CREATE TABLE sequences (epoch BIGINT UNSIGNED, version BIGINT UNSIGNED)")
			execute(t, db, "INSERT INTO sequences VALUES (7, 0)")
			if c.stopped {
				domaintest.Must(t, first.Close(t.Context()))
			} else {
				watch(t, first)
				pid := first.Pid()
				domaintest.Must(t, syscall.Kill(pid, syscall.SIGKILL))
				domaintest.Until(t, "another process runs", func() bool { return first.Pid() != pid })
				revived(first)
				domaintest.Must(t, first.Close(t.Context()))
			}
			second := domaintest.OK(Open(t.Context(), options(dir, settings)))(t)
			t.Cleanup(func() { second.Close(context.Background()) })
			epoch := ask[uint64](t, connect(t, second.URL(database)), "SELECT epoch FROM sequences")
			if epoch != 7 != c.renewed {
				t.Errorf("the epoch is %d", epoch)
			}
		})
	}

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

// revived waits until a server that another process replaced is done with that.
func revived(s *Server) {
	s.changing.Lock()
	defer s.changing.Unlock()
}
