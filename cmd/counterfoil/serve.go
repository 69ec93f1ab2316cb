package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/web"
)

// drain is the timeout of requests under way once the program is to stop.
const drain = 20 * time.Second

func serveCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "Serve the web app and do the background work; prints its URL when ready",
		Action: func(ctx context.Context, _ *cli.Command) error { return serve(ctx, env) },
	}
}

// serve runs the web app until ctx ends; then it drains requests, and stops its database last.
func serve(ctx context.Context, env environment) (err error) {
	if env.log != "text" && env.log != "json" {
		return badSetting("COUNTERFOIL_LOG", env.log, "text or json")
	}
	public, err := env.publicURL()
	if err != nil {
		return err
	}
	proxies, err := env.trustedProxies()
	if err != nil {
		return err
	}
	replicas, err := env.openReplicas()
	if err != nil {
		return err
	}
	defer closeReplicas(replicas)
	largest, err := env.maxUpload()
	if err != nil {
		return err
	}
	attachment, err := env.maxAttachment()
	if err != nil {
		return err
	}
	rate, err := env.callsPerMinute()
	if err != nil {
		return err
	}
	idle, err := env.idleEnd()
	if err != nil {
		return err
	}
	operators, err := env.operatorPolicy()
	if err != nil {
		return err
	}
	limits, err := env.streamLimits()
	if err != nil {
		return err
	}
	listener, err := listen(env.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	metrics, err := env.listenForMetrics()
	if err != nil {
		return err
	}
	if metrics != nil {
		defer metrics.Close()
	}
	d, err := env.openCurrent(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := env.keys().Bind(ctx, d.DB); err != nil {
		return err
	}
	w, err := env.workflows(ctx, d, app.WithReplicas(replicas...), app.WithURL(env.at(listener)), app.WithSearch(env.search))
	if err != nil {
		return err
	}
	log := env.logger()
	if err := files.CheckMark(ctx, d.DB.Queries, d.files); err != nil {
		log.Warn("no files can be attached to tickets", "error", err)
	}
	handler := web.New(web.Config{
		Workflows: w.Workflows, Console: w.Console, Live: w.Delivery.Live(), Sessions: accounts.NewSessionStore(d.DB), URL: public,
		Proxies: proxies, Log: log, Why: d.why, MaxUpload: largest, MaxAttachment: attachment, Streams: limits,
		Version: version, APIRate: rate, Idle: idle, Operators: operators, Settings: env.settings(),
		Examine: env.findings(d), Files: env.blobs,
	})
	defer serveMetrics(handler, metrics, log).Close()
	return runUntilDone(ctx, env, d, w, web.HTTPServer(handler, log), listener)
}

// codePortTaken: the server cannot listen on its address. Stop what uses it, or set COUNTERFOIL_ADDR.
const codePortTaken fault.Code = "Server.AddressInUse"

func portTaken(addr string, err error) error {
	return fault.Unavailable.New(codePortTaken, "",
		fmt.Sprintf("Cannot listen on %s: %v. Stop the program that uses it, or choose another address with COUNTERFOIL_ADDR.", addr, err))
}

func listen(addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, portTaken(addr, errors.Unwrap(err))
	}
	return listener, nil
}

// runUntilDone answers requests and keeps the database until ctx ends or one of them fails for good.
func runUntilDone(
	ctx context.Context, env environment, d *database, w *app.App, server *http.Server, listener net.Listener,
) error {
	log := env.logger()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	loops := loop(ctx, cancel, env, d, w)
	loops.Go(func() { w.Delivery.WorkLive(ctx) })
	loops.Go(func() { w.Delivery.WorkSearch(ctx) })
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			cancel(fmt.Errorf("serve: %w", err))
		}
	}()
	announce(ctx, env, w, listener)

	<-ctx.Done()
	stopping, done := context.WithTimeout(context.Background(), drain)
	defer done()
	log.Info("stopping: requests and tasks under way are finished first")
	err := errors.Join(cause(ctx), server.Shutdown(stopping))
	loops.Wait()
	closing, done := context.WithTimeout(context.Background(), drain)
	defer done()
	return errors.Join(err, w.Close(closing))
}

// at is the address for users, if it is known.
func (e environment) at(listener net.Listener) string {
	if e.url != "" {
		return e.url
	}
	return "http://" + listener.Addr().String()
}

// announce prints the app's address. Scripts wait for the first line.
func announce(ctx context.Context, env environment, w *app.App, listener net.Listener) {
	url := env.at(listener)
	fmt.Fprintf(env.stdout, "Counterfoil is ready at %s\n", url)
	if installed, err := w.Workflows.Installed(ctx); err != nil || installed {
		return
	}
	code, err := w.Workflows.SetupCode(ctx)
	if err != nil {
		env.logger().Warn("the setup code is not known; start again, or use \"counterfoil setup\"", "error", err)
		return
	}
	if env.url == "" && onLoopback(listener) {
		fmt.Fprintf(env.stdout, "Open %s/setup?code=%s in a browser to begin.\n", url, code)
		return
	}
	fmt.Fprintf(env.stdout, "Open %s/setup in a browser to begin. The setup code is %s\n", url, code)
}

func onLoopback(listener net.Listener) bool {
	at, ok := listener.Addr().(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
}

// forget removes expired rows: each of the functions removes some and returns how many.
func forget(ctx context.Context, log *slog.Logger, removers ...func(context.Context) (int64, error)) {
	wait.Every(ctx, 10*time.Minute, func(ctx context.Context) {
		for _, remove := range removers {
			for {
				n, err := remove(ctx)
				if err != nil && ctx.Err() == nil {
					log.Warn("forget what is kept no longer", "error", err)
				}
				if err != nil || n == 0 {
					break
				}
			}
		}
	})
}
