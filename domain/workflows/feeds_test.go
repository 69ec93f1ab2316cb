package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// follower reads a feed page by page, and keeps its rows as docs/api.md says.
type follower struct {
	h      *env
	cursor feeds.Cursor
	scope  feeds.Scope
	rows   map[uint64]feeds.Item
	swept  int // how often it had to begin anew
}

func (e *env) follow(feed string, board id.Board) *follower {
	return &follower{h: e, cursor: feeds.Cursor{Feed: feed}, scope: feeds.Scope{Sight: e.Actor.Sight(), Board: board,
		Base: "https://x.example"}, rows: map[uint64]feeds.Item{}}
}

// read takes pages until it has all, and returns the items in their order.
func (f *follower) read(t testing.TB, limit int) (items []feeds.Item) {
	t.Helper()
	for {
		if f.cursor.Epoch == 0 {
			start := domaintest.OK(f.h.Feeds.Start(context.Background(), f.cursor.Feed))(t)
			f.cursor = start
		}
		page, err := f.h.Feeds.Read(context.Background(), f.cursor, limit, f.scope)
		if errors.Is(err, feeds.CodeCursorExpired) {
			f.cursor, f.rows = feeds.Cursor{Feed: f.cursor.Feed}, map[uint64]feeds.Item{}
			f.swept++
			continue
		}
		domaintest.Must(t, err)
		for _, item := range page.Items {
			items = append(items, item)
			if item.Position <= f.rows[item.ID].Position {
				t.Fatalf("%s %d came at %d after %d", f.cursor.Feed, item.ID, item.Position, f.rows[item.ID].Position)
			}
			f.rows[item.ID] = item
		}
		f.cursor = page.Cursor
		if !page.More {
			return items
		}
	}
}

// live are the rows that are there for the follower, each as JSON.
func (f *follower) live(t testing.TB) map[uint64]string {
	t.Helper()
	live := map[uint64]string{}
	for row, item := range f.rows {
		if !item.Deleted {
			live[row] = asJSON(t, item.Data)
		}
	}
	return live
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	text := domaintest.OK(json.Marshal(v))(t)
	return string(text)
}

func TestFeeds(t *testing.T) {
	t.Parallel()

	t.Run("an item is the API's resource, and deleted rows have no content", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 2)
		domaintest.OK(e.Workflows.SetAssignees(e.Ctx, keys[0], []string{"ana"}))(t)
		comment := domaintest.OK(e.Workflows.Comment(e.Ctx, keys[0], "Sharpen it", nil))(t)
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, keys[1]))
		e.Publish(t)
		links := workflows.Links{Base: "https://x.example", Company: e.Actor.Company.Slug}
		ticket := domaintest.OK(e.Workflows.Ticket(e.Ctx, keys[0]))(t)
		followed := e.follow("tickets", board.ID)
		items := followed.read(t, 1)
		if len(items) != 2 || asJSON(t, items[0].Data) != asJSON(t, links.Ticket(ticket)) || len(ticket.Assignees) != 1 ||
			items[0].Deleted {
			t.Errorf("%+v", items)
		}
		if len(items) == 2 && (!items[1].Deleted || items[1].Data != nil || items[1].Reason != "") {
			t.Errorf("the deleted one is %+v", items[1])
		}
		if items := e.follow("comments", 0).read(t, 10); len(items) != 1 ||
			asJSON(t, items[0].Data) != asJSON(t, links.Comment(comment.Key, comment.Comment)) {
			t.Errorf("%+v", items)
		}
		shown := domaintest.OK(e.Workflows.Board(e.Ctx, "NINJA"))(t)
		if items := e.follow("boards", board.ID).read(t, 10); len(items) != 1 ||
			asJSON(t, items[0].Data) != asJSON(t, links.Board(shown)) {
			t.Errorf("%+v", items)
		}

		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, keys[0]))
		e.Publish(t)
		if items := e.follow("comments", 0).read(t, 10); len(items) != 1 || !items[0].Deleted || items[0].Data != nil {
			t.Errorf("a comment of a deleted ticket is %+v", items)
		}
	})

	t.Run("a ticket that goes to another board leaves its feed, with its comments, and enters the other's", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		from, to, third := e.Board(t, "NINJA"), e.Board(t, "OTHER"), e.Board(t, "THIRD")
		keys := e.Open(t, "NINJA", from.Columns[0].ID, 2)
		domaintest.OK(e.Workflows.Comment(e.Ctx, keys[0], "Sharpen it", nil))(t)
		e.Publish(t)
		for _, feed := range []string{"tickets", "comments"} {
			followed := e.follow(feed, from.ID)
			followed.read(t, 10)
			moved, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Board: "OTHER", Column: to.Columns[0].ID})
			domaintest.Must(t, err)
			e.Publish(t)
			items := followed.read(t, 10)
			if len(items) != 1 || !items[0].Deleted || items[0].Reason != feeds.LeftFilter || items[0].Data != nil {
				t.Errorf("%s: %+v", feed, items)
			}
			if items := e.follow(feed, to.ID).read(t, 10); len(items) != 1 || items[0].Deleted {
				t.Errorf("%s there: %+v", feed, items)
			}
			if items := e.follow(feed, third.ID).read(t, 10); len(items) != 0 {
				t.Errorf("%s of a board where nothing was: %+v", feed, items)
			}
			if _, _, err := e.Workflows.MoveTicket(e.Ctx, moved.Ticket.Key,
				tickets.Intent{Board: "NINJA", Column: from.Columns[0].ID}); err != nil {
				t.Fatal(err)
			}
			e.Publish(t)
			if items := followed.read(t, 10); len(items) != 1 || items[0].Deleted {
				t.Errorf("%s that came back: %+v", feed, items)
			}
		}
	})

	t.Run("no consumer reads another company's rows", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		e.Open(t, "NINJA", board.Columns[0].ID, 3)
		e.Publish(t)
		for _, feed := range e.Feeds.Names() {
			stranger := e.follow(feed, 0)
			stranger.scope.Company++
			if items := stranger.read(t, 2); len(items) != 0 {
				t.Errorf("%s: %+v", feed, items)
			}
			if end, err := e.Feeds.End(context.Background(), feed); err != nil || stranger.cursor != end {
				t.Errorf("%s: a reader of nothing stands at %v, not at the end %v; %v", feed, stranger.cursor, end, err)
			}
		}
	})
}

// A row's published form does not change at a position, whatever users do in whatever order: a reader of the position
// would keep a stale row.
func TestNothingChangesAtItsPosition(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	bob := e.As(t, "Bob", "member")
	e.Board(t, "NINJA")
	e.Board(t, "OTHER")
	e.comment(t, bob, "hello") // so that each feed has a row
	at := map[string]string{}  // each row's form at each position
	followers := map[string]*follower{}
	for _, feed := range e.Feeds.Names() {
		followers[feed] = e.follow(feed, 0)
	}
	ninja := domaintest.OK(e.Workflows.Board(e.Ctx, "NINJA"))(t)
	narrow := e.follow("tickets", ninja.ID)

	rapid.Check(t, func(rt *rapid.T) {
		p := randomUser{t: rt, test: t, h: e, ctx: rapid.SampledFrom([]context.Context{e.Ctx, bob}).Draw(rt, "who")}
		for range 6 {
			name := rapid.SampledFrom(slices.Sorted(maps.Keys(deeds))).Draw(rt, "deed")
			if err := deeds[name](p); err != nil && !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Conflict) &&
				!errors.Is(err, fault.Invalid) && !errors.Is(err, fault.Forbidden) {
				rt.Fatalf("%s: %v", name, err)
			}
			if rapid.Bool().Draw(rt, "publish") {
				e.Publish(t)
			}
			for row, content := range e.atPositions(t) {
				if was, ok := at[row]; ok && was != content {
					rt.Fatalf("after %q, %s is\n%s, was\n%s", name, row, content, was)
				}
				at[row] = content
			}
		}
		if rapid.Bool().Draw(rt, "read") {
			followers[rapid.SampledFrom(e.Feeds.Names()).Draw(rt, "feed")].read(t, 7)
			narrow.read(t, 5)
		}
	})

	e.Publish(t)
	for feed, f := range followers {
		f.read(t, 7)
		fresh := e.follow(feed, 0)
		fresh.read(t, 100)
		if got, want := f.live(t), fresh.live(t); !maps.Equal(got, want) {
			t.Errorf("%s: who followed has\n%v\nwho begins now\n%v", feed, got, want)
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(at)),
			func(row string) bool { return strings.HasPrefix(row, feed+" ") }) {
			t.Errorf("%s: no row of it was ever published", feed)
		}
	}
	narrow.read(t, 5)
	fresh := e.follow("tickets", ninja.ID)
	fresh.read(t, 100)
	if got, want := narrow.live(t), fresh.live(t); !maps.Equal(got, want) {
		t.Errorf("who followed a board has\n%v\nwho begins now\n%v", got, want)
	}
	t.Logf("%d versions; the follower of tickets began anew %d times", len(at), followers["tickets"].swept)
}

func TestNamesInFeeds(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ben := e.As(t, "Ben", accounts.Member)
	actor := accounts.ActorFrom(ben)
	e.assign(t, e.Ctx, "ben")
	e.comment(t, ben, "hello")
	at := map[string]string{}
	for _, feed := range []string{"tickets", "comments"} {
		_, at[feed] = e.FeedItems(t, feed, "")
	}
	for _, step := range []struct {
		what  string
		do    func() error
		shown map[string]string
	}{
		{"is renamed", func() error { return e.Workflows.RenameAccount(ben, actor.Account.ID, "Benno") },
			map[string]string{"tickets": `{"handle":"ben","name":"Benno"}`, "comments": `{"name":"Benno"}`}},
		{"leaves", func() error { _, err := e.Workflows.RemoveMember(e.Ctx, actor.Account.ID); return err },
			map[string]string{"tickets": `{"handle":"","name":"Benno"}`, "comments": `{"name":"Benno"}`}},
	} {
		domaintest.Must(t, step.do())
		for feed, want := range step.shown {
			if again, _ := e.FeedItems(t, feed, at[feed]); len(again) != 0 {
				t.Errorf("%d %s come again where a person %s", len(again), feed, step.what)
			}
			if items, _ := e.FeedItems(t, feed, ""); !strings.Contains(asJSON(t, items), want) {
				t.Errorf("%s do not show %s where a person %s", feed, want, step.what)
			}
		}
	}
}

// atPositions returns the published form of all rows, by feed, row and position.
func (e *env) atPositions(t testing.TB) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, name := range e.Feeds.Names() {
		feed := domaintest.OK(e.Feeds.Feed(name))(t)
		var rows []feeds.Row
		domaintest.Must(t, e.DB.ReadTx(context.Background(), func(tx *db.Tx) (err error) {
			rows, err = feed.Load(context.Background(), tx,
				feeds.Span{To: 1 << 62, Limit: 1 << 20, Scope: feeds.Scope{Sight: e.Actor.Sight()}})
			return err
		}))
		for _, row := range rows {
			found[fmt.Sprint(name, " ", row.ID, " at ", row.Position)] = asJSON(t, row.Item)
		}
	}
	rows := domaintest.OK(e.DB.SQL.Query("SELECT id, feed_sync_id, moved_at FROM ticket WHERE feed_sync_id IS NOT NULL"))(
		t)
	defer rows.Close()
	for rows.Next() {
		var ticket, position, moved string
		domaintest.Must(t, rows.Scan(&ticket, &position, &moved))
		found["tickets "+ticket+" at "+position] += moved
	}
	return found
}

// randomUser does something at random.
type randomUser struct {
	t    *rapid.T
	test testing.TB
	h    *env
	ctx  context.Context
}

func (p randomUser) board() boards.Board {
	return domaintest.OK(p.h.Workflows.Board(p.h.Ctx, rapid.SampledFrom([]string{"NINJA", "OTHER"}).Draw(p.t,
		"board")))(p.t)
}

func (p randomUser) column(board boards.Board) id.Column {
	return rapid.SampledFrom(board.Columns).Draw(p.t, "column").ID
}

// key is a ticket's, which may be deleted or on another board by now.
func (p randomUser) key() tickets.Key {
	board := p.board()
	n := p.h.lastNumber(p.t, board.ID)
	return tickets.Key{Board: board.Slug, Number: rapid.Uint64Range(max(n, 12)-11, n+1).Draw(p.t, "number")}
}

func (e *env) lastNumber(t *rapid.T, board id.Board) uint64 {
	return uint64(domaintest.Number(t, e.DB, "SELECT max_ticket_id FROM board_ticket_incrementer WHERE board_id = ?",
		uint64(board)))
}

// comment is one of a ticket's, with the version that it has.
func (p randomUser) comment(key tickets.Key) (tickets.Comment, error) {
	_, list, err := p.h.Workflows.CommentsAfter(p.h.Ctx, key, 0, 100)
	if err != nil || len(list.List) == 0 {
		return tickets.Comment{}, err
	}
	return rapid.SampledFrom(list.List).Draw(p.t, "comment"), nil
}

func (p randomUser) text() string {
	return rapid.SampledFrom([]string{"One", "Two", "Three"}).Draw(p.t, "text")
}

// deeds are the actions of users.
var deeds = map[string]func(randomUser) error{
	"open": func(p randomUser) error {
		board := p.board()
		_, err := p.h.Workflows.OpenTicket(p.ctx, board.Slug, tickets.Draft{Title: p.text(), Column: p.column(board)}, nil)
		return err
	},
	"edit": func(p randomUser) error {
		key, title := p.key(), p.text()
		ticket, err := p.h.Workflows.Ticket(p.ctx, key)
		if err != nil {
			return err
		}
		_, err = p.h.Workflows.EditTicket(p.ctx, key, tickets.Edit{Title: &title, Version: ticket.Version})
		return err
	},
	"move": func(p randomUser) error {
		board := p.board()
		intent := tickets.Intent{Board: board.Slug, Column: p.column(board), AtEnd: rapid.Bool().Draw(p.t, "end")}
		_, _, err := p.h.Workflows.MoveTicket(p.ctx, p.key(), intent)
		return err
	},
	"assign": func(p randomUser) error {
		_, err := p.h.Workflows.SetAssignees(p.ctx, p.key(),
			rapid.SampledFrom([][]string{{}, {"ana"}, {"ana", "bob"}}).Draw(p.t, "assignees"))
		return err
	},
	"close":  func(p randomUser) error { _, _, err := p.h.Workflows.CloseTicket(p.ctx, p.key()); return err },
	"reopen": func(p randomUser) error { _, _, err := p.h.Workflows.ReopenTicket(p.ctx, p.key()); return err },
	"delete": func(p randomUser) error { return p.h.Workflows.DeleteTicket(p.ctx, p.key()) },
	"restore": func(p randomUser) error {
		_, _, err := p.h.Workflows.RestoreTicket(p.ctx, p.key())
		return err
	},
	"undo": func(p randomUser) error {
		ticket, err := p.h.Workflows.Ticket(p.ctx, p.key())
		if err != nil {
			return err
		}
		list, _, err := p.h.Workflows.History(p.ctx, ticket.ID, 0)
		if err != nil || len(list) == 0 {
			return err
		}
		_, err = p.h.Workflows.Undo(p.ctx, list[0].ID)
		return err
	},
	"comment": func(p randomUser) error { _, err := p.h.Workflows.Comment(p.ctx, p.key(), p.text(), nil); return err },
	"edit a comment": func(p randomUser) error {
		key := p.key()
		comment, err := p.comment(key)
		if err != nil {
			return err
		}
		_, err = p.h.Workflows.EditComment(p.ctx, key, comment.ID, p.text(), comment.Version)
		return err
	},
	"delete a comment": func(p randomUser) error {
		key := p.key()
		comment, err := p.comment(key)
		if err != nil {
			return err
		}
		_, err = p.h.Workflows.DeleteComment(p.ctx, key, comment.ID)
		return err
	},
	"edit a column": func(p randomUser) error {
		board, name, done, position := p.board(), p.text(), rapid.Bool().Draw(p.t, "done"), rapid.IntRange(1, 4).Draw(p.t,
			"position")
		_, err := p.h.Workflows.EditColumn(p.h.Ctx, board.Slug, p.column(board),
			boards.ColumnEdit{Name: &name, Done: &done, Position: &position}, nil)
		return err
	},
	"add a column": func(p randomUser) error {
		board, name := p.board(), p.text()
		if len(board.Columns) > 5 {
			return nil
		}
		_, _, err := p.h.Workflows.OpenColumn(p.h.Ctx, board.Slug, boards.ColumnEdit{Name: &name}, nil, nil)
		return err
	},
	"remove a column": func(p randomUser) error {
		board := p.board()
		_, err := p.h.Workflows.RemoveColumn(p.h.Ctx, board.Slug, p.column(board), p.column(board), nil)
		return err
	},
	"rename a board": func(p randomUser) error {
		board, title := p.board(), p.text()
		_, err := p.h.Workflows.RenameBoard(p.h.Ctx, board.Slug, boards.Names{Title: &title}, board.Version)
		return err
	},
	"archive": func(p randomUser) error {
		board := p.board()
		if _, err := p.h.Workflows.ArchiveBoard(p.h.Ctx, board.Slug, true, nil); err != nil {
			return err
		}
		_, err := p.h.Workflows.ArchiveBoard(p.h.Ctx, board.Slug, rapid.IntRange(0, 9).Draw(p.t, "stays") == 0, nil)
		return err
	},
	"restore a board": func(p randomUser) error {
		_, err := p.h.Workflows.ArchiveBoard(p.h.Ctx, p.board().Slug, false, nil)
		return err
	},
	"purge": func(p randomUser) error {
		if rapid.IntRange(0, 3).Draw(p.t, "long ago") > 0 {
			return nil
		}
		if _, err := p.h.DB.SQL.Exec(
			"UPDATE ticket SET deleted_at = deleted_at - INTERVAL 31 DAY WHERE deleted_at IS NOT NULL"); err != nil {
			return err
		}
		b := p.h.BareRun(p.test, "purge-deleted", 1, migrations.Values{"company": "", "days": "30"})
		if len(b.Tasks) > 0 {
			b.Do(p.test, b.Tasks...)
		}
		return nil
	},
}
