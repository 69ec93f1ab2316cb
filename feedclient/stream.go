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

// Event is an event of a stream. Everything up to Cursor was sent, this Item included, so a stream from there resumes.
// If Item is nil only the cursor moved.
type Event struct {
	Item   *Item
	Cursor string
	More   bool // the next event has arrived already
}

// Stream calls handle for each change, until ctx ends, handle fails, or the server refuses for good; it returns that
// error. A broken or silent connection is reopened after the last event. An *Error with StartOver means that the feed
// must be read from the start.
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

// errQuiet ends a silent connection.
var errQuiet = errors.New("the server sends no heartbeats")

// connection reads one stream to its end, and keeps the cursor in q.
func (c *Client) connection(ctx context.Context, q *Query, pause *backoff, handle func(Event) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := cmp.Or(c.Quiet, time.Minute)
	watch := time.AfterFunc(quiet, func() { cancel(errQuiet) })
	defer watch.Stop()
	response, err := c.send(ctx, http.MethodGet, "/feeds/"+url.PathEscape(q.Feed)+"/stream?"+q.values().Encode(), nil,
		http.Header{"Accept": {"text/event-stream"}})
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

// rawEvent is a server-sent event.
type rawEvent struct {
	id, name string
	data     []byte
}

// event returns the event, and false if it is not for a reader of the feed.
func (s rawEvent) event() (Event, bool, error) {
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

// events reads a stream of server-sent events, as the HTML standard defines them.
type events struct{ r *bufio.Reader }

// next returns the next event, also one without data, whose id moves the cursor. An incomplete event at the end of the
// stream is dropped.
func (e *events) next() (s rawEvent, err error) {
	size := 0
	for {
		line, err := e.line()
		if err != nil {
			return rawEvent{}, err
		}
		if len(line) == 0 {
			return rawEvent{s.id, s.name, bytes.TrimSuffix(s.data, []byte("\n"))}, nil
		}
		if size += len(line); size > longest {
			return rawEvent{}, errors.New("an event is too large")
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
