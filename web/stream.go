package web

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

// stream is an answer of server-sent events. Between two events its owner waits for news, for ctx, for beat,
// which comes where nothing was sent for a while (send a heartbeat then), and for check, which says that it is
// time to look whether the reader still may.
type stream struct {
	*lasting
	c           echo.Context
	conn        net.Conn // that it has for itself, once it is detached; c and control are nil then
	beat, check *time.Ticker
}

// openStream counts a stream and sends nothing, so that what is wrong can still be answered. Its caller
// closes it. It returns tooManyStreams, or workflows.Stopping.
func (s *server) openStream(c echo.Context, who string) (*stream, error) {
	answer, err := s.last(c, who)
	if err != nil {
		return nil, err
	}
	return &stream{lasting: answer, c: c, beat: time.NewTicker(answer.Beat), check: time.NewTicker(answer.Check)}, nil
}

func (st *stream) close() {
	st.beat.Stop()
	st.check.Stop()
	st.leave()
}

// begin sends the head of the answer, and how long a reader shall wait before it connects again.
func (st *stream) begin(again time.Duration) error {
	st.describe(st.c.Response().Header())
	st.c.Response().WriteHeader(http.StatusOK)
	return st.send(retry(again))
}

func (st *stream) describe(head http.Header) {
	head.Set(echo.HeaderContentType, "text/event-stream")
	head.Set(echo.HeaderCacheControl, "no-store")
	head.Set("X-Accel-Buffering", "no") // nginx keeps answers back otherwise
}

func retry(after time.Duration) []byte {
	return []byte("retry: " + strconv.FormatInt(after.Milliseconds(), 10) + "\n\n")
}

// stream begins the answer, and has goOn send what follows; the stream is closed when that returns. It returns at
// once where the stream could be detached, so goOn must keep nothing of the request: that is what thousands who
// wait would cost.
func (s *server) stream(st *stream, again time.Duration, goOn func() error) error {
	if isHead(st.c) {
		defer st.close()
		st.describe(st.c.Response().Header())
		_ = st.control.SetWriteDeadline(time.Now().Add(st.Write))
		return st.c.NoContent(http.StatusOK)
	}
	path, method := st.c.Path(), st.c.Request().Method
	follow := func() {
		defer st.close()
		defer func() {
			if r := recover(); r != nil {
				s.log.Error("a stream panicked", "method", method, "route", path, "error", r, "stack", string(debug.Stack()))
			}
		}()
		s.log.Debug("a stream ended", "route", path, "error", goOn())
	}
	detached, err := st.detach(again)
	switch {
	case err != nil:
		st.close()
	case detached:
		go follow()
	default:
		follow()
	}
	return nil // the answer has begun, or its reader is gone
}

// detach is begin for a stream that goes on when its handler has returned: it takes the connection from the
// server. It reports false where that cannot be, as with HTTP/2, and the stream has begun within the handler.
func (st *stream) detach(again time.Duration) (detached bool, err error) {
	conn, _, err := st.control.Hijack()
	if err != nil {
		return false, st.begin(again)
	}
	st.c.Response().Committed = true
	head := st.head()
	st.release()
	ctx, cancel := context.WithCancel(st.ending)
	st.ctx, st.conn, st.c, st.control = ctx, conn, nil, nil
	st.release = func() { cancel(); conn.Close() }
	go func() {
		defer cancel()
		drain(conn)
	}()
	return true, st.send(append(head, retry(again)...))
}

// head is the head of a detached answer, which ends with the connection.
func (st *stream) head() []byte {
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

// drain returns when the reader has gone, also by saying that it sends nothing more, as net/http sees it, or when
// it sends more than what may be left of a request.
func drain(conn net.Conn) {
	some := make([]byte, 64)
	for range 1024 {
		if _, err := conn.Read(some); err != nil {
			return
		}
	}
}

// send writes whole events. A reader who does not take a piece of them in time is left.
func (st *stream) send(events []byte) error {
	for len(events) > 0 {
		n := min(len(events), sentAtOnce)
		if err := st.write(events[:n]); err != nil {
			return err
		}
		events = events[n:]
	}
	st.beat.Reset(st.Beat)
	if st.conn != nil {
		return nil
	}
	return st.control.Flush()
}

func (st *stream) write(piece []byte) (err error) {
	end := time.Now().Add(st.Write)
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

// sentAtOnce is how many bytes a reader must take within StreamLimits.Write.
const sentAtOnce = 64 << 10

// event writes a server-sent event: its id where it has one, its name, and data of one line.
func event(b []byte, id, name string, data []byte) []byte {
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(append(append(b, "event: "...), name...), '\n')
	return append(append(append(b, "data: "...), data...), "\n\n"...)
}

// heartbeat is what a reader gets where there is no news: it moves on where it would go on from.
func heartbeat(id string) []byte {
	if id == "" {
		return []byte(":\n\n")
	}
	return []byte(":\nid: " + id + "\n\n")
}
