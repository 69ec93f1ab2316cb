package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// What all answers share that go on: streams of events, and questions that wait until there is news.

// StreamLimits bound answers that go on. What is 0 has its default.
type StreamLimits struct {
	Most  int           // there may be at once in this process
	OfOne int           // there may be at once of one person
	Beat  time.Duration // after which something is sent where there is no news
	Check time.Duration // after which it is looked whether the reader still may
	Write time.Duration // that a reader may take for what is sent
}

func (l StreamLimits) orDefaults() StreamLimits {
	l.Most = cmp.Or(l.Most, 5000)
	l.OfOne = cmp.Or(l.OfOne, 2500)
	l.Beat = cmp.Or(l.Beat, 20*time.Second)
	l.Check = cmp.Or(l.Check, 30*time.Second)
	l.Write = cmp.Or(l.Write, 10*time.Second)
	return l
}

var (
	openStreams    = promauto.NewGauge(prometheus.GaugeOpts{Name: "counterfoil_streams", Help: "Answers of this process that wait for changes."})
	refusedStreams = promauto.NewCounter(prometheus.CounterOpts{Name: "counterfoil_streams_refused_total", Help: "Those that were refused because there were too many."})
)

// tooManyStreams reports one more than there may be.
type tooManyStreams struct {
	most int
	own  bool // of this person
}

func (e tooManyStreams) Error() string {
	if e.own {
		return "You have " + strconv.Itoa(e.most) + " connections open that wait for changes, and there may be no more. Close some of them."
	}
	return "This server has " + strconv.Itoa(e.most) + " connections open that wait for changes, and takes no more. Try again later, or ask without waiting."
}

func (tooManyStreams) Unwrap() error             { return fault.Unavailable }
func (tooManyStreams) RetryAfter() time.Duration { return 15 * time.Second }

// streams counts the answers of a server that go on, and ends them all when it stops.
type streams struct {
	StreamLimits
	ending context.Context
	end    context.CancelFunc

	mu     sync.Mutex
	open   int
	of     map[string]int
	rounds [kinds]chan struct{} // nil where nobody waits for news
}

// What readers wait for.
const (
	ofFeeds = iota
	ofPages
	kinds
)

func newStreams(limits StreamLimits) *streams {
	s := &streams{StreamLimits: limits.orDefaults(), of: map[string]int{}}
	s.ending, s.end = context.WithCancel(context.Background())
	return s
}

// enter counts one more of somebody's. It returns tooManyStreams, or workflows.Stopping.
func (s *streams) enter(who string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ending.Err() != nil:
		return workflows.Stopping{}
	case s.open >= s.Most:
		refusedStreams.Inc()
		return tooManyStreams{most: s.Most}
	case s.of[who] >= s.OfOne:
		refusedStreams.Inc()
		return tooManyStreams{most: s.OfOne, own: true}
	}
	s.open++
	s.of[who]++
	openStreams.Inc()
	return nil
}

func (s *streams) leave(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.of[who]--; s.of[who] == 0 {
		delete(s.of, who)
	}
	openStreams.Dec()
}

// eachAdds is by how much one more open stream has all of them gather news for longer, up to longest.
const (
	eachAdds = 100 * time.Microsecond
	longest  = 400 * time.Millisecond
)

// soon returns a channel that is closed a little after news: the same for all who ask, so that they look at
// the same moment and share what they read. The more streams are open, the longer news is gathered; so much
// news to many readers costs no more than some.
func (s *streams) soon(kind int, news <-chan struct{}) <-chan struct{} {
	select {
	case <-news: // the others may wait for what comes after it
		return news
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rounds[kind] == nil {
		s.rounds[kind] = make(chan struct{})
		go s.gather(kind, news)
	}
	return s.rounds[kind]
}

func (s *streams) gather(kind int, news <-chan struct{}) {
	select {
	case <-news:
	case <-s.ending.Done():
	}
	s.mu.Lock()
	gap := min(time.Duration(s.open)*eachAdds, longest)
	s.mu.Unlock()
	timer := time.NewTimer(gap)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ending.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.rounds[kind])
	s.rounds[kind] = nil
}

// lasting is an answer that may take long.
type lasting struct {
	*streams
	ctx     context.Context // ends when the reader has gone or the server stops, and has the request's values
	control *http.ResponseController
	who     string
	release func() // ends ctx
}

// last has the answer to a request take as long as it likes. who is whose it is, such as "account 7". The caller
// ends it with leave. It returns tooManyStreams, or workflows.Stopping.
func (s *server) last(c echo.Context, who string) (*lasting, error) {
	if err := s.streams.enter(who); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Request().Context()))
	stops := []func() bool{context.AfterFunc(unhurried(c), cancel), context.AfterFunc(s.streams.ending, cancel)}
	return &lasting{
		streams: s.streams, ctx: ctx, control: http.NewResponseController(c.Response()), who: who,
		release: func() {
			for _, stop := range stops {
				stop()
			}
			cancel()
		},
	}, nil
}

func (l *lasting) leave() {
	l.release()
	l.streams.leave(l.who)
}

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

const unhurriedKey = "unhurried" // in echo's context: the request's context before it was given an end

// unhurried is the request's context without the end that deadline gives it: it ends when the client goes.
func unhurried(c echo.Context) context.Context {
	if ctx, ok := c.Get(unhurriedKey).(context.Context); ok {
		return ctx
	}
	return c.Request().Context()
}

// The routes whose answers go on.
const (
	feedStreamPath = "/api/v1/feeds/:feed/stream"
	livePath       = "/:company/live"
)

// isLasting reports whether the answer to a request may take long, and so is not compressed: a compressor
// takes a megabyte, also while it waits.
func isLasting(c echo.Context) bool {
	return c.Path() == feedStreamPath || c.Path() == livePath || c.QueryParam("wait") != ""
}
