package upkeep_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestFillStays(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "NINJA")
	keys := e.Open(t, "NINJA", board.Columns[0].ID, 102)
	_, _, err := e.Workflows.MoveTicket(e.Ctx, keys[0], tickets.Intent{Column: board.Columns[1].ID})
	domaintest.Must(t, err)
	// As a version without stays left them: one moved by a run, whose entry names the columns alone, one whose column had
	// another name, and one that went there without a word.
	domaintest.Exec(t, e.DB, "DELETE FROM ticket_stay")
	domaintest.Exec(t, e.DB, "UPDATE ticket SET stays_known = FALSE")
	for i, name := range map[int]string{1: "Doing", 2: "Started"} {
		id := domaintest.OK(e.Workflows.Ticket(e.Ctx, keys[i]))(t).ID
		domaintest.Exec(t, e.DB, `INSERT INTO activity (ticket_id, account_id, kind, detail, created_at) VALUES (?, 1, 'moved', ?, NOW(6))`,
			uint64(id), `{"column":{"old":"To do","new":"`+name+`"}}`)
		domaintest.Exec(t, e.DB, "UPDATE ticket SET column_id = ?, rank_in_column = ? WHERE id = ?", uint64(board.Columns[1].ID), 1000+i, uint64(id))
	}
	silent := domaintest.OK(e.Workflows.Ticket(e.Ctx, keys[3]))(t).ID
	domaintest.Exec(t, e.DB, "UPDATE ticket SET column_id = ?, rank_in_column = 2000 WHERE id = ?", uint64(board.Columns[1].ID), uint64(silent))

	// And one that such a server moved beside a server of this version.
	beside := e.Open(t, "NINJA", board.Columns[0].ID, 1)[0]
	moved := domaintest.OK(e.Workflows.Ticket(e.Ctx, beside))(t).ID
	domaintest.Exec(t, e.DB, `INSERT INTO activity (ticket_id, account_id, kind, detail, created_at) VALUES (?, 1, 'moved', ?, NOW(6))`, uint64(moved),
		fmt.Sprintf(`{"from":{"board":%d,"column":%d},"to":{"board":%[1]d,"column":%[3]d}}`, board.ID, board.Columns[0].ID, board.Columns[1].ID))
	domaintest.Exec(t, e.DB, "UPDATE ticket SET column_id = ?, rank_in_column = 3000 WHERE id = ?", uint64(board.Columns[1].ID), uint64(moved))
	keys = append(keys, beside)

	values := migrations.Values{"company": "acme"}
	_, tasks := e.RunToEnd(t, "fill-stays", values, migrations.Draft{Dry: true})
	if got := notesOf(tasks); !slices.Contains(got, "Would fill in the stays of acme/NINJA-1 to NINJA-100.") {
		t.Errorf("a dry run: %v", got)
	}
	domaintest.Counts(t, e.DB, 1, "SELECT COUNT(*) FROM ticket_stay")
	for _, want := range [][]string{
		{"100 tickets of acme/NINJA", "3 tickets of acme/NINJA", "7 tickets of acme/DEMO"},
		{"0 tickets of acme/DEMO", "0 tickets of acme/NINJA", "0 tickets of acme/NINJA"},
	} {
		run, tasks := e.RunToEnd(t, "fill-stays", values, migrations.Draft{})
		if got := notesOf(tasks); run.State != migrations.Complete || !slices.Equal(got, want) {
			t.Errorf("%s:\n%s", run.State, strings.Join(got, "\n"))
		}
	}
	for i, want := range map[int]string{
		0: "To do, Doing", 1: "?To do, ?Doing", 2: "?To do, ?Doing", 3: "Doing", 4: "To do", 102: "To do, Doing",
	} {
		ticket := domaintest.OK(e.Workflows.Ticket(e.Ctx, keys[i]))(t)
		var got []string
		for _, stay := range domaintest.OK(tickets.Stays(e.Ctx, e.DB.Queries, ticket.ID))(t) {
			column, _ := board.Column(stay.Column)
			name := column.Name
			if stay.Inferred {
				name = "?" + name
			}
			got = append(got, name)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s was in %s, not %s", keys[i], strings.Join(got, ", "), want)
		}
	}
	domaintest.Counts(t, e.DB, 0, "SELECT COUNT(*) FROM ticket t LEFT JOIN ticket_stay s ON s.ticket_id = t.id AND s.until_at IS NULL WHERE t.deleted_at IS NULL AND (s.column_id IS NULL OR s.column_id <> t.column_id OR NOT t.stays_known)")
}
