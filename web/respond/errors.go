package respond

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
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/streams"
)

// The only place where an error becomes a status and a page.

// RetryAfter is the number of seconds after which a retry may help.
const RetryAfter = 2

// statusGone counts a request whose client did not wait.
const statusGone = 499

// codeCrossSite: the request came from a page of another site. Open the page here and send it again.
const codeCrossSite fault.Code = "HTTP.CrossSite"

// CrossSite refuses a request that came from a page of another site.
func CrossSite() error {
	return fault.Forbidden.New(codeCrossSite, "",
		"This request came from another site, so it was not carried out. Open the page here and send it again. "+
			"If you are here already, COUNTERFOIL_URL does not say the address that you use.")
}

// codeTimedOut: the server did not answer in time, and what was sent may have been done. Look before sending it
// again.
const codeTimedOut fault.Code = "Server.TimedOut"

func timedOut(cause error) error {
	return fault.Error{
		Kind: fault.Unknown, Code: codeTimedOut, Cause: cause,
		Message: "The database takes too long to answer. Your change may still have been saved: check before you " +
			"send it again.",
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
	http.StatusRequestEntityTooLarge: "A request can have at most 512 KiB. Send less at once.",
	http.StatusInternalServerError: "The error is logged, and nothing was partly saved. Try again; if it happens " +
		"again, tell the operator of this server.",
	http.StatusBadRequest: "The request could not be read. Go back and try again.",
}

// Status returns the HTTP status of an error and its sentence.
func Status(err error) (int, string) {
	var http_ *echo.HTTPError
	switch {
	case fault.KindOf(err) != "":
		return statuses[fault.KindOf(err)], fault.Message(err)
	case errors.Is(err, context.DeadlineExceeded):
		return Status(timedOut(err))
	case errors.Is(err, context.Canceled):
		return statusGone, ""
	case errors.As(err, &http_) && http_.Code < 500:
		return http_.Code, messages[http_.Code]
	}
	return http.StatusInternalServerError, messages[http.StatusInternalServerError]
}

// ShowError responds to a failed request: with a page, or with a problem for programs.
func (r *Responder) ShowError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	if there := (renamedError{}); errors.As(err, &there) {
		// Not cached: a ticket may come back to a board, and the two names would redirect to one another.
		c.Response().Header().Set("Cache-Control", "private, no-store")
		_ = c.Redirect(http.StatusMovedPermanently, there.path)
		return
	}
	if fault.KindOf(err) == "" && errors.Is(err, context.DeadlineExceeded) {
		err = timedOut(err)
	}
	code, message := Status(err)
	// The error page is rendered also if the request's time is over.
	c.SetRequest(c.Request().WithContext(context.WithoutCancel(c.Request().Context())))
	r.LogError(c, code, err)
	r.LogSecurity(c, code, err)
	if code == statusGone {
		_ = c.NoContent(code)
		return
	}
	unknown := fault.KindOf(err) == fault.Unknown
	if code == http.StatusServiceUnavailable && !unknown && r.why != nil {
		if why := r.why(); why != nil {
			message = whyFor(c, why)
		}
	}
	if code == http.StatusServiceUnavailable || code == http.StatusTooManyRequests {
		SetRetryAfter(c, err)
	}
	if isCall(c) {
		r.problem(c, code, message, err)
		return
	}
	if IsFragment(c) && (code == http.StatusUnprocessableEntity || code == http.StatusConflict) {
		code = http.StatusBadRequest // 422 and 409 are for forms, which htmx shows
	}
	if _, inside := Member(c); inside && errors.Is(err, tickets.CodeNotFound) {
		if page, ok := r.deletedPage(c); ok {
			r.showPage(c, code, page)
			return
		}
	}
	if code < http.StatusInternalServerError {
		r.recognize(c)
	}
	back := wayBack(c)
	if back.Path != "" && code == http.StatusNotFound && message == messages[code] {
		message = "Check the address, or " + strings.ToLower(back.Text[:1]) + back.Text[1:] + "."
	}
	props := views.ErrorProps{
		Page: r.Page(c, headings[code]), Status: code, Heading: headings[code], Message: message,
		Retry: code == http.StatusServiceUnavailable && !unknown, Back: back,
	}
	if props.Page.Public = isPublicPage(c); isPublicLink(c) && message == messages[http.StatusNotFound] {
		props.Message = "Check the address."
	}
	if user := props.Page.User; user != nil && user.Operator && isOperatorsPage(c) {
		props.Page.Room = Room()
	}
	if !errors.Is(err, codeCrossSite) { // its text is not one of ours
		props.Typed = typedTexts(c)
	}
	r.showPage(c, code, views.ErrorPage(props))
}

// noRoom is what all but operators learn of the trouble of the database, which is a full disk.
const noRoom = "This server has no room to save anything right now. What was saved is safe, and it goes on by itself " +
	"once there is room. Try again later, or tell its operator."

// whyFor is the trouble of the database in words: paths and sizes of the machine are for operators, and in the log.
func whyFor(c echo.Context, why error) string {
	user, _ := c.Get(personKey).(accounts.Account)
	if user.Operator || accounts.MaybeActor(c.Request().Context()).Account.Operator {
		return fault.Message(why)
	}
	return noRoom
}

// wayBack is the link of an error page that does not go to the boards: to the box for codes, or to the operator's list.
func wayBack(c echo.Context) views.WayBack {
	at := c.Request().URL.Path
	if c.Path() == FormRoute {
		return views.WayBack{Path: views.TrackBoxPath, Text: "Check a request"}
	}
	if isPublicLink(c) {
		return views.WayBack{}
	}
	if isPublicPage(c) {
		return views.WayBack{Path: views.TrackBoxPath, Text: "Enter a code"}
	}
	who, _ := c.Get(personKey).(accounts.Account)
	for path, name := range map[string]string{views.MigrationsPath: "migrations", views.FeedsPath: "feeds",
		views.RefsPath: "reference codes"} {
		if who.Operator && (at == path || strings.HasPrefix(at, path+"/")) {
			return views.WayBack{Path: path, Text: "Go to the " + name}
		}
	}
	return views.WayBack{}
}

func isOperatorsPage(c echo.Context) bool {
	return strings.HasPrefix(c.Request().URL.Path+"/", views.AdminPath+"/")
}

func (r *Responder) showPage(c echo.Context, code int, page templ.Component) {
	if err := Render(c, code, page); err != nil {
		r.Log.Error("show error page", "error", err)
	}
}

// typedTexts are the texts of a rejected form, for a member or on a public page; a script keeps those that it sent.
func typedTexts(c echo.Context) (texts []string) {
	_, inside := Member(c)
	fields := []string{"title", "merged_title", "body", "description", "merged_description"}
	if isPublicPage(c) {
		fields = append(fields, "email")
	} else if !inside {
		return nil
	}
	if IsFragment(c) || c.Request().Method != http.MethodPost {
		return nil
	}
	for _, field := range fields {
		if text := c.FormValue(field); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// isCall reports whether the response is JSON for a program, not a page.
func isCall(c echo.Context) bool {
	path := c.Request().URL.Path
	return path == "/api" || strings.HasPrefix(path, "/api/")
}

// SetRetryAfter sets Retry-After if the error has a time to retry at.
func SetRetryAfter(c echo.Context, err error) {
	kind := fault.KindOf(err)
	if kind == fault.Invalid || kind == fault.Conflict {
		return
	}
	seconds := RetryAfter
	var timed interface{ RetryAfter() time.Duration }
	if errors.As(err, &timed) {
		seconds = max(1, int((timed.RetryAfter()+time.Second-1)/time.Second))
	}
	c.Response().Header().Set("Retry-After", strconv.Itoa(seconds))
}

// LogError logs a server error; an error of a request is not logged.
func (r *Responder) LogError(c echo.Context, code int, err error) {
	level := slog.LevelDebug
	if code >= 500 {
		level = slog.LevelError
	}
	if code == http.StatusServiceUnavailable {
		level = slog.LevelWarn
	}
	if streams.IsTooMany(err) || errors.Is(err, refs.CodeEmpty) || errors.Is(err, workflows.CodeStopping) ||
		errors.Is(err, feeds.CodeCursorAhead) {
		// The first two have metrics, the third is no trouble, the last passes by itself: none fills a log.
		level = slog.LevelDebug
	}
	attrs := []any{"status", code, "method", c.Request().Method, "path", loggedPath(c), "error", err}
	if cause := fault.Cause(err); cause != nil {
		attrs = append(attrs, "cause", cause)
	}
	var panicked interface{ Trace() string }
	if errors.As(err, &panicked) {
		attrs = append(attrs, "stack", panicked.Trace())
	}
	r.Log.Log(c.Request().Context(), level, "request failed", attrs...)
}

// loggedPath is the path of a request without the secret of a link.
func loggedPath(c echo.Context) string {
	path := c.Request().URL.Path
	for _, link := range []string{views.JoinPath(""), views.ResetPath(""), views.TrackPath(""),
		views.PublicBoardPath(""), views.CalendarPath + "/"} {
		if strings.HasPrefix(path, link) {
			return link + "…"
		}
	}
	return path
}

// LogPanic logs a handler's panic and returns it as an error.
func (r *Responder) LogPanic(c echo.Context, err error, _ []byte) error {
	r.Log.Error("handler panicked", "path", loggedPath(c), "error", err, "stack", string(debug.Stack()))
	return fmt.Errorf("panic: %w", err)
}

// FormRoute is the route of a board's public form.
const FormRoute = "/:company/forms/:form"

// isPublicPage reports whether a page is for strangers, also if it is refused before its handler.
func isPublicPage(c echo.Context) bool {
	return c.Path() == FormRoute || strings.HasPrefix(c.Request().URL.Path+"/", views.TrackBoxPath+"/") || isPublicLink(c)
}

// isPublicLink reports whether a page is of a board by its public link, or a calendar by its address: it leads nowhere else.
func isPublicLink(c echo.Context) bool {
	at := c.Request().URL.Path + "/"
	return strings.HasPrefix(at, views.PublicPath+"/") || strings.HasPrefix(at, views.CalendarPath+"/")
}
