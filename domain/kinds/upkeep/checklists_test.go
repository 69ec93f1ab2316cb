package upkeep_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestCountChecklists(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "NINJA")
	keys := e.Open(t, "NINJA", board.Columns[0].ID, 102)
	text := "- [ ] one\n- [x] two\n"
	for _, key := range []tickets.Key{keys[0], keys[100], keys[101]} {
		domaintest.OK(e.Workflows.EditTicket(e.Ctx, key, tickets.Edit{Description: &text, Version: 1}))(t)
	}
	// As a version without checklists left them: NINJA-102 was edited since.
	domaintest.Exec(t, e.DB, "UPDATE ticket SET items = NULL, items_checked = 0 WHERE local_id <> 102")
	domaintest.Exec(t, e.DB, "UPDATE ticket SET feed_sync_id = 1000 + id")
	domaintest.Exec(t, e.DB, "UPDATE ticket SET items = 9 WHERE local_id = 102") // its text was changed by such a version, too
	values := migrations.Values{"company": "acme"}
	_, tasks := e.RunToEnd(t, "count-checklists", values, migrations.Draft{Dry: true})
	if got := notesOf(tasks); !slices.Contains(got, "Would count the checklists of acme/NINJA-1 to NINJA-100.") {
		t.Errorf("a dry run: %v", got)
	}
	for _, want := range [][]string{
		{"100 tickets of acme/NINJA", "2 tickets of acme/NINJA", "7 tickets of acme/DEMO"},
		{"0 tickets of acme/DEMO", "0 tickets of acme/NINJA", "0 tickets of acme/NINJA"},
	} {
		run, tasks := e.RunToEnd(t, "count-checklists", values, migrations.Draft{})
		if got := notesOf(tasks); run.State != migrations.Complete || !slices.Equal(got, want) {
			t.Errorf("%s:\n%s", run.State, strings.Join(got, "\n"))
		}
	}
	domaintest.Counts(t, e.DB, 106, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id > 1000") // 102 and 7, less the three with items
	for i, want := range map[int]tickets.Checklist{0: {Checked: 1, Items: 2}, 1: {}, 100: {Checked: 1, Items: 2}, 101: {Checked: 1, Items: 2}} {
		if got := domaintest.OK(e.Workflows.Ticket(e.Ctx, keys[i]))(t); got.Checklist != want || got.Version > 2 {
			t.Errorf("%s has %v in version %d", keys[i], got.Checklist, got.Version)
		}
	}
}
