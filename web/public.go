package web

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// Pages for strangers: the public forms of boards, and what a code or a private link leads to. Nobody is signed
// in on them, whoever asks.

const formRoute = "/:company/forms/:form"

// forStrangers reports whether a page is for anyone, also where it is refused before it comes to its handler.
func forStrangers(c echo.Context) bool {
	return c.Path() == formRoute || strings.HasPrefix(c.Request().URL.Path+"/", views.TrackBoxPath+"/")
}

// publicly is for a page that anyone may open: no robot keeps it, and it loads nothing from elsewhere.
func (s *server) publicly(next echo.HandlerFunc) echo.HandlerFunc {
	next = readable(next)
	return func(c echo.Context) error {
		head := c.Response().Header()
		head.Set("X-Robots-Tag", "noindex, nofollow")
		head.Set("Content-Security-Policy", strings.Replace(policy, " https:", "", 1))
		return next(c)
	}
}

// secretly is publicly for an address that must not get about: it is told to nobody.
func (s *server) secretly(next echo.HandlerFunc) echo.HandlerFunc {
	return s.publicly(func(c echo.Context) error {
		c.Response().Header().Set("Referrer-Policy", "no-referrer")
		return next(c)
	})
}

// publicPage is the frame of a page for strangers.
func (s *server) publicPage(c echo.Context, title string) views.Page {
	p := s.page(c, title)
	p.Public = true
	return p
}

func (s *server) requestForm(c echo.Context) error {
	form, err := s.workflows.PublicForm(c.Request().Context(), c.Param("company"), strings.ToUpper(c.Param("form")))
	if err != nil {
		return err
	}
	return s.showRequestForm(c, http.StatusOK, form, views.RequestForm{Nonce: requests.NewToken()})
}

func (s *server) showRequestForm(c echo.Context, code int, board requests.OpenForm, form views.RequestForm) error {
	return render(c, code, views.RequestPage(views.RequestProps{Page: s.publicPage(c, "Request: "+board.Title), Board: board, Slug: strings.ToUpper(c.Param("form")), Form: form}))
}

// sendRequest opens a ticket. The way to the receipt is the private link, so that to load it again opens no other. Who
// sends a form again whose link was revoked is led to what the code tells.
func (s *server) sendRequest(c echo.Context) error {
	form := views.RequestForm{Nonce: c.FormValue("nonce"), Title: c.FormValue("title"), Description: c.FormValue("description"), Email: c.FormValue("email")}
	if !requests.IsToken(form.Nonce) {
		form.Nonce = requests.NewToken()
	}
	if c.FormValue("website") != "" {
		return s.rejectRequest(c, form, requests.LooksAutomatic())
	}
	receipt, err := s.workflows.Send(c.Request().Context(), form.Sent(c.Param("company"), strings.ToUpper(c.Param("form"))))
	if err != nil {
		return s.rejectRequest(c, form, err)
	}
	to := views.TrackPath(receipt.Code)
	if receipt.Token != "" {
		to = views.ReceiptPath(receipt.Code, receipt.Token)
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// refused is rejected, also where the fault is ours for now.
func (s *server) refused(c echo.Context, err error) (messages views.Errors, code int, ok bool) {
	if messages, code, ok = rejected(err); ok {
		return messages, code, true
	}
	code, message := status(err)
	if code != http.StatusServiceUnavailable {
		return nil, code, false
	}
	s.logError(c, code, err)
	return views.Errors{"": message}, code, true
}

// rejectRequest shows a form again with what was typed.
func (s *server) rejectRequest(c echo.Context, form views.RequestForm, err error) error {
	messages, code, ok := s.refused(c, err)
	if !ok {
		return err
	}
	board, readErr := s.workflows.PublicForm(c.Request().Context(), c.Param("company"), strings.ToUpper(c.Param("form")))
	if readErr != nil {
		return readErr
	}
	form.Errors = messages
	sayWhen(c, err)
	return s.showRequestForm(c, code, board, form)
}

// trackBox is where a code is typed in; a form of it leads on.
func (s *server) trackBox(c echo.Context) error {
	if code := strings.TrimSpace(c.QueryParam("code")); code != "" {
		return c.Redirect(http.StatusSeeOther, views.TrackPath(code))
	}
	return render(c, http.StatusOK, views.TrackBoxPage(s.publicPage(c, "Follow a request")))
}

// tracked shows what a code leads to.
func (s *server) tracked(c echo.Context) error {
	found, err := s.workflows.Track(c.Request().Context(), c.Param("code"))
	if err != nil {
		return err
	}
	return s.showTracked(c, http.StatusOK, found, views.CommentForm{})
}

// trackedPrivately shows what a private link leads to.
func (s *server) trackedPrivately(c echo.Context) error {
	found, err := s.behindLink(c)
	if err != nil {
		return err
	}
	return s.showTracked(c, http.StatusOK, found, views.CommentForm{})
}

func (s *server) behindLink(c echo.Context) (requests.Tracked, error) {
	return s.workflows.TrackPrivately(c.Request().Context(), c.Param("code"), c.Param("token"))
}

func (s *server) showTracked(c echo.Context, code int, found requests.Tracked, form views.CommentForm) error {
	before, err := goesOn[id.Comment](c, "before")
	if err != nil {
		return err
	}
	page, err := s.workflows.Replies(c.Request().Context(), found, before)
	if err != nil {
		return err
	}
	props := views.TrackedProps{Page: s.publicPage(c, "Request "+found.Code), Found: found, Token: c.Param("token"), Nonce: cmp.Or(c.FormValue("nonce"), requests.NewToken()), Older: page.Older, Newer: page.Newer, Form: form}
	for _, one := range page.List {
		drawn, err := publicly(one)
		if err != nil {
			return err
		}
		props.List = append(props.List, drawn)
	}
	return render(c, code, views.TrackedPage(props))
}

// publicly draws a comment for its requester, to whom no key leads anywhere and no handle says anything.
func publicly(one tickets.Comment) (views.Comment, error) {
	if one.FromRequester || one.Deleted() {
		return views.Comment{Comment: one}, nil
	}
	none := func(string) string { return "" }
	html, err := markup.Render(one.Body, none, none, none)
	return views.Comment{Comment: one, HTML: html}, err
}

func (s *server) receipt(c echo.Context) error {
	found, err := s.behindLink(c)
	if err != nil {
		return err
	}
	props := views.ReceiptProps{Page: s.publicPage(c, "Request "+found.Code), Found: found, Link: s.base(c) + views.PrivatePath(found.Code, c.Param("token")), Box: s.base(c) + views.TrackBoxPath}
	return render(c, http.StatusOK, views.ReceiptPage(props))
}

// replyByLink needs no proof that the form is ours: whoever knows the link may write, and whoever does not
// cannot make another's browser do so.
func (s *server) replyByLink(c echo.Context) error {
	form := views.CommentForm{Body: c.FormValue("body")}
	reply := requests.Reply{Nonce: c.FormValue("nonce"), Body: form.Body}
	err := s.workflows.ReplyByLink(c.Request().Context(), c.Param("code"), c.Param("token"), reply)
	if err == nil {
		return c.Redirect(http.StatusSeeOther, views.PrivatePath(c.Param("code"), c.Param("token"))+"#"+views.SaidID)
	}
	messages, code, ok := s.refused(c, err)
	if !ok {
		return err
	}
	found, readErr := s.behindLink(c)
	if readErr != nil {
		return readErr
	}
	if messages["body"] == "" {
		messages = views.Errors{"body": messages[""]}
	}
	form.Errors = messages
	sayWhen(c, err)
	return s.showTracked(c, code, found, form)
}
