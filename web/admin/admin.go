// Package admin serves operators: migrations with their runs and workers, feeds and their consumers, reference codes,
// companies. One file per resource; a form of a run's page responds with the present run (runs.go). Start at
// runs.go.
package admin

import (
	"context"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Handlers serve the pages of operators. Make them with New.
type Handlers struct {
	workflows *workflows.Workflows
	console   *console.Console
	respond   *respond.Responder
	about     About
	last      examination
}

// About is the server that answers.
type About struct {
	Version  string // of the program
	Settings []admin.Setting
	Examine  func(context.Context) ([]admin.Finding, error) // nil finds nothing
	Files    string                                         // folder or bucket of stored files
}

// New returns the handlers.
func New(
	workflows *workflows.Workflows, console *console.Console, respond *respond.Responder, about About,
) *Handlers {
	return &Handlers{workflows: workflows, console: console, respond: respond, about: about}
}

// controlRoom is the frame of a page for operators, which has a style sheet of its own.
func (h *Handlers) controlRoom(c echo.Context, title string) views.Page {
	p := h.respond.Page(c, title)
	p.Room = respond.Room()
	return p
}

func (h *Handlers) where() admin.Where {
	host, database := h.console.Database()
	return admin.Where{Host: host, Database: database}
}
