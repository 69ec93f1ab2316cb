package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/web"
)

// metrics asks for the metrics at their own address.
func (e *env) metrics() string {
	e.t.Helper()
	a := httptest.NewRecorder()
	e.handler.Metrics().ServeHTTP(a, httptest.NewRequest(http.MethodGet, web.MetricsPath, nil))
	if a.Code != http.StatusOK {
		e.t.Fatalf("metrics: %d", a.Code)
	}
	return a.Body.String()
}

func TestMetricsAreOnlyAtTheirOwnAddress(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for name, a := range map[string]*answer{"a visitor": e.visitor().get("/metrics"), "an operator": e.ana().get("/metrics")} {
		a.is(t, http.StatusNotFound)
		if strings.Contains(a.body, "counterfoil_") || !strings.Contains(a.body, "COUNTERFOIL_METRICS_ADDR") {
			t.Errorf("%s is answered %q", name, a.body)
		}
	}
	for _, path := range []string{"/", "/login", "/healthz", "/api/v1/boards", "/metrics/x"} {
		a := httptest.NewRecorder()
		e.handler.Metrics().ServeHTTP(a, httptest.NewRequest(http.MethodGet, path, nil))
		if a.Code != http.StatusNotFound {
			t.Errorf("%s at the address of the metrics is %d", path, a.Code)
		}
	}
}

func TestMetricsOfMigrations(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for _, statement := range []string{
		`INSERT INTO migration_run (id, name, params, state, state_since, knobs, total, actor, created_at) VALUES (7, 'purge', '{}', 'running', NOW(6), '{}', 100, 'Ana', NOW(6))`,
		`INSERT INTO migration_run (name, params, listed, state, state_since, knobs, actor, created_at)
		 SELECT 'purge', '{}', 'active', IF(d.n = 9, 'complete', 'paused'), NOW(6), '{}', 'Ana', NOW(6) FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) d
		 CROSS JOIN (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8) e`,
		`UPDATE migration_run SET id = 1000 WHERE id = 7`,
		`INSERT INTO migration_counter (run_id, worker_id, processing, complete, errors) VALUES (1000, 1, 10, 60, 3), (1000, 0, -2, 0, 0)`,
		`INSERT INTO migration_worker (id, host, pid, version, state, started_at, beat_at, lease_until)
		 VALUES (1, 'server', 1, '1', 'active', NOW(6), NOW(6), NOW(6) + INTERVAL 1 DAY), (2, 'server', 2, '1', 'active', NOW(6), NOW(6), NOW(6) - INTERVAL 1 DAY)`,
	} {
		domaintest.OK(e.db.SQL.ExecContext(t.Context(), statement))(t)
	}
	body := e.metrics()
	for _, want := range []string{
		`counterfoil_migration_runs{state="running"} 1`,
		`counterfoil_migration_runs{state="paused"} 64`, // more than a page of a list
		`counterfoil_migration_runs{state="throttled"} 0`,
		`counterfoil_migration_workers{state="active"} 1`,
		`counterfoil_migration_run_tasks{migration="purge",run="1000",state="complete"} 60`,
		`counterfoil_migration_run_tasks{migration="purge",run="1000",state="processing"} 8`,
		`counterfoil_migration_run_tasks{migration="purge",run="1000",state="open"} 32`,
		`counterfoil_migration_run_events{kind="error",migration="purge",run="1000"} 3`,
		`counterfoil_migration_claim_seconds_count`,
		`go_goroutines`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}

	e.db.SQL.Close()
	if body := e.metrics(); !strings.Contains(body, "go_goroutines") {
		t.Error("without a database there are no metrics at all")
	}
}

// Prometheus asks for gzip, and unpacks once.
func TestMetricsAreCompressedOnce(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, web.MetricsPath, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	a := httptest.NewRecorder()
	newEnv(t).handler.Metrics().ServeHTTP(a, r)
	unpacked, err := gzip.NewReader(a.Body)
	domaintest.Must(t, err)
	text, err := io.ReadAll(unpacked)
	if err != nil || !bytes.Contains(text, []byte("counterfoil_streams")) {
		t.Errorf("%v: %.200q", err, text)
	}
}
