// Package outbound requests addresses that users give, but none that they must not reach: this machine, networks that
// are not public, or a cloud's metadata services. Its invariant: the IP address of each connection is checked when it
// is made, so neither a redirect nor a name that resolves to another address later gets around it. Start at Client.
package outbound

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Client makes the requests. Make one with New; it serves many at a time.
type Client struct {
	guard     *guard
	transport *http.Transport
	agent     string
}

// Purpose is what requests are for.
type Purpose int

// Purposes. Downloads are those of operators; webhooks and issuers are of every company, pictures of texts of each
// member, and these ask public addresses by https alone.
const (
	Downloads Purpose = iota
	Webhooks
	Pictures
	Issuers
)

// setting is the name of the list of what is allowed.
func (p Purpose) setting() string {
	switch p {
	case Webhooks:
		return "COUNTERFOIL_WEBHOOK_ALLOW"
	case Pictures:
		return "COUNTERFOIL_PICTURE_ALLOW"
	case Issuers:
		return "COUNTERFOIL_ISSUER_ALLOW"
	}
	return "COUNTERFOIL_DOWNLOAD_ALLOW"
}

// Options are a client's settings.
type Options struct {
	Purpose  Purpose
	Allow    List          // allowed although it is not public
	Deny     List          // never reached, allowed or not
	Agent    string        // User-Agent, such as Counterfoil/1.2; "" is Counterfoil
	Resolver *net.Resolver // nil is the machine's
}

// Limits bound a request. Zero fields are those of DefaultLimits.
type Limits struct {
	Redirects int           // that are followed; below 0 none is, and the answer is the redirect
	Header    time.Duration // until the answer begins, redirects included
	Total     time.Duration // until its end
	Bytes     int64         // of the answer, counted after it was unpacked
	// Least is how many bytes must come in each Pace, or the answer counts as stalled.
	Least int64
	Pace  time.Duration
	// Await is called before a redirect to a new host is followed; its error ends the request and is returned
	// unchanged.
	Await func(ctx context.Context, host string) error
}

// DefaultLimits are for a file of middling size.
var DefaultLimits = Limits{Redirects: 5, Header: 20 * time.Second, Total: 2 * time.Minute, Bytes: 20 << 20,
	Least: 1 << 10, Pace: 10 * time.Second}

func (l Limits) complete() Limits {
	set := func(value *time.Duration, otherwise time.Duration) {
		if *value <= 0 {
			*value = otherwise
		}
	}
	set(&l.Header, DefaultLimits.Header)
	set(&l.Total, DefaultLimits.Total)
	set(&l.Pace, DefaultLimits.Pace)
	if l.Redirects == 0 {
		l.Redirects = DefaultLimits.Redirects
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultLimits.Bytes
	}
	if l.Least <= 0 {
		l.Least = DefaultLimits.Least
	}
	return l
}

// New returns a client. It asks no proxy, keeps no cookies and follows redirects.
func New(o Options) *Client {
	c := &Client{guard: &guard{purpose: o.Purpose, allow: o.Allow, deny: o.Deny, resolver: o.Resolver,
		neighbours: &neighbours{read: net.InterfaceAddrs}}, agent: o.Agent}
	if c.agent == "" {
		c.agent = "Counterfoil"
	}
	c.transport = &http.Transport{
		DialContext:            c.guard.dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return c
}

// Close closes idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Check parses an address, with its host in ASCII and lower case, without any request. It returns BadAddress if it is
// not allowed, RefusedAddress if it names an IP address that may not be reached, PlainAddress, or Unreachable if that is
// not known at present.
func (c *Client) Check(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || len(address) > 8000 {
		return nil, BadAddress{address, "it cannot be read"}
	}
	return u, c.check(u)
}

func (c *Client) check(u *url.URL) error {
	bad := func(why string) error { return BadAddress{u.Redacted(), why} }
	if u.Scheme != "http" && u.Scheme != "https" {
		return bad("only http and https are asked")
	}
	if u.User != nil {
		return bad("it has a user name in it, and none is sent")
	}
	host, err := httpguts.PunycodeHostPort(strings.ToLower(u.Host))
	if err != nil || u.Hostname() == "" {
		return bad("it names no host")
	}
	u.Host = host
	port, err := portOf(u)
	if err != nil {
		return bad("its port is none")
	}
	plain := u.Scheme == "http"
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		err := c.guard.permit(u.Hostname(), netip.AddrPortFrom(ip, port), plain)
		if err != nil && !IsRefused(err) {
			err = Unreachable{Address: u.Redacted(), Err: err}
		}
		return err
	}
	return c.guard.permitName(u.Hostname(), port, plain)
}

func portOf(u *url.URL) (uint16, error) {
	switch {
	case u.Port() != "":
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err == nil && port == 0 {
			err = errors.New("port 0")
		}
		return uint16(port), err
	case strings.HasSuffix(u.Host, ":"):
		return 0, errors.New("no port behind the colon")
	case u.Scheme == "https":
		return 443, nil
	}
	return 80, nil
}

// Get requests an address. The answer's body must be closed; reading it returns TooLarge, TooSlow or Unreachable if it
// breaks off. Get returns what Check does, TooManyRedirects, TooLarge (by the answer's Content-Length), TooSlow,
// Unreachable, or ctx's error. A status such as 404 is no error.
func (c *Client) Get(ctx context.Context, address, accept string, limits Limits) (*http.Response, error) {
	u, err := c.Check(address)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, BadAddress{u.Redacted(), "it cannot be asked for"}
	}
	req.Header.Set("Accept", accept)
	return c.Do(req, limits)
}

// Do is Get for a request of another kind.
func (c *Client) Do(req *http.Request, limits Limits) (*http.Response, error) {
	limits = limits.complete()
	if err := c.check(req.URL); err != nil {
		return nil, err
	}
	address := req.URL.Redacted()
	timed, give := context.WithCancelCause(req.Context())
	whole := time.AfterFunc(limits.Total,
		func() { give(TooSlow{address, "it took longer than " + limits.Total.String()}) })
	header := time.AfterFunc(limits.Header,
		func() { give(TooSlow{address, "no answer came within " + limits.Header.String()}) })
	of := &exchange{}
	of.plain.Store(req.URL.Scheme == "http")
	req = req.WithContext(c.trace(timed, of))
	req.Header.Set("User-Agent", c.agent)
	client := http.Client{Transport: c.transport, CheckRedirect: c.follow(address, limits, of)}
	res, err := client.Do(req)
	header.Stop()
	end := func() {
		whole.Stop()
		give(nil)
	}
	if err == nil && res.ContentLength > limits.Bytes {
		res.Body.Close()
		err = TooLarge{address, limits.Bytes}
	}
	if err == nil && timed.Err() != nil { // the time was over in the last moment
		res.Body.Close()
		err = timed.Err()
	}
	if err != nil {
		err = explain(timed, address, err)
		var lost Unreachable
		if errors.As(err, &lost) && of.private.Load() {
			lost.Private = true
			err = lost
		}
		end()
		return nil, err
	}
	res.Body = &body{ReadCloser: res.Body, ctx: timed, give: give, end: end, address: address, limits: limits,
		left: limits.Bytes}
	return res, nil
}

// trace returns a context that has the exchange learn which connections it takes, new ones and kept ones.
func (c *Client) trace(ctx context.Context, of *exchange) context.Context {
	ctx = context.WithValue(ctx, exchangeKey{}, of)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		to, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String())
		if err != nil || !c.guard.isPublic(to.Addr()) {
			of.private.Store(true)
		}
	}})
}

// FromPrivate reports whether an answer of Get or Do comes, or may come, from an address that is not public.
func FromPrivate(res *http.Response) bool {
	of, ok := res.Request.Context().Value(exchangeKey{}).(*exchange)
	return !ok || of.private.Load()
}

// follow checks each redirect before it is followed.
func (c *Client) follow(address string, limits Limits, of *exchange) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if limits.Redirects < 0 {
			return http.ErrUseLastResponse
		}
		if len(via) > limits.Redirects {
			return TooManyRedirects{address, limits.Redirects}
		}
		req.Header.Del("Referer") // the page of the address is private
		if err := c.check(req.URL); err != nil {
			return RedirectedAddress{address, err}
		}
		of.plain.Store(req.URL.Scheme == "http")
		sameHost := func(r *http.Request) bool { return r.URL.Hostname() == req.URL.Hostname() }
		if limits.Await == nil || slices.ContainsFunc(via, sameHost) {
			return nil
		}
		if err := limits.Await(req.Context(), req.URL.Hostname()); err != nil {
			return limitError{err}
		}
		return nil
	}
}

// limitError is the error of Limits.Await.
type limitError struct{ error }

func (e limitError) Unwrap() error { return e.error }

// body is an answer's body, within its limits.
type body struct {
	io.ReadCloser
	ctx     context.Context
	give    context.CancelCauseFunc
	end     func()
	address string
	limits  Limits
	left    int64

	// waitTime and came are of the present Pace: how long reading has waited, and for how many bytes.
	waitTime time.Duration
	received int64
}

func (b *body) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more byte, to detect a longer body
	}
	slow := TooSlow{b.address, "fewer than " + size(b.limits.Least) + " came in " + b.limits.Pace.String()}
	began := time.Now()
	stalled := time.AfterFunc(b.limits.Pace-b.waitTime, func() { b.give(slow) })
	n, err := b.ReadCloser.Read(p)
	stalled.Stop()
	b.waitTime += time.Since(began)
	if b.left -= int64(n); b.left < 0 {
		return 0, TooLarge{b.address, b.limits.Bytes}
	}
	if b.received += int64(n); b.received >= b.limits.Least {
		b.waitTime, b.received = 0, 0
	} else if b.waitTime >= b.limits.Pace && err == nil {
		b.give(slow)
		return n, slow
	}
	if err != nil && err != io.EOF {
		err = explain(b.ctx, b.address, err)
	}
	return n, err
}

func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// explain returns this package's error for one of net/http.
func explain(ctx context.Context, address string, err error) error {
	var redirected RedirectedAddress
	var refused RefusedAddress
	var plain PlainAddress
	var many TooManyRedirects
	var large TooLarge
	var slow TooSlow
	var not limitError
	switch {
	case errors.As(err, &redirected):
		return redirected
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &plain):
		return plain
	case errors.As(err, &many):
		return many
	case errors.As(err, &large):
		return large
	case errors.As(context.Cause(ctx), &slow):
		return slow
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &not):
		return not.error
	}
	return Unreachable{Address: address, Err: err}
}

// RetryAfter returns how long an answer asks to be left alone, and whether it does. More seconds than fit are
// some 68 years.
func RetryAfter(res *http.Response, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(res.Header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(value, 10, 32); (err == nil || errors.Is(err, strconv.ErrRange)) && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
