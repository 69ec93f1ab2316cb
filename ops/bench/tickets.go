package bench

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// TicketLoad is Writers at once on each of the Boards, Each tickets by each writer.
type TicketLoad struct {
	Boards, Writers, Each int
}

// strategy hands out a number on a board, inserts the ticket, and returns the number.
type strategy struct {
	name string
	note string
	open func(ctx context.Context, board boards.Board, title string) (number uint64, err error)
}

// Tickets measures ways to number and insert tickets, all into the real table of an empty scratch
// database, one after the other, each on boards of its own.
func Tickets(ctx context.Context, d *db.DB, load TicketLoad) (Report, error) {
	d.Connections(load.Boards*load.Writers + 10)
	report, err := newReport(ctx, d)
	if err != nil {
		return Report{}, err
	}
	w := app.New(d)
	defer w.Close(ctx)
	actor, _, _, err := w.Workflows.SetUp(ctx, workflows.Setup{Company: "Bench", Name: "Bench", Email: "bench@example.com",
		Password: "not a secret at all"})
	if err != nil {
		return Report{}, err
	}
	ctx = accounts.WithActor(ctx, actor)
	rival := rivals{d.SQL, actor.Account.ID}
	strategies := []strategy{
		{"serializable", "one SERIALIZABLE transaction: update, read, insert", rival.serializable},
		{"two commits", "UPDATE … LAST_INSERT_ID, then INSERT", rival.twoCommits},
		{"one transaction", "the same in one transaction", rival.oneTransaction},
		{"max+1", "expected to fail: two writers read one maximum, the unique index refuses the second", rival.maxPlusOne},
		{"floor", "INSERT of one row, no number handed out", (&floor{rivals: rival}).insert},
		{"ours", "whole workflow: column, number, rank, ticket, activity",
			func(ctx context.Context, board boards.Board, title string) (uint64, error) {
				ticket, err := w.Workflows.OpenTicket(ctx, board.Slug, tickets.Draft{Title: title}, nil)
				return ticket.Key.Number, err
			}},
	}
	for i, s := range strategies {
		row, err := measure(ctx, d, w, load, i, s)
		if err != nil {
			return Report{}, fmt.Errorf("%s: %w", s.name, err)
		}
		report.Rows = append(report.Rows, row)
	}
	return report, nil
}

func measure(ctx context.Context, d *db.DB, w *app.App, load TicketLoad, nth int, s strategy) (Row, error) {
	list := make([]boards.Board, load.Boards)
	for i := range list {
		var err error
		if list[i], err = w.Workflows.OpenBoard(ctx, boards.Draft{Slug: fmt.Sprintf("S%dB%d", nth, i), Title: s.name},
			nil); err != nil {
			return Row{}, err
		}
	}
	var mu sync.Mutex
	handedOut := map[tickets.Key]uint64{}
	times, all, errs := crowd(load.Boards*load.Writers, load.Each, func(writer, round int) error {
		board := list[writer%load.Boards]
		number, err := s.open(ctx, board, fmt.Sprintf("Ticket %d of writer %d", round, writer))
		if number > 0 {
			mu.Lock()
			handedOut[tickets.Key{Board: board.Slug, Number: number}]++
			mu.Unlock()
		}
		return err
	})
	slices.Sort(times)
	row := Row{
		Strategy: s.name, Note: s.note, PerSecond: float64(len(times)) / all.Seconds(), P50: quantile(times, 0.5),
		P99:    quantile(times, 0.99),
		Errors: uint64(len(errs)), Deadlocks: to(uint64(0)),
	}
	for _, n := range handedOut {
		row.Duplicates += n - 1
	}
	for _, err := range errs {
		if db.IsDeadlock(err) {
			*row.Deadlocks++
		}
	}
	return row, check(ctx, d.SQL, &row, list)
}

// check reads the strategy's outcome from the table.
func check(ctx context.Context, conn *sql.DB, row *Row, list []boards.Board) error {
	for _, board := range list {
		var count, highest uint64
		err := conn.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(MAX(local_id), 0) FROM ticket WHERE board_id = ?",
			uint64(board.ID)).Scan(&count, &highest)
		if err != nil {
			return fmt.Errorf("count tickets: %w", err)
		}
		row.Boards = append(row.Boards, Board{Count: count, Max: highest})
		row.Gaps += highest - count
	}
	return nil
}

// rivals are the other ways, in their plainest form.
type rivals struct {
	conn   *sql.DB
	author accounts.ID
}

const insertTicket = `INSERT INTO ticket (board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at)
VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, ?)`

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func (r rivals) insertInto(ctx context.Context, conn execer, board boards.Board, number uint64, title string) error {
	now := time.Now().UTC()
	_, err := conn.ExecContext(ctx, insertTicket, uint64(board.ID), number, uint64(board.Columns[0].ID),
		int64(number)*tickets.Gap, title, uint64(r.author), now, now, now)
	return err
}

func (r rivals) take(ctx context.Context, conn execer, board boards.Board) (uint64, error) {
	result, err := conn.ExecContext(ctx,
		"UPDATE board_ticket_incrementer SET max_ticket_id = LAST_INSERT_ID(max_ticket_id + 1) WHERE board_id = ?",
		uint64(board.ID))
	if err != nil {
		return 0, err
	}
	number, err := result.LastInsertId()
	return uint64(number), err
}

func (r rivals) twoCommits(ctx context.Context, board boards.Board, title string) (uint64, error) {
	number, err := r.take(ctx, r.conn, board)
	if err != nil {
		return 0, err
	}
	return number, r.insertInto(ctx, r.conn, board, number, title)
}

func (r rivals) oneTransaction(ctx context.Context, board boards.Board, title string) (number uint64, err error) {
	return r.within(ctx, sql.LevelDefault, func(tx *sql.Tx) (uint64, error) {
		number, err := r.take(ctx, tx, board)
		if err != nil {
			return 0, err
		}
		return number, r.insertInto(ctx, tx, board, number, title)
	})
}

func (r rivals) serializable(ctx context.Context, board boards.Board, title string) (uint64, error) {
	return r.within(ctx, sql.LevelSerializable, func(tx *sql.Tx) (number uint64, err error) {
		if _, err := tx.ExecContext(ctx,
			"UPDATE board_ticket_incrementer SET max_ticket_id = max_ticket_id + 1 WHERE board_id = ?",
			uint64(board.ID)); err != nil {
			return 0, err
		}
		if err := tx.QueryRowContext(ctx, "SELECT max_ticket_id FROM board_ticket_incrementer WHERE board_id = ?",
			uint64(board.ID)).Scan(&number); err != nil {
			return 0, err
		}
		return number, r.insertInto(ctx, tx, board, number, title)
	})
}

func (r rivals) maxPlusOne(ctx context.Context, board boards.Board, title string) (number uint64, err error) {
	if err := r.conn.QueryRowContext(ctx, "SELECT COALESCE(MAX(local_id), 0) + 1 FROM ticket WHERE board_id = ?",
		uint64(board.ID)).Scan(&number); err != nil {
		return 0, err
	}
	return number, r.insertInto(ctx, r.conn, board, number, title)
}

// within runs fn in a transaction and returns its number once that is committed.
func (r rivals) within(
	ctx context.Context, level sql.IsolationLevel, fn func(tx *sql.Tx) (uint64, error),
) (uint64, error) {
	tx, err := r.conn.BeginTx(ctx, &sql.TxOptions{Isolation: level})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	number, err := fn(tx)
	if err != nil {
		return 0, err
	}
	return number, tx.Commit()
}

// floor counts in this process, which is correct only with one process
type floor struct {
	rivals
	last sync.Map // boards.ID to *atomic.Uint64
}

func (f *floor) insert(ctx context.Context, board boards.Board, title string) (uint64, error) {
	counter, _ := f.last.LoadOrStore(board.ID, new(atomic.Uint64))
	number := counter.(*atomic.Uint64).Add(1)
	return number, f.insertInto(ctx, f.conn, board, number, title)
}
