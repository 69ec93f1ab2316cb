// Package public serves strangers: the public forms of boards, the pages of codes and private links, and boards by
// their public links. It knows no session.
package public

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/public"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Handlers serve the pages of strangers. Make them with New.
type Handlers struct {
	workflows *workflows.Workflows
	respond   *respond.Responder
}

// New returns the handlers.
func New(workflows *workflows.Workflows, respond *respond.Responder) *Handlers {
	return &Handlers{workflows: workflows, respond: respond}
}

// publicPage is the frame of a page for strangers.
func (h *Handlers) publicPage(c echo.Context, title string) views.Page {
	p := h.respond.Page(c, title)
	p.Public = true
	return p
}

func (h *Handlers) RequestForm(c echo.Context) error {
	form, err := h.workflows.PublicForm(c.Request().Context(), c.Param("company"), strings.ToUpper(c.Param("form")))
	if err != nil {
		return err
	}
	request := public.RequestForm{Nonce: requests.NewNonce(time.Now())}
	if chosen := c.QueryParam("template"); chosen != "" {
		template, err := respond.RowID[id.Template](chosen, tickets.TemplateNotFound())
		if err != nil {
			return err
		}
		t, err := h.workflows.PublicTemplate(c.Request().Context(), form, template)
		if err != nil {
			return err
		}
		request.Template, request.Title, request.Description = t.ID, t.Draft.Title, t.Draft.Description
	}
	return h.showRequestForm(c, http.StatusOK, form, request)
}

func (h *Handlers) showRequestForm(
	c echo.Context, code int, board requests.OpenForm, form public.RequestForm,
) (err error) {
	slug := strings.ToUpper(c.Param("form"))
	if board.Proof {
		if now := time.Now(); !requests.Provable(form.Nonce, now) {
			form.Nonce = requests.NewNonce(now)
		}
		form.Challenge, err = h.workflows.ProofChallenge(c.Request().Context(), form.Nonce, c.Param("company"), slug)
		if err != nil {
			return err
		}
	}
	templates, err := h.workflows.PublicTemplates(c.Request().Context(), board)
	if err != nil {
		return err
	}
	return respond.Render(c, code, public.RequestPage(public.RequestProps{Page: h.publicPage(c, "Request: "+board.Title),
		Board: board, Slug: slug, Form: form, Templates: templates}))
}

// SendRequest opens a ticket. It redirects to the receipt by the private link, so a reload opens no second one; if that
// link was revoked, to the page of the code.
func (h *Handlers) SendRequest(c echo.Context) error {
	form := public.RequestForm{Nonce: c.FormValue("nonce"), Title: c.FormValue("title"),
		Description: c.FormValue("description"), Email: c.FormValue("email"), Challenge: c.FormValue("challenge"),
		Proof: c.FormValue("proof")}
	form.Template, _ = respond.RowID[id.Template](c.FormValue("template"), echo.ErrBadRequest)
	if !requests.IsNonce(form.Nonce) {
		form.Nonce = requests.NewNonce(time.Now())
	}
	if c.FormValue("website") != "" {
		return h.rejectRequest(c, form, requests.LooksAutomatic())
	}
	receipt, err := h.workflows.Send(c.Request().Context(),
		form.Sent(c.Param("company"), strings.ToUpper(c.Param("form"))))
	if errors.Is(err, workflows.CodeUnknownKey) || errors.Is(err, requests.CodeNoProof) {
		// Sent again with another nonce it is done.
		form.Nonce = requests.NewNonce(time.Now())
	}
	if err != nil {
		return h.rejectRequest(c, form, err)
	}
	to := views.TrackPath(receipt.Code)
	if receipt.Token != "" {
		to = views.ReceiptPath(receipt.Code, receipt.Token)
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// refused is respond.Rejected, also for a server error that will pass.
func (h *Handlers) refused(c echo.Context, err error) (messages views.Errors, code int, ok bool) {
	if messages, code, ok = respond.Rejected(err); ok {
		return messages, code, true
	}
	code, message := respond.Status(err)
	if code != http.StatusServiceUnavailable {
		return nil, code, false
	}
	h.respond.LogError(c, code, err)
	return views.Errors{"": message}, code, true
}

// rejectRequest shows a form again with its input.
func (h *Handlers) rejectRequest(c echo.Context, form public.RequestForm, err error) error {
	messages, code, ok := h.refused(c, err)
	if !ok {
		return err
	}
	board, readErr := h.workflows.PublicForm(c.Request().Context(), c.Param("company"), strings.ToUpper(c.Param("form")))
	if readErr != nil {
		return readErr
	}
	form.Errors = messages
	respond.SetRetryAfter(c, err)
	return h.showRequestForm(c, code, board, form)
}

// TrackBox is the form for a code.
func (h *Handlers) TrackBox(c echo.Context) error {
	if code := strings.TrimSpace(c.QueryParam("code")); code != "" {
		return c.Redirect(http.StatusSeeOther, views.TrackPath(code))
	}
	return respond.Render(c, http.StatusOK, public.TrackBoxPage(h.publicPage(c, "Check a request")))
}

// Track shows the page of a code.
func (h *Handlers) Track(c echo.Context) error {
	found, err := h.workflows.Track(c.Request().Context(), c.Param("code"))
	if err != nil {
		return err
	}
	return h.showTracked(c, http.StatusOK, found, views.CommentForm{})
}

// TrackPrivately shows the page of a private link.
func (h *Handlers) TrackPrivately(c echo.Context) error {
	found, err := h.behindLink(c)
	if err != nil {
		return err
	}
	return h.showTracked(c, http.StatusOK, found, views.CommentForm{})
}

func (h *Handlers) behindLink(c echo.Context) (requests.TrackedTicket, error) {
	return h.workflows.TrackPrivately(c.Request().Context(), c.Param("code"), c.Param("token"))
}

func (h *Handlers) showTracked(c echo.Context, code int, found requests.TrackedTicket, form views.CommentForm) error {
	before, err := respond.Cursor[id.Comment](c, "before")
	if err != nil {
		return err
	}
	page, err := h.workflows.Replies(c.Request().Context(), found, before)
	if err != nil {
		return err
	}
	props := public.TrackedProps{Page: h.publicPage(c, "Request "+found.Code), Found: found, Token: c.Param("token"),
		Nonce: respond.Nonce(c), Older: page.Older, Newer: page.Newer, Form: form}
	if sent, ok, err := h.workflows.SentTexts(c.Request().Context(), found); err != nil {
		return err
	} else if ok {
		props.Sent = &sent
	}
	for _, one := range page.List {
		drawn, err := publicComment(one)
		if err != nil {
			return err
		}
		props.List = append(props.List, drawn)
	}
	return respond.Render(c, code, public.TrackedPage(props))
}

// publicComment renders a comment for its requester, without links of keys and mentions.
func publicComment(one tickets.Comment) (views.Comment, error) {
	if one.FromRequester || one.Deleted() {
		return views.Comment{Comment: one}, nil
	}
	none := func(string) string { return "" }
	html, err := markup.Render(one.Body, none, none, nil)
	return views.Comment{Comment: one, HTML: html}, err
}

func (h *Handlers) Receipt(c echo.Context) error {
	found, err := h.behindLink(c)
	if err != nil {
		return err
	}
	props := public.ReceiptProps{Page: h.publicPage(c, "Request "+found.Code), Found: found,
		Link: h.respond.Base(c) + views.PrivatePath(found.Code, c.Param("token")),
		Box:  h.respond.Base(c) + views.TrackBoxPath}
	return respond.Render(c, http.StatusOK, public.ReceiptPage(props))
}

// Reply needs no proof that the form is ours: the private link is the right to write, and another site does not know
// it.
func (h *Handlers) Reply(c echo.Context) error {
	form := views.CommentForm{Body: c.FormValue("body")}
	reply := requests.Reply{Nonce: c.FormValue("nonce"), Body: form.Body}
	err := h.workflows.ReplyByLink(c.Request().Context(), c.Param("code"), c.Param("token"), reply)
	if err == nil {
		return c.Redirect(http.StatusSeeOther, views.PrivatePath(c.Param("code"), c.Param("token"))+"#"+views.SaidID)
	}
	if errors.Is(err, workflows.CodeUnknownKey) {
		respond.RenewNonce(c)
	}
	messages, code, ok := h.refused(c, err)
	if !ok {
		return err
	}
	found, readErr := h.behindLink(c)
	if readErr != nil {
		return readErr
	}
	if messages["body"] == "" {
		messages = views.Errors{"body": messages[""]}
	}
	form.Errors = messages
	respond.SetRetryAfter(c, err)
	return h.showTracked(c, code, found, form)
}
