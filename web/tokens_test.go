package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/feedclient"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// inTwoCompanies makes mia a member of rivals, too, and returns a token of each of her companies.
func inTwoCompanies(e *env) (tokens []string) {
	e.exec("INSERT INTO membership (company_id, account_id, role, handle, created_at) SELECT c.id, a.id, 'member', " +
		"'mia', a.created_at FROM company c, account a WHERE c.slug = 'rivals' AND a.name = 'mia'")
	return []string{e.tokenOf("mia", "acme", "boards:read"), e.tokenOf("mia", "rivals", "boards:read")}
}

// works reports an error unless each token is answered with a code.
func works(t testing.TB, e *env, code int, tokens ...string) {
	t.Helper()
	for _, token := range tokens {
		(&program{env: e, token: token}).get("/boards").is(t, code)
	}
}

// audited reports an error unless a company's audit log has an entry.
func (e *env) audited(t testing.TB, name, path, entry string) {
	t.Helper()
	if text := e.signedIn(name).get(path).text(t, "#"+views.AuditID); !strings.Contains(text, entry) {
		t.Errorf("%s does not say %q: %s", path, entry, text)
	}
}

func TestTokensEndWithSessions(t *testing.T) {
	t.Parallel()
	const other = "another horse battery"

	t.Run("a reset ends all of the account, in all companies", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		tokens := inTwoCompanies(e)
		works(t, e, 200, tokens...)
		secret := domaintest.OK(e.workflows.Workflows.MakeResetFor(t.Context(), "mia@example.com"))(t) // the command line's
		works(t, e, 200, tokens...)
		e.visitor().post(views.ResetPath(secret), "password", "short").is(t, 422)
		works(t, e, 200, tokens...)
		e.visitor().post(views.ResetPath(secret), "password", other).is(t, 303)
		works(t, e, 401, tokens...)
		works(t, e, 200, e.token)
		e.audited(t, "olga", "/acme/audit", "ended all their API tokens")
		e.audited(t, "sam", "/rivals/audit", "ended all their API tokens")
	})

	t.Run("so does a link that an admin made", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		token := e.tokenOf("mia", "acme", "boards:read")
		link := e.signedIn("adam").post(fmt.Sprintf("/acme/people/%d/resets", e.idOf("mia"))).is(t, 201).value(t, "#link")
		e.visitor().post(pathOf(t, link), "password", other).is(t, 303)
		works(t, e, 401, token)
	})

	for name, act := range map[string]func(b *browser, pairs ...string){
		"a new password": func(b *browser, pairs ...string) {
			b.post("/account/password", append([]string{"current", password, "password", other}, pairs...)...).is(t, 303)
		},
		"signing out everywhere": func(b *browser, pairs ...string) { b.post("/account/epoch", pairs...).is(t, 303) },
	} {
		t.Run(name+" does so if the box is ticked", func(t *testing.T) {
			t.Parallel()
			e := newEnvWithRoles(t)
			tokens, mia := inTwoCompanies(e), e.signedIn("mia")
			act(mia, "tokens", "yes")
			works(t, e, 401, tokens...)
			works(t, e, 200, e.token)
		})
		t.Run(name+" keeps them if it is not", func(t *testing.T) {
			t.Parallel()
			e := newEnvWithRoles(t)
			tokens, mia := inTwoCompanies(e), e.signedIn("mia")
			act(mia)
			works(t, e, 200, tokens...)
		})
	}

	t.Run("the boxes are ticked, and stay as they were in a refused form", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		mia := e.signedIn("mia")
		for _, form := range []string{views.PasswordPath, views.EpochPath} {
			mia.get("/account").has(t, 1, "form[action='"+form+"'] input[name=tokens][checked]")
		}
		const box = "form[action='" + views.PasswordPath + "'] input[name=tokens]"
		mia.post("/account/password", "current", "wrong", "password", other).is(t, 422).has(t, 1, box).
			has(t, 0, box+"[checked]")
		mia.post("/account/password", "current", "wrong", "password", other, "tokens", "yes").is(t, 422).
			has(t, 1, box+"[checked]")
	})

	t.Run("a session that has ended makes none", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		actor := domaintest.OK(e.workflows.Workflows.Enter(t.Context(), "acme", accounts.ID(e.idOf("mia")),
			uint64(e.count("SELECT session_epoch FROM account WHERE name = 'mia'"))))(t)
		domaintest.Must(t, e.workflows.Workflows.SignOutEverywhere(t.Context(), actor.Account.ID, true))
		_, err := e.workflows.Workflows.MakeToken(accounts.WithActor(t.Context(), actor),
			accounts.TokenDraft{Name: "late", Scopes: []string{"boards:read"}, Days: 30}, nil)
		if !errors.Is(err, accounts.CodeSignedOut) {
			t.Errorf("a token is made beside the reset: %v", err)
		}
	})
}

func TestTokensOfAccount(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	mia := e.signedIn("mia")
	mia.get("/account").is(t, 200).has(t, 0, "#own-tokens")
	tokens := inTwoCompanies(e)
	works(t, e, 200, tokens[0])
	domaintest.Until(t, "the use is stored", func() bool {
		return e.count("SELECT COUNT(*) FROM api_token WHERE last_used_at IS NOT NULL AND account_id = ?", e.idOf("mia")) == 1
	})
	e.exec("UPDATE api_token SET expires_at = '2999-01-02' WHERE hash = ?", accounts.HashToken(tokens[1]))
	page := mia.get("/account").has(t, 2, "#own-tokens tbody tr")
	rows := page.page().Find("#own-tokens tbody tr")
	for i, want := range [][]string{{"rivals", "boards:read", "never"}, {"Acme", "boards:read", "no end"}} {
		for _, word := range want {
			if text := rows.Eq(i).Text(); !strings.Contains(text, word) {
				t.Errorf("row %d does not say %q: %s", i, word, strings.Join(strings.Fields(text), " "))
			}
		}
	}
	action, _ := rows.Eq(0).Find("form").Attr("action")
	e.signedIn("olga").post(action).is(t, 404)
	works(t, e, 200, tokens...)
	mia.post(action).goesTo(t, "/account")
	works(t, e, 401, tokens[1])
	works(t, e, 200, tokens[0])
	mia.post(action).is(t, 404)
	mia.get("/account").has(t, 1, "#own-tokens tbody tr")
	e.audited(t, "sam", "/rivals/audit", "revoked the API token test")

	for i := range 101 {
		e.tokenOf("mia", "acme", "boards:read"+strings.Repeat(" ", i+1))
	}
	mia.get("/account").has(t, 100, "#own-tokens tbody tr").has(t, 1, "a[href^='/account?before=']")
	older, _ := mia.get("/account").page().Find("a[href^='/account?before=']").Attr("href")
	mia.get(older).has(t, 2, "#own-tokens tbody tr")
}

func TestTokenScopes(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	make_ := func(name, scope string) *answer {
		return e.signedIn(name).post("/acme/tokens", "name", "x", "days", "30", "scopes", scope)
	}
	e.unchanged(t, func() {
		for _, scope := range []string{"tickets:write", "boards:write", "operate"} {
			a := make_("vera", scope).is(t, 422)
			if !strings.Contains(a.body, scope) {
				t.Errorf("it does not name %s", scope)
			}
		}
	})
	make_("vera", "tickets:read").is(t, 201)
	e.signedIn("vera").get("/acme/tokens").has(t, 2, "input[name=scopes]").has(t, 1, "option[value='90'][selected]")

	// Tokens of before, and of before a change of roles.
	mia := &program{env: e, token: e.tokenOf("mia", "acme", accounts.Scopes...)}
	opened := func(code int) *answer {
		return mia.post("/boards/DEMO/tickets", object{"title": "Here"}).is(t, code)
	}
	opened(201)
	if p := mia.get("/runs").problem(t, 403, ""); !strings.Contains(p.Detail, "operate") {
		t.Errorf("%+v", p)
	}
	role := func(role string) {
		e.signedIn("olga").post(fmt.Sprintf("/acme/people/%d/role", e.idOf("mia")), "role", role).is(t, 303)
	}
	role(accounts.Viewer)
	opened(403)
	actor := domaintest.OK(e.workflows.Workflows.Bearer(t.Context(), mia.token))(t)
	if got := strings.Join(actor.Scopes, " "); got != "boards:read tickets:read" {
		t.Errorf("a viewer's token has the scopes %s", got)
	}
	mia.get("/boards/DEMO/tickets").is(t, 200)
	role(accounts.Member)
	opened(201)
}

// A server that checks each stream only twice a minute looks for revoked tokens and ended sessions all the time.
func TestStreamsEndWithAccess(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.startFeeds()
	e.account("mia", "acme", accounts.Member)
	e.account("max", "acme", accounts.Member)
	server := serveStreams(t, e)
	stays := listen(t, server, e.token, "/feeds/tickets/stream?cursor=end")
	token := e.tokenOf("mia", "acme", "tickets:read")
	goes := listen(t, server, token, "/feeds/tickets/stream?cursor=end")
	browsers := watch(t, server, &browser{cookie: e.signedIn("max").cookie}, "")
	domaintest.OK(goes.next())(t)
	domaintest.OK(stays.next())(t)
	browsers.change(t)

	began := time.Now()
	e.exec("UPDATE api_token SET revoked_at = created_at WHERE hash = ?", accounts.HashToken(token)) // another server's
	e.exec("UPDATE account SET session_epoch = session_epoch + 1 WHERE name = 'max'")
	for {
		if _, err := goes.next(); err != nil {
			break
		}
	}
	if last := browsers.ends(t); last != "gone" {
		t.Errorf("the browser's ends with %q", last)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("they ended after %v", took)
	}
	e.program().post("/boards/DEMO/tickets", object{"title": "Here"}).is(t, 201)
	stays.change(t)
}

// refused reports an error unless an answer is that too many came before it.
func (a *answer) refused(t testing.TB, code fault.Code) {
	t.Helper()
	if p := a.problem(t, http.StatusTooManyRequests, ""); !strings.Contains(a.body, ":"+string(code)+`"`) {
		t.Errorf("it is not %s: %+v", code, p)
	}
}

func withRate(rate int) func(*web.Config) { return func(cfg *web.Config) { cfg.APIRate = rate } }

func TestRateLimit(t *testing.T) {
	t.Parallel()
	t.Run("a token has so many calls, and is told what is left", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withRate(3))
		other := &program{env: e, token: e.tokenOf("ana", "acme", "boards:read")}
		for left := 2; left >= 0; left-- {
			a := e.program().get("/boards").is(t, 200)
			for name, want := range map[string]string{"RateLimit-Limit": "3", "RateLimit-Remaining": strconv.Itoa(left),
				"RateLimit-Reset": strconv.Itoa(20 * (3 - left)), "Retry-After": ""} {
				got := a.header.Get(name)
				if name == "RateLimit-Reset" { // it goes by the clock
					if n, err := strconv.Atoi(got); err != nil || n < 1 || n > 20*(3-left) {
						t.Errorf("%s is %q", name, got)
					}
				} else if got != want {
					t.Errorf("%s is %q, not %q", name, got, want)
				}
			}
		}
		a := e.program().get("/boards")
		a.refused(t, accounts.CodeTooManyCalls)
		if n, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || n < 1 || n > 20 ||
			a.header.Get("RateLimit-Remaining") != "0" {
			t.Errorf("%v", a.header)
		}
		other.get("/boards").is(t, 200)
		e.ana().get("/acme").is(t, 200)
	})

	t.Run("feedclient waits as long as it is told, and misses nothing", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, withRate(60))
		e.startFeeds()
		const tickets = 3
		for range tickets {
			e.program().post("/boards/DEMO/tickets", object{"title": "Here"}).is(t, 201)
		}
		reader := e.tokenOf("ana", "acme", "tickets:read")
		server := httptest.NewServer(e.handler)
		defer server.Close()
		for range 60 {
			(&program{env: e, token: reader}).get("/boards") // lacks the scope, and counts
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		refused := 0
		client := &feedclient.Client{URL: server.URL, Token: reader, Retrying: func(err error, pause time.Duration) {
			var said *feedclient.Error
			if errors.As(err, &said) && said.Status == http.StatusTooManyRequests {
				refused++
				if said.After < time.Second || pause < said.After {
					t.Errorf("it waits %v after %v", pause, said.After)
				}
			}
		}}
		got := 0
		enough := errors.New("enough")
		err := client.Stream(ctx, feedclient.Query{Feed: "tickets", Cursor: ""}, func(event feedclient.Event) error {
			if event.Item != nil {
				got++
			}
			if got >= tickets {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || refused == 0 {
			t.Errorf("%v: %d items, refused %d times", err, got, refused)
		}
	})
}

func TestUnknownTokens(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	from := func(address, token string) *answer {
		r := newRequest(http.MethodGet, "/api/v1/boards", "", nil)
		r.RemoteAddr = address
		r.Header.Set("Authorization", "Bearer "+token)
		return e.send(r)
	}
	valid := "cfl_anaacmeboards:read"
	from("192.0.2.7:1", valid).is(t, 401)
	if e.tokenOf("ana", "acme", "boards:read") != valid {
		t.Fatal("the token is another one")
	}
	from("192.0.2.7:1", valid).is(t, 401) // the database is not asked again
	known := e.token
	from("192.0.2.7:1", known).is(t, 200)
	var a *answer
	guessed := 0
	for ; guessed < 100; guessed++ {
		if a = from("192.0.2.7:1", fmt.Sprint("cfl_guess", guessed)); a.code != 401 {
			break
		}
		from("192.0.2.7:1", fmt.Sprint("cfl_guess", guessed)).is(t, 401) // counts once
	}
	a.refused(t, accounts.CodeTooManyTokens)
	if guessed < 29 {
		t.Errorf("%d guesses are too many", guessed)
	}
	if n, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || n < 1 {
		t.Errorf("%v", a.header)
	}
	from("192.0.2.7:1", known).is(t, 200)
	from("192.0.2.8:1", "cfl_elsewhere").is(t, 401)
	from("[2001:db8:1:2::3]:1", "cfl_elsewhere6").is(t, 401)
}
