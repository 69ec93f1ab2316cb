package db_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// ofBoards has the samples find rows of boards: run 1 is of a board, and images are of its tickets.
var ofBoards = []string{
	"UPDATE migration_run SET company_id = 1, board_id = 1 WHERE id = 1",
	"UPDATE image SET everyone = FALSE",
}

// hiding makes all boards private, and leaves those that name guests to them alone.
var hiding = []string{
	"UPDATE board SET privacy = 1",
	"DELETE FROM board_access WHERE account_id NOT IN (600, 601)",
	"DELETE FROM webhook_board",
}

// noStatementShowsAHiddenBoard runs each statement that takes a sight: it shows something of boards, nothing once they
// are hidden from its reader, and something again without its condition, else this proves nothing of it. A page that
// reads a board by two statements can hide the fault of one; this cannot.
func noStatementShowsAHiddenBoard(t *testing.T, d *db.DB) {
	type statement struct {
		query string
		args  []any
	}
	statements := map[string]statement{}
	for name, sample := range samples {
		if query, args := recorded(t, name, sample.args); sighted.MatchString(query) {
			statements[name] = statement{query, args}
		}
	}
	if len(statements) < 45 {
		t.Fatalf("%d statements take a sight", len(statements))
	}
	tx := domaintest.OK(d.SQL.BeginTx(t.Context(), nil))(t)
	defer tx.Rollback()
	execute := func(list []string) {
		for _, s := range list {
			domaintest.OK(tx.ExecContext(t.Context(), s))(t)
		}
	}
	execute(ofBoards)
	for name, s := range statements {
		if shown(t, tx, name, s.query, s.args) == 0 {
			t.Errorf("the sample of %s shows nothing of a board: choose other arguments", name)
		}
	}
	execute(hiding)
	for name, s := range statements {
		if n := shown(t, tx, name, s.query, s.args); n > 0 {
			t.Errorf("%s shows %d rows of hidden boards\n%s", name, n, s.query)
		}
		open := strings.ReplaceAll(s.query, ".privacy <= ", ".privacy <= 9 + ")
		if shown(t, tx, name, open, s.args) == 0 {
			t.Errorf("%s shows nothing without its condition either: choose other arguments", name)
		}
	}
}

// countedBy has the column of a statement that says how much its rows show of boards.
var countedBy = map[string]string{"GroupsOfCompany": "boards",
	"LabelsInSight": "board_id", "EndedLabels": "board_id", "LabelByID": "board_id",
	"MatchingCards": "blocked"}

// shown counts the rows that show something of a board: those with a true column visible or seen, of a statement that
// has one; those of a statement of one column that is not zero; all others.
func shown(t *testing.T, tx *sql.Tx, name, query string, args []any) (n int) {
	t.Helper()
	rows := domaintest.OK(tx.QueryContext(t.Context(), query, args...))(t)
	defer rows.Close()
	columns := domaintest.OK(rows.Columns())(t)
	says := -1
	for i, column := range columns {
		if len(columns) == 1 || column == "visible" || column == "seen" || column == countedBy[name] {
			says = i
		}
	}
	values, targets := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		domaintest.Must(t, rows.Scan(targets...))
		if says < 0 || values[says] != nil && string(values[says]) != "0" {
			n++
		}
	}
	domaintest.Must(t, rows.Err())
	return n
}
