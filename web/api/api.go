// Package api serves programs: JSON for tokens, and streams of feeds. One file per resource; api.go has what they
// share: reading a body, idempotency keys, pages of a list. Start at routes.go of package web.
//
// # Streams of a feed
//
// GET /api/v1/feeds/{feed}/stream (feed_stream.go) and a long poll (?wait=) are responses of package streams. Streams
// at one position of a feed share one read and its bytes (frames.go).
//
// # Limits
//
// Calls of a token, and unknown tokens of an address, are counted in this server's memory (limit.go).
package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
	"github.com/counterfoil/counterfoil/web/streams"
)

// Handlers serve programs. Make them with New.
type Handlers struct {
	workflows *workflows.Workflows
	console   *console.Console
	streams   *streams.Streams
	respond   *respond.Responder
	frames    frames
	guesses   *guesses
	calls     *buckets[id.Token] // nil: a token may make any number
}

// New returns the handlers. A token may make so many calls in a minute; 0 is any number.
func New(workflows *workflows.Workflows, console *console.Console, streams *streams.Streams,
	respond *respond.Responder, rate int) *Handlers {
	return &Handlers{workflows: workflows, console: console, streams: streams, respond: respond,
		frames: frames{patience: respond.Patience}, guesses: newGuesses(), calls: callsPerMinute(rate)}
}

// AsBearer admits requests with an API token, within its limit. The company is the token's.
func (h *Handlers) AsBearer(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		token := bearerToken(c)
		if token == "" {
			return accounts.BadToken()
		}
		ctx := c.Request().Context()
		actor, err := h.guesses.look(token, accounts.AddressFrom(ctx), func() (accounts.Actor, error) {
			return h.workflows.Bearer(ctx, token)
		})
		if err != nil {
			return err
		}
		if err := h.countCall(c.Response().Header(), actor.Token); err != nil {
			return err
		}
		c.SetRequest(c.Request().WithContext(accounts.WithActor(ctx, actor)))
		return next(c)
	}
}

// bearerToken is the API token that a request brings, "" without one.
func bearerToken(c echo.Context) string {
	scheme, token, _ := strings.Cut(c.Request().Header.Get(echo.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// codeBadJSON: the body is not the JSON that is asked for. Correct the member that “field” names.
const codeBadJSON fault.Code = "HTTP.BadJSON"

func badJSON(why, field string) error {
	return fault.Invalid.New(codeBadJSON, field, "The body is not valid: "+why+".")
}

var noVersion = badJSON("version is missing: send the one that you read, so that nobody's edit is lost", "version")

// codeNotJSON: the body is not declared as JSON. Send it with the header “Content-Type: application/json”.
const codeNotJSON fault.Code = "HTTP.NotJSON"

func notJSON() error {
	return fault.Unsupported.New(codeNotJSON, "", "Send JSON with the header “Content-Type: application/json”.")
}

// bindJSON reads a body of one JSON object into v and returns its bytes. An unknown member is an error, since it is
// most likely a typing mistake.
func bindJSON(c echo.Context, v any) ([]byte, error) {
	kind, _, _ := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	if kind != "application/json" {
		return nil, notJSON()
	}
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		var http_ *echo.HTTPError
		if errors.As(err, &http_) {
			return nil, http_
		}
		return nil, echo.ErrBadRequest
	}
	if !utf8.Valid(body) {
		return nil, badJSON("it is not UTF-8", "")
	}
	if err := decode(body, v); err != nil {
		return nil, explainAll(body, v, err)
	}
	return body, nil
}

// decode reads one JSON object into v.
func decode(body []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errTrailing
	}
	return nil
}

var errTrailing = errors.New("trailing data")

// explainAll says what is wrong with each member of a body that decode refused with err.
func explainAll(body []byte, v any, err error) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return explain(err)
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member, err := json.Marshal(map[string]json.RawMessage{name: members[name]})
		if err != nil {
			return fmt.Errorf("read member %s: %w", name, err)
		}
		if err := decode(member, v); err != nil {
			wrong = append(wrong, explainMember(name, err))
		}
	}
	if wrong == nil { // a member that is given twice, and wrong only the first time
		return explain(err)
	}
	return fault.Join(wrong...)
}

// explainMember says what is wrong with a member of a body. Its path in an error of package json may begin with the name of
// a Go type.
func explainMember(name string, err error) error {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		if _, inside, ok := strings.Cut("."+wrongType.Field, "."+name); ok {
			wrongType.Field = name + inside
		}
	}
	return explain(err)
}

// withArticle returns one of JSON's types as a sentence has it: an array, a number.
func withArticle(kind string) string {
	if strings.HasPrefix(kind, "a") || strings.HasPrefix(kind, "o") {
		return "an " + kind
	}
	return "a " + kind
}

func explain(err error) error {
	var wrongType *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errTrailing):
		return badJSON("there is something behind the object", "")
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return badJSON("it must be an object", "")
	case errors.As(err, &wrongType):
		return badJSON(fmt.Sprintf("%s must not be %s", wrongType.Field, withArticle(wrongType.Value)), wrongType.Field)
	case errors.As(err, &syntax):
		return badJSON(fmt.Sprintf("it is no JSON at byte %d", syntax.Offset), "")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return badJSON("it ends too early", "")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = strings.Trim(name, `"`)
		return badJSON("there is no member "+name, name)
	}
	return badJSON("it cannot be read", "")
}

// codeBadIdempotencyKey: the Idempotency-Key is malformed. Send 1 to 255 printable ASCII characters, such as a
// UUID.
const codeBadIdempotencyKey fault.Code = "Idempotency.BadKey"

func badIdempotencyKey() error {
	return fault.Invalid.New(codeBadIdempotencyKey, "Idempotency-Key",
		"An Idempotency-Key is 1 to 255 printable ASCII characters; a UUID is good.")
}

// once reads the Idempotency-Key of a request with that body. It is nil without one.
func once[T any](c echo.Context, body []byte, answer func(T) any) (*workflows.Once[T], error) {
	values, sent := c.Request().Header["Idempotency-Key"]
	if !sent {
		return nil, nil
	}
	key := values[0]
	printable := !strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' })
	if len(values) != 1 || key == "" || len(key) > 255 || !printable {
		return nil, badIdempotencyKey()
	}
	request := append([]byte(c.Request().Method+" "+c.Request().URL.Path+"\n"), body...)
	token := accounts.ActorFrom(c.Request().Context()).Token
	return &workflows.Once[T]{Token: token, Key: key, Request: request, Status: http.StatusCreated, Response: answer,
		Made: keyTime(key)}, nil
}

// keyTime is when a key was made that tells it: a UUID of version 7 (RFC 9562) begins with milliseconds. Of other keys
// it is the zero time.
func keyTime(key string) time.Time {
	const length, version = 36, 14
	if len(key) != length || key[version] != '7' {
		return time.Time{}
	}
	at, err := strconv.ParseInt(key[:8]+key[9:13], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(at)
}

// answer sends JSON.
func answer(c echo.Context, code int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return answerBytes(c, code, body)
}

// answerBytes sends encoded JSON: a repeated answer is the same to the byte.
func answerBytes(c echo.Context, code int, body []byte) error {
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.JSONBlob(code, append(body, '\n'))
}

// created responds to a request that creates v: with v, or with the first response if the idempotency key was used
// before.
func created(c echo.Context, v any, err error) error {
	return createdAs(c, http.StatusCreated, v, err)
}

// answered is created with another status.
func createdAs(c echo.Context, code int, v any, err error) error {
	var before workflows.Replay
	if errors.As(err, &before) {
		c.Response().Header().Set("Idempotency-Replayed", "true")
		return answerBytes(c, before.Status, before.Body)
	}
	if err != nil {
		return err
	}
	return answer(c, code, v)
}

// codeBadQuery: a parameter of the address is malformed. Send what the message says.
const codeBadQuery fault.Code = "HTTP.BadQuery"

func badQuery(name, want string) error {
	return fault.Invalid.New(codeBadQuery, name, "The parameter "+name+" must be "+want+".")
}

const (
	defaultLimit = 50
	maxLimit     = 200
)

func limit(c echo.Context) (int, error) {
	text := c.QueryParam("limit")
	if text == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		return 0, badQuery("limit", fmt.Sprintf("a number from 1 to %d", maxLimit))
	}
	return n, nil
}
