package pages

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Members' settings of a board's public form, and of the links of its requesters.

func (h *Handlers) SaveForm(c echo.Context) error {
	form := requests.Form{On: c.FormValue("on") != "", Intro: c.FormValue("intro"), Proof: c.FormValue("proof") != ""}
	var board boards.Board
	var err error
	if form.Version, err = respond.Version(c); err == nil {
		board, err = h.workflows.SetForm(c.Request().Context(), c.Param("board"), form)
	}
	if err != nil {
		return h.rejectForm(c, form, err)
	}
	message := "The public form is off."
	if form.On {
		message = "The public form is on."
	}
	return h.respond.SeeOther(c, views.BoardSettingsPath(respond.Company(c).Slug, board.Slug)+"#"+views.PublicFormID,
		message)
}

// rejectForm shows the settings with the user's values. Saving again overwrites a change of another member, which is
// shown.
func (h *Handlers) rejectForm(c echo.Context, form requests.Form, err error) error {
	return h.rejectSettings(c, err, func(props *pages.BoardSettingsProps, messages views.Errors) {
		var stale requests.StaleForm
		props.Public = &pages.PublicForm{Typed: form, Stale: errors.As(err, &stale), Errors: formErrors(messages, "intro")}
		if props.Public.Stale {
			props.Public.Now, props.Public.Typed.Version = stale.Current, stale.Current.Version
		}
	})
}

// addPublicForm adds the present public form to a board's settings.
func (h *Handlers) addPublicForm(c echo.Context, props *pages.BoardSettingsProps) error {
	if props.Public == nil || !props.Public.Stale {
		form, err := h.workflows.Form(c.Request().Context(), props.Board)
		if err != nil {
			return err
		}
		if props.Public == nil {
			props.Public = &pages.PublicForm{Typed: form}
		}
		props.Public.Now = form
	}
	var err error
	if props.Public.Watched, err = h.workflows.RequestsWatched(c.Request().Context(), props.Board); err != nil {
		return err
	}
	props.Public.Address = h.respond.Base(c) + views.FormPath(respond.Company(c).Slug, props.Board.Slug)
	return nil
}

// WatchRequests turns the user's notifications of a board's requests on or off.
func (h *Handlers) WatchRequests(c echo.Context) error {
	on := c.FormValue("on") == "1"
	board, err := h.workflows.WatchRequests(c.Request().Context(), c.Param("board"), on)
	if err != nil {
		return err
	}
	company := respond.Company(c).Slug
	if respond.Target(c) == views.WatchID {
		return respond.Render(c, http.StatusOK, pages.RequestWatch(company, board.Slug, on))
	}
	message := "New requests of this board no longer come to your inbox."
	if on {
		message = "New requests of this board come to your inbox."
	}
	return h.respond.SeeOther(c, views.BoardSettingsPath(company, board.Slug)+"#"+views.WatchID, message)
}

// NewRequestLink shows a new private link, on a page of its own: it is kept nowhere that another page could read
// it from.
func (h *Handlers) NewRequestLink(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	link, err := respond.Once(c, func(once *workflows.Once[workflows.Receipt]) (workflows.Receipt, error) {
		return h.workflows.NewRequestLink(c.Request().Context(), k, once)
	})
	if err != nil {
		return err
	}
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	props := pages.RequestLinkProps{Page: h.respond.Page(c, "Private link of "+ticket.Key.String()), Board: board,
		Ticket: ticket, Link: h.respond.Base(c) + views.PrivatePath(link.Code, link.Token)}
	return respond.Render(c, http.StatusCreated, pages.RequestLinkPage(props))
}

func (h *Handlers) RevokeRequestLink(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	current, err := h.workflows.RevokeRequestLink(c.Request().Context(), k)
	if err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.TicketPath(respond.Company(c).Slug, current), "The requester’s link is revoked.")
}
