package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

// savedViewResource is a saved view as JSON.
type savedViewResource struct {
	ID      id.SavedView `json:"id"`
	Name    string       `json:"name"`
	Board   *string      `json:"board"`  // null: all boards that its reader sees
	Layout  string       `json:"layout"` // board, list or calendar
	Query   string       `json:"q"`
	Lanes   string       `json:"lanes"`  // of a board: assignee, label, priority or parent, "" for none
	Group   string       `json:"group"`  // of a list, and of all boards as a board; "" for none
	Fields  []string     `json:"fields"` // of a list, in their order
	Shared  bool         `json:"shared"`
	Own     bool         `json:"own"`    // the caller's
	Pinned  bool         `json:"pinned"` // by the caller
	Version uint64       `json:"version"`
	URL     string       `json:"url"`
}

func (h *Handlers) savedView(c echo.Context, v savedviews.View) savedViewResource {
	actor := accounts.ActorFrom(c.Request().Context())
	r := savedViewResource{ID: v.ID, Name: v.Name, Layout: string(v.Layout), Query: v.Query, Lanes: v.Lanes, Group: v.Group,
		Fields: []string{}, Shared: v.Shared, Own: v.Owner == actor.Account.ID, Pinned: v.Pinned, Version: v.Version,
		URL: h.respond.Base(c) + views.SavedViewPath(actor.Company.Slug, v.ID)}
	if v.Board != 0 {
		r.Board = &v.Slug
	}
	if v.Layout == savedviews.AsList {
		r.Fields = namesOf(savedviews.ParseFields(v.Fields))
	}
	return r
}

// namesOf are names as texts.
func namesOf[Name ~string](list []Name) []string {
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = string(name)
	}
	return names
}

// SavedViews are the caller's, by name, and then those that others share.
func (h *Handlers) SavedViews(c echo.Context) error {
	listed, err := h.workflows.SavedViews(c.Request().Context())
	if err != nil {
		return err
	}
	page := listResource[savedViewResource]{Items: []savedViewResource{}}
	for _, v := range slices.Concat(listed.Own, listed.Shared) {
		page.Items = append(page.Items, h.savedView(c, v))
	}
	return answer(c, http.StatusOK, page)
}

func (h *Handlers) SavedView(c echo.Context) error {
	v, err := h.viewOfPath(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.savedView(c, v))
}

func (h *Handlers) viewOfPath(c echo.Context) (savedviews.View, error) {
	of, err := respond.PathView(c)
	if err != nil {
		return savedviews.View{}, err
	}
	return h.workflows.SavedView(c.Request().Context(), of)
}

// SavedViewTickets lists the tickets of a view that the caller sees.
func (h *Handlers) SavedViewTickets(c echo.Context) error {
	v, err := h.viewOfPath(c)
	if err != nil {
		return err
	}
	return h.listTickets(c, v.Slug, v.Query)
}

// viewBody is what a view can be given.
type viewBody struct {
	Name   *string   `json:"name"`
	Layout *string   `json:"layout"`
	Query  *string   `json:"q"`
	Lanes  *string   `json:"lanes"`
	Group  *string   `json:"group"`
	Fields *[]string `json:"fields"`
	Shared *bool     `json:"shared"`
}

// change changes a view to what was sent, or returns what of it a view cannot have.
func (b viewBody) change(v *savedviews.View) error {
	set(&v.Name, b.Name)
	set((*string)(&v.Layout), b.Layout)
	set(&v.Query, b.Query)
	set(&v.Lanes, b.Lanes)
	set(&v.Group, b.Group)
	set(&v.Shared, b.Shared)
	var badFields error
	if b.Fields != nil {
		fields := savedviews.ParseFields(strings.Join(*b.Fields, ",") + ",")
		v.Fields = savedviews.FieldsText(fields)
		if len(fields) != len(*b.Fields) {
			badFields = badJSON("fields must be a list of "+strings.Join(namesOf(savedviews.ListFields), ", ")+", each once", "fields")
		}
	}
	return fault.Join(oneOf("lanes", v.Lanes, views.LaneFields), oneOf("group", v.Group, namesOf(savedviews.Groups)), badFields)
}

// oneOf returns an error unless a member of a body is "" or among some values.
func oneOf(name, value string, values []string) error {
	if value == "" || slices.Contains(values, value) {
		return nil
	}
	return badJSON(fmt.Sprintf("%s must be one of %s, or empty", name, strings.Join(values, ", ")), name)
}

// SaveView adds a view of the caller.
func (h *Handlers) SaveView(c echo.Context) error {
	var in struct {
		viewBody
		Board  string `json:"board"`
		Pinned bool   `json:"pinned"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	v := savedviews.View{Layout: savedviews.AsList, Pinned: in.Pinned}
	if err := in.change(&v); err != nil {
		_, others := v.Parse()
		return fault.Join(others, err)
	}
	key, err := once(c, body, func(v savedviews.View) any { return h.savedView(c, v) })
	if err != nil {
		return err
	}
	saved, err := h.workflows.SaveView(c.Request().Context(), in.Board, v, key)
	return created(c, h.savedView(c, saved), err)
}

// ChangeView changes a view; its board stays.
func (h *Handlers) ChangeView(c echo.Context) error {
	var in struct {
		viewBody
		Version *uint64 `json:"version"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	of, err := respond.PathView(c)
	if err != nil {
		return err
	}
	v, err := h.workflows.ViewToChange(c.Request().Context(), of)
	if err != nil {
		return err
	}
	set(&v.Version, in.Version)
	err = in.change(&v)
	if in.Version == nil {
		err = fault.Join(noVersion, err)
	}
	if err != nil {
		_, others := v.Parse()
		return fault.Join(others, err)
	}
	changed, err := h.workflows.ChangeView(c.Request().Context(), v)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.savedView(c, changed))
}

func (h *Handlers) DeleteView(c echo.Context) error {
	of, err := respond.PathView(c)
	if err != nil {
		return err
	}
	if err := h.workflows.DeleteView(c.Request().Context(), of); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// PinView has a view in the caller's navigation.
func (h *Handlers) PinView(c echo.Context) error { return h.pin(c, true) }

// UnpinView takes a view out of the caller's navigation.
func (h *Handlers) UnpinView(c echo.Context) error { return h.pin(c, false) }

func (h *Handlers) pin(c echo.Context, pinned bool) error {
	of, err := respond.PathView(c)
	if err != nil {
		return err
	}
	v, err := h.workflows.PinView(c.Request().Context(), of, pinned)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.savedView(c, v))
}
