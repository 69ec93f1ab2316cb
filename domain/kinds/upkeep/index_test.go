package upkeep_test

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// What texts mention, and how many comments there are, is the same whether it was kept with each change or found later.
func TestIndexTexts(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "ROCK")
	keys := e.Open(t, "ROCK", board.Columns[0].ID, 3)
	text := "Before ROCK-3"
	domaintest.OK(e.Workflows.EditTicket(e.Ctx, keys[0], tickets.Edit{Description: &text, Version: 1}))(t)
	for _, body := range []string{"ROCK-1", "ROCK-3, ROCK-1", "nothing", "ROCK-3, for a moment"} {
		said := domaintest.OK(e.Workflows.Comment(e.Ctx, keys[1], body, nil))(t)
		if strings.Contains(body, "moment") {
			domaintest.OK(e.Workflows.DeleteComment(e.Ctx, keys[1], said.Comment.ID))(t)
		}
	}
	const sums = `SELECT CONCAT((SELECT GROUP_CONCAT(ticket_id, ' ', from_id, ' ', comment_id ORDER BY ticket_id, from_id, comment_id) FROM backlink), ': ',
		(SELECT GROUP_CONCAT(comments ORDER BY id) FROM ticket))`
	read := func() (got string) {
		domaintest.Must(t, e.DB.SQL.QueryRow(sums).Scan(&got))
		return got
	}
	kept := read()
	if !strings.HasSuffix(kept, "0,3,0") || strings.Count(kept, ",") < 4 {
		t.Fatalf("kept is %s", kept)
	}
	e.Exec(t, "DELETE FROM backlink")
	e.Exec(t, "INSERT INTO backlink (ticket_id, from_id, comment_id) SELECT MIN(id), MAX(id), 7 FROM ticket")
	e.Exec(t, "UPDATE ticket SET comments = IF(id % 2, NULL, 77)")
	for range 2 { // a second run finds the same
		e.RunToEnd(t, "index-texts", migrations.Values{"company": "acme"}, migrations.Draft{})
	}
	if found := read(); found != kept {
		t.Errorf("found is %s, kept was %s", found, kept)
	}
}
