package requests_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/requests"
)

var (
	ctx  = context.Background()
	noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
)

// env is a database in which acme has the board NINJA with two columns.
type env struct {
	*db.DB
	author, company, board int64
	columns                [2]int64
}

func newEnv(t *testing.T) *env {
	t.Helper()
	d := dbtest.Open(t)
	d.SetClock(func() time.Time { return noon })
	e := &env{DB: d}
	e.company = domaintest.Exec(t, e.DB, "INSERT INTO company (slug, name, created_at) VALUES ('acme', 'Acme', NOW(6))")
	e.author = int64(domaintest.Member(t, d, id.Company(e.company), "Ana", "ana@example.com", "member", ""))
	e.board = domaintest.Exec(t, e.DB, `INSERT INTO board (company_id, slug, title, created_at, updated_at)
		VALUES (?, 'NINJA', 'Night', NOW(6), NOW(6))`, e.company)
	for i := range e.columns {
		e.columns[i] = domaintest.Exec(t, d, "INSERT INTO board_column (board_id, name, position) VALUES (?, 'x', ?)",
			e.board, i)
	}
	return e
}

// ticket adds one to the first column.
func (e *env) ticket(t *testing.T, number int, title string) id.Ticket {
	t.Helper()
	return id.Ticket(domaintest.Exec(t, e.DB, `INSERT INTO ticket
		(board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at)
		VALUES (?, ?, ?, ?, ?, '', ?, NOW(6), NOW(6), NOW(6))`, e.board, number, e.columns[0], number, title, e.author))
}

// opened adds a ticket that came by a form with the code.
func (e *env) opened(t *testing.T, number int, code string) (id.Ticket, requests.Submission) {
	t.Helper()
	ticket, sent := e.ticket(t, number, "The door"), submission("The door")
	domaintest.Must(t, e.open(ticket, code, sent))
	return ticket, sent
}

func (e *env) open(ticket id.Ticket, code string, sent requests.Submission) error {
	return e.InTx(ctx, func(tx *db.Tx) error { return requests.Open(ctx, tx, ticket, code, sent, "a@b.example") })
}

func submission(title string) requests.Submission {
	return requests.Submission{Company: "acme", Board: "NINJA", Nonce: requests.NewToken(), Title: title}
}

func (e *env) setForm(form requests.Form) (was requests.Form, err error) {
	err = e.InTx(ctx, func(tx *db.Tx) error {
		was, err = requests.SetForm(ctx, tx, id.Board(e.board), form)
		return err
	})
	return was, err
}

func TestSetForm(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	form := func() requests.Form { return domaintest.OK(requests.FormOf(ctx, e.Queries, id.Board(e.board)))(t) }
	if form() != (requests.Form{}) {
		t.Errorf("a board without a form has %+v", form())
	}
	domaintest.Fails(e.setForm(requests.Form{On: true, Intro: "\x00"}))(t, requests.CodeBadIntro)
	if was, err := e.setForm(requests.Form{On: true, Intro: " Hello\r\n"}); err != nil || was != (requests.Form{}) {
		t.Errorf("%+v, %v", was, err)
	}
	saved := form()
	if !saved.On || saved.Intro != "Hello" || saved.Version == 0 {
		t.Errorf("%+v", saved)
	}
	t.Run("equal settings are saved already, whatever their version", func(t *testing.T) {
		if was, err := e.setForm(requests.Form{On: true, Intro: "Hello"}); err != nil || was != saved || form() != saved {
			t.Errorf("%+v, %v", was, err)
		}
	})
	t.Run("a change at the same time, or by a clock that is late, has a version of its own", func(t *testing.T) {
		for _, at := range []time.Time{noon, noon.Add(-time.Hour), noon.Add(time.Hour)} {
			e.SetClock(func() time.Time { return at })
			before := form()
			domaintest.OK(e.setForm(requests.Form{On: !before.On, Version: before.Version}))(t)
			if now := form(); now.Version <= before.Version || now.On == before.On {
				t.Errorf("%+v after %+v", now, before)
			}
		}
	})
	t.Run("an old version is refused with the form as it is", func(t *testing.T) {
		_, err := e.setForm(requests.Form{On: true, Intro: "Mine", Version: saved.Version})
		var stale requests.StaleForm
		if !errors.As(err, &stale) || stale.Current != form() {
			t.Error(err)
		}
	})
}

func TestOpen(t *testing.T) {
	t.Parallel()
	t.Run("a request reads as it was opened, and the form finds it again", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ticket, sent := e.opened(t, 1, "abcde")
		request := domaintest.OK(requests.Of(ctx, e.Queries, ticket))(t)
		if request != (requests.Request{Ticket: ticket, Code: "abcde", Email: "a@b.example", CreatedAt: noon, Linked: true}) {
			t.Errorf("%+v", request)
		}
		if code, linked, err := requests.Find(ctx, e.Queries, sent); code != "abcde" || !linked || err != nil {
			t.Error(code, linked, err)
		}
		if code, linked, err := requests.Find(ctx, e.Queries, submission("The door")); code != "" || linked || err != nil {
			t.Error("another nonce:", code, linked, err)
		}
		domaintest.Counts(t, e.DB, 1, "SELECT COUNT(*) FROM ticket_request WHERE token_hash = ?",
			requests.HashToken(sent.Token()))
	})
	t.Run("of one form sent twenty times at once one is stored", func(t *testing.T) {
		t.Parallel()
		e, sent := newEnv(t), submission("Once")
		errs, stored := make([]error, 20), 0
		var group sync.WaitGroup
		for i := range errs {
			ticket := e.ticket(t, i+1, "Once")
			group.Go(func() { errs[i] = e.open(ticket, fmt.Sprintf("aaa%02d", i), sent) })
		}
		group.Wait()
		for _, err := range errs {
			if err == nil {
				stored++
			} else {
				domaintest.Is(t, err, requests.ErrSent)
			}
		}
		if stored != 1 {
			t.Errorf("%d were stored", stored)
		}
	})
}

func TestLinks(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ticket, sent := e.opened(t, 1, "abcde")
	_, other := e.opened(t, 2, "abcdE")
	opens := func(code, token string, want bool) {
		t.Helper()
		_, err := requests.TrackByLink(ctx, e.Queries, code, token)
		if want && err != nil || !want && !errors.Is(err, requests.CodeNotFound) {
			t.Errorf("%s by %s: %v", code, token, err)
		}
	}
	opens("abcde", sent.Token(), true)
	for _, token := range []string{"", other.Token(), string(requests.HashToken(sent.Token()))} {
		opens("abcde", token, false)
	}
	opens("abcdE", sent.Token(), false)
	var second string
	domaintest.Must(t, e.InTx(ctx, func(tx *db.Tx) (err error) {
		second, err = requests.NewLink(ctx, tx, ticket)
		return err
	}))
	opens("abcde", sent.Token(), false)
	opens("abcde", second, true)
	domaintest.Must(t, e.InTx(ctx, func(tx *db.Tx) error { return requests.RevokeLink(ctx, tx, ticket) }))
	opens("abcde", second, false)
	opens("abcde", "", false)
	opens("abcdE", other.Token(), true)
	request := domaintest.OK(requests.Of(ctx, e.Queries, ticket))(t)
	if request.Linked || request.RevokedAt == nil || !request.RevokedAt.Equal(noon) {
		t.Errorf("%+v", request)
	}
	if code, linked, err := requests.Find(ctx, e.Queries, sent); code != "abcde" || linked || err != nil {
		t.Error("the form that is sent again gets:", code, linked, err)
	}
}

func TestTicketsWithoutRequester(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ours := e.ticket(t, 1, "Ours")
	domaintest.Fails(requests.Of(ctx, e.Queries, ours))(t, requests.CodeNoRequester)
	for _, change := range []func(tx *db.Tx) error{
		func(tx *db.Tx) error { _, err := requests.NewLink(ctx, tx, ours); return err },
		func(tx *db.Tx) error { return requests.RevokeLink(ctx, tx, ours) },
		func(tx *db.Tx) error { return requests.RecordReply(ctx, tx, ours) },
	} {
		domaintest.Is(t, e.InTx(ctx, change), requests.CodeNoRequester)
	}
}

func TestTrack(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ticket, sent := e.opened(t, 7, "abcde")
	track := func() requests.TrackedTicket { return domaintest.OK(requests.Track(ctx, e.Queries, "abcde"))(t) }
	want := requests.TrackedTicket{Company: id.Company(e.company), Board: id.Board(e.board), BoardSlug: "NINJA",
		Ticket: ticket, Number: 7, Code: "abcde", State: requests.Received, ChangedAt: noon}
	if found := track(); found != want {
		t.Errorf("%+v", found)
	}
	for _, code := range []string{"", "abcdE", "ABCDE", "abcd", "abcd%", "abcd_", "' OR 1"} {
		if _, err := requests.Track(ctx, e.Queries, code); !errors.Is(err, requests.CodeNotFound) {
			t.Errorf("%q: %v", code, err)
		}
	}
	moved, replied := noon.Add(time.Minute), noon.Add(time.Hour)
	domaintest.Exec(t, e.DB, "UPDATE ticket SET column_id = ?, entered_at = ?", e.columns[1], moved)
	e.SetClock(func() time.Time { return replied })
	domaintest.Must(t, e.InTx(ctx, func(tx *db.Tx) error { return requests.RecordReply(ctx, tx, ticket) }))
	if found := track(); found.State != requests.InProgress || !found.ChangedAt.Equal(moved) {
		t.Errorf("the code tells more than the column: %+v", found)
	}
	if found := domaintest.OK(requests.TrackByLink(ctx, e.Queries, "abcde", sent.Token()))(t); !found.Private ||
		found.Title != "The door" || !found.ChangedAt.Equal(replied) {
		t.Errorf("%+v", found)
	}
	domaintest.Exec(t, e.DB, "UPDATE ticket SET closed_at = NOW(6), column_id = ?", e.columns[0])
	domaintest.Exec(t, e.DB, "UPDATE board SET archived_at = NOW(6)")
	if found := track(); found.State != requests.Done || !found.Archived {
		t.Errorf("%+v", found)
	}
	domaintest.Exec(t, e.DB, "UPDATE ticket SET deleted_at = NOW(6), column_id = NULL, rank_in_column = NULL")
	domaintest.Fails(requests.Track(ctx, e.Queries, "abcde"))(t, fault.NotFound)
	domaintest.Fails(requests.TrackByLink(ctx, e.Queries, "abcde", sent.Token()))(t, fault.NotFound)
}

func TestReplies(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ticket, sent := e.opened(t, 1, "abcde")
	reply := func(token string, r requests.Reply) error {
		return e.InTx(ctx, func(tx *db.Tx) error {
			if err := requests.Lock(ctx, tx, ticket, token, r); err != nil {
				return err
			}
			return requests.RecordRequesterReply(ctx, tx, ticket, r)
		})
	}
	first := requests.Reply{Nonce: "n", Body: "Hello"}
	t.Run("of one reply sent ten times at once one is taken", func(t *testing.T) {
		var taken atomic.Int64
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				if err := reply(sent.Token(), first); err == nil {
					taken.Add(1)
				} else {
					domaintest.Is(t, err, requests.ErrSent)
				}
			})
		}
		group.Wait()
		if taken.Load() != 1 {
			t.Errorf("%d were taken", taken.Load())
		}
	})
	t.Run("another text or another nonce is another reply", func(t *testing.T) {
		for _, r := range []requests.Reply{{Nonce: "n", Body: "Hello?"}, {Nonce: "m", Body: "Hello?"}} {
			domaintest.Must(t, reply(sent.Token(), r))
			domaintest.Is(t, reply(sent.Token(), r), requests.ErrSent)
		}
	})
	t.Run("a wrong or revoked link takes none, nor does it tell what was sent", func(t *testing.T) {
		domaintest.Must(t, reply(sent.Token(), first))
		domaintest.Is(t, reply("", first), requests.CodeNotFound)
		domaintest.Is(t, reply(requests.NewToken(), first), requests.CodeNotFound)
		domaintest.Must(t, e.InTx(ctx, func(tx *db.Tx) error { return requests.RevokeLink(ctx, tx, ticket) }))
		for _, token := range []string{"", sent.Token()} {
			domaintest.Is(t, reply(token, first), requests.CodeNotFound)
		}
	})
}
