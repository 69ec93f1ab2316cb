package apptest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Board opens a board.
func (e *Env) Board(t testing.TB, slug string) boards.Board {
	t.Helper()
	return domaintest.OK(e.Workflows.OpenBoard(e.Ctx, boards.Draft{Slug: slug, Title: "The " + slug + " board"}, nil))(t)
}

// Open opens n tickets in a column, and returns their keys.
func (e *Env) Open(t testing.TB, slug string, column id.Column, n int) []tickets.Key {
	t.Helper()
	keys := make([]tickets.Key, n)
	for i := range keys {
		ticket := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, slug,
			tickets.Draft{Title: fmt.Sprint("Ticket ", i), Column: column}, nil))(t)
		keys[i] = ticket.Key
	}
	return keys
}

// Fill puts n more tickets into a column, as fast as the database can.
func (e *Env) Fill(t testing.TB, board boards.Board, column id.Column, n int) {
	t.Helper()
	Fill(t, e.DB, e.Actor.Account.ID, board.ID, column, n)
}

// Fill puts n tickets of an account into a column of a board.
func Fill(t testing.TB, d *db.DB, account id.Account, board id.Board, column id.Column, n int) {
	t.Helper()
	conn := domaintest.OK(d.SQL.Conn(t.Context()))(t)
	defer conn.Close()
	do := func(statement string, args ...any) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	// Ten digits' rows, joined with themselves, are known to both databases.
	do("CREATE TEMPORARY TABLE counted (n INT PRIMARY KEY)")
	const digits = "(SELECT 0 AS d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)"
	do("INSERT INTO counted SELECT a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d + 100000 * f.d + 1 AS n FROM "+
		digits+" a, "+digits+" b, "+digits+" c, "+digits+" d, "+digits+" e, "+digits+" f HAVING n <= ?", n)
	do(`INSERT INTO ticket (board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at, closed_at)
		SELECT c.board_id, i.max_ticket_id + x.n, c.id, c.last_rank + x.n * ?, CONCAT('Ticket ', x.n), '', ?, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6),
			UTC_TIMESTAMP(6), IF(c.done, UTC_TIMESTAMP(6), NULL)
		FROM counted x STRAIGHT_JOIN board_column c ON c.id = ? JOIN board_ticket_incrementer i ON i.board_id = c.board_id ORDER BY x.n`,
		tickets.Gap, uint64(account), uint64(column))
	do(`INSERT INTO activity (ticket_id, account_id, kind, detail, created_at)
		SELECT t.id, t.created_by, 'opened', '{}', t.created_at FROM board_ticket_incrementer i JOIN ticket t ON t.board_id = i.board_id AND t.local_id > i.max_ticket_id
		WHERE i.board_id = ?`, uint64(board))
	do("UPDATE board_column SET ticket_count = ticket_count + ?, last_rank = last_rank + ? WHERE id = ?", n, n*tickets.Gap,
		uint64(column))
	do("UPDATE board_ticket_incrementer SET max_ticket_id = max_ticket_id + ? WHERE board_id = ?", n, uint64(board))
	do("DROP TEMPORARY TABLE counted")
}

// Ticket returns a ticket by its key.
func (e *Env) Ticket(t testing.TB, key string) tickets.Ticket {
	t.Helper()
	parsed, err := tickets.ParseKey(key)
	domaintest.Must(t, err)
	ticket, err := e.Workflows.Ticket(e.Ctx, parsed)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return ticket
}

// As returns the context of a new user with that role in the company.
func (e *Env) As(t testing.TB, name, role string) context.Context {
	t.Helper()
	email := strings.ToLower(name) + "@example.com"
	domaintest.Member(t, e.DB, e.Actor.Company.ID, name, email, role, "")
	account := domaintest.OK(accounts.ByEmail(e.Ctx, e.DB.Queries, email))(t)
	actor := domaintest.OK(e.Workflows.Enter(e.Ctx, e.Actor.Company.Slug, account.ID, account.Epoch))(t)
	return accounts.WithActor(context.Background(), actor)
}

// model is a board as lists of ticket numbers, one for each column.
type Model struct {
	Columns map[id.Column][]uint64
}

func (m Model) Find(number uint64) (id.Column, int) {
	for column, list := range m.Columns {
		if i := slices.Index(list, number); i >= 0 {
			return column, i
		}
	}
	return 0, -1
}

func (m Model) Remove(number uint64) {
	column, i := m.Find(number)
	m.Columns[column] = slices.Delete(slices.Clone(m.Columns[column]), i, i+1)
}

// Put moves a number below another, to the top for 0, or to the end if that one is in another column.
func (m Model) Put(number uint64, column id.Column, after uint64) (appended bool) {
	m.Remove(number)
	at := 0
	if after != 0 {
		i := slices.Index(m.Columns[column], after)
		if appended = i < 0; appended {
			i = len(m.Columns[column]) - 1
		}
		at = i + 1
	}
	m.Columns[column] = slices.Insert(slices.Clone(m.Columns[column]), at, number)
	return appended
}

// Stored reads a board's columns, page by page through the API's own reading.
func (e *Env) Stored(t testing.TB, board boards.Board) Model {
	t.Helper()
	m := Model{map[id.Column][]uint64{}}
	for _, column := range board.Columns {
		var cursor *tickets.Cursor
		for {
			_, cards, err := e.Workflows.Column(e.Ctx, board.Slug, column.ID, cursor, workflows.BoardFilter{})
			domaintest.Must(t, err)
			for i, card := range cards.List {
				m.Columns[column.ID] = append(m.Columns[column.ID], card.Key.Number)
				if i > 0 && card.Rank <= cards.List[i-1].Rank {
					t.Fatalf("%s has the rank %d, the card above it %d", card.Key, card.Rank, cards.List[i-1].Rank)
				}
			}
			if cards.Next == nil {
				break
			}
			cursor = cards.Next
		}
	}
	return m
}

// KeyOf returns a ticket's key, nil for the number 0.
func KeyOf(slug string, number uint64) *tickets.Key {
	if number == 0 {
		return nil
	}
	return &tickets.Key{Board: slug, Number: number}
}

// Sound fails if an invariant is broken.
func (e *Env) Sound(t interface{ Errorf(string, ...any) }) {
	for what, query := range map[string]string{
		"a column's count is not that of its tickets": `SELECT c.id FROM board_column c LEFT JOIN ticket t ON t.column_id = c.id
			GROUP BY c.id, c.ticket_count HAVING COUNT(t.id) <> c.ticket_count`,
		"a rank lies above its column's last":                `SELECT t.id FROM ticket t JOIN board_column c ON c.id = t.column_id WHERE t.rank_in_column > c.last_rank`,
		"a ticket is in a column of another board":           `SELECT t.id FROM ticket t JOIN board_column c ON c.id = t.column_id WHERE t.board_id <> c.board_id`,
		"a ticket in a done column is open":                  `SELECT t.id FROM ticket t JOIN board_column c ON c.id = t.column_id WHERE c.done AND c.change_kind <> 'close' AND t.closed_at IS NULL`,
		"room is kept for tickets that do not come":          `SELECT c.id FROM board_column c WHERE c.incoming <> (SELECT COALESCE(SUM(x.change_total - x.change_done), 0) FROM board_column x WHERE x.change_to = c.id)`,
		"assigned work is not counted as it is":              `SELECT a.ticket_id FROM assignee a JOIN ticket t ON t.id = a.ticket_id WHERE a.current <> (t.closed_at IS NULL AND t.deleted_at IS NULL)`,
		"a number is a ticket's and another's alias":         `SELECT t.id FROM ticket t JOIN ticket_alias k ON k.board_id = t.board_id AND k.local_id = t.local_id`,
		"an alias was never handed out":                      `SELECT k.ticket_id FROM ticket_alias k JOIN board_ticket_incrementer i ON i.board_id = k.board_id WHERE k.local_id > i.max_ticket_id`,
		"a ticket has two numbers on one board":              `SELECT ticket_id FROM ticket_alias GROUP BY ticket_id, board_id HAVING COUNT(*) > 1`,
		"a ticket is alias on the board that it is on":       `SELECT t.id FROM ticket t JOIN ticket_alias k ON k.ticket_id = t.id AND k.board_id = t.board_id`,
		"a board's slug is not reserved for it":              `SELECT b.id FROM board b LEFT JOIN board_slug s ON s.company_id = b.company_id AND s.slug = b.slug AND s.board_id = b.id WHERE s.slug IS NULL`,
		"a column has a position below the first":            `SELECT id FROM board_column WHERE position < 1`,
		"a ticket lies nowhere and is not deleted":           `SELECT id FROM ticket WHERE (column_id IS NULL) <> (deleted_at IS NOT NULL)`,
		"a recurrence is not on the ticket of its last date": `SELECT r.id FROM recurrence r LEFT JOIN occurrence o ON o.recurrence_id = r.id AND o.occurs_at = r.last_at AND o.ticket_id = r.ticket_id WHERE o.ticket_id IS NULL`,
		"what was opened has no first entry in its history":  `SELECT t.id FROM ticket t LEFT JOIN activity v ON v.ticket_id = t.id AND v.kind = 'opened' WHERE v.id IS NULL`,
	} {
		rows, err := e.DB.SQL.Query(query)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		var found []uint64
		for rows.Next() {
			var n uint64
			_ = rows.Scan(&n)
			found = append(found, n)
		}
		rows.Close()
		if len(found) > 0 || rows.Err() != nil {
			t.Errorf("%s: %v %v", what, found, rows.Err())
		}
	}
}
