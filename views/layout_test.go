package views

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

// A message that offers to undo may be shown first on a page outside of the company, such as the account's.
func TestFlashesOutsideOfACompany(t *testing.T) {
	t.Parallel()
	page := Page{Flash: []Flash{{Text: "The comment is deleted.", Undo: 1,
		Restore: &DeletedComment{Ticket: tickets.Key{Board: "NINJA", Number: 1}, Comment: 1}}}}
	var html strings.Builder
	if err := Flashes(page).Render(t.Context(), &html); err != nil {
		t.Fatal(err)
	}
	if got := html.String(); !strings.Contains(got, "The comment is deleted.") || strings.Contains(got, "<form") {
		t.Error(got)
	}
}
