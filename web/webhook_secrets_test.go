package web_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// heard is a log that a test reads while it is written.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

func TestAddressesOfWebhooksAreForTheirOwners(t *testing.T) {
	t.Parallel()
	const path, query, moved = "T0pAtHs3cret", "qUeRys3cret", "m0veds3cret"
	said := &heard{}
	log := slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e := setUp(newEmptyEnvWith(t, []app.Option{app.WithLog(log),
		app.WithWebhooks(outboundtest.Here(t))},
		func(cfg *web.Config) { cfg.Log = log }))
	e.account("otto", "rivals", "owner")
	e.account("mia", "acme", "member")
	e.account("vera", "acme", "viewer")
	e.exec("UPDATE account SET operator = TRUE WHERE name = 'otto'")

	nobody := "http://" + domaintest.RefusingAddress(t)
	leads := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := "/hooks/" + moved
		if strings.HasPrefix(r.URL.Path, "/absolute/") {
			to = "https://other.example" + to
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(leads.Close)
	ana := e.ana()
	for _, base := range []string{nobody + "/services/", leads.URL + "/relative/", leads.URL + "/absolute/"} {
		ana.post("/acme/settings/webhooks", "url", base+path+"?token="+query, "feeds", "tickets").is(t, http.StatusCreated)
	}
	ana.post("/acme/settings/webhooks/1", "url", nobody+"/other/"+path+"?token="+query, "feeds", "tickets", "version", "1").
		is(t, http.StatusSeeOther)
	ana.post("/acme/settings/webhooks/1/tests").is(t, http.StatusSeeOther)
	ana.get("/acme/settings/webhooks/1").is(t, http.StatusOK) // it has the message about the test
	e.exec("UPDATE webhook SET failing_since = NOW(6) - INTERVAL 6 DAY, failures = 9")
	e.program().post("/boards/DEMO/tickets", object{"title": "News"}).is(t, http.StatusCreated)
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { e.workflows.Feeds.Run(ctx) })
	work.Go(func() { e.workflows.Delivery.WorkWebhooks(ctx) })
	domaintest.Until(t, "all are stopped", func() bool {
		return e.count("SELECT COUNT(*) FROM webhook WHERE state = 'stopped'") == 3
	}, said.String)
	stop()
	work.Wait()

	shown := map[string]string{"the metrics": e.metrics()}
	for name, one := range pages {
		if method, _, _ := strings.Cut(name, " "); method == http.MethodGet {
			for _, user := range []string{"", "otto", "mia", "vera"} {
				b := e.visitor()
				if user != "" {
					b = e.signedIn(user)
				}
				shown[name+" for "+user] = b.get(one.path).body
			}
		}
	}
	otto := e.signedIn("otto")
	for _, hook := range []string{"1", "2", "3"} {
		a := otto.get(views.AnyWebhooksPath+"/"+hook).is(t, http.StatusOK)
		shown["webhook "+hook] = a.body
		if !strings.Contains(a.text(t, ".run-reason"), "Last: ") {
			t.Errorf("an operator does not see why it is stopped: %s", a.text(t, ".run-reason"))
		}
	}
	for _, audit := range []string{"/acme/audit", "/acme/audit.csv"} {
		shown[audit] = ana.get(audit).is(t, http.StatusOK).body
	}
	for _, audit := range []string{"/audit", "/audit.csv", "/instance/audit", "/instance/audit.csv"} {
		shown["the API's "+audit] = e.program().get(audit).is(t, http.StatusOK).body
	}
	shown["the log"] = said.String()
	for name, text := range shown {
		for _, secret := range []string{path, query, moved} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s", name, secret)
			}
		}
	}
	owns := ana.get("/acme/settings/webhooks/1").is(t, http.StatusOK)
	if !strings.Contains(owns.body, path) {
		t.Error("its owner does not see the address")
	}
}
