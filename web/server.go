package web

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/streams"
)

// Config is what the server is told from outside.
type Config struct {
	Workflows *workflows.Workflows
	Console   *console.Console
	Live      *live.Hub // what open pages hear of changes
	Sessions  SessionStore
	URL       *url.URL     // public base URL; nil: as each request says
	Proxies   []*net.IPNet // whose X-Forwarded-For is believed
	Log       *slog.Logger
	// MaxUpload is the largest file in bytes that a run is filled from; 0 is DefaultMaxUpload.
	MaxUpload int64
	// Streams bound responses that may take long.
	Streams streams.Limits
	// Patience is how long a request waits for a database that does not answer; 0 is 15 seconds.
	Patience time.Duration
	// Why returns what is wrong with the database where that is known, such as a full disk. It may be nil.
	Why func() error
}

// MaxBody is the largest request body in bytes: a description whose every byte is escaped as \u00xx, and the rest.
const MaxBody = 512 << 10

// deadline ends what a request asks of the database when the server's patience does. One that brings a file may
// take longer; it ends when nothing comes any more.
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

// fromAddress has the request's context say where it comes from.
func fromAddress(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.SetRequest(c.Request().WithContext(accounts.WithAddress(c.Request().Context(), c.RealIP())))
		return next(c)
	}
}

type server struct {
	workflows *workflows.Workflows
	console   *console.Console
	hub       *live.Hub
	sessions  *scs.SessionManager
	url       *url.URL
	log       *slog.Logger
	why       func() error
	maxUpload int64
	patience  time.Duration
	streams   *streams.Streams
	frames    frames
	paths     paths       // of all routes
	installed atomic.Bool // once true, true for ever
}

// Handler answers all routes.
type Handler struct {
	http.Handler
	streams *streams.Streams
}

// EndStreams ends the responses that take long, and refuses new ones. A stop of the server would wait for them.
func (h Handler) EndStreams() { h.streams.End() }

// New returns the handler of all routes.
func New(cfg Config) Handler {
	s := &server{workflows: cfg.Workflows, console: cfg.Console, hub: cfg.Live, url: cfg.URL, log: cfg.Log, why: cfg.Why, maxUpload: cmp.Or(cfg.MaxUpload, DefaultMaxUpload), patience: cmp.Or(cfg.Patience, 15*time.Second), streams: streams.New(cfg.Streams, cfg.Log)}
	s.frames.patience = s.patience
	s.sessions = newSessions(cfg, s)
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.showError
	e.IPExtractor = clientAddress(cfg.Proxies)
	e.Use(
		s.measure,
		middleware.RecoverWithConfig(middleware.RecoverConfig{DisablePrintStack: true, LogErrorFunc: s.logPanic}),
		s.secure,
		middleware.BodyLimitWithConfig(middleware.BodyLimitConfig{Limit: "512K", Skipper: takesFile}),
		middleware.GzipWithConfig(middleware.GzipConfig{Level: 5, MinLength: 1400, Skipper: func(c echo.Context) bool { return isStored(c) || isLasting(c) }}),
		sameOrigin(cfg.URL),
		s.deadline,
		fromAddress,
	)
	s.route(e)
	return Handler{Handler: head(e), streams: s.streams}
}

// head lets HEAD ask for whatever GET can; net/http then sends no body.
func head(next http.Handler) http.Handler {
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

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; font-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'"

// secure sets the headers that every answer has.
func (s *server) secure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		head := c.Response().Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
		if s.https() {
			head.Set("Strict-Transport-Security", "max-age=31536000")
		}
		return next(c)
	}
}

func (s *server) https() bool { return s.url != nil && s.url.Scheme == "https" }

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
				return foreignSite()
			}
			return next(c)
		}
	}
}

// base is the public URL of the server without a slash at its end.
func (s *server) base(c echo.Context) string {
	if s.url != nil {
		return strings.TrimSuffix(s.url.String(), "/")
	}
	return "http://" + c.Request().Host
}

// hasURL reports whether the server's public URL is known, and not only as each request says.
func (s *server) hasURL() bool { return s.url != nil }

// markInstalled keeps that there has been a setup.
func (s *server) markInstalled() { s.installed.Store(true) }

// isInstalled reports whether there has been a setup.
func (s *server) isInstalled(ctx context.Context) (bool, error) {
	if s.installed.Load() {
		return true, nil
	}
	installed, err := s.workflows.Installed(ctx)
	if installed {
		s.markInstalled()
	}
	return installed, err
}

// HTTPServer returns a server with limits that keep slow clients from holding it up.
func HTTPServer(handler Handler, log *slog.Logger) *http.Server {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(handler.EndStreams)
	return server
}
