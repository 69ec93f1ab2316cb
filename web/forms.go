package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// rejected returns the messages of a form that was not taken, and its status: 422, 409 where
// something else was there first, or 429 before its time. ok is false for an error that is not about the form.
func rejected(err error) (form views.Errors, code int, ok bool) {
	switch kind := fault.KindOf(err); kind {
	case fault.Invalid, fault.Conflict, fault.RateLimited, fault.TooLarge:
		code = statuses[kind]
	case fault.Gone:
		code = http.StatusConflict // what a field names is gone, not the page
	default:
		return nil, 0, false
	}
	return fieldErrors(err, fault.Field), code, true
}

// fieldErrors returns the messages of an error, each at the field that name gives for it.
func fieldErrors(err error, name func(error) string) views.Errors {
	messages := views.Errors{}
	for _, one := range fault.Each(err) {
		field := name(one)
		messages[field] = strings.TrimSpace(messages[field] + " " + fault.Message(one))
	}
	return messages
}

// addErrors adds the messages of an error to those of a form, at fields that have none.
func addErrors(messages views.Errors, err error) {
	for field, message := range fieldErrors(err, fault.Field) {
		if messages[field] == "" {
			messages[field] = message
		}
	}
}

// rowID reads the id of a row, or its version. It returns the error otherwise for what is none.
func rowID[T ~uint64](s string, otherwise error) (T, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, otherwise
	}
	return T(n), nil
}

// goesOn reads from where a page of a list goes on; without it, the list begins.
func goesOn[T ~uint64](c echo.Context, parameter string) (T, error) {
	text := c.QueryParam(parameter)
	if text == "" {
		return 0, nil
	}
	return rowID[T](text, echo.ErrBadRequest)
}

// column reads a column's id from a form or a path; "" is 0, the board's first.
func column(s string) (id.Column, error) {
	if s == "" {
		return 0, nil
	}
	return rowID[id.Column](s, badColumn())
}

// after reads the key of the ticket to go below from a form; "" is the top.
func after(s string) (*tickets.Key, error) {
	if s == "" {
		return nil, nil
	}
	key, err := tickets.ParseKey(s)
	if err != nil {
		return nil, badKey()
	}
	return &key, nil
}

// version reads the version that a form was made from.
func version(c echo.Context) (uint64, error) {
	return rowID[uint64](c.FormValue("version"), badVersion())
}

// pathColumn reads a column's id from the path.
func pathColumn(c echo.Context) (id.Column, error) {
	return rowID[id.Column](c.Param("column"), echo.ErrNotFound)
}

// pathComment reads a comment's id from the path.
func pathComment(c echo.Context) (id.Comment, error) {
	return rowID[id.Comment](c.Param("comment"), tickets.CommentNotFound())
}

// pathPerson reads a member's id from the path.
func pathPerson(c echo.Context) (accounts.ID, error) {
	return rowID[accounts.ID](c.Param("account"), accounts.PersonNotFound())
}

// key reads a ticket's key from the path.
func key(c echo.Context) (tickets.Key, error) { return tickets.ParseKey(c.Param("key")) }

// codeBadColumn: the column is no id. Reload the page.
const codeBadColumn fault.Code = "Column.BadID"

func badColumn() error {
	return fault.Error{
		Kind: fault.Invalid, Code: codeBadColumn, Field: "column",
		Message: "The column must be one of this board. Reload the page and try again.",
	}
}

// codeBadVersion: the version is no whole number. Reload the page.
const codeBadVersion fault.Code = "HTTP.BadVersion"

func badVersion() error {
	return fault.Error{
		Kind: fault.Invalid, Code: codeBadVersion,
		Message: "The version must be a whole number. Reload the page and try again.",
	}
}

// codeBadKey: the ticket to go below is named by what is no key. Send one such as NINJA-42.
const codeBadKey fault.Code = "Ticket.BadKey"

func badKey() error {
	return fault.Error{
		Kind: fault.Invalid, Code: codeBadKey, Field: "after",
		Message: "Name the ticket to go below by its key, such as NINJA-42.",
	}
}

// readable returns an error where the body of a form cannot be read; FormValue would say "" then.
func readable(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().Method != http.MethodPost || takesFile(c) {
			return next(c)
		}
		if _, err := c.FormParams(); err != nil {
			var http_ *echo.HTTPError
			if errors.As(err, &http_) {
				return http_
			}
			var large *http.MaxBytesError
			if errors.As(err, &large) {
				return echo.ErrStatusRequestEntityTooLarge
			}
			return echo.ErrBadRequest
		}
		return next(c)
	}
}
