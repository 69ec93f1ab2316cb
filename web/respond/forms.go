package respond

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/views"
)

// Rejected returns the messages of a rejected form and its status: 422, 409 for a conflict, 429 if rate limited. ok is
// false for an error that is not about the form.
func Rejected(err error) (form views.Errors, code int, ok bool) {
	switch kind := fault.KindOf(err); kind {
	case fault.Invalid, fault.Conflict, fault.RateLimited, fault.TooLarge:
		code = statuses[kind]
	case fault.Gone:
		code = http.StatusConflict // the row of a field is gone, not the page
	default:
		return nil, 0, false
	}
	return FieldErrors(err, fault.Field), code, true
}

// FieldErrors returns the messages of an error, each at the field that name gives for it.
func FieldErrors(err error, name func(error) string) views.Errors {
	messages := views.Errors{}
	for _, one := range fault.Each(err) {
		field := name(one)
		messages[field] = strings.TrimSpace(messages[field] + " " + fault.Message(one))
	}
	return messages
}

// AddErrors adds an error's messages to those of a form, at fields without one.
func AddErrors(messages views.Errors, err error) {
	for field, message := range FieldErrors(err, fault.Field) {
		if messages[field] == "" {
			messages[field] = message
		}
	}
}

// RowID parses the id of a row, or its version. It returns the given error if it is none.
func RowID[T ~uint64](s string, otherwise error) (T, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, otherwise
	}
	return T(n), nil
}

// Cursor reads the cursor of a list from a parameter; without it, the list starts at its first page.
func Cursor[T ~uint64](c echo.Context, parameter string) (T, error) {
	text := c.QueryParam(parameter)
	if text == "" {
		return 0, nil
	}
	return RowID[T](text, echo.ErrBadRequest)
}

// ParseColumn reads a column's id from a form or a path; "" is 0, the board's first.
func ParseColumn(s string) (id.Column, error) {
	if s == "" {
		return 0, nil
	}
	return RowID[id.Column](s, badColumn())
}

// ParseAfter reads the key of the ticket to go below from a form; "" is the top.
func ParseAfter(s string) (*tickets.Key, error) {
	if s == "" {
		return nil, nil
	}
	key, err := tickets.ParseKey(s)
	if err != nil {
		return nil, BadKey()
	}
	return &key, nil
}

// Version reads the version that a form was made from.
func Version(c echo.Context) (uint64, error) {
	return RowID[uint64](c.FormValue("version"), badVersion())
}

// PathColumn reads a column's id from the path.
func PathColumn(c echo.Context) (id.Column, error) {
	return RowID[id.Column](c.Param("column"), echo.ErrNotFound)
}

// PathTemplate reads a template's id from the path.
func PathTemplate(c echo.Context) (id.Template, error) {
	return RowID[id.Template](c.Param("template"), tickets.TemplateNotFound())
}

// PathView reads a saved view's id from the path.
func PathView(c echo.Context) (id.SavedView, error) {
	return RowID[id.SavedView](c.Param("view"), savedviews.NotFound())
}

// PathComment reads a comment's id from the path.
func PathComment(c echo.Context) (id.Comment, error) {
	return RowID[id.Comment](c.Param("comment"), tickets.CommentNotFound())
}

// PathKey reads a ticket's key from the path.
func PathKey(c echo.Context) (tickets.Key, error) { return tickets.ParseKey(c.Param("key")) }

// PathKeyAndComment reads a ticket's key and the id of one of its comments from the path.
func PathKeyAndComment(c echo.Context) (key tickets.Key, comment id.Comment, err error) {
	if key, err = PathKey(c); err != nil {
		return key, 0, err
	}
	comment, err = PathComment(c)
	return key, comment, err
}

// PathRun reads a run's id from the path.
func PathRun(c echo.Context) (id.Run, error) {
	return RowID[id.Run](c.Param("run"), echo.ErrNotFound)
}

// PathWebhook reads a webhook's id from the path.
func PathWebhook(c echo.Context) (id.Webhook, error) {
	return RowID[id.Webhook](c.Param("webhook"), webhooks.NotFound())
}

// PathAccount reads an account's id from the path.
func PathAccount(c echo.Context) (id.Account, error) {
	return RowID[id.Account](c.Param("account"), accounts.MemberNotFound())
}

// codeBadColumn: the column is no id. Reload the page.
const codeBadColumn fault.Code = "Column.BadID"

func badColumn() error {
	return fault.Invalid.New(codeBadColumn, "column",
		"The column must be one of this board. Reload the page and try again.")
}

// codeBadVersion: the version is no whole number. Reload the page.
const codeBadVersion fault.Code = "HTTP.BadVersion"

func badVersion() error {
	return fault.Invalid.New(codeBadVersion, "", "The version must be a whole number. Reload the page and try again.")
}

// codeBadKey: the ticket to go below is named by what is no key. Send one such as NINJA-42.
const codeBadKey fault.Code = "Ticket.BadKey"

// BadKey is the error of a malformed key of the ticket to go below.
func BadKey() error {
	return fault.Invalid.New(codeBadKey, "after", "Name the ticket to go below by its key, such as NINJA-42.")
}

// codeBadSwitch: the form says neither on nor off. Use the page's buttons.
const codeBadSwitch fault.Code = "HTTP.BadSwitch"

// BadSwitch is the error of a form that says neither on nor off.
func BadSwitch() error {
	return fault.Invalid.New(codeBadSwitch, "", "Use one of the buttons of the page.")
}
