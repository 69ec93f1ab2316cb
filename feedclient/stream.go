package feedclient

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Event is something that a stream says. Everything up to Cursor was sent, this Item included, so a stream
// from there goes on. Where Item is nil there is no news, but the cursor moved on.
type Event struct {
	Item   *Item
	Cursor string
	More   bool // the next event has come already
}

// Stream calls handle for each change, and goes on until ctx ends, handle fails, or the server refuses for good;
// it returns the error of that. A connection that breaks, or of which nothing is heard, is opened anew behind
// the last event. An *Error with StartOver means that it must be read from the start.
func (c *Client) Stream(ctx context.Context, q Query, handle func(Event) error) error {
	if err := c.check(); err != nil {
		return err
	}
	pause := &backoff{}
	for {
		err := c.connection(ctx, &q, pause, handle)
		var mine handlerError
		switch {
		case errors.As(err, &mine):
			return mine.error
		case ctx.Err() != nil:
			return ctx.Err()
		case !temporary(err):
			return err
		}
		if err := c.wait(ctx, pause, err); err != nil {
			return err
		}
	}
}

// handlerError keeps the handler's errors apart from those of the connection.
type handlerError struct{ error }

// errQuiet ends a connection of which nothing is heard.
var errQuiet = errors.New("the server sends no heartbeats")

// connection reads one stream to its end, and keeps in q where to go on.
func (c *Client) connection(ctx context.Context, q *Query, pause *backoff, handle func(Event) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := cmp.Or(c.Quiet, time.Minute)
	watch := time.AfterFunc(quiet, func() { cancel(errQuiet) })
	defer watch.Stop()
	response, err := c.send(ctx, http.MethodGet, "/feeds/"+url.PathEscape(q.Feed)+"/stream?"+q.values().Encode(), nil, http.Header{"Accept": {"text/event-stream"}})
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer response.Body.Close()
	events := &events{r: bufio.NewReaderSize(response.Body, 64<<10)}
	for {
		watch.Reset(quiet)
		said, err := events.next()
		watch.Stop() // the handler may take its time
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		pause.reset()
		event, ok, err := said.event()
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		event.More = events.r.Buffered() > 0
		if err := handle(event); err != nil {
			return handlerError{err}
		}
		q.Cursor = event.Cursor
	}
}

// said is a server-sent event as it was written.
type said struct {
	id, name string
	data     []byte
}

// event returns what was said, and false if it is nothing for a reader of the feed.
func (s said) event() (Event, bool, error) {
	if s.id == "" {
		return Event{}, false, nil
	}
	if s.name != "change" || len(s.data) == 0 {
		return Event{Cursor: s.id}, true, nil
	}
	item := new(Item)
	if err := json.Unmarshal(s.data, item); err != nil {
		return Event{}, false, fmt.Errorf("read an event: %w", err)
	}
	return Event{Item: item, Cursor: s.id}, true, nil
}

// events reads a stream of server-sent events, as the HTML standard has them.
type events struct{ r *bufio.Reader }

// next returns the next event, also one without data: its id moves on where the reader stands. What the end of
// the stream cuts off is dropped.
func (e *events) next() (s said, err error) {
	size := 0
	for {
		line, err := e.line()
		if err != nil {
			return said{}, err
		}
		if len(line) == 0 {
			return said{s.id, s.name, bytes.TrimSuffix(s.data, []byte("\n"))}, nil
		}
		if size += len(line); size > longest {
			return said{}, errors.New("an event is too large")
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "id":
			s.id = string(value)
		case "event":
			s.name = string(value)
		case "data":
			s.data = append(append(s.data, value...), '\n')
		}
	}
}

// line returns a line without its end.
func (e *events) line() ([]byte, error) {
	var whole []byte
	for {
		part, err := e.r.ReadSlice('\n')
		whole = append(whole, part...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(bytes.TrimSuffix(whole, []byte("\n")), []byte("\r")), nil
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(whole) > longest:
			return nil, errors.New("an event is too large")
		}
	}
}
