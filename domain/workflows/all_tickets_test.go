package workflows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// TestListOfAllBoards walks through the tickets of many boards in each order, and compares them with those that a statement
// finds and sorts at once.
func TestListOfAllBoards(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const boards = 40
	for i := range boards {
		slug := fmt.Sprintf("B%c%c", 'A'+i/26, 'A'+i%26)
		board := e.Board(t, slug)
		if n := []int{0, 1, 7, 30, 300, 90}[i%6]; n > 0 && i != 10 || i == 4 {
			e.Fill(t, board, board.Columns[i%2].ID, n/(1+i/12))
		}
		switch i {
		case 7:
			e.Exec(t, "UPDATE board SET archived_at = NOW(6) WHERE id = ?", uint64(board.ID))
		case 9:
			e.Exec(t, "UPDATE board SET privacy = 1 WHERE id = ?", uint64(board.ID))
			e.Exec(t, "DELETE FROM board_access WHERE board_id = ?", uint64(board.ID))
		}
	}
	e.Exec(t, `UPDATE ticket SET priority = FLOOR(RAND() * 5), start_at = IF(RAND() < 0.5, NULL, '2026-03-01' + INTERVAL FLOOR(RAND() * 9) DAY),
		due_at = IF(RAND() < 0.4, NULL, '2026-03-01' + INTERVAL FLOOR(RAND() * 30) DAY), created_at = '2026-01-01' + INTERVAL FLOOR(RAND() * 1000) MINUTE,
		updated_at = '2026-02-01' + INTERVAL FLOOR(RAND() * 50) HOUR, closed_at = IF(RAND() < 0.6, NULL, '2026-02-03' + INTERVAL FLOOR(RAND() * 9) HOUR)`)
	// The latest changes are all on one board.
	e.Exec(t, "UPDATE ticket t JOIN board b ON b.id = t.board_id SET t.updated_at = '2026-04-01' + INTERVAL t.local_id SECOND WHERE b.slug = 'BAE'")
	e.Exec(t, "UPDATE ticket SET deleted_at = NOW(6) WHERE id % 9 = 0")
	e.Exec(t, "INSERT INTO assignee (ticket_id, account_id, current, created_at) SELECT id, ?, closed_at IS NULL, NOW(6) FROM ticket WHERE id % 4 = 1", uint64(e.Actor.Account.ID))
	for i, name := range []string{"bug", "idea"} {
		e.Exec(t, "INSERT INTO label (company_id, name, color, created_at) VALUES (?, ?, 0, NOW(6))", uint64(e.Actor.Company.ID), name)
		e.Exec(t, "INSERT INTO ticket_label (ticket_id, label_id) SELECT t.id, l.id FROM ticket t, label l WHERE l.name = ? AND t.id % 5 = ?", name, i)
	}
	const mine = "b.archived_at IS NULL AND t.id % 4 = 1"
	where := map[string]string{"assignee:me": mine, "label:bug": "b.archived_at IS NULL AND t.id % 5 = 0", "label:idea assignee:me status:open": mine + " AND t.id % 5 = 1 AND t.closed_at IS NULL",
		"assignee:me board:BAH": "b.slug = 'BAH' AND t.id % 4 = 1", "label:bug or assignee:me": "b.archived_at IS NULL AND (t.id % 4 = 1 OR t.id % 5 = 0)", "-label:bug": "b.archived_at IS NULL AND t.id % 5 <> 0",
		"label:none": "b.archived_at IS NULL AND t.id % 5 > 1", "assignee:any": mine,
		"": "b.archived_at IS NULL", "priority:>=high": "b.archived_at IS NULL AND t.priority >= 3",
		"board:BAH": "b.slug = 'BAH'", "board:bae status:open": "b.slug = 'BAE' AND t.closed_at IS NULL", "priority:urgent -priority:urgent": "FALSE",
		"-board:BAE status:closed": "b.archived_at IS NULL AND b.slug <> 'BAE' AND t.closed_at IS NOT NULL"}
	for text, condition := range where {
		for _, field := range []query.Field{query.Priority, query.Start, query.Due, query.Created, query.Updated, query.Closed} {
			column := map[query.Field]string{query.Priority: "NULLIF(t.priority, 0)", query.Start: "t.start_at", query.Due: "t.due_at",
				query.Created: "t.created_at", query.Updated: "t.updated_at", query.Closed: "t.closed_at"}[field]
			for sort, direction := range map[string]string{"sort:": "", "sort:-": " DESC"} {
				want := strings.Join(e.keys(t, `SELECT CONCAT(b.slug, '-', t.local_id) FROM ticket t JOIN board b ON b.id = t.board_id
					WHERE t.deleted_at IS NULL AND b.privacy = 0 AND `+condition+` ORDER BY `+column+` IS NULL, `+column+direction+`, t.id`+direction), " ")
				of := workflows.TicketList{Query: text + " " + sort + string(field), Limit: 57}
				if got := e.walked(t, of); got != want {
					t.Errorf("%s:\n%s, not\n%s", of.Query, got, want)
				}
			}
		}
	}
	if first, second := e.walked(t, workflows.TicketList{Limit: 200}), e.walked(t, workflows.TicketList{Query: "sort:-updated", Limit: 31}); first != second {
		t.Errorf("without an order it is\n%s, not\n%s", first, second)
	}
}

// keys are those that a statement selects.
func (e *env) keys(t *testing.T, statement string) (keys []string) {
	t.Helper()
	rows := domaintest.OK(e.DB.SQL.QueryContext(t.Context(), statement))(t)
	defer rows.Close()
	for rows.Next() {
		var key string
		domaintest.Must(t, rows.Scan(&key))
		keys = append(keys, key)
	}
	domaintest.Must(t, rows.Err())
	return keys
}

// walked are the keys of all pages of a list of all boards. No page but the last of a query has fewer tickets than there is
// room for, and each ticket's board is there.
func (e *env) walked(t *testing.T, of workflows.TicketList) string {
	t.Helper()
	var keys []string
	for {
		list := domaintest.OK(e.Workflows.ListBoard(e.Ctx, workflows.AllBoards, of))(t)
		if list.BadQuery != nil {
			t.Fatal(list.BadQuery)
		}
		for _, ticket := range list.Tickets {
			keys = append(keys, ticket.Key.String())
			if column, ok := list.Boards[ticket.Board].Column(ticket.Column); !ok || column.Name == "" {
				t.Fatalf("%s is in no column", ticket.Key)
			}
		}
		if list.Next == nil {
			return strings.Join(keys, " ")
		}
		of.After = list.Next
	}
}
