// Package streams begins, counts, bounds and ends the responses that may take long: streams of server-sent events, and
// long polls. The limits of a server hold for all of them together. Start at Streams.Stream and Streams.Hold.
//
// A stream takes the connection from net/http (detach): the handler returns, and a waiting stream is two goroutines and
// a few fields, with nothing of the request, its buffers or its context. So the headers that every response needs are
// written before, the request is counted when the stream begins, the stream recovers its own panics, and a shutdown
// ends it by End, since http.Server.Shutdown does not know such connections. If a connection cannot be taken, as with
// HTTP/2, the stream stays in its handler and is otherwise the same. A reader that closes its sending side has left, as
// net/http sees it; one that sends more is closed, and so is one that does not take a write within 10 seconds. A long
// poll stays in its handler: its connection is used again.
//
// Streams that wait for the same kind of event wake at the same moment (Soon): at once if they are few, up to 0.4 s
// later if they are thousands, so frequent events for many cost no more than rare ones.
package streams

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Limits where nothing else is said.
const (
	DefaultMost      = 5000
	DefaultOfSession = 50
	DefaultOfCompany = 500
)

// Limits bound responses that may take long. A zero value has its default.
type Limits struct {
	Most      int           // there may be at once in this process,
	OfSession int           // of a session of a browser, or of all tokens of an account together,
	OfCompany int           // of a company,
	OfMember  int           // and of a member of it, by all sessions and tokens; by default a fifth of OfCompany
	Beat      time.Duration // of a heartbeat
	Check     time.Duration // the interval of checks of the reader's access
	Write     time.Duration // for the reader to take the bytes sent
}

func (l Limits) orDefaults() Limits {
	l.Most = cmp.Or(l.Most, DefaultMost)
	l.OfSession = cmp.Or(l.OfSession, DefaultOfSession)
	l.OfCompany = cmp.Or(l.OfCompany, DefaultOfCompany)
	l.OfMember = cmp.Or(l.OfMember, max(l.OfCompany/5, 1))
	l.Beat = cmp.Or(l.Beat, 20*time.Second)
	l.Check = cmp.Or(l.Check, 30*time.Second)
	l.Write = cmp.Or(l.Write, 10*time.Second)
	return l
}

var (
	openStreams = promauto.NewGauge(prometheus.GaugeOpts{Name: "counterfoil_streams",
		Help: "Responses of this process that wait for changes."})
	refusedStreams = promauto.NewCounter(prometheus.CounterOpts{Name: "counterfoil_streams_refused_total",
		Help: "Responses refused because too many were open."})
)

// CodeTooMany: this server has too many streams and waiting requests open. Try again after Retry-After, or ask
// without waiting.
const CodeTooMany fault.Code = "Stream.TooMany"

// CodeTooManyOfSession: the session, the account whose tokens are used, or the member with all of these, has too many
// streams and waiting requests open on this server. Close some, or ask without waiting.
const CodeTooManyOfSession fault.Code = "Stream.TooManyOfSession"

// CodeTooManyOfCompany: the company has too many streams and waiting requests open on this server. Ask without waiting,
// or try again after Retry-After.
const CodeTooManyOfCompany fault.Code = "Stream.TooManyOfCompany"

// tooMany is the error of one more than a limit.
type tooMany struct{ error }

func (tooMany) RetryAfter() time.Duration { return 15 * time.Second }

func (e tooMany) Unwrap() error { return e.error }

func tooManyInAll(most int) error {
	return tooMany{fault.Unavailable.New(CodeTooMany, "", fmt.Sprintf("This server has %d connections open that wait for "+
		"changes, and takes no more. Try again later, or ask without waiting.", most))}
}

func tooManyOfSession(most int) error {
	return tooMany{fault.RateLimited.New(CodeTooManyOfSession, "", fmt.Sprintf("You have %d connections open that wait "+
		"for changes, the most allowed. Close some of them, or ask without waiting.", most))}
}

func tooManyOfCompany(most int) error {
	return tooMany{fault.RateLimited.New(CodeTooManyOfCompany, "", fmt.Sprintf("Your company has %d connections open that "+
		"wait for changes, the most allowed. Try again later, or ask without waiting.", most))}
}

// IsTooMany reports whether a response was refused because too many were open.
func IsTooMany(err error) bool { return errors.As(err, new(tooMany)) }

// Streams counts the responses of a server that may take long, and ends them all if it stops.
type Streams struct {
	limits Limits
	access Access
	log    *slog.Logger
	ending context.Context
	end    context.CancelFunc

	mu       sync.Mutex
	open     int
	of       map[any]int          // of each session, member and company
	rounds   [kinds]chan struct{} // nil if no stream waits
	held     map[reader]map[*Response]bool
	watching bool
}

// Kind is the kind of changes that readers wait for.
type Kind int

// The kinds of changes.
const (
	OfFeeds Kind = iota
	OfPages
	kinds
)

// New returns the Streams of a server. Its owner calls End.
func New(limits Limits, access Access, log *slog.Logger) *Streams {
	s := &Streams{limits: limits.orDefaults(), access: access, log: log, of: map[any]int{},
		held: map[reader]map[*Response]bool{}}
	s.ending, s.end = context.WithCancel(context.Background())
	return s
}

// End ends the responses that take long, and refuses new ones.
func (s *Streams) End() { s.end() }

// Open is the number of open responses.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// owner is whose limits a response counts against. A member can have any number of sessions.
type owner struct {
	session string
	member  accounts.In
}

func (o owner) each() []any { return []any{o.session, o.member, o.member.Company} }

// enter counts one more. It returns tooMany, or workflows.Stopping.
func (s *Streams) enter(by owner) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending.Err() != nil {
		return workflows.Stopping()
	}
	var err error
	switch {
	case s.open >= s.limits.Most:
		err = tooManyInAll(s.limits.Most)
	case s.of[by.session] >= s.limits.OfSession:
		err = tooManyOfSession(s.limits.OfSession)
	case s.of[by.member] >= s.limits.OfMember:
		err = tooManyOfSession(s.limits.OfMember)
	case s.of[by.member.Company] >= s.limits.OfCompany:
		err = tooManyOfCompany(s.limits.OfCompany)
	}
	if err != nil {
		refusedStreams.Inc()
		return err
	}
	s.open++
	for _, of := range by.each() {
		s.of[of]++
	}
	openStreams.Inc()
	return nil
}

func (s *Streams) leave(by owner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	for _, of := range by.each() {
		if s.of[of]--; s.of[of] == 0 {
			delete(s.of, of)
		}
	}
	openStreams.Dec()
}

// eachAdds is how much longer one more open stream makes all of them wait, up to longest.
const (
	eachAdds = 100 * time.Microsecond
	longest  = 400 * time.Millisecond
)

// Soon returns a channel that is closed a little after changed: the same for all callers, so they look at the same moment
// and share one read. The more streams are open, the longer it waits.
func (s *Streams) Soon(kind Kind, changed <-chan struct{}) <-chan struct{} {
	select {
	case <-changed: // the others may wait for what comes after it
		return changed
	default:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rounds[kind] == nil {
		s.rounds[kind] = make(chan struct{})
		go s.gather(kind, changed)
	}
	return s.rounds[kind]
}

func (s *Streams) gather(kind Kind, changed <-chan struct{}) {
	_ = wait.For(s.ending, changed)
	s.mu.Lock()
	gap := min(time.Duration(s.open)*eachAdds, longest)
	s.mu.Unlock()
	_ = wait.Sleep(s.ending, gap)
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.rounds[kind])
	s.rounds[kind] = nil
}

// Response is a response that may take long.
type Response struct {
	streams *Streams
	ctx     context.Context // ends when the reader has gone, or alive ends, and has the request's values
	control *http.ResponseController
	owner   owner
	reader  reader
	alive   context.Context // ends when the reader loses its access, sees other boards, or the server stops
	lost    atomic.Bool     // the reader lost its access
	end     func()          // ends alive
	release func()          // ends ctx
}

// Hold lets the response to a request take as long as it likes. session is that of the browser, "" for a program. The
// caller ends it with Close. It returns an error that IsTooMany, or workflows.Stopping.
func (s *Streams) Hold(c echo.Context, session string) (*Response, error) {
	reader := readerOf(c)
	by := owner{cmp.Or(session, tokensOf(c)), reader.In}
	if err := s.enter(by); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Request().Context()))
	alive, end := context.WithCancel(s.ending)
	stops := []func() bool{context.AfterFunc(contextOf(c), cancel), context.AfterFunc(alive, cancel)}
	r := &Response{
		streams: s, ctx: ctx, control: http.NewResponseController(c.Response()), owner: by, reader: reader,
		alive: alive, end: end,
		release: func() {
			for _, stop := range stops {
				stop()
			}
			cancel()
		},
	}
	s.hold(r)
	return r, nil
}

// Context ends when the reader has gone or lost its access, or the server stops, and has the request's values.
func (r *Response) Context() context.Context { return r.ctx }

// Lost reports whether Context ended because the reader lost its access.
func (r *Response) Lost() bool { return r.lost.Load() && r.streams.ending.Err() == nil }

// Close ends the response.
func (r *Response) Close() {
	r.streams.drop(r)
	r.release()
	r.end()
	r.streams.leave(r.owner)
}

func readerOf(c echo.Context) reader {
	actor := accounts.ActorFrom(c.Request().Context())
	r := reader{In: accounts.In{Company: actor.Company.ID, Account: actor.Account.ID}, guest: actor.Role == accounts.Guest,
		token: actor.Token}
	if r.token == 0 {
		r.epoch = actor.Account.Epoch
	}
	return r
}

// tokensOf stands for all tokens of an account: a user can make any number.
func tokensOf(c echo.Context) string {
	return fmt.Sprintf("account %d", accounts.ActorFrom(c.Request().Context()).Account.ID)
}

// KeepContext keeps the request's context before it gets a deadline.
func KeepContext(c echo.Context) { c.Set(contextKey, c.Request().Context()) }

const contextKey = "context"

// contextOf is the request's context without the server's deadline: it ends when the client leaves.
func contextOf(c echo.Context) context.Context {
	if ctx, ok := c.Get(contextKey).(context.Context); ok {
		return ctx
	}
	return c.Request().Context()
}
