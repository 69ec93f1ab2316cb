package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/feedclient"
)

// feedChanges is the number of changes that writers make, and of kills meanwhile.
func feedChanges() (changes, kills int) {
	if soak {
		return 1_000_000, 300
	}
	return 3_000, 9 // each process once, and the database
}

// TestLoadOfFeeds has four writers, three publishers and five followers, each a process, at one database. All but the
// writers are killed again and again, and the database too; labels are renamed, merged, deleted and restored meanwhile.
// At the end each follower has the rows of the tables, and an audit finds no difference.
func TestLoadOfFeeds(t *testing.T) {
	t.Parallel()
	changes, kills := feedChanges()
	i := onPrivate(t)
	servers := []*kept{i.server(t), i.server(t)}
	urls := []string{servers[0].url, servers[1].url}
	c := newClient(i)
	for _, slug := range loadBoards {
		c.board(t, urls[0], slug)
	}
	domaintest.OK((&feedclient.Client{URL: urls[0], Token: i.token}).Register(t.Context(), "tickets", "registered",
		"start"))(t)
	followers := []*follower{
		{name: "polls tickets", h: helper{Feed: "tickets", Mode: feedclient.Poll}},
		{name: "polls comments", h: helper{Feed: "comments", Mode: feedclient.Poll}},
		{name: "asks and waits for those of a board", h: helper{Feed: "tickets", Board: loadBoards[0],
			Mode: feedclient.LongPoll}},
		{name: "has a stream of tickets", h: helper{Feed: "tickets", Mode: feedclient.Stream}},
		{name: "is registered", h: helper{Feed: "tickets", Consumer: "registered", Mode: feedclient.LongPoll}},
	}
	killable := append(servers, i.keep(t, "a worker", func() *process { return i.work(t) }))
	for n, f := range followers {
		f.h.URLs, f.h.Token, f.h.Dir = urls[n%2:n%2+1], i.token, t.TempDir()
		killable = append(killable,
			i.keep(t, "the one that "+f.name, func() *process { return i.help(t, f.h, "following", nil) }))
	}
	_, _, d := i.operator(t)

	const writers = 4
	var made [writers]atomic.Int64
	var ended []*process
	for n := range writers {
		ended = append(ended, i.help(t, helper{URLs: urls, Token: i.token, Changes: changes / writers}, "writing", &made[n]))
	}
	sum := func() (all int) {
		for n := range made {
			all += int(made[n].Load())
		}
		return all
	}
	began := time.Now()
	var victims []int // in random order
	for n := range kills {
		if len(victims) == 0 {
			victims = rand.Perm(len(killable) + 1)
		}
		victim := victims[0]
		victims = victims[1:]
		grows(t, fmt.Sprintf("writers come to kill %d", n), sum, n*changes*9/10/kills)
		if victim < len(killable) {
			killable[victim].kill(t, n)
		} else {
			t.Logf("%d: the database is killed", n)
			domaintest.Must(t, syscall.Kill(databasePID(t, i), syscall.SIGKILL))
		}
	}
	grows(t, "all is written", sum, changes-writers*20) // writers report every 20
	for n, p := range ended {
		err := <-p.exited
		if p.exited <- err; err != nil {
			t.Errorf("writer %d ended with %v\n%s", n, err, p.logged())
		}
	}
	t.Logf("%d changes in %s", changes, time.Since(began).Round(time.Second))

	domaintest.Until(t, "labels of many tickets are published", func() bool {
		return domaintest.Number(t, d, "SELECT COUNT(*) FROM migration_run WHERE finished_at IS NULL") == 0
	})
	grows(t, "all is published", func() int { return -unpublished(d) }, 0)
	const all = 1 << 40
	for _, f := range followers {
		want := standing(t, d, f.h)
		var have map[uint64]row
		grows(t, "the follower who "+f.name+" has all", func() int {
			have = f.copy(t)
			if maps.Equal(have, want) {
				return all
			}
			return f.told
		}, all)
		f.proves(t)
		t.Logf("who %s has %d rows, of %d in its feed's table, and was told %d times", f.name, len(have), count(t, d, f.h),
			f.told)
	}
	for what, query := range map[string]string{"given": "SELECT COUNT(*) FROM ticket_label",
		"merged or deleted": "SELECT COUNT(*) FROM label WHERE ended_at IS NOT NULL AND NOT renamed"} {
		if domaintest.Number(t, d, query) == 0 {
			t.Errorf("no label was %s", what)
		}
	}
	i.verified(t)
}

// grows waits until a number is as large as wanted, for as long as it grows.
func grows(t *testing.T, what string, now func() int, want int) {
	t.Helper()
	for best := now(); best < want; {
		before := best
		domaintest.Until(t, fmt.Sprintf("%s: more than %d of %d", what, before, want), func() bool {
			best = now()
			return best > before
		})
	}
}

// kept is a process that is started again after each kill.
type kept struct {
	what, url string
	start     func() *process
	now       *process
}

func (i *install) keep(t *testing.T, what string, start func() *process) *kept {
	t.Helper()
	return &kept{what: what, start: start, now: start()}
}

func (k *kept) kill(t *testing.T, nth int) {
	t.Helper()
	t.Logf("%d: %s is killed", nth, k.what)
	select {
	case err := <-k.now.exited:
		k.now.exited <- err
		t.Errorf("%s ended by itself: %v\n%s", k.what, err, k.now.logged())
	default:
		k.now.kill(t)
	}
	k.now = k.start()
}

// freePort is an address without a listener, outside the range of the machine's outgoing connections.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		free, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 20_000+rand.IntN(12_000)))
		if err == nil {
			defer free.Close()
			return free.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// server keeps a serve running at one address.
func (i *install) server(t *testing.T) *kept {
	t.Helper()
	at := freePort(t)
	here := &install{env: slices.Concat(i.env, []string{"COUNTERFOIL_ADDR=" + at}), token: i.token}
	k := i.keep(t, "the server at "+at, func() *process { return here.serve(t) })
	k.url = k.now.url
	return k
}

// help starts a helper and waits until it is ready. made gets the number of changes that a writer reports.
func (i *install) help(t *testing.T, h helper, says string, made *atomic.Int64) *process {
	t.Helper()
	text, err := json.Marshal(h)
	domaintest.Must(t, err)
	p := &process{cmd: exec.Command(os.Args[0]), exited: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), asHelper+"="+string(text))
	p.cmd.Stderr = p
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	domaintest.Must(t, err)
	ready := make(chan struct{})
	go func() {
		p.exited <- errors.Join(hear(out, says, ready, made), p.cmd.Wait())
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.exited <- <-p.exited
	})
	select {
	case <-ready:
	case <-time.After(5 * time.Minute):
		t.Fatalf("a helper does not say %q\n%s", says, p.logged())
	}
	return p
}

func hear(out io.Reader, says string, ready chan<- struct{}, made *atomic.Int64) error {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var n int64
		if lines.Text() == says {
			close(ready)
		} else if _, err := fmt.Sscanf(lines.Text(), "changes: %d", &n); err == nil {
			made.Store(max(n, made.Load()))
		}
	}
	return lines.Err()
}

// row is the state of a row that a follower must have: its column and rank, and a text of it.
type row struct {
	position uint64
	text     string
}

// follower is a follower's process, and its copy as far as the test has read it.
type follower struct {
	name string
	h    helper
	told int
}

// copy returns the follower's rows, and fails the test if it was sent an older version after a newer one.
func (f *follower) copy(t *testing.T) map[uint64]row {
	t.Helper()
	have, last := map[uint64]row{}, map[uint64]uint64{}
	f.told = 0
	domaintest.Must(t, lines(filepath.Join(f.h.Dir, "copy"), func(item feedclient.Item) error {
		f.told++
		if item.Position < last[item.ID] {
			t.Errorf("who %s was shown row %d at %d after %d", f.name, item.ID, item.Position, last[item.ID])
		}
		last[item.ID] = item.Position
		if item.Deleted {
			delete(have, item.ID)
			return nil
		}
		var data struct {
			Key, Title, Ticket, Body string
			Labels                   []struct{ Name string }
		}
		if err := json.Unmarshal(item.Data, &data); err != nil {
			return err
		}
		var labels []string
		for _, label := range data.Labels {
			labels = append(labels, label.Name)
		}
		have[item.ID] = row{item.Position,
			strings.Join([]string{data.Key, data.Title, data.Ticket, data.Body, strings.Join(labels, ",")}, "|")}
		return nil
	}))
	return have
}

// proves waits until an audit finds the follower's rows as they must be: it may still have to save the last ones.
func (f *follower) proves(t *testing.T) {
	t.Helper()
	client := &feedclient.Client{URL: f.h.URLs[0], Token: f.h.Token}
	var proof feedclient.Proof
	var err error
	domaintest.Until(t, "an audit finds whole what the follower who "+f.name+" keeps", func() bool {
		store := &feedclient.Memory{}
		domaintest.Must(t, replay(filepath.Join(f.h.Dir, "journal"), store))
		proof, err = client.Prove(t.Context(), store)
		return err == nil && proof.Whole() && proof.Rows > 0
	}, func() string { return fmt.Sprintf("%+v, %v", proof, err) })
}

// standing is the rows that a follower must have, from the tables.
func standing(t *testing.T, d *db.DB, h helper) map[uint64]row {
	t.Helper()
	query := `SELECT t.id, t.feed_sync_id, CONCAT(b.slug, '-', t.local_id, '|', t.title, '|||', COALESCE((SELECT GROUP_CONCAT(DISTINCT h.name ORDER BY h.name) FROM ticket_label y
			JOIN label l ON l.id = y.label_id JOIN label h ON h.id = IF(l.shown_as = 0, l.id, l.shown_as) WHERE y.ticket_id = t.id AND h.live), ''))
		FROM ticket t JOIN board b ON b.id = t.board_id
		WHERE t.deleted_at IS NULL AND (? = '' OR b.slug = ?)`
	if h.Feed == "comments" {
		query = `SELECT c.id, c.feed_sync_id, CONCAT('||', b.slug, '-', t.local_id, '|', c.body, '|') FROM comment c JOIN ticket t ON t.id = c.ticket_id JOIN board b ON b.id = t.board_id
			WHERE c.deleted_at IS NULL AND t.deleted_at IS NULL AND (? = '' OR b.slug = ?)`
	}
	rows := domaintest.OK(d.SQL.QueryContext(context.Background(), query, h.Board, h.Board))(t)
	defer rows.Close()
	want := map[uint64]row{}
	for rows.Next() {
		var id uint64
		var r row
		domaintest.Must(t, rows.Scan(&id, &r.position, &r.text))
		want[id] = r
	}
	if rows.Err() != nil || len(want) == 0 {
		t.Fatalf("%d rows, %v", len(want), rows.Err())
	}
	return want
}

// unpublished is the number of rows of all feeds that are not published; many while the database is away.
func unpublished(d *db.DB) (n int) {
	err := d.SQL.QueryRow(`SELECT (SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL) + (SELECT COUNT(*) FROM comment WHERE feed_sync_id IS NULL) +
		(SELECT COUNT(*) FROM board WHERE feed_sync_id IS NULL)`).Scan(&n)
	if err != nil {
		return 1 << 40
	}
	return n
}

func count(t *testing.T, d *db.DB, h helper) (n int) {
	t.Helper()
	return domaintest.Number(t, d, "SELECT COUNT(*) FROM "+strings.TrimSuffix(h.Feed, "s"))
}
