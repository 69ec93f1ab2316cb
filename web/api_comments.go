package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// commentResource is a comment; a deleted one has no body.
type commentResource struct {
	ID        id.Comment     `json:"id"`
	Ticket    string         `json:"ticket"`
	Author    authorResource `json:"author"`
	Body      string         `json:"body"`
	Version   uint64         `json:"version"`
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
	Deleted   bool           `json:"deleted"`
	URL       string         `json:"url"`
}

type authorResource struct {
	Name string `json:"name"`
}

type assigneeResource struct {
	Handle string `json:"handle"` // "" of someone who left the company
	Name   string `json:"name"`
}

func (l links) comment(key tickets.Key, c tickets.Comment) commentResource {
	return commentResource{
		ID: c.ID, Ticket: key.String(), Author: authorResource{c.Author.Name}, Body: c.Body, Version: c.Version, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
		Deleted: c.Deleted(), URL: l.base + views.CommentPath(l.company, key, c.ID),
	}
}

func assigneesOf(t tickets.Ticket) []assigneeResource {
	list := make([]assigneeResource, len(t.Assignees))
	for i, a := range t.Assignees {
		list[i] = assigneeResource{Handle: a.Handle, Name: a.Name}
	}
	return list
}

func (s *server) apiComments(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	n, err := limit(c)
	if err != nil {
		return err
	}
	after, err := goesOn[id.Comment](c, "after")
	if err != nil {
		return badQuery{"after", "what the page before gave as next"}
	}
	ticket, list, err := s.CommentsAfter(c.Request().Context(), k, after, n)
	if err != nil {
		return err
	}
	if err := named(c, "key", ticket.Key.String()); err != nil {
		return err
	}
	page := listResource[commentResource]{Items: make([]commentResource, len(list.List))}
	for i, one := range list.List {
		page.Items[i] = s.links(c).comment(ticket.Key, one)
	}
	if end := len(list.List); list.Newer {
		text := strconv.FormatUint(uint64(list.List[end-1].ID), 10)
		page.Next = &text
	}
	return answer(c, http.StatusOK, page)
}

func (s *server) apiComment(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	var in struct {
		Body string `json:"body"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	links := s.links(c)
	draw := func(said tickets.Said) any { return links.comment(said.Key, said.Comment) }
	once, err := once(c, body, draw)
	if err != nil {
		return err
	}
	said, err := s.Comment(c.Request().Context(), k, in.Body, once)
	return created(c, draw(said), err)
}

func (s *server) apiEditComment(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	comment, err := pathComment(c)
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
	switch {
	case in.Body == nil:
		return badJSON{why: "body is missing", field: "body"}
	case in.Version == nil:
		return noVersion
	}
	said, err := s.EditComment(c.Request().Context(), k, comment, *in.Body, *in.Version)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).comment(said.Key, said.Comment))
}

func (s *server) apiDeleteComment(c echo.Context) error {
	k, err := key(c)
	if err != nil {
		return err
	}
	comment, err := pathComment(c)
	if err != nil {
		return err
	}
	if _, err := s.DeleteComment(c.Request().Context(), k, comment); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// noAssignees reports a body without the list: leaving it out must not pass for an empty one.
var noAssignees = badJSON{why: "assignees is missing: send the handles of all who shall work on the ticket, or an empty list", field: "assignees"}

func (s *server) apiAssign(c echo.Context) error {
	k, err := key(c)
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
	ticket, err := s.SetAssignees(c.Request().Context(), k, in.Assignees)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, s.links(c).ticket(ticket))
}
