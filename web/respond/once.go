package respond

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// NonceField is the field of a form's nonce, which names one submission.
const NonceField = "nonce"

// Keys of a request's context.
const (
	usedKey = "nonce used"
	sentKey = "nonce sent"
)

// viewFields say what of the page is shown, and nothing of what is asked for.
var viewFields = []string{NonceField, "last"}

// Once does what a form asks for once for its nonce and content: a form that is sent again, by a double click, from
// another tab or after a lost answer, gets the first result, for a day. A form without a nonce is done anyway.
func Once[T any](c echo.Context, do func(once *workflows.Once[T]) (T, error)) (result T, err error) {
	fields, err := c.FormParams()
	if err != nil {
		return result, echo.ErrBadRequest
	}
	return answer(c, submission[T](c, fields), do)
}

// OnceWithFile is Once for a form that may bring a file, which is a part of its content.
func OnceWithFile[T any](
	c echo.Context, form *Upload, do func(once *workflows.Once[T]) (T, error),
) (T, error) {
	once := submission[T](c, form.Fields)
	if once != nil && form.File != nil {
		form.OnEnd = func() {
			once.Request = fmt.Appendf(once.Request, "\n%s\n%x", form.Name, form.Sum.Sum(nil))
			once.Key = string(once.Request)
		}
	}
	return answer(c, once, do)
}

// answer does what a form asks for, or returns its first result.
func answer[T any](c echo.Context, once *workflows.Once[T], do func(once *workflows.Once[T]) (T, error)) (T, error) {
	result, err := do(once)
	var first workflows.Replay
	if errors.As(err, &first) {
		if err = json.Unmarshal(first.Body, &result); err != nil {
			err = fmt.Errorf("read the first result of a form: %w", err)
		}
	}
	if err == nil || errors.Is(err, workflows.CodeUnknownKey) { // sent again with another nonce it is done
		RenewNonce(c)
	}
	return result, err
}

// RenewNonce lets the next form be another submission, also if this one is rejected.
func RenewNonce(c echo.Context) { c.Set(usedKey, true) }

// submission is what a form asks for, named by its account, nonce and content; nil without a nonce.
func submission[T any](c echo.Context, fields url.Values) *workflows.Once[T] {
	sent := fields.Get(NonceField)
	if sent == "" {
		return nil
	}
	c.Set(sentKey, sent)
	content := maps.Clone(fields)
	for _, field := range viewFields {
		content.Del(field)
	}
	request := fmt.Sprintf("%d %s %s %s\n%s", User(c).ID, sent, c.Request().Method, c.Request().URL.Path, content.Encode())
	return &workflows.Once[T]{
		Key: request, Request: []byte(request), Status: http.StatusCreated, Response: func(t T) any { return t },
		Secret: []byte(sent), Made: requests.NonceTime(sent),
	}
}

// Nonce is that of the next form: of a rejected one its own, so that it is still the same submission.
func Nonce(c echo.Context) string {
	if used, _ := c.Get(usedKey).(bool); used || c.Request().Method != http.MethodPost {
		return requests.NewNonce(time.Now())
	}
	sent, _ := c.Get(sentKey).(string)
	if sent == "" && !HasFile(c) { // a file is not read for it
		sent = c.FormValue(NonceField)
	}
	return cmp.Or(sent, requests.NewNonce(time.Now()))
}
