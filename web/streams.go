package web

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/wait"
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
	_ = wait.For(s.ending, news)
	s.mu.Lock()
	gap := min(time.Duration(s.open)*eachAdds, longest)
	s.mu.Unlock()
	_ = wait.Sleep(s.ending, gap)
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
