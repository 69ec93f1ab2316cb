package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

var requestSeconds = promauto.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "counterfoil_request_seconds",
	Help:    "How long requests took, by route.",
	Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
}, []string{"method", "route", "status"})

// measure counts and times requests.
func (s *server) measure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := time.Now()
		if err := next(c); err != nil {
			c.Error(err) // responds now, so that the status is known
		}
		route := c.Path()
		if route == "" {
			route = "none"
		}
		requestSeconds.WithLabelValues(method(c), route, strconv.Itoa(c.Response().Status)).
			Observe(time.Since(began).Seconds())
		return nil
	}
}

// method is that of a route, or "other", so invented methods make no metrics.
func method(c echo.Context) string {
	switch m := c.Request().Method; m {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return m
	}
	return "other"
}

// MetricsPath is where the metrics are, at an address of their own.
const MetricsPath = "/metrics"

// metrics responds with the figures of this process and the state of all migrations.
func (s *server) metrics() http.Handler {
	own := prometheus.NewRegistry()
	own.MustRegister(migrationMetrics{s.console}, feedMetrics{s.console}, refMetrics{s.console, s.workflows})
	routes := http.NewServeMux()
	routes.Handle("GET "+MetricsPath,
		promhttp.HandlerFor(prometheus.Gatherers{prometheus.DefaultGatherer, own}, promhttp.HandlerOpts{}))
	return routes
}

// metricsMoved is the answer where the metrics were.
func (s *server) metricsMoved(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.String(http.StatusNotFound, "Metrics have an address of their own: see COUNTERFOIL_METRICS_ADDR.\n")
}

// migrationMetrics asks the database for the state of migrations. If it does not answer soon, these metrics are
// missing.
type migrationMetrics struct{ console *console.Console }

var (
	runsGauge = prometheus.NewDesc("counterfoil_migration_runs", "Active runs in the whole installation, by state.",
		[]string{"state"}, nil)
	workersGauge = prometheus.NewDesc("counterfoil_migration_workers",
		"Living workers in the whole installation, by state.", []string{"state"}, nil)
	tasksGauge = prometheus.NewDesc("counterfoil_migration_run_tasks",
		"Tasks of the newest active runs, a hundred at most, by state.", []string{"run", "migration", "state"}, nil)
	eventsGauge = prometheus.NewDesc("counterfoil_migration_run_events",
		"Failed attempts, refused completions and reclaimed tasks of the newest active runs, a hundred at most.",
		[]string{"run", "migration", "kind"}, nil)
)

// Describe implements prometheus.Collector.
func (migrationMetrics) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{runsGauge, workersGauge, tasksGauge, eventsGauge} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (s migrationMetrics) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	g, err := s.console.MigrationGauges(ctx)
	if err != nil {
		return
	}
	gauge := func(desc *prometheus.Desc, value int64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value), labels...)
	}
	for state, n := range g.Runs {
		gauge(runsGauge, int64(n), string(state))
	}
	for state, n := range g.Workers {
		gauge(workersGauge, int64(n), state)
	}
	for _, t := range g.Tasks {
		run, p := strconv.FormatUint(uint64(t.Run), 10), t.Progress
		for state, n := range map[string]int64{
			migrations.TaskOpen: p.Open, migrations.TaskProcessing: p.Processing, migrations.TaskWaiting: p.Waiting,
			migrations.TaskComplete: p.Complete, migrations.TaskFailed: p.Failed, migrations.TaskSkipped: p.Skipped,
		} {
			gauge(tasksGauge, n, run, t.Name, state)
		}
		for kind, n := range map[string]int64{"error": p.Errors, "refused": p.Refused, "reclaimed": p.Reclaimed} {
			gauge(eventsGauge, n, run, t.Name, kind)
		}
	}
}
