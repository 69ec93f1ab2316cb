package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

// popResource are popped codes.
type popResource struct {
	Refs []refs.Code `json:"refs"`
}

func (h *Handlers) PopRefs(c echo.Context) error {
	in := struct {
		Count   int    `json:"count"`
		Purpose string `json:"purpose"`
	}{Count: 1}
	var body []byte
	if c.Request().ContentLength != 0 {
		var err error
		if body, err = bindJSON(c, &in); err != nil {
			return err
		}
	}
	key, err := once(c, body, func(codes []refs.Code) any { return popResource{codes} })
	if err != nil {
		return err
	}
	if key != nil {
		key.Status = http.StatusOK
	}
	codes, err := h.console.PopRefs(c.Request().Context(), in.Count, in.Purpose, key)
	return createdAs(c, http.StatusOK, popResource{codes}, err)
}

// issueResource is a popped code.
type issueResource struct {
	Code     refs.Code    `json:"code"`
	IssuedAt time.Time    `json:"issued_at"`
	Token    *issueToken  `json:"token"` // null if it was popped for a ticket
	Purpose  string       `json:"purpose"`
	Ticket   *issueTicket `json:"ticket"` // null if it leads to none that the caller sees
}

type issueToken struct {
	ID      id.Token `json:"id"`
	Name    string   `json:"name"`
	Account string   `json:"account"`
}

type issueTicket struct {
	Key string `json:"key"`
	URL string `json:"url"`
}

// Ref shows the issue of a code to the account of its token and to operators.
func (h *Handlers) Ref(c echo.Context) error {
	ctx := c.Request().Context()
	issue, err := h.workflows.IssuedRef(ctx, c.Param("code"))
	if err != nil {
		return err
	}
	r := issueResource{Code: issue.Code, IssuedAt: issue.IssuedAt, Purpose: issue.Purpose}
	if issue.Token != 0 {
		r.Token = &issueToken{issue.Token, issue.TokenName, issue.TokenAccount}
	}
	if issue.Board != "" {
		key := tickets.Key{Board: issue.Board, Number: issue.Number}
		r.Ticket = &issueTicket{key.String(), h.respond.Base(c) + views.TicketPath(accounts.ActorFrom(ctx).Company.Slug, key)}
	}
	return answer(c, http.StatusOK, r)
}

// refsResource is the state of the reference codes.
type refsResource struct {
	Minted      uint64              `json:"minted"`
	Issued      uint64              `json:"issued"`
	Quarantined uint64              `json:"quarantined"`
	Available   uint64              `json:"available"`
	PerHour     float64             `json:"per_hour"`
	Runway      *float64            `json:"runway_hours"` // null if none are popped
	Paused      bool                `json:"paused"`       // refills
	Counted     *recountResource    `json:"counted"`      // null before the first time
	ByLength    []refLengthResource `json:"by_length"`
}

// recountResource is the result of the last count of codes: the counters were off by so many and are corrected, or so
// many codes are lost, that is the tables disagree.
type recountResource struct {
	At   time.Time `json:"at"`
	Off  uint64    `json:"off"`
	Lost uint64    `json:"lost"`
}

type refLengthResource struct {
	Length      int     `json:"length"`
	Minted      uint64  `json:"minted"`
	Issued      uint64  `json:"issued"`
	Quarantined uint64  `json:"quarantined"`
	Available   uint64  `json:"available"`
	Space       uint64  `json:"space"`
	Share       float64 `json:"share"` // of the space that was minted, 0 to 1
}

func (h *Handlers) Refs(c echo.Context) error {
	standing, err := h.console.RefState(c.Request().Context())
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, Refs(standing))
}

// Refs is the state of the reference codes, as the API and the command line show it.
func Refs(s refs.State) any {
	r := refsResource{
		Minted: s.Minted, Issued: s.Issued, Quarantined: s.Quarantined, Available: s.Available, PerHour: s.Rate,
		Paused: s.Policy.Paused,
	}
	if runway, ok := s.Runway(); ok {
		hours := runway.Round(time.Minute).Hours()
		r.Runway = &hours
	}
	if c := s.Recount; c.At != nil {
		r.Counted = &recountResource{*c.At, c.Off, c.Lost}
	}
	for _, l := range s.ByLength {
		r.ByLength = append(r.ByLength, refLengthResource{l.Length, l.Minted, l.Issued, l.Quarantined, l.Available, l.Space,
			l.Share()})
	}
	return r
}

type lotResource struct {
	ID            id.Lot     `json:"id"`
	Run           id.Run     `json:"run"`
	Source        string     `json:"source"`
	Length        int        `json:"length"`
	Codes         uint64     `json:"codes"`
	Collided      uint64     `json:"collided"`
	Expected      float64    `json:"expected"`
	Blocked       uint64     `json:"blocked"`
	Quarantined   uint64     `json:"quarantined"`
	QuarantinedAt *time.Time `json:"quarantined_at"`
	CreatedAt     time.Time  `json:"created_at"`
}

// Lot is a lot of reference codes, as the API and the command line show it.
func Lot(l refs.Lot) any {
	return lotResource{l.ID, l.Run, l.Source, l.Length, l.Added, l.Collided, l.Expected, l.Blocked, l.Quarantined,
		l.QuarantinedAt, l.CreatedAt}
}

func (h *Handlers) Lots(c echo.Context) error {
	before, err := respond.Cursor[id.Lot](c, "before")
	if err != nil {
		return err
	}
	list, more, err := h.console.RefLots(c.Request().Context(), before)
	if err != nil {
		return err
	}
	items := []any{}
	for _, lot := range list {
		items = append(items, Lot(lot))
	}
	var next *id.Lot
	if more {
		next = &list[len(list)-1].ID
	}
	return answer(c, http.StatusOK, map[string]any{"items": items, "next": next})
}

func (h *Handlers) QuarantineLot(c echo.Context) error {
	lot, err := respond.RowID[id.Lot](c.Param("lot"), refs.LotNotFound(0))
	if err != nil {
		return err
	}
	run, err := h.console.QuarantineRefs(c.Request().Context(), lot)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.runLinks(c).run(run))
}
