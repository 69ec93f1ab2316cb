package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/views"
)

// What members do about the public form of a board, and about the links of those who sent it.

func (s *server) saveForm(c echo.Context) error {
	form := requests.Form{On: c.FormValue("on") != "", Intro: c.FormValue("intro")}
	var board boards.Board
	var err error
	if form.Version, err = version(c); err == nil {
		board, err = s.workflows.SetForm(c.Request().Context(), c.Param("board"), form)
	}
	if err != nil {
		return s.rejectForm(c, form, err)
	}
	message := "The public form is off."
	if form.On {
		message = "The public form is on."
	}
	return s.see(c, views.BoardSettingsPath(company(c).Slug, board.Slug)+"#"+views.PublicFormID, message)
}

// rejectForm shows the settings with what was typed. Who has seen what someone else saved may save again.
func (s *server) rejectForm(c echo.Context, form requests.Form, err error) error {
	return s.rejectSettings(c, err, func(props *views.BoardSettingsProps, messages views.Errors) {
		var stale requests.StaleForm
		props.Public = &views.PublicForm{Typed: form, Stale: errors.As(err, &stale), Errors: whole(messages, "intro")}
		if props.Public.Stale {
			props.Public.Now, props.Public.Typed.Version = stale.Current, stale.Current.Version
		}
	})
}

// addPublicForm puts the public form as it is into a board's settings.
func (s *server) addPublicForm(c echo.Context, props *views.BoardSettingsProps) error {
	if props.Public == nil || !props.Public.Stale {
		form, err := s.workflows.Form(c.Request().Context(), props.Board)
		if err != nil {
			return err
		}
		if props.Public == nil {
			props.Public = &views.PublicForm{Typed: form}
		}
		props.Public.Now = form
	}
	props.Public.Address = s.base(c) + views.FormPath(company(c).Slug, props.Board.Slug)
	return nil
}

// newRequestLink shows a new private link, on a page of its own: it is kept nowhere that another page could read
// it from.
func (s *server) newRequestLink(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	link, err := s.workflows.NewRequestLink(c.Request().Context(), k)
	if err != nil {
		return err
	}
	ticket, board, err := s.ticketOfPath(c)
	if err != nil {
		return err
	}
	props := views.RequestLinkProps{Page: s.page(c, "Private link of "+ticket.Key.String()), Board: board, Ticket: ticket, Link: s.base(c) + views.PrivatePath(link.Code, link.Token)}
	return render(c, http.StatusCreated, views.RequestLinkPage(props))
}

func (s *server) revokeRequestLink(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	current, err := s.workflows.RevokeRequestLink(c.Request().Context(), k)
	if err != nil {
		return err
	}
	return s.see(c, views.TicketPath(company(c).Slug, current), "The requester’s link opens nothing any more.")
}
