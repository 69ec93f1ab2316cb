package views

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Paths of pages; every link and form goes through these.
const (
	SetupPath  = "/setup"
	LoginPath  = "/login"
	LogoutPath = "/logout"
)

// HomePath is a company's list of boards; boards are opened with a POST to BoardsPath.
func HomePath(company string) string { return "/" + company }

// BoardsPath takes new boards.
func BoardsPath(company string) string { return "/" + company + "/boards" }

// BoardPath is a board.
func BoardPath(company, slug string) string { return "/" + company + "/boards/" + slug }

// BoardSettingsPath renames a board.
func BoardSettingsPath(company, slug string) string { return BoardPath(company, slug) + "/settings" }

// TicketsPath takes new tickets of a board.
func TicketsPath(company, slug string) string { return BoardPath(company, slug) + "/tickets" }

// NewTicketPath is the form for them, with the column chosen unless it is 0.
func NewTicketPath(company, slug string, column id.Column) string {
	if column == 0 {
		return TicketsPath(company, slug) + "/new"
	}
	return fmt.Sprintf("%s/new?column=%d", TicketsPath(company, slug), column)
}

// ColumnPath is a column of a board: the cards below a cursor, or from the top where it is nil.
func ColumnPath(company, slug string, column id.Column, below *tickets.Cursor) string {
	path := fmt.Sprintf("%s/columns/%d", BoardPath(company, slug), column)
	if below == nil {
		return path
	}
	return path + "?below=" + below.String()
}

// TicketPath is a ticket's page. A POST to it saves an edit.
func TicketPath(company string, key tickets.Key) string { return "/" + company + "/" + key.String() }

// EditPath is a ticket's form.
func EditPath(company string, key tickets.Key) string { return TicketPath(company, key) + "/edit" }

// PositionPath is a ticket's place: GET is the form that moves it, POST moves it.
func PositionPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/position"
}

// ActivityPath is a ticket's history from below an entry.
func ActivityPath(company string, key tickets.Key, before id.Activity) string {
	return fmt.Sprintf("%s/activity?before=%d", TicketPath(company, key), before)
}

// JoinPath is an invitation.
func JoinPath(secret string) string { return "/join/" + secret }

// ResetPath is a link for a new password.
func ResetPath(secret string) string { return "/reset/" + secret }
