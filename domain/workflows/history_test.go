package workflows_test

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ticket, err := e.Workflows.Ticket(e.Ctx, demo1)
	domaintest.Must(t, err)
	title, description := `A "new" \ title 😀 <b>'`, strings.Repeat(`{"old": "\"} 😀 </script>`+"\n", 2000)
	ticket, err = e.Workflows.EditTicket(e.Ctx, demo1, tickets.Edit{Title: &title, Description: &description,
		Version: ticket.Version})
	domaintest.Must(t, err)
	list, _, err := e.Workflows.History(e.Ctx, ticket.ID, 0)
	domaintest.Must(t, err)
	edited := list[0].Detail
	if edited.Title == nil || edited.Title.New != title || edited.Version != ticket.Version {
		t.Errorf("the page says %+v, version %d", edited.Title, edited.Version)
	}
	if edited.Description == nil || *edited.Description != (tickets.Change{}) {
		t.Error("a page says that the description changed, and not how")
	}
	entry, err := e.Workflows.EntryOf(e.Ctx, ticket, list[0].ID)
	if err != nil || entry.Detail.Description == nil || entry.Detail.Description.New != ticket.Description {
		t.Error("the entry has the description", err)
	}
}
