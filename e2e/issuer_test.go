package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// newIssuer is an issuer on another site than the server, which knows everybody as ana.
func newIssuer(t *testing.T) string {
	t.Helper()
	key := domaintest.OK(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	part := base64.RawURLEncoding.EncodeToString
	var nonces sync.Map
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	at := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": at, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token",
			"jwks_uri": at + "/keys", "end_session_endpoint": at + "/end"})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		point := domaintest.OK(key.PublicKey.Bytes())(t)
		answer(w, map[string]any{"keys": []any{map[string]string{"kty": "EC", "crv": "P-256", "x": part(point[1:33]),
			"y": part(point[33:])}}})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.Query()
		nonces.Store("code", asked.Get("nonce"))
		http.Redirect(w, r, asked.Get("redirect_uri")+"?"+url.Values{"code": {"code"}, "state": {asked.Get("state")}}.Encode(),
			http.StatusFound)
	})
	mux.HandleFunc("GET /end", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.FormValue("post_logout_redirect_uri"), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		nonce, _ := nonces.Load("code")
		says := domaintest.OK(json.Marshal(map[string]any{"iss": at, "aud": "counterfoil", "sub": "ana", "nonce": nonce,
			"exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix()}))(t)
		signed := part([]byte(`{"alg":"ES256"}`)) + "." + part(says)
		sum := sha256.Sum256([]byte(signed))
		one, two, err := ecdsa.Sign(rand.Reader, key, sum[:])
		domaintest.Must(t, err)
		signature := append(one.FillBytes(make([]byte, 32)), two.FillBytes(make([]byte, 32))...)
		answer(w, map[string]string{"access_token": "x", "token_type": "Bearer", "id_token": signed + "." + part(signature)})
	})
	return at
}

// TestCompanySignIn: a browser links an account, signs in and out at an issuer of another site, under the policy of our
// pages and with cookies as browsers send them.
func TestCompanySignIn(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the fins")
	issuer := newIssuer(t)
	b := a.tab(t)
	b.expected = refusals
	b.open("/acme/settings/sign-in")
	b.looksRight("sign-in-settings-empty")
	b.fills("#issuer-url", issuer+"/wrong")
	b.fills("#issuer-name", "Acme ID")
	b.fills("#issuer-client", "counterfoil")
	b.click("[aria-labelledby=new-issuer] .primary")
	b.sees("#main", "This issuer cannot be used")
	b.fills("#issuer-url", issuer)
	b.click("[aria-labelledby=new-issuer] .primary")
	b.at("/acme/settings/sign-in/issuers/1")
	a.post("/acme/settings/sign-in/issuers/1/rules", "claim", "staff", "role", "viewer")
	a.post("/acme/settings/sign-in/domains", "domain", "acme.example")
	b.open("/acme/settings/sign-in/issuers/1")
	b.looksRight("issuer")
	b.open("/acme/settings/sign-in")
	b.looksRight("sign-in-settings")
	b.open("/account")
	b.looksRight("account-identities")
	b.click("[action='/account/identities/1'] button")
	b.sees("#main", "Sign in there now as yourself")
	b.looksRight("link-issuer")
	b.click("#issuer")
	b.at("/account")
	b.sees("#main", "linked")

	other := a.stranger(t)
	other.expected = regexp.MustCompile(`status of 403`) // the page that asks to confirm
	other.open("/acme/boards/NINJA")
	other.at("/login")
	other.looksRight("login-issuer")
	other.click(".issuers a")
	other.at("/acme/boards/NINJA")
	other.sees("#main", "Paint the fins")
	other.open("/account")
	other.at("/login")
	other.looksRight("login-confined")
	other.open("/acme/boards/NINJA")
	other.open("/login/companies?company=acme")
	other.looksRight("company-sign-in")
	a.onDatabase(t, `DELETE w FROM session_way w JOIN session_way own ON own.session_id = w.session_id AND own.company_id = 0
		WHERE w.company_id <> 0`)
	a.onDatabase(t, "UPDATE company SET issuer_required = TRUE")
	b.open("/acme")
	b.at("/login/companies")
	b.looksRight("issuer-required")
	b.click(".issuers a")
	b.at("/acme")
	a.onDatabase(t, "UPDATE sessions SET confirmed_at = NULL")
	other.open("/acme/settings/sign-in/issuers/1/removal")
	other.click("main form .primary")
	other.sees("#main", "Sign in there once more")
	other.looksRight("confirm-issuer")
}
