package main

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// TestServePrintsTheSetupCode holds that a server which is not set up prints a code, the same after a restart: in a link
// if only this machine reaches it, else beside the address. Nobody is set up without it.
func TestServePrintsTheSetupCode(t *testing.T) {
	t.Parallel()
	i := &install{env: []string{"DATABASE_URL=" + dbtest.URL(t), "COUNTERFOIL_BLOBS=" + t.TempDir(), "COUNTERFOIL_SEARCH=" + t.TempDir(),
		"COUNTERFOIL_KEY_FILE=" + filepath.Join(t.TempDir(), "key")}}
	printed := func(env ...string) *process {
		t.Helper()
		return (&install{env: append(i.env[:len(i.env):len(i.env)], env...)}).start(t, "Open ", "serve")
	}
	first := printed()
	at, code, ok := strings.Cut(strings.TrimSuffix(first.url, " in a browser to begin."), "/setup?code=")
	if !ok || !strings.HasPrefix(at, "http://127.0.0.1:") || len(code) < 12 {
		t.Fatalf("it prints %q", first.url)
	}
	domaintest.Must(t, first.stop(t))

	const elsewhere = "http://tickets.example"
	second := printed("COUNTERFOIL_URL=" + elsewhere)
	if want := elsewhere + "/setup in a browser to begin. The setup code is " + code; second.url != want {
		t.Errorf("it prints %q, not %q", second.url, want)
	}
	domaintest.Must(t, second.stop(t))
	third := printed("COUNTERFOIL_ADDR=0.0.0.0:0")
	if !strings.HasSuffix(third.url, "/setup in a browser to begin. The setup code is "+code) {
		t.Errorf("at all addresses it prints %q", third.url)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(third.url, "http://"), "]:")
	port, _, _ = strings.Cut(port, "/")
	send := func(code string) int {
		t.Helper()
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response := domaintest.OK(client.PostForm("http://127.0.0.1:"+port+"/setup", url.Values{
			"company": {"Acme"}, "slug": {"acme"}, "name": {"Ana"}, "email": {"ana@example.com"}, "password": {"correct horse battery"}, "code": {code}}))(t)
		response.Body.Close()
		return response.StatusCode
	}
	for _, wrong := range []string{"", "aaaa-bbbb-cccc"} {
		if got := send(wrong); got != http.StatusUnprocessableEntity {
			t.Errorf("with the code %q it is %d", wrong, got)
		}
	}
	if got := send(code); got != http.StatusSeeOther {
		t.Errorf("with its code it is %d", got)
	}
}
