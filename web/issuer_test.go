package web_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// issuer is a small real issuer of OpenID Connect, which can also be hostile.
type issuer struct {
	t      testing.TB
	server *httptest.Server
	key    *ecdsa.PrivateKey
	id     int // of its row

	mu     sync.Mutex
	grants map[string]grant // by code
	calls  int              // of the token endpoint
	// alter changes the claims of a token, and sign replaces its signature, if they are set.
	alter func(header, claims object)
	sign  func(signed string) []byte
	// info is the user info: a response for the subject of an access token. nil has none but the subject.
	info func(subject string) (code int, claims object)
}

// grant is the authorization behind a code.
type grant struct {
	nonce, challenge, redirect string
	claims                     object
}

const (
	clientID     = "counterfoil"
	clientSecret = "a secret of the client"
)

func newKeyPair(t testing.TB) *ecdsa.PrivateKey {
	return domaintest.OK(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
}

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	i := &issuer{t: t, key: newKeyPair(t), grants: map[string]grant{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		i.answer(w, object{"issuer": i.url(), "authorization_endpoint": i.url() + "/authorize",
			"token_endpoint": i.url() + "/token", "jwks_uri": i.url() + "/keys", "end_session_endpoint": i.url() + "/end",
			"userinfo_endpoint":                     i.url() + "/info",
			"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		part := base64.RawURLEncoding.EncodeToString
		point := domaintest.OK(i.key.PublicKey.Bytes())(t)
		i.answer(w, object{"keys": []object{{"kty": "EC", "crv": "P-256", "kid": "1", "alg": "ES256", "use": "sig",
			"x": part(point[1:33]), "y": part(point[33:])}}})
	})
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /info", i.userInfo)
	i.server = httptest.NewServer(mux)
	t.Cleanup(i.server.Close)
	return i
}

func (i *issuer) url() string { return i.server.URL }

func (i *issuer) answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		i.t.Errorf("answer: %v", err)
	}
}

// token exchanges a code once, for the client that has its verifier.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.calls++
	id, secret, _ := r.BasicAuth()
	of, there := i.grants[r.FormValue("code")]
	delete(i.grants, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !there || id != clientID || secret != url.QueryEscape(clientSecret) || r.FormValue("redirect_uri") != of.redirect ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != of.challenge {
		w.WriteHeader(http.StatusBadRequest)
		i.answer(w, object{"error": "invalid_grant"})
		return
	}
	header := object{"alg": "ES256", "kid": "1", "typ": "JWT"}
	claims := object{"iss": i.url(), "aud": clientID, "nonce": of.nonce, "iat": time.Now().Unix(),
		"exp": time.Now().Add(time.Hour).Unix(), "auth_time": time.Now().Unix()}
	for name, value := range of.claims {
		claims[name] = value
	}
	if i.alter != nil {
		i.alter(header, claims)
	}
	i.answer(w, object{"access_token": fmt.Sprint("access-", claims["sub"]), "token_type": "Bearer", "id_token": i.jwt(header, claims)})
}

// userInfo is about the subject of an access token.
func (i *issuer) userInfo(w http.ResponseWriter, r *http.Request) {
	subject := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer access-")
	code, claims := http.StatusOK, object{"sub": subject}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.info != nil {
		code, claims = i.info(subject)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	i.answer(w, claims)
}

func (i *issuer) jwt(header, claims object) string {
	part := func(v any) string {
		return base64.RawURLEncoding.EncodeToString(domaintest.OK(json.Marshal(v))(i.t))
	}
	signed := part(header) + "." + part(claims)
	sign := i.sign
	if sign == nil {
		sign = i.byKey(i.key)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(sign(signed))
}

// byKey signs as ES256 does.
func (i *issuer) byKey(key *ecdsa.PrivateKey) func(string) []byte {
	return func(signed string) []byte {
		sum := sha256.Sum256([]byte(signed))
		r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
		domaintest.Must(i.t, err)
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	}
}

// comeBack is where the issuer sends a browser back to that it was sent, as a user with claims.
func (i *issuer) comeBack(t testing.TB, address string, claims object) string {
	t.Helper()
	u := domaintest.OK(url.Parse(address))(t)
	asked := u.Query()
	if !strings.HasPrefix(address, i.url()+"/authorize?") || asked.Get("code_challenge_method") != "S256" ||
		asked.Get("response_type") != "code" || asked.Get("client_id") != clientID || asked.Get("nonce") == "" {
		t.Fatalf("the browser is sent to %s", address)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	code := fmt.Sprint("code-", len(i.grants), "-", i.calls, "-", asked.Get("state")[:8])
	i.grants[code] = grant{asked.Get("nonce"), asked.Get("code_challenge"), asked.Get("redirect_uri"), claims}
	back := domaintest.OK(url.Parse(asked.Get("redirect_uri")))(t)
	back.RawQuery = url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode()
	return back.RequestURI()
}

// start begins a sign-in, and returns where the browser is sent.
func (i *issuer) start(t testing.TB, b *browser, more string) string {
	t.Helper()
	return b.get(fmt.Sprintf("/login/issuers/%d%s", i.id, more)).is(t, 303).header.Get("Location")
}

// signIn is a browser's way to the issuer and back.
func (i *issuer) signIn(t testing.TB, b *browser, claims object) *answer {
	t.Helper()
	return b.get(i.comeBack(t, i.start(t, b, ""), claims))
}

// records are those of the domains of tests.
type records struct {
	mu   sync.Mutex
	list map[string][]string
	err  error
}

func (r *records) LookupTXT(_ context.Context, name string) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return nil, r.err
	}
	if list, ok := r.list[name]; ok {
		return list, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (r *records) set(name string, values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list[name] = values
}

// issuerEnv has acme with an issuer, and rivals with another.
type issuerEnv struct {
	*env
	acme, rivals *issuer
	dns          *records
}

func newIssuerEnv(t testing.TB, change ...func(*web.Config)) *issuerEnv {
	t.Helper()
	dns := &records{list: map[string][]string{}}
	e := &issuerEnv{dns: dns, env: setUp(newEmptyEnvWith(t, []app.Option{
		app.WithIssuers(outboundtest.Client(t, outbound.Issuers, "127.0.0.1:*")), app.WithResolver(dns)}, change...))}
	e.account("olga", "acme", accounts.Owner)
	e.account("mia", "acme", accounts.Member)
	e.account("sam", "rivals", accounts.Owner)
	e.joins("mia", "rivals", accounts.Owner)
	e.joins("sam", "acme", accounts.Admin)
	e.acme, e.rivals = newIssuer(t), newIssuer(t)
	e.addIssuer(t, "olga", "acme", "Acme ID", e.acme)
	e.addIssuer(t, "sam", "rivals", "Rivals ID", e.rivals)
	return e
}

// joins makes a user a member of another company.
func (e *issuerEnv) joins(name, company, role string) {
	e.exec(`INSERT INTO membership (company_id, account_id, role, handle, created_at)
		SELECT c.id, a.id, ?, a.name, NOW(6) FROM company c, account a WHERE c.slug = ? AND a.name = ?`, role, company, name)
}

func (e *issuerEnv) addIssuer(t testing.TB, owner, company, name string, i *issuer) {
	t.Helper()
	e.signedIn(owner).post("/"+company+"/settings/sign-in/issuers", "name", name, "url", i.url(), "client", clientID,
		"secret", clientSecret, "groups", "groups").is(t, 303)
	i.id = int(e.count("SELECT MAX(id) FROM issuer"))
}

// link links a user's account to an identity at an issuer.
func (e *issuerEnv) link(t testing.TB, b *browser, i *issuer, subject string) {
	t.Helper()
	page := b.post(fmt.Sprintf("/account/identities/%d", i.id)).is(t, 200)
	address, _ := page.page().Find("#issuer").Attr("href")
	b.get(i.comeBack(t, address, object{"sub": subject})).goesTo(t, "/account")
}

func (a *answer) isRefused(t testing.TB, code int, says string) {
	t.Helper()
	a.is(t, code)
	if !strings.Contains(a.body, says) {
		t.Errorf("it does not say %q: %s", says, a.body)
	}
}

const notProven = "does not prove who you are"

func TestIssuerSignsIn(t *testing.T) {
	t.Parallel()

	t.Run("a linked account, and keeps where to go", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.link(t, e.signedIn("mia"), e.acme, "mia-at-acme")
		b := e.visitor()
		b.get(e.acme.comeBack(t, e.acme.start(t, b, "?next=%2Facme%2Finbox"), object{"sub": "mia-at-acme"})).
			goesTo(t, "/acme/inbox")
		b.get("/acme/inbox").is(t, 200)
		b.get("/").goesTo(t, "/acme")
		e.counts(t, 1, "SELECT COUNT(*) FROM session_way WHERE way = ? AND company_id = 1 AND session_id NOT IN (SELECT session_id FROM session_way WHERE company_id = 0)",
			fmt.Sprint("oidc-", e.acme.id))
		e.audited(t, "olga", "/acme/audit", "signed in by Acme ID")
		e.audited(t, "olga", "/acme/audit", "linked their account to Acme ID")
	})

	t.Run("and is shown on the sign-in page of its company alone", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		if says := e.visitor().get("/login?next=%2Facme%2Finbox").is(t, 200).text(t, ".issuers"); says != "Sign in with Acme ID" {
			t.Errorf("it shows %q", says)
		}
		e.visitor().get("/login").is(t, 200).has(t, 0, ".issuers")
		none := e.visitor().get("/login/companies?company=nobody").is(t, 200).body
		e.exec("INSERT INTO company (slug, name, created_at) VALUES ('without', 'W', NOW(6))")
		if other := e.visitor().get("/login/companies?company=without").is(t, 200).body; strings.ReplaceAll(other, "without", "nobody") != none {
			t.Errorf("a company without an issuer shows:\n%s", other)
		}
		e.visitor().get("/login/companies?company=rivals").is(t, 200).textIs(t, ".issuers", "Sign in with Rivals ID")
	})

	t.Run("gives a notice in the company that it opens, unless the browser is known", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		mia := e.signedIn("mia")
		e.link(t, mia, e.acme, "mia")
		e.exec("DELETE FROM notification")
		b := e.visitor()
		phone := b.with("User-Agent", iphone)
		e.acme.signIn(t, phone, object{"sub": "mia"}).goesTo(t, "/acme")
		want := []string{"New sign-in | Safari on iPhone, 192.0.2.1 | /account"}
		if list := mia.notices("acme"); !slices.Equal(list, want) {
			t.Errorf("the inbox has %q", list)
		}
		if list := mia.notices("rivals"); len(list) > 0 {
			t.Errorf("the inbox of the other company has %q", list)
		}
		phone.post("/logout").is(t, 303)
		e.acme.signIn(t, phone, object{"sub": "mia"}).goesTo(t, "/acme")
		if list := mia.notices("acme"); !slices.Equal(list, want) {
			t.Errorf("after another one in the same browser it has %q", list)
		}
		device := &browser{env: e.env, device: &http.Cookie{Name: "counterfoil-device", Value: phone.known.Value}}
		for range 10 {
			e.visitor().post("/login", "email", "mia@example.com", "password", "wrong "+password)
		}
		e.exec("UPDATE sign_in_limit SET failures = 20 WHERE failures = 10") // after ten, it waits for a second alone
		if a := device.post("/login", "email", "mia@example.com", "password", password); a.code != 429 {
			t.Errorf("as a device its cookie lets in: %d", a.code)
		}
	})

	t.Run("and signs out there, too", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.link(t, e.signedIn("mia"), e.acme, "mia")
		b := e.visitor()
		e.acme.signIn(t, b, object{"sub": "mia"}).goesTo(t, "/acme")
		b.post("/logout").goesTo(t, fmt.Sprint("/login?out=", e.acme.id))
		out, _ := b.get(fmt.Sprint("/login?out=", e.acme.id)).is(t, 200).page().Find("main .lead a").Attr("href")
		if !strings.HasPrefix(out, e.acme.url()+"/end?client_id="+clientID+"&post_logout_redirect_uri=") {
			t.Errorf("it leads to %q", out)
		}
		b.get("/acme").goesTo(t, "/login?next=%2Facme")
	})
}

func TestIssuerIsRefused(t *testing.T) {
	t.Parallel()
	e := newIssuerEnv(t)
	e.link(t, e.signedIn("mia"), e.acme, "mia")
	mia := object{"sub": "mia"}
	try := func(name string, alter func(header, claims object), sign func(string) []byte) {
		e.acme.mu.Lock()
		e.acme.alter, e.acme.sign = alter, sign
		e.acme.mu.Unlock()
		b := e.visitor()
		got := e.acme.signIn(t, b, mia)
		if got.code != 422 || !strings.Contains(got.body, notProven) {
			t.Errorf("%s: status %d: %s", name, got.code, got.body)
		}
		if again := b.get("/acme"); again.code != 303 {
			t.Errorf("%s opens the company", name)
		}
	}
	claim := func(name string, value any) func(object, object) {
		return func(_, claims object) { claims[name] = value }
	}
	try("a wrong nonce", claim("nonce", "another"), nil)
	try("no nonce", func(_, claims object) { delete(claims, "nonce") }, nil)
	try("the audience of another program", claim("aud", "another"), nil)
	try("two audiences and another party", func(_, claims object) {
		claims["aud"], claims["azp"] = []string{clientID, "another"}, "another"
	}, nil)
	try("two audiences without a party", claim("aud", []string{clientID, "another"}), nil)
	try("another issuer", claim("iss", e.rivals.url()), nil)
	try("no subject", claim("sub", ""), nil)
	try("a long subject", claim("sub", strings.Repeat("s", 256)), nil)
	try("an expired token", claim("exp", time.Now().Add(-time.Minute).Unix()), nil)
	try("a token of the future", claim("nbf", time.Now().Add(time.Hour).Unix()), nil)
	try("another key", nil, e.acme.byKey(newKeyPair(t)))
	try("the key of another issuer", nil, e.acme.byKey(e.rivals.key))
	try("no signature", func(header, _ object) { header["alg"] = "none" }, func(string) []byte { return nil })
	byHMAC := func(key []byte) func(string) []byte {
		return func(signed string) []byte {
			mac := hmac.New(crypto.SHA256.New, key)
			mac.Write([]byte(signed))
			return mac.Sum(nil)
		}
	}
	hs256 := func(header, _ object) { header["alg"] = "HS256" }
	try("a signature by the client secret", hs256, byHMAC([]byte(clientSecret)))
	try("a signature by the public key", hs256, byHMAC(domaintest.OK(e.acme.key.PublicKey.Bytes())(t)))
	try("another algorithm in the header", func(header, _ object) { header["alg"] = "RS256" }, nil)
	e.acme.alter, e.acme.sign = nil, nil
	e.acme.signIn(t, e.visitor(), mia).goesTo(t, "/acme") // so that each of these was why
}

func TestIssuerAnswers(t *testing.T) {
	t.Parallel()
	mia := object{"sub": "mia"}
	with := func(t *testing.T) (*issuerEnv, *browser, string) {
		e := newIssuerEnv(t)
		e.link(t, e.signedIn("mia"), e.acme, "mia")
		b := e.visitor()
		return e, b, e.acme.comeBack(t, e.acme.start(t, b, ""), mia)
	}

	t.Run("count once", func(t *testing.T) {
		t.Parallel()
		e, b, back := with(t)
		start := b.start
		b.get(back).goesTo(t, "/acme")
		other := e.visitor()
		other.start = start
		calls := e.acme.calls
		other.get(back).isRefused(t, 422, notProven)
		if e.acme.calls != calls {
			t.Error("the code was sent again")
		}
		b.get(back).isRefused(t, 422, notProven)
	})

	t.Run("count once of callers at once", func(t *testing.T) {
		t.Parallel()
		e, b, back := with(t)
		let := make(chan int, 8)
		var all sync.WaitGroup
		for range cap(let) {
			other := e.visitor()
			other.start = b.start
			all.Go(func() { let <- other.get(back).code })
		}
		all.Wait()
		close(let)
		in := 0
		for code := range let {
			if code == http.StatusSeeOther {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%d were let in", in)
		}
	})

	t.Run("count in the browser that was sent", func(t *testing.T) {
		t.Parallel()
		e, b, back := with(t)
		e.visitor().get(back).isRefused(t, 422, notProven)
		other := e.visitor()
		e.acme.start(t, other, "")
		other.get(back).isRefused(t, 422, notProven)
		b.get(strings.Replace(back, "state=", "state=A", 1)).isRefused(t, 422, notProven)
	})

	t.Run("count for the issuer that was asked", func(t *testing.T) {
		t.Parallel()
		e, b, back := with(t)
		start := b.start
		b.get(strings.Replace(back, fmt.Sprintf("/issuers/%d/", e.acme.id), fmt.Sprintf("/issuers/%d/", e.rivals.id), 1)).
			isRefused(t, 422, notProven)
		b.start = start
		b.get(back+"&iss="+url.QueryEscape(e.rivals.url())).isRefused(t, 422, notProven)
		b.start = start
		b.get(back).goesTo(t, "/acme")
	})

	t.Run("count for ten minutes", func(t *testing.T) {
		t.Parallel()
		e, b, back := with(t)
		at := time.Now().UTC().Add(11 * time.Minute)
		e.db.SetClock(func() time.Time { return at })
		b.get(back).isRefused(t, 422, notProven)
	})

	t.Run("that are an error sign nobody in", func(t *testing.T) {
		t.Parallel()
		e, b, back := with(t)
		u := domaintest.OK(url.Parse(back))(t)
		b.get(u.Path+"?error=access_denied&state="+u.Query().Get("state")).isRefused(t, 422, notProven)
		e.visitor().get(fmt.Sprintf("/login/issuers/%d/callback", e.acme.id)).isRefused(t, 422, notProven)
		e.visitor().get("/login/issuers/999").is(t, 404)
	})
}

// TestIssuerOpensItsCompanyAlone: the issuer of one company opens nothing else.
func TestIssuerOpensItsCompanyAlone(t *testing.T) {
	t.Parallel()

	t.Run("no other company, and nothing of the account", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.exec("UPDATE account SET operator = TRUE WHERE name = 'mia'")
		e.link(t, e.signedIn("mia"), e.acme, "mia")
		b := e.visitor()
		e.acme.signIn(t, b, object{"sub": "mia"}).goesTo(t, "/acme")
		page := b.get("/acme").is(t, 200)
		if strings.Contains(page.body, "rivals") || strings.Contains(page.body, `href="/admin"`) {
			t.Errorf("the page tells of more: %s", page.body)
		}
		for _, path := range []string{"/rivals", "/rivals/people", "/account", "/account/totp", "/account/passkeys", "/admin",
			"/admin/settings", "/admin/audit"} {
			to := b.get(path).is(t, 303).header.Get("Location")
			if !strings.HasPrefix(to, "/login?next=") {
				t.Errorf("%s goes to %s", path, to)
			}
		}
		for _, path := range []string{"/account", "/account/password", "/account/epoch", "/account/totp", "/account/passkeys",
			"/account/recovery-codes", "/account/sessions/revocation", fmt.Sprintf("/account/identities/%d", e.acme.id),
			fmt.Sprintf("/account/identities/%d/removal", e.acme.id), "/account/confirmation", "/admin/stop", "/admin/companies"} {
			e.unchanged(t, func() { b.post(path, "password", "a new long password", "name", "X").goesTo(t, "/login") })
		}
		b.get("/acme").has(t, 0, "header a[href='/account']").has(t, 1, "header a[href='/acme/display']")
		b.get("/acme/display").is(t, 200).has(t, 1, "form[action='/acme/display']")
		b.post("/acme/display", "theme", "dark", "density", "blue").is(t, 422).has(t, 1, "#display-density-error")
		b.post("/acme/display", "theme", "dark", "density", "compact", "zone", "Asia/Tokyo").goesTo(t, "/acme/display")
		b.get("/acme").has(t, 1, "html[data-theme=dark][data-density=compact][time-zone='Asia/Tokyo']")
		b.get("/login?next=%2Faccount").is(t, 200).textHas(t, "main .lead", "opens that company alone")
		b.get("/login/second").goesTo(t, "/login?next=")
		b.post("/login", "email", "mia@example.com", "password", password, "next", "/rivals").goesTo(t, "/rivals")
		b.get("/rivals").is(t, 200)
		b.get("/account").is(t, 200)
	})

	t.Run("no operator's rights within it", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.exec("UPDATE account SET operator = TRUE WHERE name = 'olga'")
		e.link(t, e.signedIn("olga"), e.acme, "olga")
		b := e.visitor()
		e.acme.signIn(t, b, object{"sub": "olga"}).goesTo(t, "/acme")
		member := func(name string) string {
			return fmt.Sprint("/acme/people/", e.count("SELECT id FROM account WHERE name = ?", name))
		}
		b.post(member("mia")+"/operator", "operator", "yes").is(t, 403)
		e.account("vera", "acme", accounts.Viewer) // of this company alone
		b.post(member("mia")+"/resets").is(t, 403)
		b.post(member("vera")+"/resets").isRefused(t, 403, "You came in by your company’s issuer")
		e.counts(t, 0, "SELECT COUNT(*) FROM account WHERE operator AND name = 'mia'")
		e.counts(t, 0, "SELECT COUNT(*) FROM password_reset")
		b.post("/acme/tokens", "name", "x", "scopes", accounts.Operate, "days", "30")
		e.counts(t, 0, "SELECT COUNT(*) FROM api_token WHERE scopes LIKE '%operate%' AND account_id = (SELECT id FROM account WHERE name = 'olga')")
		b.post(member("mia")+"/role", "role", "viewer").is(t, 303) // what the company gives
	})

	t.Run("of the company that it belongs to, whoever it names", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.link(t, e.signedIn("mia"), e.acme, "mia")
		b := e.visitor()
		e.rivals.signIn(t, b, object{"sub": "mia", "email": "mia@example.com", "email_verified": true}).isRefused(t, 403, "No account is linked")
		b.get("/acme").is(t, 303)
		b.get("/rivals").is(t, 303)
		// The same address of an issuer in another company is another issuer.
		e.addIssuer(t, "sam", "rivals", "Copy", e.acme)
		copied := e.visitor()
		e.acme.signIn(t, copied, object{"sub": "mia"}).isRefused(t, 403, "No account is linked")
	})

	t.Run("after it was removed, or the link was, no more", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.link(t, e.signedIn("mia"), e.acme, "mia")
		b := e.visitor()
		e.acme.signIn(t, b, object{"sub": "mia"}).goesTo(t, "/acme")
		e.signedIn("mia").post(fmt.Sprintf("/account/identities/%d/removal", e.acme.id)).goesTo(t, "/account")
		b.get("/acme").is(t, 303)
		e.link(t, e.signedIn("mia"), e.acme, "mia")
		e.acme.signIn(t, b, object{"sub": "mia"}).goesTo(t, "/acme")
		b.get("/acme").is(t, 200)
		e.signedIn("olga").post(fmt.Sprintf("/acme/settings/sign-in/issuers/%d/removal", e.acme.id)).goesTo(t, "/acme/settings/sign-in")
		b.get("/acme").is(t, 303)
		e.counts(t, 0, "SELECT COUNT(*) FROM account_identity")
		e.counts(t, 1, "SELECT COUNT(*) FROM sealed_secret WHERE kind = 'issuer'")
	})
}

func TestIssuerLinks(t *testing.T) {
	t.Parallel()

	t.Run("an account only while it is signed in to", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		claims := object{"sub": "thief", "email": "mia@example.com", "email_verified": true, "groups": []string{"all"}}
		e.exec("INSERT INTO issuer_rule (company_id, issuer_id, claim, role) VALUES (1, ?, 'all', 'member')", e.acme.id)
		e.acme.signIn(t, e.visitor(), claims).isRefused(t, 403, "No account is linked")
		e.counts(t, 0, "SELECT COUNT(*) FROM account_identity")

		mia := e.signedIn("mia") // who is signed in, and did not ask for a link
		e.acme.signIn(t, mia, object{"sub": "thief"}).isRefused(t, 409, "not linked to who you are")
		e.counts(t, 0, "SELECT COUNT(*) FROM account_identity")

		page := mia.post(fmt.Sprintf("/account/identities/%d", e.acme.id)).is(t, 200)
		address, _ := page.page().Find("#issuer").Attr("href")
		back := e.acme.comeBack(t, address, object{"sub": "mia"})
		start := mia.start
		other := e.signedIn("sam") // in another's browser
		other.start = start
		other.get(back).isRefused(t, 422, notProven)
		stranger := e.visitor()
		stranger.start = start
		stranger.get(back).isRefused(t, 422, notProven)
		mia.get(back).goesTo(t, "/account")
		e.counts(t, 1, "SELECT COUNT(*) FROM account_identity")
	})

	t.Run("one account to one identity", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.link(t, e.signedIn("mia"), e.acme, "mia")
		olga := e.signedIn("olga")
		address, _ := olga.post(fmt.Sprintf("/account/identities/%d", e.acme.id)).is(t, 200).page().Find("#issuer").Attr("href")
		olga.get(e.acme.comeBack(t, address, object{"sub": "mia"})).isRefused(t, 409, "linked to another account")
		mia := e.signedIn("mia")
		address, _ = mia.post(fmt.Sprintf("/account/identities/%d", e.acme.id)).is(t, 200).page().Find("#issuer").Attr("href")
		mia.get(e.acme.comeBack(t, address, object{"sub": "other"})).isRefused(t, 409, "linked to another account")
	})

	t.Run("and no issuer of companies of others", func(t *testing.T) {
		t.Parallel()
		e := newIssuerEnv(t)
		e.account("vera", "acme", accounts.Viewer)
		vera := e.signedIn("vera")
		if says := vera.get("/account").is(t, 200).text(t, "[aria-labelledby=identities-name]"); strings.Contains(says, "Rivals") {
			t.Errorf("it offers %q", says)
		}
		address, _ := vera.post(fmt.Sprintf("/account/identities/%d", e.rivals.id)).is(t, 200).page().Find("#issuer").Attr("href")
		vera.get(e.rivals.comeBack(t, address, object{"sub": "vera"})).isRefused(t, 403, "a member of no company")
		e.counts(t, 0, "SELECT COUNT(*) FROM account_identity")
	})
}

func TestIssuerRequired(t *testing.T) {
	t.Parallel()
	const settings = "/acme/settings/sign-in"
	e := newIssuerEnv(t)
	olga := e.signedIn("olga")
	olga.post(settings+"/required", "required", "yes").isRefused(t, 409, "recovery codes")
	d := olga.setUpTOTP(t)
	olga.post(settings+"/required", "required", "yes").is(t, 409) // the issuer did not let her in
	e.link(t, olga, e.acme, "olga")
	olga.post(settings+"/required", "required", "yes").goesTo(t, settings)
	e.audited(t, "mia", "/rivals/audit", "added the issuer")

	mia := e.signedIn("mia")
	mia.get("/acme/inbox").goesTo(t, views.CompanySignInPath("acme", "/acme/inbox"))
	mia.htmx("main").get("/acme/inbox").is(t, 401)
	mia.get("/rivals").is(t, 200)
	page := mia.get(views.CompanySignInPath("acme", "/acme/inbox")).is(t, 200)
	page.textIs(t, ".issuers", "Sign in with Acme ID")
	e.acme.signIn(t, mia, object{"sub": "mia"}).isRefused(t, 409, "not linked to who you are")
	e.link(t, mia, e.acme, "mia") // which lets her in, too
	mia.get("/acme/inbox").is(t, 200)
	again := e.signedIn("mia")
	again.get("/acme").is(t, 303)
	e.acme.signIn(t, again, object{"sub": "mia"}).goesTo(t, "/acme")
	again.get("/acme").is(t, 200)
	again.get("/account").is(t, 200) // the session is still the account's

	// A member's second factor and recovery codes do not stand in for the issuer, an owner's recovery code does.
	e.exec("DELETE FROM session_way WHERE company_id <> 0")
	enter := func(b *browser, code string) *answer {
		return b.post(views.RecoveryPath, "code", code, "company", "acme", "next", "/acme")
	}
	owner := e.visitor()
	owner.post("/login", "email", "olga@example.com", "password", password).goesTo(t, views.SecondStepPath)
	owner.post(views.SecondStepPath, "code", d.code(t)).is(t, 303)
	d.next()
	owner.get("/acme").goesTo(t, views.CompanySignInPath("acme", "/acme"))
	enter(owner, d.code(t)).isRefused(t, 422, wrongRecoveryCode)
	enter(owner, "aaaa-bbbb-cccc-dddd").isRefused(t, 422, wrongRecoveryCode)
	enter(owner, d.codes[0]).goesTo(t, "/acme")
	owner.get("/acme").is(t, 200)
	owner.get(settings).is(t, 200)
	enter(owner, d.codes[0]).isRefused(t, 422, wrongRecoveryCode) // each once
	enter(e.visitor(), d.codes[1]).is(t, 303)                     // nobody's
	codes := strings.Split(again.setUpTOTP(t).codesText(), "\n")
	enter(again, codes[0]).is(t, 303)
	again.get("/acme").goesTo(t, views.CompanySignInPath("acme", "/acme"))

	owner.post(settings+"/required").goesTo(t, settings)
	again.get("/acme").is(t, 200)

	// The command line opens the company, too, and so does removing the last issuer.
	e.exec("UPDATE company SET issuer_required = TRUE WHERE slug = 'acme'")
	again.get("/acme").is(t, 303)
	if was := domaintest.OK(e.workflows.Workflows.OpenToAllWays(t.Context(), "acme"))(t); !was {
		t.Error("it says that nothing was required")
	}
	again.get("/acme").is(t, 200)
	e.audited(t, "sam", "/acme/audit", "no longer required an issuer")
	e.exec("UPDATE company SET issuer_required = TRUE WHERE slug = 'acme'")
	owner.post(fmt.Sprintf("%s/issuers/%d/removal", settings, e.acme.id)).goesTo(t, settings)
	e.counts(t, 0, "SELECT COUNT(*) FROM company WHERE issuer_required")
}

func (d *device) codesText() string { return strings.Join(d.codes, "\n") }

// TestIssuerConfirms: a user signed in by an issuer confirms there before an action that gives power.
func TestIssuerConfirms(t *testing.T) {
	t.Parallel()
	e := newIssuerEnv(t)
	e.link(t, e.signedIn("olga"), e.acme, "olga")
	b := e.visitor()
	e.acme.signIn(t, b, object{"sub": "olga"}).goesTo(t, "/acme")
	e.exec("UPDATE sessions SET confirmed_at = NOW(6) - INTERVAL 1 HOUR")
	send := func() *answer { return b.post("/acme/settings/sign-in/domains", "domain", "acme.example") }
	page := send().is(t, 403)
	again, _ := page.page().Find("main .actions a").Attr("href")
	if !strings.HasPrefix(again, fmt.Sprintf("/login/issuers/%d?again=1", e.acme.id)) {
		t.Fatalf("it leads to %q", again)
	}
	b.post("/acme/settings/sign-in/domains", "domain", "acme.example", "current", password).is(t, 403)
	b.get(e.acme.comeBack(t, e.acme.start(t, b, "?again=1"), object{"sub": "olga", "auth_time": time.Now().Add(-time.Hour).Unix()})).
		isRefused(t, 422, notProven)
	send().is(t, 403)
	e.acme.signIn(t, b, object{"sub": "olga"}).is(t, 303) // asked for nothing
	send().is(t, 403)
	address := e.acme.start(t, b, "?again=1&next=%2Facme%2Fsettings")
	if !strings.Contains(address, "prompt=login") || !strings.Contains(address, "max_age=0") {
		t.Errorf("the issuer is asked %s", address)
	}
	b.get(e.acme.comeBack(t, address, object{"sub": "olga"})).goesTo(t, "/acme/settings")
	send().is(t, 303)
}
