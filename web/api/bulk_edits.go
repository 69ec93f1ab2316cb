package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

// bulkEditResource is a change of many tickets by a run.
type bulkEditResource struct {
	ID        id.BulkEdit  `json:"id"`
	Board     *string      `json:"board"` // null: all boards that the maker sees
	Query     string       `json:"q"`
	Do        string       `json:"do"`     // of undo: "undo"
	Change    string       `json:"change"` // what is done, in words
	Dry       bool         `json:"dry"`
	Undoes    *id.BulkEdit `json:"undoes"` // the bulk edit that it takes back
	By        string       `json:"by"`     // a name
	State     string       `json:"state"`  // as of a run
	Rate      float64      `json:"rate"`   // tickets per second at most, 0 for any number
	Total     int          `json:"total"`  // tickets, once they are all found
	Changed   int          `json:"changed"`
	Unchanged int          `json:"unchanged"`
	Refused   int          `json:"refused"`
	CreatedAt time.Time    `json:"created_at"`
	URL       string       `json:"url"`
}

func (h *Handlers) bulkEdit(c echo.Context, b bulkedits.BulkEdit) bulkEditResource {
	actor := accounts.ActorFrom(c.Request().Context())
	r := bulkEditResource{ID: b.ID, Query: b.Query, Do: string(b.Edit.Kind), Change: b.Text(actor.Account.ID, actor.Role == accounts.Guest), Dry: b.Dry,
		By: b.Maker.Name, State: string(b.State), Rate: b.Rate, Total: b.Total, Changed: b.Changed, Unchanged: b.Unchanged,
		Refused: b.Refused, CreatedAt: b.At, URL: h.respond.Base(c) + views.BulkEditPath(actor.Company.Slug, b.ID)}
	if b.Board != 0 {
		r.Board = &b.Slug
	}
	if b.Undoes != 0 {
		r.Undoes = &b.Undoes
	}
	return r
}

// BulkEdits lists the caller's bulk edits, or to admins those of the company, the newest first.
func (h *Handlers) BulkEdits(c echo.Context) error {
	before, err := rowOf[id.BulkEdit](c, "before")
	if err != nil {
		return err
	}
	read := h.workflows.BulkEdits
	switch c.QueryParam("of") {
	case "":
	case "company":
		read = h.workflows.CompanyBulkEdits
	default:
		return badQuery("of", "company, or left out")
	}
	list, next, err := read(c.Request().Context(), before)
	if err != nil {
		return err
	}
	page := listResource[bulkEditResource]{Items: make([]bulkEditResource, len(list))}
	for i, one := range list {
		page.Items[i] = h.bulkEdit(c, one)
	}
	if next != 0 {
		text := fmt.Sprint(uint64(next))
		page.Next = &text
	}
	return answer(c, http.StatusOK, page)
}

// rowOf reads an id from a parameter of the address, 0 without it.
func rowOf[ID ~uint64](c echo.Context, name string) (ID, error) {
	if c.QueryParam(name) == "" {
		return 0, nil
	}
	return respond.RowID[ID](c.QueryParam(name), badQuery(name, "next of the page before"))
}

// BulkEdit is a bulk edit.
func (h *Handlers) BulkEdit(c echo.Context) error {
	edit, err := h.bulkEditOfPath(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.bulkEdit(c, edit))
}

func pathBulkEdit(c echo.Context) (id.BulkEdit, error) {
	return respond.RowID[id.BulkEdit](c.Param("edit"), bulkedits.NotFound())
}

func (h *Handlers) bulkEditOfPath(c echo.Context) (bulkedits.BulkEdit, error) {
	edit, err := pathBulkEdit(c)
	if err != nil {
		return bulkedits.BulkEdit{}, err
	}
	return h.workflows.BulkEdit(c.Request().Context(), edit)
}

// editBody is what is to be done with tickets.
type editBody struct {
	Do          string    `json:"do"`
	Add         []string  `json:"add"`
	Drop        []string  `json:"drop"`
	Priority    string    `json:"priority"`
	Start       string    `json:"start"`
	Due         string    `json:"due"`
	Column      id.Column `json:"column"`
	ColumnNamed string    `json:"column_named"`
	Place       string    `json:"place"`
	Parent      string    `json:"parent"`
	ToBoard     string    `json:"to_board"`
}

// places are where tickets go in a column, by name; true is its bottom.
var places = map[string]bool{"": false, "top": false, "bottom": true}

// read returns the edit that is asked for, or all that is wrong with it in itself.
func (e editBody) read() (asked workflows.EditRequest, err error) {
	bottom, known := places[e.Place]
	if !known {
		err = badJSON("place must be top or bottom", "place")
	}
	kind := bulkedits.Kind(e.Do)
	if !slices.Contains(bulkedits.Kinds, kind) {
		err = fault.Join(badJSON("do must be one of "+strings.Join(namesOf(bulkedits.Kinds), ", "), "do"), err)
	}
	priority, badPriority := tickets.ParsePriority(e.Priority)
	start, badStart := tickets.ParseDate("start", e.Start)
	due, badDue := tickets.ParseDate("due", e.Due)
	return workflows.EditRequest{Kind: kind, Add: e.Add, Drop: e.Drop, Priority: priority, Start: start, Due: due,
		Column: e.Column, ColumnNamed: e.ColumnNamed, Bottom: bottom, Parent: e.Parent, Board: e.ToBoard,
	}, fault.Join(err, badPriority, badStart, badDue)
}

// OpenBulkEdit changes all tickets of a board, or of all boards, that match a query.
func (h *Handlers) OpenBulkEdit(c echo.Context) error {
	var in struct {
		editBody
		Board  string `json:"board"`
		Query  string `json:"q"`
		Dry    bool   `json:"dry"`
		Canary int    `json:"canary"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	asked, bad := in.read()
	if in.Canary < 0 || in.Canary > bulkedits.MaxCanary {
		bad = fault.Join(bad, bulkedits.BadCanary())
	}
	if bad != nil {
		return bad
	}
	key, err := h.onceBulkEdit(c, body)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	edit, err := h.workflows.EditOf(ctx, in.Board, asked)
	if err != nil {
		return err
	}
	opened, err := h.workflows.OpenBulkEdit(ctx, in.Board,
		workflows.BulkRequest{Query: in.Query, Edit: edit, Dry: in.Dry, Canary: in.Canary}, key)
	return h.openedBulkEdit(c, opened, err)
}

func (h *Handlers) onceBulkEdit(c echo.Context, body []byte) (*workflows.Once[bulkedits.BulkEdit], error) {
	key, err := once(c, body, func(b bulkedits.BulkEdit) any { return h.bulkEdit(c, b) })
	if key != nil {
		key.Status = http.StatusAccepted
	}
	return key, err
}

// openedBulkEdit responds with a bulk edit that was opened.
func (h *Handlers) openedBulkEdit(c echo.Context, opened bulkedits.BulkEdit, err error) error {
	return createdAs(c, http.StatusAccepted, h.bulkEdit(c, opened), err)
}

// UndoBulkEdit opens the bulk edit that takes another back.
func (h *Handlers) UndoBulkEdit(c echo.Context) error {
	var in struct {
		Dry bool `json:"dry"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	edit, err := pathBulkEdit(c)
	if err != nil {
		return err
	}
	key, err := h.onceBulkEdit(c, body)
	if err != nil {
		return err
	}
	opened, err := h.workflows.UndoBulkEdit(c.Request().Context(), edit, in.Dry, key)
	return h.openedBulkEdit(c, opened, err)
}

// ChangeBulkEdit pauses a bulk edit, resumes or stops it, and sets its speed.
func (h *Handlers) ChangeBulkEdit(c echo.Context) error {
	var in struct {
		State string   `json:"state"`
		Rate  *float64 `json:"rate"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	edit, err := pathBulkEdit(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if in.Rate != nil {
		if err := h.workflows.SlowBulkEdit(ctx, edit, *in.Rate); err != nil {
			return err
		}
	}
	switch migrations.State(in.State) {
	case "":
	case migrations.Paused:
		err = h.workflows.PauseBulkEdit(ctx, edit)
	case migrations.Running:
		err = h.workflows.ResumeBulkEdit(ctx, edit)
	case migrations.Cancelled:
		err = h.workflows.StopBulkEdit(ctx, edit)
	default:
		err = badJSON("state must be paused, running or cancelled", "state")
	}
	if err != nil {
		return err
	}
	changed, err := h.workflows.BulkEdit(ctx, edit)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.bulkEdit(c, changed))
}

// outcomeResource is a ticket of a bulk edit.
type outcomeResource struct {
	Key    string `json:"key"`
	Title  string `json:"title"`
	Reason string `json:"reason,omitempty"` // of a refused one
	URL    string `json:"url"`
}

// outcomesResource is a page of the tickets with an outcome. Hidden are those on it that the caller does not see.
type outcomesResource struct {
	Items  []outcomeResource `json:"items"`
	Hidden int               `json:"hidden"`
	Next   *string           `json:"next"`
	// Reasons are on the first page of refused tickets: the most frequent ones, among the first bulkedits.ReasonsOf.
	Reasons []reasonResource `json:"reasons,omitempty"`
}

type reasonResource struct {
	Reason  string `json:"reason"`
	Tickets int    `json:"tickets"`
}

// BulkEditTickets lists the tickets of a bulk edit with an outcome.
func (h *Handlers) BulkEditTickets(c echo.Context) error {
	edit, err := h.bulkEditOfPath(c)
	if err != nil {
		return err
	}
	outcome := bulkedits.Outcome(c.QueryParam("outcome"))
	if outcome == "" {
		outcome = bulkedits.Changed
	}
	if !slices.Contains(bulkedits.Outcomes, outcome) {
		return badQuery("outcome", "changed, unchanged or refused")
	}
	after, err := rowOf[id.Ticket](c, "after")
	if err != nil {
		return err
	}
	list, more, err := h.workflows.BulkEditItems(c.Request().Context(), edit, outcome, after)
	if err != nil {
		return err
	}
	links := h.respond.Links(c)
	page := outcomesResource{Items: []outcomeResource{}}
	for _, item := range list {
		if item.Hidden {
			page.Hidden++
			continue
		}
		page.Items = append(page.Items, outcomeResource{item.Key.String(), item.Title, item.Reason, links.TicketURL(item.Key)})
	}
	if more {
		next := fmt.Sprint(uint64(list[len(list)-1].Ticket))
		page.Next = &next
	}
	if outcome == bulkedits.Refused && after == 0 {
		reasons, err := h.workflows.BulkEditReasons(c.Request().Context(), edit)
		if err != nil {
			return err
		}
		for _, one := range reasons {
			page.Reasons = append(page.Reasons, reasonResource{one.Text, one.Tickets})
		}
	}
	return answer(c, http.StatusOK, page)
}
