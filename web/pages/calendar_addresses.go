package pages

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// CalendarAddresses are the addresses by which the user's calendar programs read due dates.
func (h *Handlers) CalendarAddresses(c echo.Context) error {
	return h.showCalendarAddresses(c, http.StatusOK, pages.CalendarAddressesProps{})
}

func (h *Handlers) showCalendarAddresses(c echo.Context, code int, props pages.CalendarAddressesProps) (err error) {
	ctx := c.Request().Context()
	if props.Views, err = h.workflows.SavedViews(ctx); err != nil {
		return err
	}
	if props.Addresses, err = h.workflows.CalendarAddresses(ctx); err != nil {
		return err
	}
	if props.Secret != "" && props.Addresses[props.Made].Opens(props.Secret) { // not if it was replaced since
		props.New = h.respond.Base(c) + views.CalendarFilePath(props.Secret)
	}
	props.Page = h.respond.Page(c, "Calendar addresses")
	return respond.Render(c, code, pages.CalendarAddressesPage(props))
}

// calendarOfPath reads what the calendar of the path is of: a view, or the user's work.
func calendarOfPath(c echo.Context) (id.SavedView, error) {
	if c.Param("view") == views.CalendarOfWork {
		return savedviews.OfWork, nil
	}
	view, err := respond.PathView(c)
	if view == savedviews.OfWork {
		err = savedviews.NotFound()
	}
	return view, err
}

// OpenCalendarAddress makes an address and shows it. Not by a redirect: the secret is kept nowhere that another page could
// read it from.
func (h *Handlers) OpenCalendarAddress(c echo.Context) error {
	view, err := calendarOfPath(c)
	if err != nil {
		return err
	}
	secret, err := respond.Once(c, func(once *workflows.Once[string]) (string, error) {
		return h.workflows.OpenCalendarAddress(c.Request().Context(), view, once)
	})
	if err == nil {
		return h.showCalendarAddresses(c, http.StatusCreated, pages.CalendarAddressesProps{Made: view, Secret: secret})
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	return h.showCalendarAddresses(c, code, pages.CalendarAddressesProps{Alert: messages[""]})
}

// RevokeCalendarAddress ends an address.
func (h *Handlers) RevokeCalendarAddress(c echo.Context) error {
	view, err := calendarOfPath(c)
	if err != nil {
		return err
	}
	if err := h.workflows.RevokeCalendarAddress(c.Request().Context(), view); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.CalendarAddressesPath(respond.Company(c).Slug), "The calendar address leads nowhere now.")
}
