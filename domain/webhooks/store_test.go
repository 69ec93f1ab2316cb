package webhooks_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

var ctx = context.Background()

// secretKeys encrypt the secrets.
var secretKeys = secrets.Fixed([32]byte{'k'})

// env is a database with a company and a member of it.
type env struct {
	*db.DB
	company id.Company
	author  id.Account
}

func newEnv(t *testing.T) *env {
	t.Helper()
	return newEnvOn(t, dbtest.Open(t))
}

func newEnvOn(t *testing.T, d *db.DB) *env {
	t.Helper()
	e := &env{DB: d}
	e.company = e.openCompany(t, "acme")
	e.author = domaintest.Member(t, e.DB, e.company, "Ana", "ana@example.com", "owner", "")
	return e
}

func (e *env) openCompany(t *testing.T, slug string) (company id.Company) {
	t.Helper()
	domaintest.Must(t, e.InTx(ctx, func(tx *db.Tx) error {
		n, err := tx.CreateCompany(ctx, db.CreateCompanyParams{Slug: slug, Name: slug, CreatedAt: tx.Now})
		company = id.Company(n)
		return err
	}))
	return company
}

func cursor(feed string, position uint64) webhooks.Cursor {
	return webhooks.Cursor{Epoch: 1, Feed: feed, Position: position}
}

func (e *env) open(company id.Company) (hook id.Webhook, secret string, err error) {
	draft := webhooks.Draft{URL: address, Note: "For the chat", Feeds: []string{"tickets", "comments"}}
	err = e.InTx(ctx, func(tx *db.Tx) error {
		hook, secret, err = webhooks.Open(ctx, tx, secretKeys, company, e.author, draft, 0,
			[]webhooks.Cursor{cursor("comments", 3), cursor("tickets", 5)})
		return err
	})
	return hook, secret, err
}

// board is an open one, without columns.
func (e *env) board(t *testing.T, slug string) {
	t.Helper()
	for _, statement := range []string{
		"INSERT INTO board (company_id, slug, title, created_at, updated_at) VALUES (?, ?, 'Demo', NOW(6), NOW(6))",
		"INSERT INTO board_slug (company_id, slug, board_id, created_at) SELECT ?, slug, id, NOW(6) FROM board WHERE slug = ?",
	} {
		domaintest.OK(e.SQL.ExecContext(ctx, statement, uint64(e.company), slug))(t)
	}
}

func (e *env) hook(t *testing.T) id.Webhook {
	t.Helper()
	hook, _, err := e.open(e.company)
	domaintest.Must(t, err)
	return hook
}

func (e *env) read(t *testing.T, hook id.Webhook) webhooks.Webhook {
	t.Helper()
	return domaintest.OK(webhooks.ByID(ctx, e.Queries, e.company, hook))(t)
}

// changes calls change with the locked webhook.
func (e *env) changes(hook id.Webhook, change func(tx *db.Tx, locked webhooks.Webhook) error) error {
	return e.InTx(ctx, func(tx *db.Tx) error {
		locked, err := webhooks.Lock(ctx, tx, e.company, hook)
		if err != nil {
			return err
		}
		return change(tx, locked)
	})
}

func (e *env) edit(hook id.Webhook, version uint64, draft webhooks.Draft) error {
	return e.changes(hook, func(tx *db.Tx, locked webhooks.Webhook) error {
		return webhooks.Edit(ctx, tx, locked, version, draft, 0,
			[]webhooks.Cursor{cursor("boards", 70), cursor("comments", 70), cursor("tickets", 70)})
	})
}

func (e *env) claim(t *testing.T, hook id.Webhook) *webhooks.LeasedWebhook {
	t.Helper()
	return domaintest.OK(webhooks.Claim(ctx, e.Queries, secretKeys, hook))(t)
}

// state is all that is stored of a webhook and its cursors, and how many attempts there are.
func (e *env) state(t *testing.T, hook id.Webhook) (state string) {
	t.Helper()
	domaintest.Must(t, e.SQL.QueryRow(`SELECT CONCAT_WS(' ', state, reason, version, failures, failing_since, due_at,
		lease_ends, fence, (SELECT GROUP_CONCAT(feed, ':', epoch, ':', position, ':', began ORDER BY feed)
			FROM webhook_cursor WHERE webhook_id = w.id),
		(SELECT COUNT(*) FROM webhook_attempt WHERE webhook_id = w.id)) FROM webhook w WHERE id = ?`, hook).Scan(&state))
	return state
}

func TestOpen(t *testing.T) {
	t.Parallel()
	t.Run("it reads as it was made, for its company alone", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		hook, secret, err := e.open(e.company)
		domaintest.Must(t, err)
		w := e.read(t, hook)
		if w.URL != address || w.Host() != "example.com" || w.Note != "For the chat" || w.Condition() != "on" ||
			w.Version != 1 || fmt.Sprint(w.Feeds, w.Cursors) != "[tickets comments] [{1 comments 3 0} {1 tickets 5 0}]" {
			t.Errorf("%+v", w)
		}
		keys := domaintest.OK(webhooks.KeysOf(ctx, e.Queries, secretKeys, e.company, hook, time.Now()))(t)
		if len(keys) != 1 || len(keys[0]) != 32 || secret != "whsec_"+base64.StdEncoding.EncodeToString(keys[0]) {
			t.Errorf("%q is given out for %v", secret, keys)
		}
		rivals := e.openCompany(t, "rivals")
		domaintest.Fails(webhooks.ByID(ctx, e.Queries, rivals, hook))(t, webhooks.CodeNotFound)
		domaintest.Fails(webhooks.KeysOf(ctx, e.Queries, secretKeys, rivals, hook, time.Now()))(t, webhooks.CodeNotFound)
		domaintest.Is(t, e.InTx(ctx, func(tx *db.Tx) error {
			_, err := webhooks.Lock(ctx, tx, rivals, hook)
			return err
		}), webhooks.CodeNotFound)
	})
	t.Run("fifty are the most of a company", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for range webhooks.Max {
			e.hook(t)
		}
		_, _, err := e.open(e.company)
		domaintest.Is(t, err, webhooks.CodeTooMany)
		_, _, err = e.open(e.openCompany(t, "rivals"))
		domaintest.Must(t, err)
		if list, err := webhooks.Of(ctx, e.Queries, e.company); len(list) != webhooks.Max || err != nil {
			t.Errorf("%d, %v", len(list), err)
		}
	})
}

func TestEdit(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	draft := webhooks.Draft{URL: address, Feeds: []string{"tickets", "boards"}}
	t.Run("a feed that is new begins at its end, one that stays keeps its cursor, one that goes loses it",
		func(t *testing.T) {
			t.Parallel()
			hook := e.hook(t)
			domaintest.Must(t, e.edit(hook, 1, draft))
			if w := e.read(t, hook); w.Note != "" || fmt.Sprint(w.Version, w.Feeds, w.Cursors) !=
				"2 [tickets boards] [{1 boards 70 0} {1 tickets 5 0}]" {
				t.Errorf("%+v", w)
			}
		})
	t.Run("a version that is not the webhook's is Stale and changes nothing", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		domaintest.Must(t, e.edit(hook, 1, draft))
		before := e.state(t, hook)
		for _, version := range []uint64{0, 1, 3} {
			domaintest.Is(t, e.edit(hook, version, webhooks.Draft{URL: address + "/mine", Feeds: feeds}), webhooks.CodeStale)
		}
		if after := e.state(t, hook); after != before || e.read(t, hook).URL != address {
			t.Errorf("%s became %s", before, after)
		}
	})
	t.Run("only another address, in another case even, forgets the failures", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		domaintest.Exec(t, e.DB, "UPDATE webhook SET failures = 3, failing_since = NOW(6) WHERE id = ?", hook)
		for version, c := range []struct {
			url       string
			condition string
		}{{address, "failing"}, {strings.Replace(address, "hook", "Hook", 1), "on"}} {
			domaintest.Must(t, e.edit(hook, uint64(version+1), webhooks.Draft{URL: c.url, Feeds: feeds}))
			if w := e.read(t, hook); w.Condition() != c.condition || (w.Failures == 0) != (c.condition == "on") {
				t.Errorf("at %s: %+v", c.url, w)
			}
		}
	})
}

func TestRotateSecret(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	hook := e.hook(t)
	keys := func(ago time.Duration) webhooks.Keys {
		t.Helper()
		return domaintest.OK(webhooks.KeysOf(ctx, e.Queries, secretKeys, e.company, hook, time.Now().Add(ago)))(t)
	}
	rotate := func() (secret string) {
		t.Helper()
		domaintest.Must(t, e.changes(hook, func(tx *db.Tx, locked webhooks.Webhook) (err error) {
			secret, err = webhooks.RotateSecret(ctx, tx, secretKeys, locked)
			return err
		}))
		return secret
	}
	sender, first := e.claim(t, hook), keys(0)
	second := rotate()
	both := keys(23 * time.Hour)
	if fmt.Sprint(both[1:]) != fmt.Sprint(first) || second != "whsec_"+base64.StdEncoding.EncodeToString(both[0]) {
		t.Error("within a day the new and the old secret are not both used")
	}
	if later := keys(25 * time.Hour); fmt.Sprint(later) != fmt.Sprint(both[:1]) {
		t.Error("after a day the old secret is used")
	}
	if err := sender.Refresh(ctx, e.Queries); err != nil || fmt.Sprint(sender.Keys) != fmt.Sprint(both) ||
		len(sender.Cursors) != 2 {
		t.Errorf("a sender goes on with %+v, %v", sender, err)
	}
	rotate()
	if last := keys(0); len(last) != 2 || !bytes.Equal(last[1], both[0]) {
		t.Error("after another rotation it is not the second secret that is the old one")
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	hook, other := e.hook(t), e.hook(t)
	for _, h := range []id.Webhook{hook, other} {
		domaintest.Must(t, e.claim(t, h).RecordFailure(ctx, e.DB, webhooks.Message{}, webhooks.Outcome{Error: "x"}))
	}
	kept := e.state(t, other)
	remove := func(tx *db.Tx, locked webhooks.Webhook) error { return webhooks.Delete(ctx, tx, locked) }
	domaintest.Must(t, e.changes(hook, remove))
	domaintest.Is(t, e.changes(hook, remove), webhooks.CodeNotFound)
	for table, column := range map[string]string{"webhook": "id", "webhook_cursor": "webhook_id",
		"webhook_attempt": "webhook_id"} {
		domaintest.Counts(t, e.DB, 0, fmt.Sprintf("SELECT COUNT(*) FROM %s WHERE %s = ?", table, column), hook)
	}
	if now := e.state(t, other); now != kept {
		t.Errorf("another was %s and is %s", kept, now)
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	record := func(t *testing.T, hook id.Webhook, o webhooks.Outcome) (attempt id.Delivery) {
		t.Helper()
		m := webhooks.RowMessage("tickets", 1, 7, 5)
		m.Type, m.Subject = "ticket.changed", "DEMO-7"
		domaintest.Must(t, e.InTx(ctx, func(tx *db.Tx) (err error) {
			attempt, err = webhooks.RecordAttempt(ctx, tx, hook, webhooks.Test, m, o)
			return err
		}))
		return attempt
	}
	t.Run("one reads as it was made, for its webhook alone", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		e.board(t, "DEMO")
		for want, o := range map[string]webhooks.Outcome{
			"{500 It answered 500. [104 105] 0s 12ms false}": {Status: 500, Error: "It answered 500.", Response: []byte("hi"),
				Took: 12 * time.Millisecond},
			"{0 no answer [] 0s 0s false}": {Error: "no answer", Took: -time.Second},
		} {
			made := record(t, hook, o)
			a := domaintest.OK(webhooks.AttemptByID(ctx, e.Queries, e.author, hook, made))(t)
			if a.Kind != webhooks.Test || a.Message != "tickets:1:7:5" || a.Subject != "DEMO-7" || a.Row != 7 ||
				a.Position != 5 || a.At.IsZero() || fmt.Sprint(a.Outcome) != want {
				t.Errorf("%+v", a)
			}
			domaintest.Fails(webhooks.AttemptByID(ctx, e.Queries, e.author, hook+1000, made))(t, webhooks.CodeAttemptNotFound)
		}
	})
	t.Run("pages have the newest first", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		one, two, three := record(t, hook, webhooks.Outcome{}), record(t, hook, webhooks.Outcome{}),
			record(t, hook, webhooks.Outcome{})
		page, more, err := webhooks.Attempts(ctx, e.Queries, 0, hook, 0, 2)
		if err != nil || !more || len(page) != 2 || page[0].ID != three || page[1].ID != two {
			t.Errorf("%+v, %v, %v", page, more, err)
		}
		page, more, err = webhooks.Attempts(ctx, e.Queries, 0, hook, two, 2)
		if err != nil || more || len(page) != 1 || page[0].ID != one {
			t.Errorf("%+v, %v, %v", page, more, err)
		}
	})
	t.Run("the newest thousand of each webhook are kept, and others go a part at a time", func(t *testing.T) {
		t.Parallel()
		hook, other := e.hook(t), e.hook(t)
		record(t, other, webhooks.Outcome{})
		record(t, hook, webhooks.Outcome{})
		const columns = "webhook_id, message, kind, type, subject, feed, row_id, position, error, response, milliseconds, " +
			"created_at"
		for range 11 {
			domaintest.Exec(t, e.DB, "INSERT INTO webhook_attempt ("+columns+") SELECT "+columns+
				" FROM webhook_attempt WHERE webhook_id = ?", hook)
		}
		newest := record(t, hook, webhooks.Outcome{})
		for _, want := range []int64{500, 500, 49, 0} {
			if n, err := webhooks.Trim(ctx, e.Queries, hook); n != want || err != nil {
				t.Errorf("%d, not %d, %v", n, want, err)
			}
		}
		domaintest.Counts(t, e.DB, 1000, "SELECT COUNT(*) FROM webhook_attempt WHERE webhook_id = ?", hook)
		domaintest.OK(webhooks.AttemptByID(ctx, e.Queries, 0, hook, newest))(t)
		if n, err := webhooks.Trim(ctx, e.Queries, other); n != 0 || err != nil {
			t.Errorf("%d of another are gone, %v", n, err)
		}
	})
	t.Run("after thirty days one is forgotten", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		hook, now := e.hook(t), time.Now().UTC()
		claimed := e.claim(t, hook)
		for _, ago := range []time.Duration{webhooks.KeptFor + time.Hour, webhooks.KeptFor - time.Hour} {
			domaintest.Must(t, claimed.RecordSuccess(ctx, e.DB, webhooks.Message{}, webhooks.Outcome{}, cursor("tickets", 6)))
			domaintest.Exec(t, e.DB, "UPDATE webhook_attempt SET created_at = ? ORDER BY id DESC LIMIT 1", now.Add(-ago))
		}
		for _, want := range []int64{1, 0} {
			if n, err := webhooks.Forget(ctx, e.Queries, now); n != want || err != nil {
				t.Errorf("%d, not %d, %v", n, want, err)
			}
		}
	})
}
