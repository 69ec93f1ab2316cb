package workflows_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// lookUp is by the code alone if token is "". It tells no canary from another miss.
func (e *env) lookUp(
	ctx context.Context, code, token string,
) (found requests.TrackedTicket, what requests.Lookup, err error) {
	if token == "" {
		found, err = e.Workflows.Track(ctx, code)
	} else {
		found, err = e.Workflows.TrackPrivately(ctx, code, token)
	}
	switch {
	case errors.Is(err, requests.CodeNotFound):
		what = requests.Miss
	case err != nil:
		what = requests.Refused
	}
	return found, what, err
}

func (e *env) track(t testing.TB, code, token string) requests.TrackedTicket {
	t.Helper()
	found, what, err := e.lookUp(from("192.0.2.1"), code, token)
	if err != nil || what != requests.Hit {
		t.Fatal(what, err)
	}
	return found
}

// lookups are what was looked up in this hour, stored as it is every few seconds.
func (e *env) lookups(t testing.TB) requests.Lookups {
	t.Helper()
	domaintest.Must(t, e.Delivery.TendRefs(context.Background()))
	return domaintest.OK(e.Workflows.LookupsSince(context.Background(), e.DB.Now().Add(-time.Minute)))(t)
}

func TestTrack(t *testing.T) {
	t.Parallel()
	t.Run("a code shows the state and its time, a private link the rest", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		receipt := e.send(t, submission("The door is stuck"))
		ninja1 := tickets.Key{Board: "NINJA", Number: 1}
		board, _ := e.Workflows.Board(e.Ctx, "NINJA")
		found := e.track(t, receipt.Code, "")
		if found.State != requests.Received || found.Private || found.Title != "" {
			t.Errorf("%+v", found)
		}
		if found := e.track(t, receipt.Code, receipt.Token); !found.Private || found.Title != "The door is stuck" {
			t.Errorf("%+v", found)
		}
		moved, _, err := e.Workflows.MoveTicket(e.Ctx, ninja1, tickets.Intent{Column: board.Columns[1].ID})
		domaintest.Must(t, err)
		if found := e.track(t, receipt.Code, ""); found.State != requests.InProgress ||
			!found.ChangedAt.Equal(moved.Ticket.MovedAt) {
			t.Errorf("%+v", found)
		}
		if _, _, err := e.Workflows.CloseTicket(e.Ctx, ninja1); err != nil {
			t.Fatal(err)
		}
		if found := e.track(t, receipt.Code, ""); found.State != requests.Done {
			t.Errorf("%+v", found)
		}
		comment, err := e.Workflows.Reply(e.Ctx, ninja1, "It opens again.", nil)
		domaintest.Must(t, err)
		if found := e.track(t, receipt.Code, receipt.Token); !found.ChangedAt.Equal(comment.Comment.CreatedAt) {
			t.Errorf("%+v", found)
		}
		if found := e.track(t, receipt.Code, ""); !found.ChangedAt.Before(comment.Comment.CreatedAt) {
			t.Error("the code alone tells that somebody wrote", found.ChangedAt)
		}
	})
	t.Run("a code in another case is another code", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 0)
		apptest.Load(t, e.DB, "UkrEP", "ukrEP")
		titles := map[string]string{}
		for _, title := range []string{"One", "Two"} {
			receipt := e.send(t, submission(title))
			titles[e.track(t, receipt.Code, receipt.Token).Title] = receipt.Code
		}
		if len(titles) != 2 || titles["One"] == titles["Two"] {
			t.Error(titles)
		}
		for _, code := range []string{"ukrep", "UKREP", "ukrEp"} {
			_, _, err := e.lookUp(from("192.0.2.1"), code, "")
			is(t, err, requests.CodeNotFound)
		}
	})
	t.Run("a requester reads public comments, and nothing else", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		receipt := e.send(t, submission("Help"))
		ninja1 := tickets.Key{Board: "NINJA", Number: 1}
		domaintest.OK(e.Workflows.Comment(e.Ctx, ninja1, "What a nuisance", nil))(t)
		domaintest.OK(e.Workflows.Reply(e.Ctx, ninja1, "We look into it.", nil))(t)
		domaintest.Must(t, e.Workflows.ReplyByLink(from("192.0.2.1"), receipt.Code, receipt.Token,
			requests.Reply{Nonce: requests.NewToken(), Body: "Thank you"}))
		page := domaintest.OK(e.Workflows.Replies(context.Background(), e.track(t, receipt.Code, receipt.Token), 0))(t)
		var comment []string
		for _, c := range page.List {
			comment = append(comment, fmt.Sprint(c.Author.Name, ": ", c.Body))
		}
		if want := []string{"Ana: We look into it.", "Requester: Thank you"}; !slices.Equal(comment, want) {
			t.Error(comment)
		}
		if page, err := e.Workflows.Replies(context.Background(), e.track(t, receipt.Code, ""), 0); err != nil ||
			len(page.List) > 0 {
			t.Error("the code alone tells", page, err)
		}
	})
	t.Run("a new link ends the one before, and a revoked one opens nothing", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		first := e.send(t, submission("Help"))
		ninja1 := tickets.Key{Board: "NINJA", Number: 1}
		second, err := e.Workflows.NewRequestLink(e.Ctx, ninja1, nil)
		if err != nil || second.Code != first.Code || second.Token == first.Token {
			t.Fatal(second, err)
		}
		_, _, err = e.lookUp(from("192.0.2.1"), first.Code, first.Token)
		is(t, err, requests.CodeNotFound)
		e.track(t, second.Code, second.Token)
		domaintest.OK(e.Workflows.RevokeRequestLink(e.Ctx, ninja1))(t)
		_, _, err = e.lookUp(from("192.0.2.1"), first.Code, second.Token)
		is(t, err, requests.CodeNotFound)
		is(t, e.Workflows.ReplyByLink(from("192.0.2.1"), first.Code, second.Token,
			requests.Reply{Nonce: requests.NewToken(), Body: "Hello"}), requests.CodeNotFound)
		e.track(t, first.Code, "")
		e.Counts(t, 2, "SELECT COUNT(*) FROM activity WHERE kind IN ('link-made', 'link-revoked') AND account_id = ?",
			e.Actor.Account.ID)
	})
	t.Run("within its column a ticket moves unseen, and reopening it is a change", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		receipt := e.send(t, submission("Help"))
		e.send(t, submission("Another"))
		ninja1 := tickets.Key{Board: "NINJA", Number: 1}
		board, _ := e.Workflows.Board(e.Ctx, "NINJA")
		last := board.Columns[len(board.Columns)-1].ID
		before := e.track(t, receipt.Code, "").ChangedAt
		if _, _, err := e.Workflows.MoveTicket(e.Ctx, ninja1, tickets.Intent{Column: board.Columns[0].ID}); err != nil {
			t.Fatal(err)
		}
		if at := e.track(t, receipt.Code, "").ChangedAt; !at.Equal(before) {
			t.Errorf("it changed at %v, and was there since %v", at, before)
		}
		for _, change := range []func() error{
			func() error { _, _, err := e.Workflows.CloseTicket(e.Ctx, ninja1); return err },
			func() error { _, _, err := e.Workflows.ReopenTicket(e.Ctx, ninja1); return err },
			func() error {
				_, _, err := e.Workflows.MoveTicket(e.Ctx, ninja1, tickets.Intent{Column: last})
				return err
			},
		} {
			before := e.track(t, receipt.Code, "").ChangedAt
			domaintest.Must(t, change())
			if at := e.track(t, receipt.Code, "").ChangedAt; !at.After(before) {
				t.Errorf("it changed at %v, after %v", at, before)
			}
		}
	})
}

func TestReplyByLink(t *testing.T) {
	t.Parallel()
	t.Run("there is no reply to a ticket without a requester", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		_, err := e.Workflows.Reply(e.Ctx, e.ours(t).Key, "Hello?", nil)
		is(t, err, requests.CodeNoRequester)
		if n := e.Count(t, "SELECT COUNT(*) FROM comment"); n != 0 {
			t.Error("it was said all the same")
		}
	})
	t.Run("watchers are notified of a requester's comments; the requester watches nothing", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		receipt := e.send(t, submission("Help"))
		domaintest.OK(e.Workflows.Comment(e.Ctx, tickets.Key{Board: "NINJA", Number: 1}, "Mine", nil))(t)
		domaintest.Must(t, e.Workflows.ReplyByLink(from("192.0.2.1"), receipt.Code, receipt.Token,
			requests.Reply{Nonce: requests.NewToken(), Body: "Any news, @ana?"}))
		domaintest.OK(e.Workflows.Reply(e.Ctx, tickets.Key{Board: "NINJA", Number: 1}, "Soon", nil))(t)
		e.Counts(t, 1, "SELECT COUNT(*) FROM notification WHERE account_id = ? AND kind = 'reply'", e.Actor.Account.ID)
		if n := e.Count(t, "SELECT (SELECT COUNT(*) FROM notification WHERE account_id <> ?) + (SELECT COUNT(*) FROM watcher WHERE account_id <> ?)", e.Actor.Account.ID, e.Actor.Account.ID); n != 0 {
			t.Error("the requester is told, or watches")
		}
	})
	t.Run("members delete comments of a requester, and edit none", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		receipt := e.send(t, submission("Help"))
		ninja1 := tickets.Key{Board: "NINJA", Number: 1}
		domaintest.Must(t, e.Workflows.ReplyByLink(from("192.0.2.1"), receipt.Code, receipt.Token,
			requests.Reply{Nonce: requests.NewToken(), Body: "An insult"}))
		found := e.track(t, receipt.Code, receipt.Token)
		page, err := e.Workflows.Replies(context.Background(), found, 0)
		if err != nil || len(page.List) != 1 {
			t.Fatal(page, err)
		}
		comment := page.List[0]
		_, err = e.Workflows.EditComment(e.Ctx, ninja1, comment.ID, "A compliment", comment.Version)
		is(t, err, tickets.CodeNotYourComment)
		domaintest.OK(e.Workflows.DeleteComment(e.Ctx, ninja1, comment.ID))(t)
		if page, err = e.Workflows.Replies(context.Background(), found, 0); err != nil || len(page.List) != 1 ||
			!page.List[0].Deleted() || page.List[0].Body != "" {
			t.Error(page, err)
		}
		e.Counts(t, 1, "SELECT COUNT(*) FROM activity WHERE kind = 'reply-deleted' AND account_id = ?", e.Actor.Account.ID)
	})
	t.Run("a reply that is under way while its link is revoked is refused", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		receipt := e.send(t, submission("Help"))
		ticket, err := e.Workflows.Ticket(e.Ctx, tickets.Key{Board: "NINJA", Number: 1})
		domaintest.Must(t, err)
		err = e.meanwhile(t, "ticket", uint64(ticket.ID), "UPDATE ticket_request SET token_hash = NULL, revoked_at = NOW(6) WHERE ticket_id = ?", func() error {
			return e.Workflows.ReplyByLink(from("192.0.2.1"), receipt.Code, receipt.Token,
				requests.Reply{Nonce: requests.NewToken(), Body: "Hello"})
		})
		is(t, err, requests.CodeNotFound)
		if n := e.Count(t, "SELECT COUNT(*) FROM comment"); n != 0 {
			t.Error("it was said all the same")
		}
	})
	t.Run("nothing is added to an archived board, and a restored one accepts comments again", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		receipt := e.send(t, submission("Help"))
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "NINJA", true, nil))(t)
		if !e.track(t, receipt.Code, receipt.Token).Archived {
			t.Error("it does not say so")
		}
		is(t, e.Workflows.ReplyByLink(from("192.0.2.1"), receipt.Code, receipt.Token,
			requests.Reply{Nonce: requests.NewToken(), Body: "Hello"}), requests.CodeClosed)
	})
	t.Run("a reply that is sent twice is one, and another is another", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		receipt := e.send(t, submission("Help"))
		nonce := requests.NewToken()
		var group sync.WaitGroup
		for _, body := range []string{"Hello", "Hello", "Hello"} {
			group.Go(func() {
				if err := e.Workflows.ReplyByLink(from("192.0.2.1"), receipt.Code, receipt.Token,
					requests.Reply{Nonce: nonce, Body: body}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		e.Counts(t, 1, "SELECT COUNT(*) FROM comment")
		for _, another := range []requests.Reply{{Nonce: nonce, Body: "Hello again"},
			{Nonce: requests.NewToken(), Body: "Hello again"}} {
			if err := e.Workflows.ReplyByLink(from("192.0.2.1"), receipt.Code, receipt.Token, another); err != nil {
				t.Error(err)
			}
		}
		e.Counts(t, 3, "SELECT COUNT(*) FROM comment")
	})
	t.Run("an address replies so often and no more", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		e.stopClock()
		receipt := e.send(t, submission("Help"))
		replies := 0
		for range 40 {
			err := e.Workflows.ReplyByLink(from("192.0.2.1"), receipt.Code, receipt.Token,
				requests.Reply{Nonce: requests.NewToken(), Body: "Hello"})
			if err == nil {
				replies++
				continue
			}
			is(t, err, requests.CodeTooMany)
		}
		if replies != 30 {
			t.Errorf("%d replies", replies)
		}
	})
}

// newWatchedEnv is an environment with a form, of which is seen what is sent to the database and what is logged.
func newWatchedEnv(t *testing.T) (*env, *dbtest.Watch, *bytes.Buffer) {
	t.Helper()
	d, watch := dbtest.NewWatched(t)
	log := &bytes.Buffer{}
	e := &env{apptest.On(t, d, app.WithLog(slog.New(slog.NewTextHandler(log, nil))))}
	e.Board(t, "NINJA")
	e.Offer(t, "NINJA", true)
	stock(t, d, 10)
	return e, watch, log
}

func TestEnumeration(t *testing.T) {
	t.Parallel()
	t.Run("all misses look the same, and take the same statements", func(t *testing.T) {
		t.Parallel()
		e, watch, _ := newWatchedEnv(t)
		live, deleted, revoked := e.send(t, submission("Live")), e.send(t, submission("Deleted")),
			e.send(t, submission("Revoked"))
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, tickets.Key{Board: "NINJA", Number: 2}))
		domaintest.OK(e.Workflows.RevokeRequestLink(e.Ctx, tickets.Key{Board: "NINJA", Number: 3}))(t)
		unknown := guesses(t, e, 1, false)[0]
		if _, _, err := e.lookUp(from("192.0.2.3"), unknown, ""); err == nil { // it reads which codes are canaries, once
			t.Fatal("it leads to something")
		}
		misses := map[string][2]string{
			"an unknown code": {unknown, ""}, "a deleted ticket": {deleted.Code, ""},
			"an unknown code with a token": {unknown, live.Token},
			"a wrong token":                {live.Code, revoked.Token}, "a token of another form": {live.Code, "x"},
			"a revoked link": {revoked.Code, revoked.Token}, "a deleted ticket's link": {deleted.Code, deleted.Token},
		}
		took := map[string][]time.Duration{}
		want := map[bool][]string{} // by a link, or by the code alone
		begun := time.Now()
		var minutes atomic.Int64
		e.DB.SetClock(func() time.Time { return begun.Add(time.Duration(minutes.Load()) * time.Minute) })
		kinds := slices.Sorted(maps.Keys(misses))
		for round := range 200 {
			minutes.Add(1) // so that they are not too many of everyone
			rand.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
			for i, what := range kinds {
				m := misses[what]
				ctx := from(address(round*100 + i)) // no caller is slowed
				watch.Take()
				began := time.Now()
				_, _, err := e.lookUp(ctx, m[0], m[1])
				took[what] = append(took[what], time.Since(began))
				if !errors.Is(err, requests.NotFound()) {
					t.Fatalf("%s: %v", what, err)
				}
				sent, _ := watch.Take()
				way := m[1] != ""
				if want[way] == nil {
					want[way] = sent
				}
				if !slices.Equal(sent, want[way]) {
					t.Errorf("%s sends\n%s\nand not\n%s", what, strings.Join(sent, "\n"), strings.Join(want[way], "\n"))
				}
			}
		}
		for what, list := range took {
			sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
			t.Logf("%-28s median %v, 9 of 10 within %v", what, list[len(list)/2], list[len(list)*9/10])
		}
	})
	t.Run("many at once are as many as one by one", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		e.stopClock()
		for way, most := range map[string]int64{"192.0.2.%[2]d": 20, "2001:db8:9:9::%[1]x": 20, "2001:db8:7:%[1]x::1": 60} {
			var misses atomic.Int64
			var group sync.WaitGroup
			for i, code := range guesses(t, e, 120, false) {
				group.Go(func() {
					_, what, err := e.lookUp(from(fmt.Sprintf(way, i, 7)), code, "")
					if what == requests.Miss {
						misses.Add(1)
					}
					if !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.RateLimited) {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if misses.Load() != most {
				t.Errorf("%s: %d misses", way, misses.Load())
			}
		}
	})
	t.Run("a refusal's time reveals nothing: the code is not looked up", func(t *testing.T) {
		t.Parallel()
		e, watch, _ := newWatchedEnv(t)
		e.stopClock()
		receipt := e.send(t, submission("Help"))
		codes := guesses(t, e, 30, false)
		for _, code := range codes {
			_, _, _ = e.lookUp(from("192.0.2.66"), code, "")
		}
		var sent [2][]string
		for i, code := range []string{codes[0], receipt.Code} {
			watch.Take()
			_, _, err := e.lookUp(from("192.0.2.66"), code, "")
			is(t, err, requests.CodeTooMany)
			sent[i], _ = watch.Take()
		}
		if !slices.Equal(sent[0], sent[1]) || strings.Contains(strings.Join(sent[1], " "), "ticket_request") {
			t.Errorf("%q\n%q", sent[0], sent[1])
		}
	})
	t.Run("a canary alarms, without saying which it is, and costs as much as ten misses", func(t *testing.T) {
		t.Parallel()
		e, _, log := newWatchedEnv(t)
		e.stopClock()
		canary := guesses(t, e, 1, true)[0]
		for range 2 {
			_, what, err := e.lookUp(from("192.0.2.66"), canary, "")
			if what != requests.Miss {
				t.Fatal(what, err)
			}
		}
		_, _, err := e.lookUp(from("192.0.2.66"), canary, "")
		is(t, err, requests.CodeTooMany)
		if counted := e.lookups(t); counted.Canaries != 2 || counted.Misses != 2 {
			t.Errorf("%+v", counted)
		}
		if comment := log.String(); strings.Count(comment, "guesses") != 2 || !strings.Contains(comment, "192.0.2.66") ||
			strings.Contains(comment, canary) {
			t.Error(comment)
		}
	})
}

func TestScanners(t *testing.T) {
	t.Parallel()
	t.Run("a scanner from one address is slowed more and more, and is counted", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		e.stopClock()
		receipt := e.send(t, submission("Help"))
		misses, refused := 0, 0
		codes := guesses(t, e, 60, false)
		for _, code := range codes {
			_, what, err := e.lookUp(from("192.0.2.66"), code, "")
			switch what {
			case requests.Miss:
				misses++
			case requests.Refused:
				refused++
				var many requests.TooMany
				if !errors.As(err, &many) || many.Wait <= 0 {
					t.Fatal(err)
				}
			}
		}
		if misses != 20 || refused != 40 {
			t.Errorf("%d misses and %d refused", misses, refused)
		}
		_, _, err := e.lookUp(from("192.0.2.66"), receipt.Code, "")
		is(t, err, requests.CodeTooMany) // nor does it reveal whether there is one
		e.track(t, receipt.Code, "")     // others are
		var last time.Duration
		for range 12 {
			domaintest.Exec(t, e.DB, "UPDATE public_limit SET last_at = last_at - INTERVAL 1 HOUR")
			if _, what, err := e.lookUp(from("192.0.2.66"), codes[0], ""); what != requests.Miss {
				t.Fatal("after an hour it is still refused", err)
			}
			_, _, err := e.lookUp(from("192.0.2.66"), codes[0], "")
			var many requests.TooMany
			if !errors.As(err, &many) || many.Wait < last-time.Second || many.Wait > 15*time.Minute {
				t.Fatalf("after %v comes %v", last, err)
			}
			last = many.Wait
		}
		if last < 10*time.Minute {
			t.Errorf("in the end it waits %v only", last)
		}
		if counted := e.lookups(t); counted.Misses != 32 || counted.Hits != 1 || counted.Refused < 40 {
			t.Errorf("%+v", counted)
		}
	})
	t.Run("a private link opens from an address at its limit", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		e.stopClock()
		receipt := e.send(t, submission("Help"))
		for _, code := range guesses(t, e, 30, false) {
			_, _, _ = e.lookUp(from("192.0.2.1"), code, "")
		}
		_, _, err := e.lookUp(from("192.0.2.1"), receipt.Code, "")
		is(t, err, requests.CodeTooMany)
		_, _, err = e.lookUp(from("192.0.2.1"), receipt.Code, requests.NewToken())
		is(t, err, requests.CodeTooMany)
		e.track(t, receipt.Code, receipt.Token)
	})
	t.Run("wrong links of many close no codes", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		e.stopClock()
		receipt := e.send(t, submission("Help"))
		misses := 0
		for i, code := range guesses(t, e, 650, false) {
			if _, what, _ := e.lookUp(from(address(i)), code, requests.NewToken()); what == requests.Miss {
				misses++
			}
		}
		if misses != 600 {
			t.Errorf("%d misses within a minute", misses)
		}
		e.track(t, receipt.Code, "")
	})
	t.Run("a scanner from many addresses of a network is slowed", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		e.stopClock()
		for way, most := range map[string]int{"2001:db8:9:9::%x": 20, "2001:db8:7:%x::1": 60} {
			misses := 0
			for i, code := range guesses(t, e, 100, false) {
				if _, what, _ := e.lookUp(from(fmt.Sprintf(way, i)), code, ""); what == requests.Miss {
					misses++
				}
			}
			if misses != most {
				t.Errorf("%s: %d misses", way, misses)
			}
		}
	})
	t.Run("a distributed scanner is slowed; a private link is not", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		e.stopClock()
		receipt := e.send(t, submission("Help"))
		misses := 0
		for i, code := range guesses(t, e, 700, false) {
			if _, what, _ := e.lookUp(from(address(i)), code, ""); what == requests.Miss {
				misses++
			}
		}
		if misses != 600 {
			t.Errorf("%d misses within a minute", misses)
		}
		e.track(t, receipt.Code, receipt.Token)
	})
}

func TestStopKeepsLookups(t *testing.T) {
	t.Parallel()
	e := withForm(t, 1)
	e.track(t, e.send(t, submission("Help")).Code, "")
	domaintest.Must(t, e.Close(context.Background()))
	e.Counts(t, 11, "SELECT COALESCE(SUM(hits), 0) * 10 + (SELECT COALESCE(SUM(popped), 0) FROM ref_sample) FROM lookup_hour")
}

func TestForgetLookups(t *testing.T) {
	t.Parallel()
	e := withForm(t, 1)
	receipt := e.send(t, submission("Help"))
	e.track(t, receipt.Code, "")
	e.lookups(t)
	domaintest.Exec(t, e.DB, "UPDATE public_limit SET last_at = last_at - INTERVAL 3 DAY")
	domaintest.Exec(t, e.DB, "UPDATE lookup_hour SET hour = hour - INTERVAL 31 DAY")
	e.track(t, receipt.Code, "")
	e.lookups(t)
	n, err := e.Workflows.ForgetLookups(context.Background())
	if err != nil || n == 0 {
		t.Error(n, err)
	}
	e.Counts(t, 1, "SELECT (SELECT COUNT(*) FROM public_limit) * 100 + COUNT(*) FROM lookup_hour")
}
