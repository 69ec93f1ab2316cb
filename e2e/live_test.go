package e2e

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// streams is how many live connections the server has open.
func (a *env) streams() string {
	a.t.Helper()
	answer, err := http.Get("http://" + a.metrics + "/metrics")
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^counterfoil_streams (\d+)$`).FindSubmatch(body)
	if found == nil {
		a.t.Fatalf("no counterfoil_streams: %s\n%s", answer.Status, body)
	}
	return string(found[1])
}

// streamsAre waits until the server has so many live connections open.
func (a *env) streamsAre(want string) {
	a.t.Helper()
	domaintest.Until(a.t, "there are "+want+" connections", func() bool { return a.streams() == want }, a.streams)
}

// another is one more tab of the same browser.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	other := &tab{t: b.t, ctx: ctx, app: b.app, expected: b.expected}
	other.must(chromedp.Do(ctx))
	return other
}

// without removes a feature of the browser from pages.
func (b *tab) without(names ...string) {
	b.t.Helper()
	for _, name := range names {
		object, property, _ := strings.Cut(name, ".")
		call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: fmt.Sprintf("Object.defineProperty(%s, %q, { value: undefined })", object, property),
		})
	}
}

func TestAPageWithoutAStreamPolls(t *testing.T) {
	t.Parallel()
	a := withBoard(t)
	for n := range 50 { // as many as a session may have
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.url+"/acme/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range a.cookies() {
			r.AddCookie(c)
		}
		answer := domaintest.OK(http.DefaultClient.Do(r))(t)
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("stream %d: %s", n+1, answer.Status)
		}
	}
	b := a.tab(t)
	b.expected = regexp.MustCompile(`status of 429`)
	b.listens("/acme/boards/DEMO")
	b.connectionIs("polling")
	a.post("/acme/boards/DEMO/tickets", "title", "One")
	b.wait(`window.heard?.length > 0`)
	a.streamsAre("50")
}

// listens opens a page and has it follow all of the first board.
func (b *tab) listens(path string) {
	b.t.Helper()
	b.open(path)
	eval[bool](b,
		`(import(document.querySelector("script[src$='/app.js']").src.replace("app.js", "wire.js")).then(({ follow }) => {
		const board = 1
		const heard = []
		follow({ board }, (event) => heard.push(event))
		window.heard = heard
	}), true)`)
	b.wait(`window.heard`)
}

// connectionIs waits for a state of the connection in the header.
func (b *tab) connectionIs(want string) {
	b.t.Helper()
	b.wait(`document.getElementById("wire")?.dataset.state === %s`, want)
}

func TestLive(t *testing.T) {
	t.Parallel()
	// The practice board has the id 1.
	ways := map[string]struct {
		without []string
		state   string
		streams string // of two tabs
	}{
		"one connection for all tabs, in a worker":        {nil, "live", "1"},
		"one connection for all tabs, in the elected one": {[]string{"window.SharedWorker"}, "live", "1"},
		"no connection: it asks now and then": {[]string{"window.SharedWorker", "navigator.locks"}, "polling",
			"0"},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := withBoard(t)
			first := a.tab(t)
			first.without(way.without...)
			first.listens("/acme/boards/DEMO")
			first.connectionIs(way.state)
			if way.state == "polling" {
				first.wait(`performance.getEntriesByType("resource").some(({ name, responseStatus }) => name.includes("/live/changes") && responseStatus === 304)`)
			}
			a.post("/acme/boards/DEMO/tickets", "title", "One")
			first.wait(`window.heard?.length > 0`)
			second := first.another()
			second.without(way.without...)
			second.listens("/acme/boards/DEMO")
			a.post("/acme/boards/DEMO/tickets", "title", "Two")
			second.wait(`window.heard?.length > 0`)
			a.streamsAre(way.streams)
		})
	}
}
