package workflows_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// A page in the middle of a long column must begin there: MariaDB likes to read the column from its
// top instead, and then a page costs as much as the column is long.
func TestPagesBeginWhereTheyAre(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	board := h.board(t, "LONG")
	column := board.Columns[0].ID
	h.fill(t, board, 5000)
	middle := int64(2000) * tickets.Gap
	end := tickets.Cursor{Column: column, Rank: middle}
	plans := &planner{h.db}

	for _, q := range []struct {
		name string
		run  func(q *db.Queries) error
	}{
		{"the cards below", func(q *db.Queries) error {
			_, err := tickets.CardsBelow(h.ctx, q, board.ID, "LONG", end, 51)
			return err
		}},
		{"the tickets below", func(q *db.Queries) error {
			_, err := tickets.Below(h.ctx, q, board.ID, "LONG", column, &end, 51)
			return err
		}},
		{"the card above", func(q *db.Queries) error { _, err := tickets.Above(h.ctx, q, "LONG", column, middle); return err }},
		{"the card below", func(q *db.Queries) error {
			_, err := q.CardBelow(h.ctx, db.CardBelowParams{ColumnID: &column, FromRank: &middle})
			return err
		}},
		{"the ranks below", func(q *db.Queries) error {
			_, err := q.RanksBelow(h.ctx, db.RanksBelowParams{ColumnID: &column, FromRank: &middle, Limit: 33})
			return err
		}},
	} {
		t.Run(q.name, func(t *testing.T) {
			plan := plans.of(t, q.run)
			if plan.key != "uq_ticket_rank" || plan.keyLength != "18" || strings.Contains(plan.extra, "filesort") {
				t.Errorf("%+v; want the range of uq_ticket_rank with both its columns (18 bytes) and no filesort", plan)
			}
		})
	}
}

// fill adds n tickets to a board's first column in one go.
func (h *house) fill(t testing.TB, board boards.Board, n int) {
	t.Helper()
	err := h.db.InTx(h.ctx, func(tx *db.Tx) error {
		for from := 0; from < n; from += 500 {
			rows := make([]db.NewTicket, 500)
			for i := range rows {
				rows[i] = db.NewTicket{
					BoardID: board.ID, LocalID: uint64(from + i + 1), ColumnID: board.Columns[0].ID, RankInColumn: int64(from+i+1) * tickets.Gap,
					Title: "Filler", CreatedBy: id.Account(1),
				}
			}
			if err := tx.InsertTickets(h.ctx, rows); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.db.SQL.Exec("ANALYZE TABLE ticket"); err != nil {
		t.Fatal(err)
	}
}

// plan is what the server would do for a statement on one table.
type plan struct{ kind, key, keyLength, extra string }

// planner asks the server for the plan of what a query sends.
type planner struct{ db *db.DB }

// of runs a query that goes nowhere but to EXPLAIN.
func (p *planner) of(t *testing.T, run func(q *db.Queries) error) plan {
	t.Helper()
	spy := &explainer{DBTX: p.db.SQL}
	if err := run(db.New(spy)); err != nil && !db.IsNotFound(err) {
		t.Fatal(err)
	}
	rows, err := p.db.SQL.QueryContext(context.Background(), "EXPLAIN FORMAT=TRADITIONAL "+spy.query, spy.args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		t.Fatal("no plan", err)
	}
	values, targets := make([]*string, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := rows.Scan(targets...); err != nil {
		t.Fatal(err)
	}
	var found plan
	for i, name := range columns {
		if values[i] == nil {
			continue
		}
		switch strings.ToLower(name) {
		case "type":
			found.kind = *values[i]
		case "key":
			found.key = *values[i]
		case "key_len":
			found.keyLength = *values[i]
		case "extra":
			found.extra = *values[i]
		}
	}
	return found
}

// explainer notes the last statement that was sent.
type explainer struct {
	db.DBTX
	query string
	args  []any
}

func (e *explainer) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	e.query, e.args = query, args
	return e.DBTX.QueryContext(ctx, query, args...)
}

func (e *explainer) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	e.query, e.args = query, args
	return e.DBTX.QueryRowContext(ctx, query, args...)
}
