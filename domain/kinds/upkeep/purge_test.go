package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// deletedAgo deletes tickets as if that had been so many days ago.
func (e *env) deletedAgo(t testing.TB, days int, keys ...tickets.Key) {
	t.Helper()
	for _, key := range keys {
		ticket := domaintest.OK(e.Workflows.Ticket(e.Ctx, key))(t)
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, key))
		e.Exec(t, "UPDATE ticket SET deleted_at = deleted_at - INTERVAL ? DAY WHERE id = ?", days, uint64(ticket.ID))
	}
	e.Publish(t)
}

var monthOld = migrations.Values{"company": "", "days": "30"}

func TestPurgeDeleted(t *testing.T) {
	t.Parallel()

	t.Run("a server whose clock is fast by a month removes nothing that can still be restored", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 2)
		e.deletedAgo(t, 31, keys...)
		found := e.BareRun(t, "purge-deleted", 1, monthOld).Tasks
		e.Exec(t, "UPDATE ticket SET deleted_at = deleted_at + INTERVAL 2 DAY WHERE local_id = ?", keys[0].Number)
		e.DB.SetClock(func() time.Time { return time.Now().Add(32 * 24 * time.Hour) })
		fast := e.BareRun(t, "purge-deleted", 1, monthOld)
		if len(found) != 2 || len(fast.Tasks) != 1 {
			t.Errorf("%d tickets are to be purged, not 1 of %d", len(fast.Tasks), len(found))
		}
		fast.Do(t, found...)
		e.Counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE board_id = ?", uint64(board.ID))
	})

	t.Run("nor one that is not heard of yet, before the database says that 90 days are over", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 1)
		e.Publish(t)
		end := domaintest.OK(e.Feeds.End(context.Background(), "tickets"))(t)
		e.Exec(t, `INSERT INTO feed_consumer (company_id, feed, name, epoch, position, began, created_by, created_at, seen_at)
			VALUES (?, ?, 'slow', ?, ?, ?, ?, NOW(6), NOW(6))`, uint64(e.Actor.Company.ID), end.Feed, end.Epoch, end.Position, end.Began, uint64(e.Actor.Account.ID))
		e.deletedAgo(t, 31, keys...)
		e.DB.SetClock(func() time.Time { return time.Now().Add(60 * 24 * time.Hour) })
		b := e.BareRun(t, "purge-deleted", 1, monthOld)
		b.Do(t, b.Tasks...)
		if n := e.Count(t, "SELECT COUNT(*) FROM ticket WHERE board_id = ?", uint64(board.ID)); len(b.Tasks) != 1 || n != 1 {
			t.Errorf("%d of %d are left", n, len(b.Tasks))
		}
	})

	t.Run("a ticket goes with all that hangs on it, and its numbers are never used again", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board, other := e.Board(t, "NINJA"), e.Board(t, "OTHER")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 4)
		moved, _, err := e.Workflows.MoveTicket(e.Ctx, keys[1], tickets.Intent{Board: "OTHER", Column: other.Columns[0].ID})
		domaintest.Must(t, err)
		bob := e.As(t, "Bob", "member")
		daily := domaintest.OK(recurrence.ParsePlan("FREQ=DAILY", "due", "UTC"))(t)
		due := tickets.Day(2040, time.January, 2)
		for _, key := range []tickets.Key{keys[0], moved.Ticket.Key, keys[3]} {
			_, _, err := e.Workflows.SetProperties(e.Ctx, key, tickets.PropertyEdit{Due: &due})
			domaintest.Must(t, err)
			_, _, err = e.Workflows.SetRecurrence(e.Ctx, key, &daily)
			domaintest.Must(t, err)
		}
		for _, key := range []tickets.Key{keys[0], moved.Ticket.Key} {
			domaintest.OK(e.Workflows.SetAssignees(e.Ctx, key, []string{"ana", "bob"}))(t)
			_, _, err := e.Workflows.SetLabels(e.Ctx, key, []string{"bug"})
			domaintest.Must(t, err)
			_, _, err = e.Workflows.Relate(e.Ctx, key, tickets.Blocks, keys[3]) // which stays
			domaintest.Must(t, err)
			said := domaintest.OK(e.Workflows.Comment(bob, key, "What of it, @ana?", nil))(t)
			domaintest.OK(e.Workflows.React(bob, key, said.Comment.ID, 1, true))(t)
			rash := domaintest.OK(e.Workflows.Comment(bob, key, "Never mind", nil))(t)
			domaintest.OK(e.Workflows.DeleteComment(bob, key, rash.Comment.ID))(t)
			ticket := domaintest.OK(e.Workflows.Ticket(e.Ctx, key))(t)
			domaintest.OK(e.Workflows.Comment(e.Ctx, keys[3], "As "+key.String(), nil))(t)
			domaintest.OK(e.Workflows.Comment(e.Ctx, key, "As "+keys[3].String(), nil))(t)
			e.Exec(t, "INSERT INTO occurrence (recurrence_id, occurs_at, ticket_id) SELECT id, '2020-01-01' + INTERVAL ? DAY, ? FROM recurrence WHERE ticket_id = (SELECT id FROM ticket WHERE local_id = 4 AND board_id = ?)",
				uint64(ticket.ID), uint64(ticket.ID), uint64(board.ID)) // of a recurrence that stays
			e.Exec(t, "INSERT INTO watcher (ticket_id, account_id) SELECT ?, MIN(id) FROM account ON DUPLICATE KEY UPDATE muted = TRUE", uint64(ticket.ID))
			e.Exec(t, "INSERT INTO ticket_origin (company_id, external_id, ticket_id, created_at) VALUES (1, ?, ?, '2026-01-01')", "OLD-"+fmt.Sprint(ticket.ID), uint64(ticket.ID))
			e.Exec(t, "INSERT INTO picture (ticket_id, url_hash, url, company_id, account_id, queued_at) SELECT ?, UNHEX(SHA2('x', 256)), 'x', 1, MIN(id), '2026-01-01' FROM account", uint64(ticket.ID))
			e.Exec(t, "INSERT INTO stored_file (hash, bytes, content_type, image_type, image_bytes, width, height, created_at, generation) VALUES (UNHEX(SHA2(?, 256)), 7, 'text/plain', '', 0, 0, 0, '2026-01-01', 1)", uint64(ticket.ID))
			e.Exec(t, "INSERT INTO attachment (company_id, ticket_id, account_id, hash, name, created_at) SELECT 1, ?, MIN(id), UNHEX(SHA2(?, 256)), 'x', '2026-01-01' FROM account", uint64(ticket.ID), uint64(ticket.ID))
			e.Exec(t, "INSERT INTO company_storage (company_id, used) VALUES (1, 7) ON DUPLICATE KEY UPDATE used = used + 7")
			e.Exec(t, "INSERT INTO ticket_request (ticket_id, code, email, form_hash, created_at) VALUES (?, ?, '', UNHEX(SHA2(?, 256)), '2026-01-01')", uint64(ticket.ID), fmt.Sprint("c", 1000+uint64(ticket.ID)), uint64(ticket.ID))
			e.Exec(t, `INSERT INTO webhook (company_id, url, note, feeds, filter, secret, state, due_at, lease_ends, created_by, created_at, updated_at)
				SELECT 1, 'http://127.0.0.1:9/hook', '', 'tickets', 'label:bug', UNHEX(SHA2('s', 256)), 'off', NOW(6), NOW(6), MIN(id), NOW(6), NOW(6) FROM account`)
			e.Exec(t, "INSERT INTO webhook_ticket (webhook_id, ticket_id) SELECT MAX(id), ? FROM webhook", uint64(ticket.ID))
			e.deletedAgo(t, 31, key)
		}
		e.deletedAgo(t, 29, keys[2])
		tables := e.hangingOn(t, "ticket")
		for table, column := range tables {
			if e.Count(t, "SELECT COUNT(*) FROM "+table+" WHERE "+column+" IN (SELECT id FROM ticket WHERE deleted_at < NOW() - INTERVAL 30 DAY)") == 0 {
				t.Errorf("%s has no row of a ticket that is to be purged, so nothing of it is proved", table)
			}
		}
		b := e.BareRun(t, "purge-deleted", 1, monthOld)
		if len(b.Tasks) != 2 {
			t.Fatalf("%d tickets are to be purged", len(b.Tasks))
		}
		if preview, err := b.Preview(context.Background(), b.Works(b.Tasks)[0]); err != nil ||
			!strings.HasPrefix(preview, "Would remove NINJA-1, deleted 20") {
			t.Errorf("%q, %v", preview, err)
		}
		b.Do(t, b.Tasks...)
		for table, column := range tables {
			e.Counts(t, 0, "SELECT COUNT(*) FROM "+table+" x LEFT JOIN ticket t ON t.id = x."+column+" WHERE t.id IS NULL")
		}
		e.Counts(t, 2, "SELECT COUNT(*) FROM ticket WHERE board_id IN (?, ?)", uint64(board.ID), uint64(other.ID))
		for slug, want := range map[string]int{"NINJA": 2, "OTHER": 1} {
			e.Counts(t, want, "SELECT i.purged FROM board_ticket_incrementer i JOIN board b ON b.id = i.board_id WHERE b.slug = ?", slug)
		}
		e.Sound(t)
		for _, key := range []tickets.Key{keys[0], keys[1], moved.Ticket.Key} {
			_, err := e.Workflows.Ticket(e.Ctx, key)
			if !errors.Is(err, fault.NotFound) || !errors.Is(err, tickets.CodePurged) ||
				!strings.Contains(fault.Message(err), "gone for good") {
				t.Errorf("%s: %v", key, err)
			}
			if _, _, err := e.Workflows.RestoreTicket(e.Ctx, key); !errors.Is(err, tickets.CodePurged) {
				t.Errorf("restoring %s: %v", key, err)
			}
		}
		for _, key := range []tickets.Key{keys[2], {Board: "NINJA", Number: 99}, {Board: "NOWHERE", Number: 1}} {
			if _, err := e.Workflows.Ticket(e.Ctx, key); !errors.Is(err, tickets.CodeNotFound) {
				t.Errorf("%s: %v", key, err)
			}
		}
		if key := e.Open(t, "NINJA", board.Columns[0].ID, 1)[0]; key.Number != 5 {
			t.Errorf("the next ticket is %s", key)
		}
		b.Do(t, b.Tasks...) // once more, as after a crash
		if preview, err := b.Preview(context.Background(), b.Works(b.Tasks)[0]); err != nil ||
			preview != "NINJA-1 was restored in the meantime, or is already gone. It would be left alone." {
			t.Errorf("%q, %v", preview, err)
		}
		e.Counts(t, 3, "SELECT SUM(purged) FROM board_ticket_incrementer")
	})

}

func TestPurgeDeletedKeeps(t *testing.T) {
	t.Parallel()
	t.Run("tickets restored in the meantime stay", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 40)
		for _, key := range keys {
			domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, key))
		}
		e.Exec(t, "UPDATE ticket SET deleted_at = deleted_at - INTERVAL 31 DAY WHERE deleted_at IS NOT NULL")
		e.Publish(t)
		b := e.BareRun(t, "purge-deleted", 1, monthOld)
		e.Exec(t, "UPDATE ticket SET deleted_at = deleted_at + INTERVAL 20 DAY WHERE deleted_at IS NOT NULL AND id % 2 = 0") // these can be restored
		var group sync.WaitGroup
		var restored sync.Map
		for part := range slices.Chunk(b.Tasks, 8) {
			group.Go(func() { b.Do(t, part...) })
		}
		for _, key := range keys {
			group.Go(func() {
				if _, _, err := e.Workflows.RestoreTicket(e.Ctx, key); err == nil {
					restored.Store(key, true)
				} else if !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.NotFound) {
					t.Errorf("%s: %v", key, err)
				}
			})
		}
		group.Wait()
		for _, key := range keys {
			_, wanted := restored.Load(key)
			if _, err := e.Workflows.Ticket(e.Ctx, key); (err == nil) != wanted {
				t.Errorf("%s, restored: %v; %v", key, wanted, err)
			}
		}
		if there, purged := e.Count(t, "SELECT COUNT(*) FROM ticket WHERE board_id = ?", uint64(board.ID)),
			e.Count(t, "SELECT SUM(purged) FROM board_ticket_incrementer"); there != 20 || purged != 20 {
			t.Errorf("%d are there, %d were purged", there, purged)
		}
		e.Sound(t)
	})
	t.Run("tickets that a consumer has not read stay", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ctx := context.Background()
		board := e.Board(t, "NINJA")
		keys := e.Open(t, "NINJA", board.Columns[0].ID, 2)
		domaintest.OK(e.Workflows.Comment(e.Ctx, keys[0], "Farewell", nil))(t)
		e.Publish(t)
		end := domaintest.OK(e.Feeds.End(ctx, "tickets"))(t)
		e.deletedAgo(t, 31, keys...)
		scope := feeds.Scope{Sight: e.Actor.Sight()}
		commentsEnd := domaintest.OK(e.Feeds.End(ctx, "comments"))(t)
		consumer := func(name string, at feeds.Cursor) {
			e.Exec(t, `INSERT INTO feed_consumer (company_id, feed, name, epoch, position, began, created_by, created_at, seen_at)
				VALUES (?, ?, ?, ?, ?, ?, ?, NOW(6), NOW(6))`, uint64(e.Actor.Company.ID), at.Feed, name, at.Epoch, at.Position, at.Began, uint64(e.Actor.Account.ID))
		}
		left := func() int {
			b := e.BareRun(t, "purge-deleted", 1, monthOld)
			would := 0
			for _, work := range b.Works(b.Tasks) {
				preview, err := b.Preview(ctx, work)
				if err != nil {
					t.Error(err)
				}
				if strings.HasPrefix(preview, "Would leave NINJA-") && strings.HasSuffix(preview,
					"has not read its deletion yet.") {
					would++
				} else if !strings.HasPrefix(preview, "Would remove NINJA-") {
					t.Error(preview)
				}
			}
			b.Do(t, b.Tasks...)
			n := e.Count(t, "SELECT COUNT(*) FROM ticket WHERE deleted_at IS NOT NULL")
			if would != n {
				t.Errorf("a dry run says of %d that they stay; %d are left", would, n)
			}
			return n
		}
		earlier := end
		earlier.Epoch--
		consumer("of an epoch before", earlier)
		consumer("slow", end)
		if n := left(); n != 2 {
			t.Fatalf("%d of 2 are left before the deletions were read", n)
		}
		e.Exec(t, "DELETE FROM feed_consumer WHERE name = 'slow'")
		e.Exec(t, "UPDATE comment SET feed_sync_id = NULL")
		if n := left(); n != 1 {
			t.Errorf("%d are left; the one whose comment is not published is to be", n)
		}
		e.Publish(t)
		commentsEnd.Position--
		consumer("of comments", commentsEnd)
		if n := left(); n != 1 {
			t.Errorf("%d are left; the one whose comment somebody has not heard of is to be", n)
		}
		e.Exec(t, "UPDATE ticket SET deleted_at = deleted_at - INTERVAL 60 DAY WHERE deleted_at IS NOT NULL")
		if n := left(); n != 0 {
			t.Errorf("%d are left after 91 days", n)
		}
		for feed, cursor := range map[string]feeds.Cursor{"tickets": end, "comments": commentsEnd} {
			if _, err := e.Feeds.Read(ctx, cursor, 10, scope); !errors.Is(err, feeds.CodeCursorExpired) {
				t.Errorf("%s from before the deletion: %v", feed, err)
			}
			now := domaintest.OK(e.Feeds.End(ctx, feed))(t)
			if _, err := e.Feeds.Read(ctx, now, 10, scope); err != nil {
				t.Errorf("%s from its end: %v", feed, err)
			}
			if _, err := e.Feeds.Read(ctx, feeds.Cursor{Epoch: now.Epoch, Feed: feed}, 10, scope); err != nil {
				t.Errorf("%s from its start: %v", feed, err)
			}
		}
	})
	t.Run("a company's leaves the others alone, and the fill resumes at its cursor", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		company := domaintest.OK(e.Console.OpenCompany(e.Ctx, "Other", "other", nil))(t)
		for _, slug := range []string{"ONE", "TWO"} {
			board := e.Board(t, slug)
			e.deletedAgo(t, 40, e.Open(t, slug, board.Columns[0].ID, 3)...)
		}
		e.Exec(t, "UPDATE ticket SET deleted_at = '2026-01-01' WHERE deleted_at IS NOT NULL") // all at one time
		if b := e.BareRun(t, "purge-deleted", 1,
			migrations.Values{"company": company.Slug, "days": "30"}); len(b.Tasks) != 0 {
			t.Errorf("%v", b.Tasks)
		}
		whole := e.BareRun(t, "purge-deleted", 1, migrations.Values{"company": "acme", "days": "30"})
		for until := 1; until <= 6; until++ {
			part := whole.Again(until)
			err := part.Fill(context.Background(), part)
			part.Until = 0
			if until < 6 && !errors.As(err, new(apptest.Stopped)) {
				t.Error(err)
			}
			if err := part.Fill(context.Background(), part); err != nil || !slices.Equal(part.Tasks, whole.Tasks) ||
				len(whole.Tasks) != 6 {
				t.Errorf("%v: %v, want %v", err, part.Tasks, whole.Tasks)
			}
		}
	})
}

// hangingOn returns the tables that name rows of another, each with its column.
func (e *env) hangingOn(t testing.TB, parent string) map[string]string {
	t.Helper()
	rows := domaintest.OK(
		e.DB.SQL.Query("SELECT table_name, column_name FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND referenced_table_name = ?", parent))(t)
	defer rows.Close()
	found := map[string]string{}
	for rows.Next() {
		var table, column string
		domaintest.Must(t, rows.Scan(&table, &column))
		found[table] = column
	}
	return found
}
