package pages

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) SavedViews(c echo.Context) error { return h.showSavedViews(c, http.StatusOK, "") }

func (h *Handlers) showSavedViews(c echo.Context, code int, alert string) error {
	list, err := h.workflows.SavedViews(c.Request().Context())
	if err != nil {
		return err
	}
	return respond.Render(c, code, pages.SavedViewsPage(pages.SavedViewsProps{Page: h.respond.Page(c, "Views"), List: list,
		Alert: alert}))
}

// PinnedViews is the navigation of pinned views with their counts.
func (h *Handlers) PinnedViews(c echo.Context) (err error) {
	page := h.respond.Page(c, "Views")
	page.Path = respond.CurrentPath(c) // the navigation says where the user is
	ctx := c.Request().Context()
	if page.Pins, err = h.workflows.PinnedViews(ctx); err != nil {
		return err
	}
	counts, err := h.workflows.CountViews(ctx, page.Pins)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, views.Pins(page, counts))
}

// OpenSavedView leads to what a view shows.
func (h *Handlers) OpenSavedView(c echo.Context) error {
	view, err := h.viewOfPath(c)
	if err != nil {
		return err
	}
	h.respond.RememberPlace(c, views.SavedViewPath(respond.Company(c).Slug, view.ID))
	return c.Redirect(http.StatusSeeOther, views.OfSavedView(respond.Company(c).Slug, view))
}

func (h *Handlers) viewOfPath(c echo.Context) (savedviews.View, error) {
	view, err := respond.PathView(c)
	if err != nil {
		return savedviews.View{}, err
	}
	return h.workflows.SavedView(c.Request().Context(), view)
}

// NewSavedView is the form for a view of what a board, or all boards, show.
func (h *Handlers) NewSavedView(c echo.Context) error {
	if _, err := h.boardOrAll(c); err != nil {
		return err
	}
	f := views.FilterFrom(c.QueryParam)
	layout := savedviews.Layout(cmp.Or(c.QueryParam("layout"), string(savedviews.AsBoard)))
	return h.showNewSavedView(c, http.StatusOK, pages.SavedViewForm{Layout: layout, Filter: f, Pinned: true})
}

func (h *Handlers) showNewSavedView(c echo.Context, code int, form pages.SavedViewForm) error {
	board, err := h.boardOrAll(c)
	if err != nil {
		return err
	}
	list, err := h.workflows.SavedViews(c.Request().Context())
	if err != nil {
		return err
	}
	props := pages.SavedViewProps{Page: h.respond.Page(c, "Save as a view"), Slug: board.Slug, BoardTitle: pages.BoardTitle(board), Form: form}
	actor := accounts.ActorFrom(c.Request().Context())
	props.MayShare = actor.Writes()
	props.Others = slices.DeleteFunc(append(list.Own, list.Shared...), func(v savedviews.View) bool {
		return v.Board != board.ID || !v.ChangedBy(actor.Account.ID, actor.Manages())
	})
	return respond.Render(c, code, pages.SavedViewPage(props))
}

// EditSavedView is the form that changes a view; the query of the address has what takes the place of what it shows.
func (h *Handlers) EditSavedView(c echo.Context) error {
	view, err := h.viewToChange(c)
	if err != nil {
		return err
	}
	form := formOf(view)
	if layout := c.QueryParam("layout"); layout != "" {
		form.Layout, form.Filter = savedviews.Layout(layout), views.FilterFrom(c.QueryParam)
	}
	return h.showSavedView(c, http.StatusOK, view, form)
}

// viewToChange returns the view of the path for a form that changes it.
func (h *Handlers) viewToChange(c echo.Context) (savedviews.View, error) {
	view, err := respond.PathView(c)
	if err != nil {
		return savedviews.View{}, err
	}
	return h.workflows.ViewToChange(c.Request().Context(), view)
}

func formOf(v savedviews.View) pages.SavedViewForm {
	return pages.SavedViewForm{ID: v.ID, Version: v.Version, Name: v.Name, Layout: v.Layout, Filter: views.FilterOf(v),
		Shared: v.Shared}
}

func (h *Handlers) showSavedView(c echo.Context, code int, view savedviews.View, form pages.SavedViewForm) error {
	return respond.Render(c, code, pages.SavedViewPage(h.savedViewProps(c, "Change "+view.Name, view, form)))
}

func (h *Handlers) savedViewProps(
	c echo.Context, title string, view savedviews.View, form pages.SavedViewForm,
) pages.SavedViewProps {
	return pages.SavedViewProps{Page: h.respond.Page(c, title), Slug: view.Slug, BoardTitle: view.BoardTitle, Form: form,
		MayShare: accounts.ActorFrom(c.Request().Context()).Writes()}
}

// readView reads the form of a view.
func readView(c echo.Context) (pages.SavedViewForm, savedviews.View) {
	f := typedFilter(c)
	form := pages.SavedViewForm{Name: c.FormValue("name"), Layout: savedviews.Layout(c.FormValue("layout")), Filter: f,
		Shared: c.FormValue("shared") != "", Pinned: c.FormValue("pinned") != ""}
	return form, savedviews.View{Name: form.Name, Layout: form.Layout, Query: f.Query, Lanes: f.Lanes, Group: f.Group,
		Fields: f.Fields, Shared: form.Shared, Pinned: form.Pinned}
}

// SaveView adds a view to a board, or to all boards, and leads to what it shows.
func (h *Handlers) SaveView(c echo.Context) error {
	slug, err := scopeOfPath(c)
	if err != nil {
		return err
	}
	form, view := readView(c)
	saved, err := respond.Once(c, func(once *workflows.Once[savedviews.View]) (savedviews.View, error) {
		return h.workflows.SaveView(c.Request().Context(), slug, view, once)
	})
	if err == nil {
		return h.respond.SeeOther(c, views.OfSavedView(respond.Company(c).Slug, saved), "The view "+saved.Name+" is saved.")
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	form.Errors = messages
	return h.showNewSavedView(c, code, form)
}

// ChangeView saves the changes of a view.
func (h *Handlers) ChangeView(c echo.Context) error {
	was, err := h.viewToChange(c)
	if err != nil {
		return err
	}
	form, view := readView(c)
	form.ID, view.ID = was.ID, was.ID
	form.Version, err = respond.Version(c)
	view.Version = form.Version
	if _, bad := view.Parse(); err != nil {
		err = fault.Join(err, bad)
	} else {
		_, err = h.workflows.ChangeView(c.Request().Context(), view)
	}
	if err == nil {
		return h.respond.SeeOther(c, views.SavedViewsPath(respond.Company(c).Slug), "The view is saved.")
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	var stale savedviews.Stale
	if errors.As(err, &stale) {
		form.Version, form.Stale = stale.Current.Version, true // the user has been told, and may save again
	}
	form.Errors = messages
	return h.showSavedView(c, code, was, form)
}

// PinView pins a view, or unpins it.
func (h *Handlers) PinView(c echo.Context) error {
	view, err := respond.PathView(c)
	if err != nil {
		return err
	}
	pinned := c.FormValue("pinned") != ""
	now, err := h.workflows.PinView(c.Request().Context(), view, pinned)
	if errors.Is(err, savedviews.CodeTooManyPins) {
		return h.showSavedViews(c, http.StatusConflict, fault.Message(err))
	}
	if err != nil {
		return err
	}
	message := "The view " + now.Name + " is pinned."
	if !pinned {
		message = "The view " + now.Name + " is not pinned any more."
	}
	return h.respond.SeeOther(c, views.SavedViewsPath(respond.Company(c).Slug), message)
}

func (h *Handlers) SavedViewDeletion(c echo.Context) error {
	view, err := h.viewToChange(c)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.SavedViewDeletionPage(h.savedViewProps(c, "Delete "+view.Name, view, formOf(view))))
}

func (h *Handlers) DeleteView(c echo.Context) error {
	view, err := respond.PathView(c)
	if err != nil {
		return err
	}
	if err := h.workflows.DeleteView(c.Request().Context(), view); err != nil {
		return err
	}
	return h.respond.SeeOther(c, views.SavedViewsPath(respond.Company(c).Slug), "The view is deleted.")
}
