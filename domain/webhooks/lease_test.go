package webhooks_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

var message = webhooks.RowMessage("tickets", 1, 7, 6)

// writes are all that an owner of a lease can write.
func writes(e *env, h *webhooks.LeasedWebhook) map[string]error {
	failed := webhooks.Outcome{Status: 410, Error: "gone"}
	return map[string]error{
		"success": h.RecordSuccess(ctx, e.DB, message, webhooks.Outcome{Status: 200}, cursor("tickets", 6)),
		"failure": h.RecordFailure(ctx, e.DB, message, failed),
		"skip":    h.RecordSkip(ctx, e.DB, cursor("tickets", 6)),
		"release": h.Release(ctx, e.Queries),
		"refresh": h.Refresh(ctx, e.Queries),
	}
}

func TestClaim(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	t.Run("of twenty at once one takes it, for a minute", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		var taken atomic.Int32
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				h, err := webhooks.Claim(ctx, e.Queries, secretKeys, hook)
				switch {
				case err == nil:
					taken.Add(1)
					if left := h.Left(); left <= 0 || left > webhooks.Lease || h.URL != address || len(h.Cursors) != 2 {
						t.Errorf("for %v it has %+v", left, h.Webhook)
					}
				case !errors.Is(err, webhooks.ErrLost):
					t.Error(err)
				}
			})
		}
		group.Wait()
		if taken.Load() != 1 {
			t.Errorf("%d took it", taken.Load())
		}
	})
	t.Run("one that began before another and waited for the row finds it leased", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		tx := domaintest.OK(e.SQL.BeginTx(ctx, nil))(t)
		domaintest.OK(tx.Exec("UPDATE webhook SET note = 'held' WHERE id = ?", hook))(t)
		lost := make(chan error, 1)
		go func() {
			_, err := webhooks.Claim(ctx, e.Queries, secretKeys, hook)
			lost <- err
		}()
		domaintest.Until(t, "the claim waits", func() bool {
			return dbtest.Others(t, e.SQL, dbtest.Running(`LAST_INSERT_ID\(fence \+ 1\)`)) > 0
		})
		domaintest.OK(tx.Exec("UPDATE webhook SET lease_ends = NOW(6) + INTERVAL 1 MINUTE WHERE id = ?", hook))(t)
		domaintest.Must(t, tx.Commit())
		if err := <-lost; !errors.Is(err, webhooks.ErrLost) {
			t.Errorf("it got %v", err)
		}
	})
	for name, left := range map[string]func(e *env, h *webhooks.LeasedWebhook) error{
		"a released lease": func(e *env, h *webhooks.LeasedWebhook) error { return h.Release(ctx, e.Queries) },
		"a dead process":   func(*env, *webhooks.LeasedWebhook) error { return nil },
	} {
		t.Run(name+" keeps no webhook when the database's clock is set back", func(t *testing.T) {
			t.Parallel()
			d, set := dbtest.NewClocked(t)
			e := newEnvOn(t, d)
			hook := e.hook(t)
			domaintest.Must(t, left(e, domaintest.OK(webhooks.Claim(ctx, e.Queries, secretKeys, hook))(t)))
			set(-time.Hour)
			if due := domaintest.OK(webhooks.DueWebhooks(ctx, e.Queries, 0, 10))(t); len(due) != 1 {
				t.Errorf("%d webhooks are due", len(due))
			}
			_, err := webhooks.Claim(ctx, e.Queries, secretKeys, hook)
			domaintest.Must(t, err)
		})
	}
	for name, change := range map[string]string{
		"is off":         "state = 'off'",
		"was stopped":    "state = 'stopped'",
		"is not due yet": "failures = 1, due_at = NOW(6) + INTERVAL 1 HOUR",
		"is leased":      "lease_ends = NOW(6) + INTERVAL 50 SECOND",
	} {
		t.Run("one that "+name+" is neither taken nor listed as due", func(t *testing.T) {
			t.Parallel()
			hook := e.hook(t)
			due := func() int {
				list := domaintest.OK(webhooks.DueWebhooks(ctx, e.Queries, hook-1, 1000))(t)
				if len(list) > 0 && list[0].ID == hook {
					return len(list[0].Cursors)
				}
				return 0
			}
			if n := due(); n != 2 {
				t.Errorf("before, it is due with %d cursors", n)
			}
			domaintest.Exec(t, e.DB, "UPDATE webhook SET "+change+" WHERE id = ?", hook)
			domaintest.Fails(webhooks.Claim(ctx, e.Queries, secretKeys, hook))(t, webhooks.ErrLost)
			if due() != 0 {
				t.Error("it is due")
			}
		})
	}
	t.Run("a lease that ran out is taken by another, and the late owner changes nothing", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		late := e.claim(t, hook)
		domaintest.Exec(t, e.DB, "UPDATE webhook SET lease_ends = NOW(6) WHERE id = ?", hook)
		owner := e.claim(t, hook)
		before := e.state(t, hook)
		for name, err := range writes(e, late) {
			if !errors.Is(err, webhooks.ErrLost) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after := e.state(t, hook); after != before {
			t.Errorf("%s became %s", before, after)
		}
		domaintest.Must(t, owner.RecordSuccess(ctx, e.DB, message, webhooks.Outcome{Status: 200}, cursor("tickets", 6)))
	})
	for name, change := range map[string]func(hook id.Webhook) error{
		"an edit": func(hook id.Webhook) error {
			return e.edit(hook, 1, webhooks.Draft{URL: address, Feeds: []string{"tickets"}})
		},
		"turning it off and on": func(hook id.Webhook) error {
			return e.changes(hook, func(tx *db.Tx, locked webhooks.Webhook) error {
				return errors.Join(webhooks.Switch(ctx, tx, locked, false), webhooks.Switch(ctx, tx, locked, true))
			})
		},
	} {
		t.Run(name+" fences the owner off, and lets no other begin for 20 s", func(t *testing.T) {
			t.Parallel()
			hook := e.hook(t)
			owner := e.claim(t, hook)
			domaintest.Must(t, change(hook))
			before := e.state(t, hook)
			for write, err := range writes(e, owner) {
				if !errors.Is(err, webhooks.ErrLost) {
					t.Errorf("%s: %v", write, err)
				}
			}
			if after := e.state(t, hook); after != before {
				t.Errorf("%s became %s", before, after)
			}
			domaintest.Fails(webhooks.Claim(ctx, e.Queries, secretKeys, hook))(t, webhooks.ErrLost)
			domaintest.Counts(t, e.DB, 1,
				"SELECT COUNT(*) FROM webhook WHERE id = ? AND lease_ends <= NOW(6) + INTERVAL 20 SECOND", hook)
		})
	}
	t.Run("a lease that ended is taken at once", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		domaintest.Must(t, e.claim(t, hook).Release(ctx, e.Queries))
		e.claim(t, hook)
	})
}

func TestRecordSuccess(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for name, record := range map[string]func(*webhooks.LeasedWebhook, webhooks.Cursor) error{
		"a message that was taken": func(h *webhooks.LeasedWebhook, c webhooks.Cursor) error {
			return h.RecordSuccess(ctx, e.DB, message, webhooks.Outcome{Status: 200}, c)
		},
		"nothing to send": func(h *webhooks.LeasedWebhook, c webhooks.Cursor) error {
			return h.RecordSkip(ctx, e.DB, c)
		},
	} {
		t.Run(name+" moves the cursor of its feed and renews the lease, even one that ran out", func(t *testing.T) {
			t.Parallel()
			hook := e.hook(t)
			owner := e.claim(t, hook)
			domaintest.Exec(t, e.DB, "UPDATE webhook SET lease_ends = NOW(6) WHERE id = ?", hook)
			domaintest.Must(t, record(owner, webhooks.Cursor{Epoch: 2, Feed: "tickets", Position: 9, Began: 8}))
			want := "[{1 comments 3 0} {2 tickets 9 8}]"
			if got := e.read(t, hook).Cursors; fmt.Sprint(got) != want || fmt.Sprint(owner.Cursors) != want {
				t.Errorf("%v are stored, the owner has %v", got, owner.Cursors)
			}
			domaintest.Counts(t, e.DB, 1,
				"SELECT COUNT(*) FROM webhook WHERE id = ? AND lease_ends > NOW(6) + INTERVAL 30 SECOND", hook)
		})
		t.Run(name+" of a feed without a cursor changes nothing", func(t *testing.T) {
			t.Parallel()
			hook := e.hook(t)
			owner := e.claim(t, hook)
			before := e.state(t, hook)
			domaintest.Is(t, record(owner, cursor("boards", 9)), webhooks.ErrLost)
			if after := e.state(t, hook); after != before {
				t.Errorf("%s became %s", before, after)
			}
		})
	}
}

func TestRecordFailure(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const failing = "UPDATE webhook SET failures = 9, failing_since = NOW(6) - INTERVAL ? HOUR WHERE id = ?"
	failed := webhooks.ResponseOutcome(500, "", nil, 0, 0)
	t.Run("the message is due later, the cursor stays, and the lease ends", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		owner := e.claim(t, hook)
		asked := webhooks.ResponseOutcome(503, "", nil, time.Hour, 0)
		domaintest.Must(t, owner.RecordFailure(ctx, e.DB, message, asked))
		w := e.read(t, hook)
		if w.Failures != 1 || w.Condition() != "failing" || w.Wait < 50*time.Minute || w.Wait > time.Hour ||
			fmt.Sprint(w.Cursors) != "[{1 comments 3 0} {1 tickets 5 0}]" {
			t.Errorf("%+v", w)
		}
		domaintest.Fails(webhooks.Claim(ctx, e.Queries, secretKeys, hook))(t, webhooks.ErrLost)
		domaintest.Exec(t, e.DB, "UPDATE webhook SET due_at = NOW(6) WHERE id = ?", hook)
		e.claim(t, hook)
		domaintest.Counts(t, e.DB, 1, "SELECT COUNT(*) FROM webhook_attempt WHERE webhook_id = ? AND status = 503", hook)
	})
	gone := webhooks.ResponseOutcome(410, "", nil, 0, 0)
	long := webhooks.ErrorOutcome(errors.New(strings.Repeat("ä", 600)), 0)
	for name, c := range map[string]struct {
		hours   int // since when it fails
		outcome webhooks.Outcome
		state   webhooks.State
		reason  string
	}{
		"a receiver that is gone stops it at once":    {0, gone, webhooks.Stopped, "410 Gone"},
		"more than five days of failures stop it":     {121, failed, webhooks.Stopped, "five days. Last: It answered 500"},
		"less than five days do not, however many":    {119, failed, webhooks.On, ""},
		"a reason is cut to what can be stored of it": {121, long, webhooks.Stopped, "ä…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := e.hook(t)
			domaintest.Exec(t, e.DB, failing, c.hours, hook)
			domaintest.Must(t, e.claim(t, hook).RecordFailure(ctx, e.DB, message, c.outcome))
			w := e.read(t, hook)
			if w.State != c.state || !strings.Contains(w.Reason, c.reason) || (w.Reason == "") != (c.reason == "") ||
				w.Failures != 10 || len([]rune(w.Reason)) > 255 {
				t.Errorf("%+v", w)
			}
		})
	}
	t.Run("one message that is taken begins the five days anew", func(t *testing.T) {
		t.Parallel()
		hook := e.hook(t)
		domaintest.Exec(t, e.DB, failing, 121, hook)
		owner := e.claim(t, hook)
		domaintest.Must(t, owner.RecordSuccess(ctx, e.DB, message, webhooks.Outcome{Status: 200}, cursor("tickets", 6)))
		if owner.Failures != 0 || owner.Failing != nil {
			t.Errorf("%+v", owner.Webhook)
		}
		domaintest.Must(t, owner.RecordFailure(ctx, e.DB, message, failed))
		if w := e.read(t, hook); w.State != webhooks.On || w.Failures != 1 || w.Wait > 6*time.Second {
			t.Errorf("%+v", w)
		}
	})
}
