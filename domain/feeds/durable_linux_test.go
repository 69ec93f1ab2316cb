package feeds

// A server whose redo log is withheld from its disk: what is committed is visible, its COMMIT has not returned, and a
// death takes it back.

import (
	"context"
	"os"
	command "os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/private"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// A reader is given no position that the server can take back, for it would be given out again for something else.
func TestReadersStopAtWhatIsDurable(t *testing.T) {
	t.Parallel()
	rounds := 1
	if soak {
		rounds = 8
	}
	w := newWithheld(t)
	for range rounds {
		w.round(t)
	}
	t.Logf("in %d of %d rounds a reader had a position that was given out again", w.reused, rounds)
	if w.reused > 0 {
		t.Error("a reader was given what was not durable")
	}
}

// withheld is a server of its own with the papers, a publisher, and a reader with its copies.
type withheld struct {
	server    *private.Server
	hold      string // while this file exists, the redo log is not written
	d         *db.DB
	publisher *Engine
	reader    *Engine
	cursor    Cursor
	seen      map[uint64]Item
	content   uint64
	reused    int
}

// newWithheld makes the data directory with the plain server, because the tables of a new one are found beside it.
func newWithheld(t *testing.T) *withheld {
	t.Helper()
	dir, engine := t.TempDir(), os.Getenv("COUNTERFOIL_TEST_ENGINE")
	settings := map[string]string{"skip-log-bin": "", "innodb_buffer_pool_size": "64M", "innodb_doublewrite": "0",
		"innodb_stats_auto_recalc": "0"} // it commits, and whoever opens the table then waits for that
	if engine == "" {
		engine = "mariadb"
	}
	plain := domaintest.OK(private.Open(t.Context(), private.Options{Dir: filepath.Join(dir, "data"), Engine: engine,
		Settings: settings}))(t)
	binary := serverCommand(t, plain.Pid(), engine)
	domaintest.Must(t, plain.Close(t.Context()))

	w := &withheld{hold: filepath.Join(dir, "hold"), seen: map[uint64]Item{}, content: 1}
	shim, wrapper := filepath.Join(dir, "withhold.so"), filepath.Join(dir, "server")
	out, err := command.Command("gcc", "-shared", "-fPIC", "-O1", "-o", shim, "testdata/withhold.c", "-ldl").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\nInstall gcc: scripts/need gcc", err, out)
	}
	domaintest.Must(t, os.WriteFile(wrapper, []byte("#!/bin/sh\nexport WITHHOLD='"+w.hold+"' LD_PRELOAD='"+shim+
		"'\nexec '"+binary+"' \"$@\"\n"), 0o700))
	w.server = domaintest.OK(private.Open(t.Context(), private.Options{Dir: filepath.Join(dir, "data"), Server: wrapper,
		Engine: engine, Settings: settings}))(t)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		w.server.Watch(context.WithoutCancel(t.Context()))
	}()
	t.Cleanup(func() {
		os.Remove(w.hold) // a server that cannot write does not stop
		w.server.Close(context.Background())
		<-watching
	})

	url := w.server.URL("counterfoil")
	root := domaintest.OK(db.Open(url))(t)
	defer root.Close()
	domaintest.Exec(t, root, "SET GLOBAL innodb_flush_log_at_trx_commit = 0") // until it is set up
	domaintest.Must(t, db.SchemaUp(url))
	w.d = domaintest.OK(db.Open(url))(t)
	t.Cleanup(func() { w.d.Close() })
	for _, statement := range paperTables {
		domaintest.Exec(t, w.d, statement)
	}
	fillPapers(t, w.d, papers)
	domaintest.Exec(t, w.d, "SET GLOBAL innodb_flush_log_at_trx_commit = 1")
	feed := Feed{Name: theFeed, Table: "paper", Load: loadPapers}
	w.publisher, w.reader = New(w.d, nil, feed), New(w.d, nil, feed)
	w.cursor = domaintest.OK(w.reader.Start(t.Context(), theFeed))(t)
	domaintest.OK(w.publisher.RunOnce(t.Context(), theFeed))(t)
	w.read(t)
	return w
}

// serverCommand returns the program to run for a server of an engine.
func serverCommand(t *testing.T, pid int, engine string) string {
	t.Helper()
	if named := os.Getenv("COUNTERFOIL_MYSQLD"); named != "" && engine == "mysql" {
		return named
	}
	return domaintest.OK(os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe"))(t)
}

// round changes and publishes a paper while nothing reaches the disk, reads, and ends the server. Then the paper is
// changed in another way and published.
func (w *withheld) round(t *testing.T) {
	t.Helper()
	w.content += 2
	before := domaintest.OK(w.d.Sequence(t.Context(), theFeed))(t)
	domaintest.Must(t, os.WriteFile(w.hold, nil, 0o600))
	done := make(chan struct{}, 2)
	go func() {
		_ = w.setContent(w.content)
		done <- struct{}{}
	}()
	domaintest.Until(t, "the change is visible", func() bool { return w.stored(t) == w.content })
	go func() {
		_, _ = w.publisher.RunOnce(context.Background(), theFeed)
		done <- struct{}{}
	}()
	domaintest.Until(t, "the position is visible", func() bool {
		return domaintest.OK(w.d.Sequence(t.Context(), theFeed))(t).Value > before.Value
	})
	w.read(t)
	domaintest.Must(t, syscall.Kill(w.server.Pid(), syscall.SIGKILL))
	<-done
	<-done
	domaintest.Must(t, os.Remove(w.hold))
	domaintest.Until(t, "the server is back", func() bool { return w.d.SQL.Ping() == nil })
	if got := w.stored(t); got == w.content {
		t.Fatal("the server took nothing back: its redo log was written")
	}
	domaintest.Must(t, w.setContent(w.content+1))
	domaintest.OK(w.publisher.RunOnce(t.Context(), theFeed))(t)
	now := domaintest.OK(w.d.PositionOf(t.Context(), "paper", 1))(t)
	if had := w.seen[1]; had.Position == *now && had.Data.(paper).Content != w.content+1 {
		t.Logf("position %d of paper 1: a reader has %v, and it is %d", *now, had.Data, w.content+1)
		w.reused++
	}
	w.read(t)
	if w.reused == 0 && w.seen[1].Data.(paper).Content != w.content+1 {
		t.Errorf("the reader has %+v", w.seen[1])
	}
}

func (w *withheld) setContent(content uint64) error {
	_, err := w.d.SQL.Exec("UPDATE paper SET content = ?, feed_sync_id = NULL WHERE id = 1", content)
	return err
}

func (w *withheld) stored(t *testing.T) (content uint64) {
	t.Helper()
	domaintest.Must(t, w.d.SQL.QueryRow("SELECT content FROM paper WHERE id = 1").Scan(&content))
	return content
}

func (w *withheld) read(t *testing.T) {
	t.Helper()
	for more := true; more; {
		page, err := w.reader.Read(t.Context(), w.cursor, 100, Scope{})
		domaintest.Must(t, err)
		for _, item := range page.Items {
			w.seen[item.ID] = item
		}
		w.cursor, more = page.Cursor, page.More
	}
}
