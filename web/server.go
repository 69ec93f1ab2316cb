package web

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/live"
	"github.com/counterfoil/counterfoil/domain/workflows"
	adminviews "github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/admin"
	"github.com/counterfoil/counterfoil/web/api"
	"github.com/counterfoil/counterfoil/web/pages"
	"github.com/counterfoil/counterfoil/web/public"
	"github.com/counterfoil/counterfoil/web/respond"
	"github.com/counterfoil/counterfoil/web/streams"
)

// Config is the server's configuration.
type Config struct {
	Workflows *workflows.Workflows
	Console   *console.Console
	Live      *live.Hub // changes for open pages
	Sessions  accounts.SessionStore
	// Idle is how long a browser stays signed in without being used; 0 is respond.DefaultIdle.
	Idle    time.Duration
	URL     *url.URL     // public base URL; nil: as each request says
	Proxies []*net.IPNet // their X-Forwarded-For is trusted
	Log     *slog.Logger
	// MaxUpload is the largest file in bytes that a run is filled from; 0 is respond.DefaultMaxUpload.
	MaxUpload int64
	// MaxAttachment is that of a ticket; 0 is respond.DefaultMaxAttachment.
	MaxAttachment int64
	// Streams bound responses that may take long.
	Streams streams.Limits
	// APIRate is how many calls of the API a token may make in a minute; 0 is any number.
	APIRate int
	// Operators is what /admin asks of a session.
	Operators accounts.Policy
	// Patience is the time for which a request waits for a database that does not answer; 0 is 15 seconds.
	Patience time.Duration
	// Why returns the trouble of the database if known, such as a full disk. It may be nil.
	Why func() error
	// Version is the program's, for operators.
	Version string
	// Settings are the environment of this server, for operators.
	Settings []adminviews.Setting
	// Examine examines the database server and this machine, for operators; nil finds nothing.
	Examine func(context.Context) ([]adminviews.Finding, error)
	// Files is the folder or the bucket of stored files, for operators.
	Files string
}

type server struct {
	workflows *workflows.Workflows
	console   *console.Console
	hub       *live.Hub
	log       *slog.Logger
	patience  time.Duration
	paths     paths // of all routes
	operators accounts.Policy

	respond *respond.Responder
	pages   *pages.Handlers
	admin   *admin.Handlers
	public  *public.Handlers
	api     *api.Handlers
}

// Handler serves all routes.
type Handler struct {
	http.Handler
	streams *streams.Streams
	metrics http.Handler
}

// Metrics serves MetricsPath, and nothing else. Whoever reaches its address may read it.
func (h Handler) Metrics() http.Handler { return h.metrics }

// EndStreams ends the responses that take long, and refuses new ones. A shutdown would wait for them.
func (h Handler) EndStreams() { h.streams.End() }

// New returns the handler of all routes.
func New(cfg Config) Handler {
	patience, maxUpload := cmp.Or(cfg.Patience, 15*time.Second), cmp.Or(cfg.MaxUpload, respond.DefaultMaxUpload)
	long := streams.New(cfg.Streams, cfg.Workflows, cfg.Log)
	shared := respond.New(respond.Config{
		Workflows: cfg.Workflows, Sessions: cfg.Sessions, Idle: cmp.Or(cfg.Idle, respond.DefaultIdle), URL: cfg.URL,
		Log: cfg.Log, Patience: patience, MaxUpload: maxUpload, Why: cfg.Why,
		MaxAttachment: cmp.Or(cfg.MaxAttachment, respond.DefaultMaxAttachment),
	})
	s := &server{
		workflows: cfg.Workflows, console: cfg.Console, hub: cfg.Live, log: cfg.Log, patience: patience,
		operators: cfg.Operators,
		respond:   shared,
		pages:     pages.New(cfg.Workflows, cfg.Live, long, shared),
		admin: admin.New(cfg.Workflows, cfg.Console, shared, admin.About{
			Version: cfg.Version, Settings: cfg.Settings, Examine: cfg.Examine, Files: cfg.Files}),
		public: public.New(cfg.Workflows, shared),
		api:    api.New(cfg.Workflows, cfg.Console, long, shared, cfg.APIRate),
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.respond.ShowError
	e.IPExtractor = clientAddress(cfg.Proxies)
	e.Use(
		s.measure,
		middleware.RecoverWithConfig(middleware.RecoverConfig{DisablePrintStack: true, LogErrorFunc: s.respond.LogPanic}),
		s.secure,
		middleware.BodyLimitWithConfig(middleware.BodyLimitConfig{Limit: "512K", Skipper: takesFile}),
		compress,
		sameOrigin(cfg.URL),
		s.deadline,
		withAddress,
		s.noteProxies(cfg.Proxies),
	)
	s.route(e)
	return Handler{Handler: withHead(e), streams: long, metrics: s.metrics()}
}

// HTTPServer returns a server with limits that keep slow clients from holding it up.
func HTTPServer(handler Handler, log *slog.Logger) *http.Server {
	server := limited(handler, log)
	server.RegisterOnShutdown(handler.EndStreams)
	return server
}

// MetricsServer is HTTPServer for the metrics.
func MetricsServer(handler Handler, log *slog.Logger) *http.Server {
	return limited(handler.Metrics(), log)
}

func limited(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}
