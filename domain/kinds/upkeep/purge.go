package upkeep

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// purgePage is how many deleted tickets are read at once.
const purgePage = 500

// purgeTask is a task of purge-deleted: a ticket that was deleted.
type purgeTask struct {
	Ticket tickets.ID  `json:"ticket"`
	Board  id.Board    `json:"board"`
	Key    tickets.Key `json:"key"`
	At     time.Time   `json:"deleted_at"`
}

// purgeDeleted removes for good what cannot be restored any more.
func (m *Upkeep) purgeDeleted() *migrations.Migration {
	kept := int64(tickets.KeepDeleted / (24 * time.Hour))
	return &migrations.Migration{
		Name: "purge-deleted", Title: "Purge deleted tickets",
		Description: "Permanently removes tickets that were deleted long ago, with their history, comments, notifications and old keys. They cannot be restored, and their numbers are never used again. One that a consumer or webhook of the feeds has not read yet stays for a later run, until it was deleted 90 days ago.",
		Params: []migrations.Param{
			kinds.CompanyParam(false),
			{Name: "days", Label: "Deleted more than this many days ago", Kind: migrations.Number, Required: true,
				Default: strconv.FormatInt(kept, 10), Min: kept, Max: 36_500, Help: "At least 30: until then they can be restored."},
		},
		Check: func(ctx context.Context, values migrations.Values) error {
			_, err := kinds.CompanyOf(ctx, m.db.Queries, values)
			return err
		},
		Fill:    m.fillPurge,
		Write:   writePurge,
		Preview: m.previewPurge,
		Label:   purgeLabel,
		Knobs:   migrations.Knobs{Concurrency: 2, Block: 20},
	}
}

// purgeBefore is the present time, and the time before which deletions are purged: by the database's clock, because a
// server's may be fast by weeks, and a purge cannot be undone.
func purgeBefore(ctx context.Context, q *db.Queries, values migrations.Values) (now, before time.Time, err error) {
	days, err := strconv.Atoi(values["days"])
	if err != nil {
		return now, before, migrations.Permanent{Err: fmt.Errorf("read days: %w", err)}
	}
	now, err = db.Read(q.Clock(ctx))
	if err != nil {
		return now, before, fmt.Errorf("read the time: %w", err)
	}
	return now, now.Add(-max(tickets.KeepDeleted, time.Duration(days)*24*time.Hour)), nil
}

// fillPurging's cursor is a board and the cursor of its deleted tickets.
func (m *Upkeep) fillPurge(ctx context.Context, into migrations.Filler) error {
	company, err := kinds.CompanyOf(ctx, m.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	_, before, err := purgeBefore(ctx, m.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	var from id.Board
	var micros int64
	var ticket tickets.ID
	_, _ = fmt.Sscanf(into.Cursor(), "%d %d %d", &from, &micros, &ticket)
	return kinds.EachBoard(ctx, m.bulk.Queries, company, from, func(board db.BoardsAfterRow) error {
		after := tickets.DeletedCursor{At: time.UnixMicro(0).UTC()}
		if board.ID == from {
			after = tickets.DeletedCursor{At: time.UnixMicro(micros).UTC(), ID: ticket}
		}
		for next := &after; next != nil; {
			list, more, err := tickets.DeletedBefore(ctx, m.bulk.Queries, board.ID, board.Slug, before, *next, purgePage)
			if err != nil {
				return err
			}
			for _, deleted := range list {
				payload, err := json.Marshal(purgeTask{deleted.ID, board.ID, deleted.Key, deleted.At})
				if err != nil {
					return fmt.Errorf("write payload: %w", err)
				}
				cursor := fmt.Sprintf("%d %d %d", board.ID, deleted.At.UnixMicro(), deleted.ID)
				if err := into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: cursor}); err != nil {
					return err
				}
			}
			next = more
		}
		return nil
	})
}

func purgeLabel(payload string) string {
	var p purgeTask
	if json.Unmarshal([]byte(payload), &p) != nil {
		return ""
	}
	return fmt.Sprintf("%s, deleted on %s", p.Key, p.At.UTC().Format("2 January 2006"))
}

func purgingOf(work *migrations.Work) (p purgeTask, err error) {
	if err := json.Unmarshal([]byte(work.Task.Payload), &p); err != nil {
		return p, migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return p, nil
}

func writePurge(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	var ids []tickets.ID
	var on []id.Board
	of := map[*migrations.Work]purgeTask{}
	now, before, err := purgeBefore(ctx, tx.Queries, works[0].Values) // of the run
	if err != nil {
		return err
	}
	for _, work := range works {
		p, err := purgingOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		of[work] = p
		ids, on = append(ids, p.Ticket), append(on, p.Board)
	}
	if len(ids) == 0 {
		return nil
	}
	passed, err := passedPositions(ctx, tx)
	if err != nil {
		return err
	}
	left, err := tickets.BoardsLeft(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	if err := boards.LockNumbers(ctx, tx, append(on, left...)); err != nil {
		return err
	}
	slices.Sort(ids)
	done, err := tickets.PurgeRule{Now: now, Before: before, Passed: passed}.Purge(ctx, tx, ids)
	if err != nil {
		return err
	}
	for board, n := range done.Numbers {
		if err := boards.CountPurged(ctx, tx, board, n); err != nil {
			return err
		}
	}
	for work, p := range of {
		switch {
		case done.Gone[p.Ticket]:
			work.Note(p.Key.String() + " was removed.")
		case done.Waiting[p.Ticket]:
			work.Note(p.Key.String() +
				" stays for the next run: a consumer or webhook has not read its deletion yet.")
		default:
			work.Note(p.Key.String() + " was restored in the meantime, or is already gone. It was left alone.")
		}
	}
	if err := feeds.RaiseHorizon(ctx, tx, "comments", done.To.Comments); err != nil {
		return err
	}
	return feeds.RaiseHorizon(ctx, tx, "tickets", done.To.Tickets)
}

// passedPositions are the positions that all readers of tickets and comments have passed.
func passedPositions(ctx context.Context, tx *db.Tx) (p tickets.FeedPositions, err error) {
	if p.Tickets, err = feeds.PassedPosition(ctx, tx.Queries, "tickets"); err != nil {
		return p, err
	}
	p.Comments, err = feeds.PassedPosition(ctx, tx.Queries, "comments")
	return p, err
}

// previewPurge is writePurging's result for one ticket.
func (m *Upkeep) previewPurge(ctx context.Context, work *migrations.Work) (note string, err error) {
	p, err := purgingOf(work)
	if err != nil {
		return "", err
	}
	err = m.bulk.InTx(ctx, func(tx *db.Tx) error {
		now, before, err := purgeBefore(ctx, tx.Queries, work.Values)
		if err != nil {
			return err
		}
		passed, err := passedPositions(ctx, tx)
		if err != nil {
			return err
		}
		would, err := tickets.PurgeRule{Now: now, Before: before, Passed: passed}.Preview(ctx, tx, []tickets.ID{p.Ticket})
		if err != nil {
			return err
		}
		switch {
		case would.Gone[p.Ticket]:
			note = fmt.Sprintf("Would remove %s, deleted %s.", p.Key, p.At.Format("2006-01-02"))
		case would.Waiting[p.Ticket]:
			note = fmt.Sprintf("Would leave %s, deleted %s, for a later run: a consumer or webhook has not read its deletion yet.", p.Key, p.At.Format("2006-01-02"))
		default:
			note = p.Key.String() + " was restored in the meantime, or is already gone. It would be left alone."
		}
		return nil
	})
	return note, err
}
