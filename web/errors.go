package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/streams"
)

// The only place where an error becomes a status and a page.

// retryAfter is in how many seconds trying again may help.
const retryAfter = 2

// statusGone is what a request is counted as whose client did not wait.
const statusGone = 499

// codeForeignSite: the request came from a page of another site. Open the page here and send it again.
const codeForeignSite fault.Code = "HTTP.CrossSite"

func foreignSite() error {
	return fault.Error{
		Kind: fault.Forbidden, Code: codeForeignSite,
		Message: "This request came from another site, so it was not carried out. Open the page here and send it again. " +
			"If you are here already, COUNTERFOIL_URL does not say the address that you use.",
	}
}

// codeForeignHost: the server is set up only under a name that it knows. Open it as localhost, or set
// COUNTERFOIL_URL.
const codeForeignHost fault.Code = "Setup.UnknownHost"

func foreignHost() error {
	return fault.Error{
		Kind: fault.Forbidden, Code: codeForeignHost,
		Message: "Counterfoil is not set up yet, and nobody may do that under a name it does not know. Open it as http://127.0.0.1 or http://localhost with its port; " +
			"or set COUNTERFOIL_URL to the address in your browser and start it again.",
	}
}

// codeTimedOut: the server did not answer in time, and what was sent may have been done. Look before sending it
// again.
const codeTimedOut fault.Code = "Server.TimedOut"

func timedOut(cause error) error {
	return fault.Error{
		Kind: fault.Unknown, Code: codeTimedOut, Cause: cause,
		Message: "The database takes too long to answer. What you sent may have been done all the same: look before you send it again.",
	}
}

var statuses = map[fault.Kind]int{
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Gone:            http.StatusGone,
	fault.Conflict:        http.StatusConflict,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unsupported:     http.StatusUnsupportedMediaType,
	fault.RateLimited:     http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.StorageFull:     http.StatusInsufficientStorage,
	fault.Unknown:         http.StatusServiceUnavailable,
}

var headings = map[int]string{
	http.StatusBadRequest:            "Bad request",
	http.StatusUnauthorized:          "Sign in first",
	http.StatusForbidden:             "Not allowed",
	http.StatusNotFound:              "Not found",
	http.StatusMethodNotAllowed:      "Not possible here",
	http.StatusConflict:              "Conflict",
	http.StatusGone:                  "Expired",
	http.StatusRequestEntityTooLarge: "Too large",
	http.StatusUnsupportedMediaType:  "Unsupported format",
	http.StatusUnprocessableEntity:   "Check what you entered",
	http.StatusTooManyRequests:       "Too many requests",
	http.StatusInternalServerError:   "Server error",
	http.StatusServiceUnavailable:    "Unavailable right now",
	http.StatusInsufficientStorage:   "Storage is full",
}

var messages = map[int]string{
	http.StatusNotFound:              "Check the address, or go to your boards.",
	http.StatusMethodNotAllowed:      "Go back and use the page's own buttons.",
	http.StatusRequestEntityTooLarge: "A request may have 512 KiB. Send less at once.",
	http.StatusInternalServerError:   "It is in the log, and nothing you sent was half done. Try again; if it stays so, tell whoever runs this server.",
	http.StatusBadRequest:            "The request could not be read. Go back and try again.",
}

// status returns what err is in HTTP, and the sentence for people.
func status(err error) (int, string) {
	var http_ *echo.HTTPError
	switch {
	case fault.KindOf(err) != "":
		return statuses[fault.KindOf(err)], fault.Message(err)
	case errors.Is(err, context.DeadlineExceeded):
		return status(timedOut(err))
	case errors.Is(err, context.Canceled):
		return statusGone, ""
	case errors.As(err, &http_) && http_.Code < 500:
		return http_.Code, messages[http_.Code]
	}
	return http.StatusInternalServerError, messages[http.StatusInternalServerError]
}

// showError answers a request that failed: a page, or a problem for programs.
func (s *server) showError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	if there := (renamed{}); errors.As(err, &there) {
		// Never from a store: a ticket may come back to a board, and the two names would lead to one another.
		c.Response().Header().Set("Cache-Control", "private, no-store")
		_ = c.Redirect(http.StatusMovedPermanently, there.path)
		return
	}
	if fault.KindOf(err) == "" && errors.Is(err, context.DeadlineExceeded) {
		err = timedOut(err)
	}
	code, message := status(err)
	// The page that says what happened is drawn also where the request's time is over.
	c.SetRequest(c.Request().WithContext(context.WithoutCancel(c.Request().Context())))
	s.logError(c, code, err)
	if code == statusGone {
		_ = c.NoContent(code)
		return
	}
	if code == http.StatusServiceUnavailable && s.why != nil {
		if why := s.why(); why != nil {
			message = fault.Message(why)
		}
	}
	if code == http.StatusServiceUnavailable || code == http.StatusTooManyRequests {
		sayWhen(c, err)
	}
	if isCall(c) {
		s.problem(c, code, message, err)
		return
	}
	if isFragment(c) && (code == http.StatusUnprocessableEntity || code == http.StatusConflict) {
		code = http.StatusBadRequest // those two are for forms, which htmx shows
	}
	if _, inside := member(c); inside && errors.Is(err, tickets.CodeNotFound) {
		if page, ok := s.deletedPage(c); ok {
			s.showPage(c, code, page)
			return
		}
	}
	back := wayBack(c)
	if back.Path != "" && code == http.StatusNotFound && message == messages[code] {
		message = "Check the address, or " + strings.ToLower(back.Text[:1]) + back.Text[1:] + "."
	}
	props := views.ErrorProps{
		Page: s.page(c, headings[code]), Status: code, Heading: headings[code], Message: message, Retry: code == http.StatusServiceUnavailable, Back: back,
	}
	if !errors.Is(err, codeForeignSite) { // which has no text of its own on our pages
		props.Typed = typed(c)
	}
	s.showPage(c, code, views.ErrorPage(props))
}

// wayBack is what an error page leads to where that is not the boards: where a stranger types a code, or an
// operator's migrations, feeds or reference codes.
func wayBack(c echo.Context) views.WayBack {
	at := c.Request().URL.Path
	if c.Path() == formRoute {
		return views.WayBack{Path: views.TrackBoxPath, Text: "Follow a request"}
	}
	if forStrangers(c) {
		return views.WayBack{Path: views.TrackBoxPath, Text: "Enter a code"}
	}
	who, _ := c.Get(personKey).(accounts.Account)
	for path, name := range map[string]string{views.MigrationsPath: "migrations", views.FeedsPath: "feeds", views.RefsPath: "reference codes"} {
		if who.Operator && (at == path || strings.HasPrefix(at, path+"/")) {
			return views.WayBack{Path: path, Text: "Go to the " + name}
		}
	}
	return views.WayBack{}
}

func (s *server) showPage(c echo.Context, code int, page templ.Component) {
	if err := render(c, code, page); err != nil {
		s.log.Error("show error page", "error", err)
	}
}

// typed are the texts of a form that came to nothing, for a member of the company or on a page for anyone; a script keeps
// those that it sent.
func typed(c echo.Context) (texts []string) {
	_, inside := member(c)
	fields := []string{"title", "merged_title", "body", "description", "merged_description"}
	if forStrangers(c) {
		fields = append(fields, "email")
	} else if !inside {
		return nil
	}
	if isFragment(c) || c.Request().Method != http.MethodPost {
		return nil
	}
	for _, field := range fields {
		if text := c.FormValue(field); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// isCall reports whether a program asks, so that JSON is wanted and not a page.
func isCall(c echo.Context) bool {
	path := c.Request().URL.Path
	return path == "/api" || strings.HasPrefix(path, "/api/")
}

// sayWhen has an answer to someone who came too early say in how many seconds to come again; to others it
// says nothing.
func sayWhen(c echo.Context, err error) {
	kind := fault.KindOf(err)
	if kind == fault.Invalid || kind == fault.Conflict {
		return
	}
	seconds := retryAfter
	var timed interface{ RetryAfter() time.Duration }
	if errors.As(err, &timed) {
		seconds = max(1, int((timed.RetryAfter()+time.Second-1)/time.Second))
	}
	c.Response().Header().Set("Retry-After", strconv.Itoa(seconds))
}

// logError logs what is our fault; what a request did wrong is no news.
func (s *server) logError(c echo.Context, code int, err error) {
	level := slog.LevelDebug
	if code >= 500 {
		level = slog.LevelError
	}
	if code == http.StatusServiceUnavailable {
		level = slog.LevelWarn
	}
	if errors.Is(err, streams.CodeTooMany) || errors.Is(err, refs.CodeEmpty) || errors.Is(err, workflows.CodeStopping) {
		level = slog.LevelDebug // of the first two there are metrics, the third is no trouble: none fills a log
	}
	attrs := []any{"status", code, "method", c.Request().Method, "path", loggedPath(c), "error", err}
	if cause := fault.Cause(err); cause != nil {
		attrs = append(attrs, "cause", cause)
	}
	var panicked interface{ Trace() string }
	if errors.As(err, &panicked) {
		attrs = append(attrs, "stack", panicked.Trace())
	}
	s.log.Log(c.Request().Context(), level, "request failed", attrs...)
}

// loggedPath is the path of a request without the secret that a link has in it.
func loggedPath(c echo.Context) string {
	path := c.Request().URL.Path
	for _, link := range []string{views.JoinPath(""), views.ResetPath(""), views.TrackPath("")} {
		if strings.HasPrefix(path, link) {
			return link + "…"
		}
	}
	return path
}

func (s *server) logPanic(c echo.Context, err error, _ []byte) error {
	s.log.Error("handler panicked", "path", loggedPath(c), "error", err, "stack", string(debug.Stack()))
	return fmt.Errorf("panic: %w", err)
}

// problem answers a program, as RFC 9457 says. type has the error's code; current is the state that a
// conflict is about; errors are all that is wrong where that is more than one thing.
type problem struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Status  int    `json:"status"`
	Detail  string `json:"detail"`
	Field   string `json:"field,omitempty"`
	Current any    `json:"current,omitempty"`
	Errors  []part `json:"errors,omitempty"`
}

// part is one of several errors of a request.
type part struct {
	Field   string     `json:"field"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

func (s *server) problem(c echo.Context, code int, message string, err error) {
	p := problem{Type: "about:blank", Title: headings[code], Status: code, Detail: message, Field: fault.Field(err)}
	if p.Title == "" {
		p.Title = http.StatusText(code)
	}
	if name := fault.CodeOf(err); name != "" {
		p.Type = "urn:counterfoil:problem:" + string(name)
	}
	if all := fault.Each(err); len(all) > 1 {
		for _, one := range all {
			p.Errors = append(p.Errors, part{Field: fault.Field(one), Code: fault.CodeOf(one), Message: fault.Message(one)})
		}
	}
	if code == http.StatusUnauthorized {
		c.Response().Header().Set("WWW-Authenticate", "Bearer")
	}
	var stale tickets.Stale
	var moved tickets.MovedSince
	var renamed boards.Stale
	var comment tickets.StaleComment
	var consumer feeds.ConsumerMoved
	switch {
	case errors.As(err, &consumer):
		p.Current = consumerOf(consumer.Current)
	case errors.As(err, &comment):
		p.Current = s.links(c).Comment(comment.Key, comment.Current)
	case errors.As(err, &renamed):
		p.Current = s.links(c).Board(renamed.Current)
	case errors.As(err, &stale):
		p.Current = s.links(c).Ticket(stale.Current)
	case errors.As(err, &moved):
		p.Current = s.links(c).Ticket(moved.Current)
	}
	c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
	c.Response().Header().Set("Cache-Control", "no-store")
	c.Response().WriteHeader(code)
	if err := c.Echo().JSONSerializer.Serialize(c, p, ""); err != nil {
		s.log.Debug("answer with a problem", "error", err)
	}
}
