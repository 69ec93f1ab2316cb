package api

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Comments(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	n, err := limit(c)
	if err != nil {
		return err
	}
	after, err := respond.Cursor[id.Comment](c, "after")
	if err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	ticket, list, err := h.workflows.CommentsAfter(c.Request().Context(), k, after, n)
	if err != nil {
		return err
	}
	if err := respond.CheckName(c, "key", ticket.Key.String()); err != nil {
		return err
	}
	page := listResource[workflows.CommentResource]{Items: make([]workflows.CommentResource, len(list.List))}
	for i, one := range list.List {
		page.Items[i] = h.respond.Links(c).Comment(ticket.Key, one)
	}
	if end := len(list.List); list.Newer {
		text := strconv.FormatUint(uint64(list.List[end-1].ID), 10)
		page.Next = &text
	}
	return answer(c, http.StatusOK, page)
}

func (h *Handlers) AddComment(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	var in struct {
		Body   string `json:"body"`
		Public bool   `json:"public"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	links := h.respond.Links(c)
	draw := func(said tickets.KeyedComment) any { return links.Comment(said.Key, said.Comment) }
	once, err := once(c, body, draw)
	if err != nil {
		return err
	}
	say := h.workflows.Comment
	if in.Public {
		say = h.workflows.Reply
	}
	said, err := say(c.Request().Context(), k, in.Body, once)
	return created(c, draw(said), err)
}

func (h *Handlers) EditComment(c echo.Context) error {
	k, comment, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	var in struct {
		Body    *string `json:"body"`
		Version *uint64 `json:"version"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	var wrong []error
	if in.Body == nil {
		wrong = append(wrong, badJSON("body is missing", "body"))
	} else if _, err := tickets.ParseComment(*in.Body); err != nil && in.Version == nil {
		wrong = append(wrong, err)
	}
	if in.Version == nil {
		wrong = append(wrong, noVersion)
	}
	if err := fault.Join(wrong...); err != nil {
		return err
	}
	said, err := h.workflows.EditComment(c.Request().Context(), k, comment, *in.Body, *in.Version)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Comment(said.Key, said.Comment))
}

func (h *Handlers) DeleteComment(c echo.Context) error {
	k, comment, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	if _, err := h.workflows.DeleteComment(c.Request().Context(), k, comment); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// React adds the caller's reaction to a comment.
func (h *Handlers) React(c echo.Context) error { return h.react(c, true) }

// Unreact takes it back.
func (h *Handlers) Unreact(c echo.Context) error { return h.react(c, false) }

func (h *Handlers) react(c echo.Context, on bool) error {
	k, comment, err := respond.PathKeyAndComment(c)
	if err != nil {
		return err
	}
	reaction, err := tickets.ParseReaction(c.Param("reaction"))
	if err != nil {
		return err
	}
	said, err := h.workflows.React(c.Request().Context(), k, comment, reaction, on)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Comment(said.Key, said.Comment))
}

// noAssignees reports a body without the list: a missing one must not pass for an empty one.
var noAssignees = badJSON("assignees is missing: send the handles of all assignees, or an empty "+
	"list", "assignees")

func (h *Handlers) SetAssignees(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	var in struct {
		Assignees []string `json:"assignees"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	if in.Assignees == nil {
		return noAssignees
	}
	ticket, err := h.workflows.SetAssignees(c.Request().Context(), k, in.Assignees)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Ticket(ticket))
}
