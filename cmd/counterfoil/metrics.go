package main

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"github.com/counterfoil/counterfoil/web"
)

// metricsPorts is how many ports are tried for the metrics, from that of the setting on: several servers of one
// machine need no setting.
const metricsPorts = 10

// listenForMetrics returns the listener of the metrics: nil if they are off, or if no port is free.
func (e environment) listenForMetrics() (net.Listener, error) {
	if e.metricsAddr == "off" {
		return nil, nil
	}
	host, text, err := net.SplitHostPort(e.metricsAddr)
	port, notNumber := strconv.Atoi(text)
	if err != nil || notNumber != nil || port < 0 || port > 65535 {
		return nil, badSetting("COUNTERFOIL_METRICS_ADDR", e.metricsAddr,
			"the address and port of the metrics, such as 127.0.0.1:9464, or off")
	}
	for next := port; next < port+metricsPorts && next <= 65535; next++ {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(next)))
		if err == nil {
			return listener, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, badSetting("COUNTERFOIL_METRICS_ADDR", e.metricsAddr,
				"an address of this machine on which it may listen, or off ("+errors.Unwrap(err).Error()+")")
		}
		e.logger().Warn("the port of the metrics is taken, and the next one is tried: set COUNTERFOIL_METRICS_ADDR",
			"port", next)
	}
	e.logger().Warn("no port is free for the metrics, so they are off: set COUNTERFOIL_METRICS_ADDR",
		"first", e.metricsAddr, "tried", metricsPorts)
	return nil, nil
}

// serveMetrics answers until the server that it returns is closed; without a listener there is nothing to answer.
func serveMetrics(handler web.Handler, listener net.Listener, log *slog.Logger) *http.Server {
	server := web.MetricsServer(handler, log)
	if listener == nil {
		return server
	}
	log.Info("metrics are served", "url", "http://"+listener.Addr().String()+web.MetricsPath)
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are served no longer", "error", err)
		}
	}()
	return server
}
