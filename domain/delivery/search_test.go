package delivery_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// indexes keeps the search indexes of an app until stop.
func (e *env) indexes(t testing.TB) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		e.Delivery.WorkSearch(ctx)
		close(done)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

// newSearching returns an environment whose app publishes and has search indexes below a folder.
func newSearching(t testing.TB, options ...app.Option) (e *env, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "search")
	e = newEnv(t, append(options, app.WithSearch(folder))...)
	e.publishes(t)
	return e, folder
}

// found are the keys that a search finds once the index is whole, in the order of the keys.
func (e *env) found(t testing.TB, ctx context.Context, text string) (keys []string) {
	t.Helper()
	domaintest.Until(t, "the index is ready for "+text, func() bool {
		keys = nil
		for page := 1; page > 0; {
			s := domaintest.OK(e.Workflows.Search(ctx, text, page))(t)
			if s.State != search.Ready {
				return false
			}
			for _, hit := range s.Hits {
				keys = append(keys, hit.Key.String())
			}
			if page = s.Next; page == 0 && !s.Above && s.Total != len(keys) {
				t.Fatalf("%q: %d are %v", text, s.Total, keys)
			}
		}
		return true
	})
	slices.Sort(keys)
	return keys
}

func (e *env) finds(t testing.TB, text string, want ...string) {
	t.Helper()
	if got := e.found(t, e.Ctx, text); !slices.Equal(got, want) {
		t.Errorf("%q finds %v, not %v", text, got, want)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	e, _ := newSearching(t, apptest.Files(t))
	web, app := e.Board(t, "WEB"), e.Board(t, "APP")
	open := func(slug, title, description string) tickets.Key {
		t.Helper()
		return domaintest.OK(e.Workflows.OpenTicket(e.Ctx, slug, tickets.Draft{Title: title, Description: description}, nil))(t).Key
	}
	open("WEB", "Before the index", "It was there.")
	e.indexes(t)
	e.finds(t, "index", "WEB-1")

	order := open("WEB", "Ledger form", "It loses the **voucher** of Łódź.")
	e.finds(t, "ledger", "WEB-2")
	e.finds(t, "lodz", "WEB-2")
	said := domaintest.OK(e.Workflows.Comment(e.Ctx, order, "The sorbitol is late", nil))(t)
	e.finds(t, "sorbitol", "WEB-2")
	domaintest.OK(e.Workflows.EditComment(e.Ctx, order, said.Comment.ID, "The glucose is late", said.Comment.Version))(t)
	e.finds(t, "sorbitol")
	e.finds(t, "glucose", "WEB-2")
	domaintest.OK(e.Workflows.DeleteComment(e.Ctx, order, said.Comment.ID))(t)
	e.finds(t, "glucose")
	domaintest.OK(e.Workflows.RestoreComment(e.Ctx, order, said.Comment.ID))(t)
	e.finds(t, "glucose", "WEB-2")

	file := workflows.NewFile{Name: "harbour-map.txt", Content: strings.NewReader("x")}
	attached := domaintest.OK(e.Workflows.Attach(e.Ctx, order, file, nil))(t)
	e.finds(t, "harbour", "WEB-2")
	_, _, err := e.Workflows.DeleteAttachment(e.Ctx, order, attached.Attachment.ID)
	domaintest.Must(t, err)
	e.finds(t, "harbour")

	e.retitle(t, "WEB-2", "Purchase form")
	e.finds(t, "ledger")
	e.finds(t, "purchase", "WEB-2")

	_, _, err = e.Workflows.MoveTicket(e.Ctx, order, tickets.Intent{Board: "APP", Column: app.Columns[0].ID})
	domaintest.Must(t, err)
	e.finds(t, "purchase", "APP-1")
	e.finds(t, "WEB-2", "APP-1")
	e.finds(t, "purchase board:APP", "APP-1")
	e.finds(t, "purchase board:WEB")
	e.finds(t, "purchase column:\""+app.Columns[0].Name+"\"", "APP-1")
	e.finds(t, "purchase -status:closed", "APP-1")
	e.finds(t, "purchase assignee:me")
	e.finds(t, "purchase sort:due", "APP-1")

	domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, tickets.Key{Board: "APP", Number: 1}))
	e.finds(t, "purchase")
	_, _, err = e.Workflows.RestoreTicket(e.Ctx, tickets.Key{Board: "APP", Number: 1})
	domaintest.Must(t, err)
	e.finds(t, "purchase", "APP-1")

	t.Run("a snippet says where it is from", func(t *testing.T) {
		s := domaintest.OK(e.Workflows.Search(e.Ctx, "glucose", 1))(t)
		if len(s.Hits) != 1 || s.Hits[0].In != "comment" || !slices.Contains(s.Hits[0].Snippet, search.Piece{Text: "glucose", Marked: true}) {
			t.Errorf("%+v", s.Hits)
		}
		s = domaintest.OK(e.Workflows.Search(e.Ctx, "voucher", 1))(t)
		if len(s.Hits) != 1 || s.Hits[0].In != "" || s.Hits[0].Snippet[0].Text != "It loses the " {
			t.Errorf("%+v", s.Hits)
		}
	})
	t.Run("wrong queries, and such without words", func(t *testing.T) {
		for text, code := range map[string]string{"x label:nothing": "Query.UnknownName", "x (": "Query.Syntax", "labl:x": "Query.UnknownField",
			strings.Repeat("x", 600): "Query.TooLong"} {
			if _, err := e.Workflows.Search(e.Ctx, text, 1); err == nil {
				t.Errorf("%q is not %s", text, code)
			}
		}
		if s := domaintest.OK(e.Workflows.Search(e.Ctx, "status:open", 1))(t); s.Words || len(s.Hits) > 0 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("pages end", func(t *testing.T) {
		e.Open(t, "WEB", web.Columns[0].ID, 45)
		if got := e.found(t, e.Ctx, "ticket board:web"); len(got) != 45 {
			t.Errorf("%d", len(got))
		}
		for _, page := range []int{4, 999} {
			if s := domaintest.OK(e.Workflows.Search(e.Ctx, "ticket board:web", page))(t); len(s.Hits) != 0 || s.Next != 0 || s.Total != 45 {
				t.Errorf("page %d: %+v", page, s)
			}
		}
	})
	t.Run("more than a hundred are not counted", func(t *testing.T) {
		e.Fill(t, web, web.Columns[0].ID, 300)
		domaintest.Until(t, "they are found", func() bool {
			return domaintest.OK(e.Workflows.Search(e.Ctx, "ticket", 1))(t).Above
		})
	})
}

// words of which none is a beginning or nearly another, so that exactly those tickets are found that have one.
var distinct = []string{"anch", "bolt", "crib", "dusk", "fjor", "gulp", "hemp", "jazz", "kelp", "lynx"}

// TestSearchAsAllowed compares what users find, while boards open and close to them and tickets change and move, with the
// tickets that they see.
func TestSearchAsAllowed(t *testing.T) {
	t.Parallel()
	e, _ := newSearching(t)
	e.indexes(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	slugs := []string{"AAA", "BBB", "CCC"}
	columns := map[string]boards.Board{}
	for _, slug := range slugs {
		columns[slug] = e.Board(t, slug)
	}
	readers := map[string]context.Context{"owner": e.Ctx, "member": e.As(t, "Mia", accounts.Member),
		"viewer": e.As(t, "Vic", accounts.Viewer), "guest": e.As(t, "Gus", accounts.Guest)}
	some := func() string { return distinct[r.IntN(len(distinct))] }
	text := func() string { return some() + " " + some() + " " + some() }
	var keys []tickets.Key
	private := map[string]bool{}
	for step := range 60 {
		slug := slugs[r.IntN(len(slugs))]
		var key tickets.Key
		if len(keys) > 0 {
			key = keys[r.IntN(len(keys))]
		}
		switch n := r.IntN(12); {
		case n < 4 || len(keys) == 0:
			key := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, slug, tickets.Draft{Title: text(), Description: text()}, nil))(t).Key
			keys = append(keys, key)
		case n < 6:
			domaintest.OK(e.Workflows.Comment(e.Ctx, key, text(), nil))(t)
		case n < 7:
			e.retitle(t, key.String(), text())
		case n < 8:
			domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, key))
			keys = slices.DeleteFunc(keys, func(k tickets.Key) bool { return k == key })
		case n < 10:
			_, _, err := e.Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Board: slug, Column: columns[slug].Columns[0].ID})
			domaintest.Must(t, err)
		case n < 11:
			private[slug] = !private[slug]
			domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, slug, private[slug]))(t)
		default:
			name := []string{"mia", "gus"}[r.IntN(2)]
			if _, err := e.Workflows.NameOnBoard(e.Ctx, slug, name, "viewer"); err != nil {
				t.Logf("%d: %v", step, err) // is named already
			}
		}
		if step%4 != 3 {
			continue
		}
		for who, ctx := range readers {
			word := some()
			if got, want := e.found(t, ctx, word), e.seenWith(t, ctx, word); !slices.Equal(got, want) {
				t.Fatalf("step %d: %s finds %v by %s, not %v", step, who, got, word, want)
			}
		}
	}
}

// seenWith are the keys of tickets that a user sees, and that have a word.
func (e *env) seenWith(t testing.TB, ctx context.Context, word string) (keys []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, b := range domaintest.OK(e.Workflows.Boards(ctx))(t) {
		seen[b.Slug] = true
	}
	rows := domaintest.OK(e.DB.SQL.QueryContext(t.Context(), `SELECT b.slug, t.local_id FROM ticket t JOIN board b ON b.id = t.board_id
		WHERE t.deleted_at IS NULL AND (CONCAT(t.title, ' ', t.description) LIKE ? OR EXISTS (SELECT 1 FROM comment c WHERE c.ticket_id = t.id AND c.deleted_at IS NULL AND c.body LIKE ?))`,
		"%"+word+"%", "%"+word+"%"))(t)
	defer rows.Close()
	for rows.Next() {
		var key tickets.Key
		domaintest.Must(t, rows.Scan(&key.Board, &key.Number))
		if seen[key.Board] {
			keys = append(keys, key.String())
		}
	}
	domaintest.Must(t, rows.Err())
	slices.Sort(keys)
	return keys
}

// TestSearchAfterAStop has an index go on from where it was, also where it was being built, and built anew if it is
// damaged or of another epoch.
func TestSearchAfterAStop(t *testing.T) {
	t.Parallel()
	e, folder := newSearching(t)
	web := e.Board(t, "WEB")
	e.Fill(t, web, web.Columns[0].ID, 1500)
	stop := e.indexes(t)
	domaintest.Until(t, "it is being built", func() bool {
		found, err := filepath.Glob(filepath.Join(folder, "1", "*", "store"))
		return err == nil && len(found) > 0
	})
	stop()
	add := func(title string) {
		t.Helper()
		domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "WEB", tickets.Draft{Title: title}, nil))(t)
	}
	add("first sorbitol")
	all := func() {
		t.Helper()
		domaintest.Until(t, "all tickets are found", func() bool {
			s := domaintest.OK(e.Workflows.Search(e.Ctx, "ticket", 1))(t)
			return s.State == search.Ready && s.Above
		})
	}
	stop = e.indexes(t)
	e.finds(t, "sorbitol", "WEB-1501")
	all()
	stop()
	add("second sorbitol")
	stop = e.indexes(t)
	e.finds(t, "sorbitol", "WEB-1501", "WEB-1502")
	parts := func() []string {
		return domaintest.OK(filepath.Glob(filepath.Join(folder, "1", "*", "store", "*.zap")))(t)
	}
	domaintest.Until(t, "the index is on the disk", func() bool {
		list := parts()
		return len(list) > 0 && modified(filepath.Join(filepath.Dir(list[0]), "root.bolt")).After(modified(list[len(list)-1]))
	})
	stop()
	domaintest.Must(t, os.Truncate(parts()[0], 100))
	add("third sorbitol")
	stop = e.indexes(t)
	e.finds(t, "sorbitol", "WEB-1501", "WEB-1502", "WEB-1503")
	all()
	stop()

	before := domaintest.OK(os.ReadDir(filepath.Join(folder, "1")))(t)
	e.Exec(t, "UPDATE sequences SET epoch = epoch + 1")
	e.indexes(t)
	for _, entry := range before {
		domaintest.Until(t, entry.Name()+" is removed", func() bool {
			_, err := os.Stat(filepath.Join(folder, "1", entry.Name()))
			return err != nil || entry.Name() == "lock"
		})
	}
	e.finds(t, "sorbitol", "WEB-1501", "WEB-1502", "WEB-1503")
	all()
}

// modified returns when a file was written, zero if it is not there.
func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// TestSearchBeforeAChangeIsPublished has searches say that the latest changes are missing, while the feeds cannot have them.
func TestSearchBeforeAChangeIsPublished(t *testing.T) {
	t.Parallel()
	for name, lock := range map[string]string{
		"it is locked":         "SELECT id FROM ticket WHERE local_id = 1 FOR UPDATE",
		"the position is kept": "SELECT name FROM sequences WHERE name = 'tickets' FOR UPDATE",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t, app.WithSearch(t.TempDir()))
			stop := e.publishes(t)
			e.Board(t, "WEB")
			e.indexes(t)
			e.finds(t, "sorbitol")
			stop()
			domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "WEB", tickets.Draft{Title: "Sorbitol"}, nil))(t)
			tx := domaintest.OK(e.DB.SQL.BeginTx(t.Context(), nil))(t)
			defer tx.Rollback()
			domaintest.OK(tx.ExecContext(t.Context(), lock))(t)
			e.publishes(t)
			for range 3 {
				if s := domaintest.OK(e.Workflows.Search(e.Ctx, "sorbitol", 1))(t); s.State != search.Behind || len(s.Hits) > 0 {
					t.Errorf("%+v", s)
				}
			}
			domaintest.Must(t, tx.Rollback())
			e.finds(t, "sorbitol", "WEB-1")
		})
	}
}

// TestSearchOfTwoProcesses has each keep an index of its own below one folder.
func TestSearchOfTwoProcesses(t *testing.T) {
	t.Parallel()
	e, folder := newSearching(t)
	e.Board(t, "WEB")
	e.indexes(t)
	e.finds(t, "nothing")
	second := app.New(e.DB, apptest.CheapPasswords, apptest.WithKeys, app.WithSearch(folder))
	t.Cleanup(func() { second.Close(context.Background()) })
	other := *e.Env
	other.App = second
	o := &env{&other}
	o.publishes(t)
	o.indexes(t)
	domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "WEB", tickets.Draft{Title: "Sorbitol"}, nil))(t)
	e.finds(t, "sorbitol", "WEB-1")
	domaintest.Until(t, "the other finds it", func() bool {
		return slices.Equal(o.found(t, o.Ctx, "sorbitol"), []string{"WEB-1"})
	})
	for i := range 2 {
		if _, err := os.Stat(filepath.Join(folder, fmt.Sprint(i+1), "lock")); err != nil {
			t.Error(err)
		}
	}
}

func TestSearchWithoutAnIndex(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	domaintest.Must(t, os.WriteFile(file, nil, 0o600))
	for _, options := range [][]app.Option{nil, {app.WithSearch(filepath.Join(file, "search"))}} {
		e := newEnv(t, options...)
		e.indexes(t)
		domaintest.Until(t, "it is known that there is none", func() bool {
			s := domaintest.OK(e.Workflows.Search(e.Ctx, "x", 1))(t)
			return s.State == search.Off && len(s.Hits) == 0
		})
	}
}
