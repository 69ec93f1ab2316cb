package streams

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
)

// Stream is a response of server-sent events. Between two events its owner waits for the next, for Context, for Beat
// (nothing was sent for a while: send a heartbeat), and for Check (check the reader's access).
type Stream struct {
	*Response
	c           echo.Context
	conn        net.Conn // that it has for itself, once it is detached; c and control are nil then
	beat, check *time.Ticker
}

// Stream counts a stream and sends nothing, so that an error can still be a response. session is as in Hold. Its caller
// runs or closes it. It returns an error that IsTooMany, or workflows.Stopping.
func (s *Streams) Stream(c echo.Context, session string) (*Stream, error) {
	response, err := s.Hold(c, session)
	if err != nil {
		return nil, err
	}
	return &Stream{Response: response, c: c, beat: time.NewTicker(s.limits.Beat), check: time.NewTicker(s.limits.Check)},
		nil
}

// Beat fires if nothing was sent for a while.
func (st *Stream) Beat() <-chan time.Time { return st.beat.C }

// Check fires when it is time to check the reader's access.
func (st *Stream) Check() <-chan time.Time { return st.check.C }

// Close ends the stream.
func (st *Stream) Close() {
	st.beat.Stop()
	st.check.Stop()
	st.Response.Close()
}

// begin sends the head of the response, and the delay after which the reader reconnects.
func (st *Stream) begin(again time.Duration) error {
	st.describe(st.c.Response().Header())
	st.c.Response().WriteHeader(http.StatusOK)
	return st.Send(retry(again))
}

func (st *Stream) describe(head http.Header) {
	head.Set(echo.HeaderContentType, "text/event-stream")
	head.Set(echo.HeaderCacheControl, "no-store")
	head.Set("X-Accel-Buffering", "no") // nginx buffers responses otherwise
}

func retry(after time.Duration) []byte {
	return []byte("retry: " + strconv.FormatInt(after.Milliseconds(), 10) + "\n\n")
}

// Run starts the response and has serve send the events; the stream is closed when serve returns. If the stream is
// detached, Run returns at once, so serve must hold nothing of the request: thousands of waiting streams would hold it
// too.
func (st *Stream) Run(again time.Duration, serve func() error) error {
	if isHead(st.c) {
		defer st.Close()
		st.describe(st.c.Response().Header())
		_ = st.control.SetWriteDeadline(time.Now().Add(st.streams.limits.Write))
		return st.c.NoContent(http.StatusOK)
	}
	path, method := st.c.Path(), st.c.Request().Method
	follow := func() {
		defer st.Close()
		defer func() {
			if r := recover(); r != nil {
				st.streams.log.Error("a stream panicked", "method", method, "route", path, "error", r, "stack",
					string(debug.Stack()))
			}
		}()
		st.streams.log.Debug("a stream ended", "route", path, "error", serve())
	}
	detached, err := st.detach(again)
	switch {
	case err != nil:
		st.Close()
	case detached:
		go follow()
	default:
		follow()
	}
	return nil // the answer has begun, or its reader is gone
}

type headKey struct{}

// WithHead marks the context of a HEAD request that is routed as GET: a stream sends its head alone.
func WithHead(ctx context.Context) context.Context { return context.WithValue(ctx, headKey{}, true) }

func isHead(c echo.Context) bool { return c.Request().Context().Value(headKey{}) != nil }

// detach is begin for a stream that outlives its handler: it takes the connection from the server. It reports false if
// that is impossible, as with HTTP/2, and the stream has begun within the handler.
func (st *Stream) detach(again time.Duration) (detached bool, err error) {
	conn, _, err := st.control.Hijack()
	if err != nil {
		return false, st.begin(again)
	}
	st.c.Response().Committed = true
	head := st.head()
	st.release()
	ctx, cancel := context.WithCancel(st.alive)
	st.ctx, st.conn, st.c, st.control = ctx, conn, nil, nil
	st.release = func() { cancel(); conn.Close() }
	go func() {
		defer cancel()
		drain(conn)
	}()
	return true, st.Send(append(head, retry(again)...))
}

// head is the head of a detached response, which ends with the connection.
func (st *Stream) head() []byte {
	head := st.c.Response().Header()
	st.describe(head)
	head.Set("Connection", "close")
	head.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	version := "1.1"
	if !st.c.Request().ProtoAtLeast(1, 1) {
		version = "1.0"
	}
	b := bytes.NewBufferString("HTTP/" + version + " 200 OK\r\n")
	_ = head.Write(b) // a buffer takes everything
	b.WriteString("\r\n")
	return b.Bytes()
}

// drain returns when the reader has gone, also when it closed its sending side, as net/http sees it, or when it sends
// more than the rest of a request.
func drain(conn net.Conn) {
	some := make([]byte, 64)
	for range 1024 {
		if _, err := conn.Read(some); err != nil {
			return
		}
	}
}

// Send writes whole events. A reader that does not take them in time is disconnected.
func (st *Stream) Send(events []byte) error {
	for len(events) > 0 {
		n := min(len(events), sentAtOnce)
		if err := st.write(events[:n]); err != nil {
			return err
		}
		events = events[n:]
	}
	st.beat.Reset(st.streams.limits.Beat)
	if st.conn != nil {
		return nil
	}
	return st.control.Flush()
}

func (st *Stream) write(piece []byte) (err error) {
	end := time.Now().Add(st.streams.limits.Write)
	if st.conn != nil {
		if err = st.conn.SetWriteDeadline(end); err == nil {
			_, err = st.conn.Write(piece)
		}
		return err
	}
	if err = st.control.SetWriteDeadline(end); err == nil || errors.Is(err, http.ErrNotSupported) {
		_, err = st.c.Response().Write(piece)
	}
	return err
}

// sentAtOnce is the number of bytes that a reader must take within Limits.Write.
const sentAtOnce = 64 << 10

// Event writes a server-sent event: its id if it has one, its name, and data of one line.
func Event(b []byte, id, name string, data []byte) []byte {
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(append(append(b, "event: "...), name...), '\n')
	return append(append(append(b, "data: "...), data...), "\n\n"...)
}

// Heartbeat is sent when nothing changed; it moves the reader's cursor on.
func Heartbeat(id string) []byte {
	if id == "" {
		return []byte(":\n\n")
	}
	return []byte(":\nid: " + id + "\n\n")
}
