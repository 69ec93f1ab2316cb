package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
	"github.com/counterfoil/counterfoil/web/streams"
)

// withSession loads the browser's session.
func (s *server) withSession(next echo.HandlerFunc) echo.HandlerFunc {
	next = requireForm(next)
	return func(c echo.Context) error {
		if err := s.respond.LoadSession(c); err != nil {
			return err
		}
		return next(c)
	}
}

// asMember admits members of the path's company; others get 404.
func (s *server) asMember(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Param("company") == "api" { // a program that has the path wrong cannot sign in
			return echo.ErrNotFound
		}
		if path := s.paths.at(echo.GetPath(c.Request())); path != "" && !ofCompany(path) {
			return s.wrongMethod(c, path) // a path that is no company's
		}
		respond.SetPosition(c, s.hub.Position().String()) // before anything is read
		ctx := c.Request().Context()
		if account, _ := s.respond.SessionAccount(ctx); account == 0 {
			return s.respond.AskToSignIn(c)
		}
		actor, err := s.respond.EnterCompany(ctx, c.Param("company"))
		if errors.Is(err, accounts.CodeSignedOut) {
			return s.respond.AskToSignIn(c)
		}
		if errors.Is(err, accounts.CodeSecondFactorNeeded) {
			return s.respond.AskForSecond(c)
		}
		if errors.Is(err, accounts.CodeIssuerNeeded) {
			return s.respond.AskForIssuer(c)
		}
		if err != nil {
			return err
		}
		respond.Enter(c, actor)
		if actor.Pins && !respond.IsFragment(c) {
			pins, err := s.workflows.PinnedViews(c.Request().Context())
			if err != nil {
				return err
			}
			respond.SetPins(c, pins)
		}
		return next(c)
	}
}

// asUser admits any signed-in user, of any company.
func (s *server) asUser(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if _, err := s.respond.SignedIn(c); err != nil {
			if errors.Is(err, accounts.CodeSignedOut) {
				return s.respond.AskToSignIn(c)
			}
			return err
		}
		if err := s.respond.Accompany(c); err != nil {
			return err
		}
		return next(c)
	}
}

// asProven admits users whose session has a second factor, if their account has one: what changes factors asks for it.
func (s *server) asProven(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		factors, err := s.workflows.Factors(ctx, respond.User(c).ID)
		if err != nil {
			return err
		}
		err = s.workflows.CheckWays(ctx, s.respond.SessionID(ctx), 0, accounts.Policy{SecondFactor: factors.Any()})
		if errors.Is(err, accounts.CodeSecondFactorNeeded) {
			return s.respond.AskForSecond(c)
		}
		if err != nil {
			return err
		}
		return next(c)
	}
}

// asProvenOperator asks operators for what /admin asks, before what they alone can give.
func (s *server) asProvenOperator(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !respond.User(c).Operator {
			return next(c) // who is refused
		}
		ctx := c.Request().Context()
		err := s.workflows.CheckWays(ctx, s.respond.SessionID(ctx), 0, s.operators)
		if errors.Is(err, accounts.CodeSecondFactorNeeded) {
			return s.respond.AskForSecond(c)
		}
		if err != nil {
			return err
		}
		return next(c)
	}
}

// asProvenForScopes is asProvenOperator for tokens with a scope of operators.
func (s *server) asProvenForScopes(next echo.HandlerFunc) echo.HandlerFunc {
	proven := s.asProvenOperator(next)
	return func(c echo.Context) error {
		if slices.ContainsFunc(c.Request().Form["scopes"], accounts.OperatorOnly) {
			return proven(c)
		}
		return next(c)
	}
}

// asOperator admits operators, as members of no company, whose session satisfies the server's policy; others get 404.
// Each page says if all runs are stopped.
func (s *server) asOperator(next echo.HandlerFunc) echo.HandlerFunc {
	next = s.asProvenOperator(next)
	return func(c echo.Context) error {
		if !respond.User(c).Operator {
			return echo.ErrNotFound
		}
		ctx := accounts.WithActor(c.Request().Context(), accounts.Actor{Account: respond.User(c)})
		c.SetRequest(c.Request().WithContext(ctx))
		if respond.IsFragment(c) {
			return next(c)
		}
		stop, is, err := s.console.Stopped(ctx)
		if err != nil {
			return err
		}
		if is {
			respond.SetStop(c, stop)
		}
		return next(c)
	}
}

// asPublic admits anyone; search engines must not index the page, and it loads nothing from elsewhere.
func (s *server) asPublic(next echo.HandlerFunc) echo.HandlerFunc {
	next = requireForm(next)
	return func(c echo.Context) error {
		head := c.Response().Header()
		head.Set("X-Robots-Tag", "noindex, nofollow")
		return next(c)
	}
}

// asSecret is asPublic for an address that must not leak in a referrer.
func (s *server) asSecret(next echo.HandlerFunc) echo.HandlerFunc {
	return s.asPublic(func(c echo.Context) error {
		c.Response().Header().Set("Referrer-Policy", "no-referrer")
		return next(c)
	})
}

// untold is for a page whose address is a secret, or has one to go on to, also from the logs of a proxy. Its form still
// says where it comes from.
func untold(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set("Referrer-Policy", "strict-origin")
		return next(c)
	}
}

// requireForm returns an error if the body of a form cannot be read; FormValue would return "".
func requireForm(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().Method != http.MethodPost || takesFile(c) {
			return next(c)
		}
		if _, err := c.FormParams(); err != nil {
			var http_ *echo.HTTPError
			if errors.As(err, &http_) {
				return http_
			}
			var large *http.MaxBytesError
			if errors.As(err, &large) {
				return echo.ErrStatusRequestEntityTooLarge
			}
			return echo.ErrBadRequest
		}
		return next(c)
	}
}

// deadline ends the database calls of a request after the server's patience. A request with a file may take longer; it
// ends when nothing arrives any more.
func (s *server) deadline(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if takesFile(c) {
			return next(c)
		}
		ctx, cancel := context.WithTimeout(c.Request().Context(), s.patience)
		defer cancel()
		streams.KeepContext(c)
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

// noteProxies warns, once an hour, of X-Forwarded-For from a peer that is no trusted proxy: if it is one, all its users
// share one address and its limits.
func (s *server) noteProxies(trusted []*net.IPNet) echo.MiddlewareFunc {
	var next atomic.Int64 // when to look again
	return func(handle echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			due, now := next.Load(), time.Now().Unix()
			if r.Header.Get(echo.HeaderXForwardedFor) != "" && now >= due && !isTrusted(trusted, r.RemoteAddr) &&
				next.CompareAndSwap(due, now+3600) {
				s.warnOfProxy(r)
			}
			return handle(c)
		}
	}
}

func (s *server) warnOfProxy(r *http.Request) {
	if _, err := s.workflows.NoteForwarded(r.Context()); err != nil {
		s.log.Debug("note a proxy", "error", err)
	}
	s.log.Warn("X-Forwarded-For from an address that is not trusted is ignored: "+
		"if it is your proxy, list it in COUNTERFOIL_TRUSTED_PROXIES", "peer", r.RemoteAddr)
}

func isTrusted(proxies []*net.IPNet, peer string) bool {
	host, _, err := net.SplitHostPort(peer)
	ip := net.ParseIP(host)
	return err == nil && slices.ContainsFunc(proxies, func(n *net.IPNet) bool { return n.Contains(ip) })
}

// withAddress puts the client's address into the request's context.
func withAddress(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.SetRequest(c.Request().WithContext(accounts.WithAddress(c.Request().Context(), c.RealIP())))
		return next(c)
	}
}

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " +
	"'self'; font-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'"

// secure sets the headers of every response.
func (s *server) secure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		head := c.Response().Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
		if s.respond.HTTPS() {
			head.Set("Strict-Transport-Security", "max-age=31536000")
		}
		return next(c)
	}
}

// sameOrigin refuses unsafe requests that a browser sends from another site.
func sameOrigin(public *url.URL) echo.MiddlewareFunc {
	protection := http.NewCrossOriginProtection()
	if public != nil {
		// Behind a proxy that rewrites Host, the page's origin is not the request's.
		if err := protection.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
			panic("web: " + err.Error())
		}
	}
	// The private link of a request is all that it takes to reply, and a browser sends no origin from there.
	protection.AddInsecureBypassPattern("POST " + views.TrackBoxPath + "/{code}/{token}/replies")
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := protection.Check(c.Request()); err != nil {
				return respond.CrossSite()
			}
			return next(c)
		}
	}
}

// head lets HEAD request whatever GET can; net/http then sends no body.
func withHead(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			r = r.WithContext(streams.WithHead(r.Context())) // a copy: net/http looks at its own
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}

// clientAddress reads X-Forwarded-For only from proxies that are trusted.
func clientAddress(proxies []*net.IPNet) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, network := range proxies {
		options = append(options, echo.TrustIPRange(network))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// gzipLevel costs a full board of 80 kB, which takes 10.7 kB, 0.3 ms of a page's 2.2 ms of processor time; 3 would cost 0.5
// ms for 10.1 kB, and the standard library at 2 0.6 ms for 10.3 kB.
const gzipLevel = 1

var gzipped = func() func(http.Handler) http.HandlerFunc {
	wrapper, err := gzhttp.NewWrapper(gzhttp.MinSize(1400), gzhttp.CompressionLevel(gzipLevel), gzhttp.EnableZstd(false))
	if err != nil {
		panic(err)
	}
	return wrapper
}()

// compress compresses the responses of next. An error that next returns is shown uncompressed.
func compress(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		if isCompressed(c) || mayTakeLong(c) || changesByAPI(c) {
			return next(c)
		}
		response := c.Response()
		plain := response.Writer
		defer func() { response.Writer = plain }()
		gzipped(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			response.Writer = w
			err = next(c)
		})).ServeHTTP(plain, c.Request())
		return err
	}
}

// isCompressed reports whether a response is compressed already.
func isCompressed(c echo.Context) bool {
	path := c.Request().URL.Path
	return strings.HasPrefix(path, "/static/") || strings.Contains(path, "/images/") ||
		strings.Contains(path, "/attachments/")
}

// changesByAPI reports whether a program changes something. Most answers to that are too short to be compressed, and to
// prepare a compressor was an eighth of what the program does to open a ticket.
func changesByAPI(c echo.Context) bool {
	return c.Request().Method != http.MethodGet && strings.HasPrefix(c.Request().URL.Path, "/api/")
}
