package tickets_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

var ctx = context.Background()

type board struct {
	id      id.Board
	slug    string
	columns []id.Column
}

// fixture is a company with the boards NINJA and PIRATE of two columns each, and two members.
type fixture struct {
	*db.DB
	company       id.Company
	ninja, pirate board
	ann, ben      tickets.User
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{DB: dbtest.Open(t)}
	f.company = id.Company(domaintest.Exec(t, f.DB,
		"INSERT INTO company (slug, name, created_at) VALUES ('acme', 'Acme', NOW(6))"))
	f.ninja, f.pirate = f.board(t, "NINJA"), f.board(t, "PIRATE")
	f.ann, f.ben = f.member(t, "Ann"), f.member(t, "Ben")
	return f
}

func (f *fixture) board(t *testing.T, slug string) board {
	t.Helper()
	n := domaintest.Exec(t, f.DB, `INSERT INTO board (company_id, slug, title, created_at, updated_at)
		VALUES (?, ?, ?, NOW(6), NOW(6))`, uint64(f.company), slug, slug)
	domaintest.Exec(t, f.DB, "INSERT INTO board_slug (company_id, slug, board_id, created_at) VALUES (?, ?, ?, NOW(6))",
		uint64(f.company), slug, n)
	domaintest.Exec(t, f.DB, "INSERT INTO board_ticket_incrementer (board_id) VALUES (?)", n)
	b := board{id: id.Board(n), slug: slug}
	return board{b.id, slug, []id.Column{f.column(t, b), f.column(t, b)}}
}

// column adds a column to a board.
func (f *fixture) column(t *testing.T, b board) id.Column {
	t.Helper()
	n := domaintest.Number(t, f.DB, "SELECT COUNT(*) FROM board_column WHERE board_id = ?", uint64(b.id))
	return id.Column(domaintest.Exec(t, f.DB, "INSERT INTO board_column (board_id, name, position) VALUES (?, 'x', ?)",
		uint64(b.id), n))
}

func (f *fixture) member(t *testing.T, name string) tickets.User {
	t.Helper()
	return tickets.User{Name: name,
		ID: domaintest.Member(t, f.DB, f.company, name, strings.ToLower(name)+"@example.com", "member", "")}
}

// open adds tickets by Ann at the end of a column of a board, and returns what Open does.
func (f *fixture) open(b board, column id.Column, titles ...string) (opened []tickets.Ticket, err error) {
	err = f.InTx(ctx, func(tx *db.Tx) error {
		last, err := allocate(tx, b, len(titles))
		if err != nil {
			return err
		}
		rank, err := lastRank(tx, column)
		if err != nil {
			return err
		}
		rows := make([]tickets.Row, len(titles))
		for i, title := range titles {
			rank += tickets.Gap
			rows[i] = tickets.Row{Key: tickets.Key{Board: b.slug, Number: last - uint64(len(titles)-1-i)},
				Column: column, Rank: rank,
				NewTicket: tickets.NewTicket{Author: f.ann, Draft: tickets.Draft{Title: title, Description: "of " + title}}}
		}
		if _, err := tx.RaiseLastRank(ctx, rank, column); err != nil {
			return err
		}
		opened, err = tickets.Open(ctx, tx, b.id, rows)
		return err
	})
	return opened, err
}

// opens opens n tickets in a column, and returns them as they are read.
func (f *fixture) opens(t *testing.T, b board, column id.Column, n int) []tickets.Ticket {
	t.Helper()
	titles := make([]string, n)
	for i := range titles {
		titles[i] = fmt.Sprint("Ticket ", i+1)
	}
	domaintest.OK(f.open(b, column, titles...))(t)
	return f.inColumn(t, b, column)
}

// inColumn returns the tickets of a column, in board order.
func (f *fixture) inColumn(t *testing.T, b board, column id.Column) []tickets.Ticket {
	t.Helper()
	return domaintest.OK(tickets.Below(ctx, f.Queries, b.id, b.slug, column, nil, 5000))(t)
}

func (f *fixture) byKey(t *testing.T, key tickets.Key) tickets.Ticket {
	t.Helper()
	return domaintest.OK(tickets.ByKey(ctx, f.Queries, db.SightOfAll(f.company), key))(t)
}

// allocate returns the last of the next n numbers of a board.
func allocate(tx *db.Tx, b board, n int) (uint64, error) {
	result, err := tx.AllocateNumbers(ctx, uint64(n), b.id)
	if err != nil {
		return 0, err
	}
	last, err := result.LastInsertId()
	return uint64(last), err
}

func lastRank(tx *db.Tx, column id.Column) (rank int64, err error) {
	err = tx.SQL.QueryRow("SELECT last_rank FROM board_column WHERE id = ? FOR UPDATE", uint64(column)).Scan(&rank)
	return rank, err
}

// move moves a ticket, also a deleted one, to a column of a board.
func (f *fixture) move(
	ticket tickets.Ticket, to board, intent tickets.Intent,
) (moved tickets.MoveResult, placed bool, err error) {
	err = f.InTx(ctx, func(tx *db.Tx) error {
		last, err := lastRank(tx, intent.Column)
		if err != nil {
			return err
		}
		now, err := tickets.LockAny(ctx, tx, ticket)
		if err != nil {
			return err
		}
		target := tickets.Target{Board: to.id, Key: now.Key, LastRank: last}
		if to.id != now.Board {
			number, was, err := tickets.NumberOn(ctx, tx.Queries, now.ID, to.id)
			if err != nil {
				return err
			}
			if !was {
				if number, err = allocate(tx, to, 1); err != nil {
					return err
				}
			}
			target.Key = tickets.Key{Board: to.slug, Number: number}
		}
		moved, placed, err = tickets.Move(ctx, tx, now, intent, target)
		return err
	})
	return moved, placed, err
}

func (f *fixture) delete(ticket tickets.Ticket) error {
	return f.InTx(ctx, func(tx *db.Tx) error {
		_, err := tickets.Delete(ctx, tx, ticket, f.ann)
		return err
	})
}

// numbers are those of tickets or cards, in their order.
func numbers[T any](list []T, number func(T) uint64) string {
	var all []string
	for _, one := range list {
		all = append(all, fmt.Sprint(number(one)))
	}
	return strings.Join(all, " ")
}

func numberOf(t tickets.Ticket) uint64 { return t.Key.Number }

func cardNumber(c tickets.Card) uint64 { return c.Key.Number }
