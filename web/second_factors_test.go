package web_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// device is a phone with an authenticator app, and the clock of the server.
type device struct {
	env   *env
	key   string
	codes []string // for recovery
	at    time.Time
}

// setUpTOTP gives the browser's user an authenticator app.
func (b *browser) setUpTOTP(t testing.TB) *device {
	t.Helper()
	d := &device{env: b.env, at: b.env.stopClock()}
	d.key = b.get(views.TOTPPath).is(t, 200).value(t, "input[name=key]")
	page := b.post(views.TOTPPath, "key", d.key, "code", d.code(t)).is(t, 200)
	d.codes = strings.Split(page.value(t, "#recovery-codes"), "\n")
	d.next()
	return d
}

// next waits for the next code.
func (d *device) next() { d.wait(30 * time.Second) }

func (d *device) wait(time_ time.Duration) {
	d.at = d.at.Add(time_)
	d.env.db.SetClock(func() time.Time { return d.at })
}

// code is what the app shows now.
func (d *device) code(t testing.TB) string { return d.codeAt(t, 0) }

// codeAt is what the app of a clock that is off shows.
func (d *device) codeAt(t testing.TB, off time.Duration) string {
	t.Helper()
	return domaintest.OK(totp.GenerateCode(d.key, d.at.Add(off)))(t)
}

// wrong is a code that is none of the present ones.
func (d *device) wrong(t testing.TB) string {
	t.Helper()
	for _, code := range []string{"000000", "111111", "222222", "333333"} {
		if code != d.codeAt(t, -30*time.Second) && code != d.code(t) && code != d.codeAt(t, 30*time.Second) {
			return code
		}
	}
	panic("four codes of three")
}

// password takes the first step of a user's sign-in.
func (e *env) firstStep(t testing.TB, name string) *browser {
	t.Helper()
	b := e.visitor()
	b.post("/login", "email", name+"@example.com", "password", password).goesTo(t, views.SecondStepPath)
	return b
}

const wrongCode = "This code is wrong or was used before."
const wrongRecoveryCode = "This recovery code is wrong or was used before."

func TestSecondStep(t *testing.T) {
	t.Parallel()

	t.Run("follows the password, and nothing opens before it", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		d := e.signedIn("mia").setUpTOTP(t)
		mia := e.firstStep(t, "mia")
		for _, path := range []string{"/account", "/acme", "/account/totp", "/acme/boards/DEMO"} {
			mia.get(path).is(t, 303)
			if to := mia.get(path).header.Get("Location"); !strings.HasPrefix(to, "/login?next=") {
				t.Errorf("%s goes to %s", path, to)
			}
		}
		mia.post(views.TOTPRemovalPath).goesTo(t, "/login")
		mia.get(views.SecondStepPath).is(t, 200).textHas(t, "main .lead", "mia@example.com")
		mia.post(views.SecondStepPath, "code", d.code(t), "next", "/acme/inbox").goesTo(t, "/acme/inbox")
		mia.get("/acme/inbox").is(t, 200)
		e.counts(t, 2, `SELECT COUNT(*) FROM session_way WHERE company_id = 0 AND session_id =
			(SELECT session_id FROM session_way WHERE way = 'totp' ORDER BY at DESC LIMIT 1)`)
		e.audited(t, "olga", "/acme/audit", "signed in")
	})

	t.Run("keeps where to go, and goes nowhere else", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		d := e.signedIn("mia").setUpTOTP(t)
		mia := e.visitor()
		mia.post("/login", "email", "mia@example.com", "password", password, "next", "/acme/work").
			goesTo(t, views.SecondPath("/acme/work"))
		if next := mia.get(views.SecondPath("/acme/work")).is(t, 200).value(t, "input[name=next]"); next != "/acme/work" {
			t.Errorf("the form leads to %q", next)
		}
		mia.get(views.SecondPath("//evil.example")).is(t, 200).has(t, 0, "input[name=next]")
		mia.post(views.SecondStepPath, "code", d.code(t), "next", "//evil.example").goesTo(t, "/acme")
	})

	t.Run("takes each code once, also in another session", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		d := e.signedIn("mia").setUpTOTP(t)
		first, second := e.firstStep(t, "mia"), e.firstStep(t, "mia")
		first.post(views.SecondStepPath, "code", d.code(t)).goesTo(t, "/acme")
		second.post(views.SecondStepPath, "code", d.code(t)).is(t, 422).textHas(t, "main .error", wrongCode)
		second.post(views.SecondStepPath, "code", d.codeAt(t, -30*time.Second)).is(t, 422) // an earlier one, not used yet
		d.next()
		second.post(views.SecondStepPath, "code", d.code(t)).goesTo(t, "/acme")
	})

	t.Run("takes a code once of callers at once", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		d := e.signedIn("mia").setUpTOTP(t)
		code := d.code(t)
		let := make(chan int, 8)
		var all sync.WaitGroup
		for range cap(let) {
			b := e.firstStep(t, "mia")
			all.Go(func() { let <- b.post(views.SecondStepPath, "code", code).code })
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

	t.Run("allows a clock to be off by one step, not by two", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		d := e.signedIn("mia").setUpTOTP(t)
		d.wait(5 * time.Minute)
		mia := e.firstStep(t, "mia")
		mia.post(views.SecondStepPath, "code", d.codeAt(t, -time.Minute)).is(t, 422)
		mia.post(views.SecondStepPath, "code", d.codeAt(t, time.Minute)).is(t, 422)
		mia.post(views.SecondStepPath, "code", d.codeAt(t, -30*time.Second)).goesTo(t, "/acme")
		again := e.firstStep(t, "mia")
		code := d.codeAt(t, 30*time.Second)
		again.post(views.SecondStepPath, "code", code[:3]+" "+code[3:]).goesTo(t, "/acme") // as apps show it
	})

	t.Run("slows guesses down, from all addresses together, and lets a known browser go on", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		home := e.signedIn("mia")
		d := home.setUpTOTP(t)
		for n := range 10 {
			e.firstStep(t, "mia").with("X-Forwarded-For", "203.0.113.7").post(views.SecondStepPath, "code", d.wrong(t)).is(t, 422)
			if n == 3 {
				e.firstStep(t, "mia").post(views.SecondStepPath, "code", "").is(t, 422) // no guess
			}
		}
		limited := e.firstStep(t, "mia").post(views.SecondStepPath, "code", d.code(t)).is(t, http.StatusTooManyRequests)
		limited.textHas(t, "main .summary", "Too many sign-ins failed. Wait a second")
		if limited.header.Get("Retry-After") == "" {
			t.Error("it does not say when to come back")
		}
		e.audited(t, "olga", "/acme/audit", "could not sign in")
		home.post("/logout").is(t, 303)
		home.post("/login", "email", "mia@example.com", "password", password).goesTo(t, views.SecondStepPath)
		home.post(views.SecondStepPath, "code", d.code(t)).goesTo(t, "/acme")
	})

	t.Run("does not follow the address of a link alone", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.signedIn("mia").setUpTOTP(t)
		link := e.signedIn("olga").post("/acme/people/"+itoa(e.idOf("mia"))+"/resets").is(t, 201).value(t, "#link")
		thief := e.visitor()
		thief.post(pathOf(t, link), "password", "another horse battery").goesTo(t, views.SecondStepPath)
		thief.get("/acme").is(t, 303)
	})
}

func itoa(n int64) string { return views.Number(uint64(n)) }

func TestLateSecondStep(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(e *env, b *browser){
		"late":                 func(e *env, _ *browser) { e.exec("UPDATE sessions SET expiry = expiry - INTERVAL 10 MINUTE") },
		"after a sign-out":     func(_ *env, b *browser) { b.post("/logout") },
		"after a new password": func(e *env, _ *browser) { e.exec("UPDATE account SET session_epoch = session_epoch + 1") },
	} {
		t.Run(how+" it needs the password again", func(t *testing.T) {
			t.Parallel()
			e := newEnvWithRoles(t)
			d := e.signedIn("mia").setUpTOTP(t)
			mia := e.firstStep(t, "mia")
			e.counts(t, 0, "SELECT COUNT(*) FROM sessions WHERE expiry BETWEEN NOW() + INTERVAL 11 MINUTE AND NOW() + INTERVAL 13 DAY")
			end(e, mia)
			mia.get(views.SecondPath("/acme/work")).goesTo(t, views.SignInToPath("/acme/work"))
			mia.post(views.SecondStepPath, "code", d.code(t)).goesTo(t, views.SignInToPath(""))
			mia.get("/acme").is(t, 303)
		})
	}
}

func TestAuthenticatorApp(t *testing.T) {
	t.Parallel()

	t.Run("counts only once a code confirms it, and a refused form keeps its key", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		mia, d := e.signedIn("mia"), &device{env: e, at: e.stopClock()}
		page := mia.get(views.TOTPPath).is(t, 200)
		d.key = page.value(t, "input[name=key]")
		if shown := page.text(t, "#totp-key"); strings.ReplaceAll(shown, " ", "") != d.key {
			t.Errorf("it shows %q, not %q", shown, d.key)
		}
		if src, _ := page.page().Find("img.qr").Attr("src"); !strings.HasPrefix(src, "data:image/png;base64,") {
			t.Errorf("the QR code is %.40q", src)
		}
		again := mia.post(views.TOTPPath, "key", d.key, "code", d.wrong(t)).is(t, 422)
		again.textHas(t, "main .error", wrongCode)
		if key := again.value(t, "input[name=key]"); key != d.key {
			t.Errorf("the key became %q", key)
		}
		mia.post(views.TOTPPath, "key", "short", "code", d.code(t)).is(t, 422).textHas(t, "main .summary", "Reload the page")
		e.visitor().post("/login", "email", "mia@example.com", "password", password).goesTo(t, "/acme")
		e.counts(t, 0, "SELECT COUNT(*) FROM account_totp")

		mia.post(views.TOTPPath, "key", d.key, "code", d.code(t)).is(t, 200)
		mia.post(views.TOTPPath, "key", d.key, "code", d.code(t)).goesTo(t, views.AccountPath) // sent twice
		mia.get(views.TOTPPath).goesTo(t, views.AccountPath)
		e.firstStep(t, "mia").post(views.SecondStepPath, "code", d.code(t)).is(t, 422) // confirmed with it
		e.counts(t, 0, "SELECT COUNT(*) FROM sealed_secret WHERE kind = 'totp' AND INSTR(sealed, ?)", d.key)
		e.counts(t, 1, "SELECT COUNT(*) FROM sealed_secret WHERE kind = 'totp'")
		e.audited(t, "olga", "/acme/audit", "set up an authenticator app")
	})

	t.Run("is removed by a session that has a second factor alone, which ends the others", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		stolen, mia := e.signedIn("mia"), e.signedIn("mia")
		mia.setUpTOTP(t)
		for _, path := range []string{views.TOTPRemovalPath, views.RecoveryCodesPath} {
			stolen.post(path).is(t, 303)
			if to := stolen.post(path).header.Get("Location"); !strings.HasPrefix(to, views.SecondStepPath) {
				t.Errorf("%s goes to %q", path, to)
			}
		}
		mia.post(views.TOTPRemovalPath).goesTo(t, views.AccountPath)
		mia.get("/acme").is(t, 200)
		stolen.get("/acme").is(t, 303)
		e.signedIn("mia").get("/acme").is(t, 200) // with the password alone
		e.visitor().post("/login", "email", "mia@example.com", "password", password).goesTo(t, "/acme")
		mia.post(views.TOTPRemovalPath).is(t, 404)
		mia.post(views.RecoveryCodesPath).is(t, 404)
		e.counts(t, 0, "SELECT (SELECT COUNT(*) FROM account_totp) + (SELECT COUNT(*) FROM recovery_code) + (SELECT COUNT(*) FROM sealed_secret WHERE kind = 'totp')")
		e.counts(t, 0, "SELECT COUNT(*) FROM session_way WHERE way <> 'password'")
		e.audited(t, "olga", "/acme/audit", "removed their authenticator app")
	})
}

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()

	t.Run("each signs in once, however it is typed", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		d := e.signedIn("mia").setUpTOTP(t)
		if len(d.codes) != 10 {
			t.Fatalf("there are %v", d.codes)
		}
		for n, code := range []string{d.codes[0], strings.ToUpper(d.codes[1]), strings.ReplaceAll(d.codes[2], "-", " "),
			strings.ReplaceAll(d.codes[3], "-", "")} {
			mia := e.firstStep(t, "mia")
			mia.post(views.SecondStepPath, "code", code).goesTo(t, "/acme")
			mia.get(views.AccountPath).is(t, 200).textHas(t, "main", itoa(int64(9-n))+" recovery codes left")
			e.firstStep(t, "mia").post(views.SecondStepPath, "code", code).is(t, 422)
		}
		e.counts(t, 0, "SELECT COUNT(*) FROM recovery_code WHERE INSTR(hash, ?)", d.codes[4])
		e.audited(t, "olga", "/acme/audit", "used a recovery code")
	})

	t.Run("are those of one account", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.signedIn("mia").setUpTOTP(t)
		vera := e.signedIn("vera").setUpTOTP(t)
		e.firstStep(t, "mia").post(views.SecondStepPath, "code", vera.codes[0]).is(t, 422)
		e.firstStep(t, "mia").post(views.SecondStepPath, "code", vera.code(t)).is(t, 422)
	})

	t.Run("are renewed, and the earlier ones end", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		mia := e.signedIn("mia")
		d := mia.setUpTOTP(t)
		fresh := strings.Split(mia.post(views.RecoveryCodesPath).is(t, 200).value(t, "#recovery-codes"), "\n")
		e.firstStep(t, "mia").post(views.SecondStepPath, "code", d.codes[5]).is(t, 422)
		e.firstStep(t, "mia").post(views.SecondStepPath, "code", fresh[5]).goesTo(t, "/acme")
		e.counts(t, 10, "SELECT COUNT(*) FROM recovery_code")
		e.audited(t, "olga", "/acme/audit", "got new recovery codes")
	})
}

func TestRequiredSecondFactor(t *testing.T) {
	t.Parallel()

	t.Run("a company that requires one asks on entry, and the rest goes on", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		e.account("mia2", "rivals", accounts.Member)
		e.exec("INSERT INTO membership (company_id, account_id, role, handle, created_at) SELECT c.id, a.id, 'member', 'mia', NOW(6) FROM company c, account a WHERE c.slug = 'rivals' AND a.name = 'mia'")
		token := e.tokenOf("mia", "acme", "boards:read")
		mia, olga := e.signedIn("mia"), e.signedIn("olga")
		olga.setUpTOTP(t)
		olga.post(views.RequiredFactorPath("acme"), "required", "yes").goesTo(t, "/acme/settings")
		olga.get("/acme/settings").is(t, 200).textHas(t, "main", "Do not require a second factor")

		for _, path := range []string{"/acme", "/acme/boards/DEMO", "/acme/live/changes", "/acme/people"} {
			mia.get(path).goesTo(t, views.SecondPath(path))
		}
		fragment := mia.htmx("main").get("/acme/inbox").is(t, http.StatusUnauthorized)
		if to := fragment.header.Get("HX-Redirect"); !strings.HasPrefix(to, views.SecondStepPath) {
			t.Errorf("a fragment leads to %q", to)
		}
		e.unchanged(t, func() { mia.post("/acme/DEMO-1/comments", "body", "Hello").is(t, 303) })
		mia.get("/rivals").is(t, 200)
		mia.get("/account").is(t, 200)
		works(t, e, 200, token) // of the API

		mia.get(views.SecondPath("/acme")).goesTo(t, views.SetUpTOTPPath("/acme"))
		page := mia.get(views.SetUpTOTPPath("/acme")).is(t, 200)
		page.textHas(t, "main .lead", "To go on, you need a second factor")
		d := &device{env: e, at: e.stopClock(), key: page.value(t, "input[name=key]")}
		ready := mia.post(views.TOTPPath, "key", d.key, "code", d.code(t), "next", "/acme").is(t, 200)
		if to, _ := ready.page().Find("main a.primary").Attr("href"); to != "/acme" {
			t.Errorf("it goes on to %q", to)
		}
		mia.get("/acme").is(t, 200)

		mia.post(views.TOTPRemovalPath).goesTo(t, views.AccountPath)
		mia.get("/acme").goesTo(t, views.SecondPath("/acme"))
		olga.post(views.RequiredFactorPath("acme")).goesTo(t, "/acme/settings")
		mia.get("/acme").is(t, 200)
		log := olga.get("/acme/audit").is(t, 200)
		log.textHas(t, "#"+views.AuditID, "required a second factor to open the company")
		log.textHas(t, "#"+views.AuditID, "no longer required a second factor to open the company")
	})

	t.Run("a session from before the factor takes the second step then", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		old, mia := e.signedIn("mia"), e.signedIn("mia")
		d := mia.setUpTOTP(t)
		e.exec("UPDATE company SET second_factor = TRUE WHERE slug = 'acme'")
		old.get("/acme/work").goesTo(t, views.SecondPath("/acme/work"))
		old.get(views.SecondPath("/acme/work")).is(t, 200)
		old.post(views.SecondStepPath, "code", d.code(t), "next", "/acme/work").goesTo(t, "/acme/work")
		old.get("/acme/work").is(t, 200)
		old.get(views.SecondPath("/acme/work")).goesTo(t, "/acme/work")
		mia.get("/acme").is(t, 200)
	})

	t.Run("owners alone decide it", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		for _, name := range []string{"mia", "adam", "vera"} {
			e.signedIn(name).post(views.RequiredFactorPath("acme"), "required", "yes").is(t, 403)
		}
		e.signedIn("adam").get("/acme/settings").is(t, 200).has(t, 0, "form[action='"+views.RequiredFactorPath("acme")+"']")
		e.counts(t, 0, "SELECT COUNT(*) FROM company WHERE second_factor")
	})

	t.Run("one for operators guards /admin, and nothing else of theirs", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t, func(cfg *web.Config) { cfg.Operators = accounts.Policy{SecondFactor: true} })
		ana := e.ana()
		ana.get("/admin").goesTo(t, views.SecondPath("/admin"))
		ana.get("/admin/audit.csv").goesTo(t, views.SecondPath("/admin/audit.csv"))
		ana.post("/admin/companies", "company", "Rogue", "email", email).is(t, 303)
		e.counts(t, 0, "SELECT COUNT(*) FROM company WHERE name = 'Rogue'")
		ana.post("/acme/people/"+itoa(e.idOf("mia"))+"/operator", "operator", "yes").is(t, 303)
		e.counts(t, 0, "SELECT COUNT(*) FROM account WHERE operator AND name = 'mia'")
		ana.post("/acme/tokens", "name", "Rogue", "days", "30", "scopes", accounts.Operate).goesTo(t, views.SecondStepPath)
		ana.post("/acme/tokens", "name", "Script", "days", "30", "scopes", "boards:read").is(t, 201)
		e.counts(t, 0, "SELECT COUNT(*) FROM api_token WHERE name = 'Rogue'")
		ana.get("/acme").is(t, 200)
		works(t, e, 200, e.token)
		e.signedIn("mia").get("/admin").is(t, 404)
		ana.setUpTOTP(t)
		ana.get("/admin").is(t, 200)
		ana.post("/acme/tokens", "name", "Ops", "days", "30", "scopes", accounts.Operate).is(t, 201)
	})
}

func TestRemoveFactorsOf(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	mia := e.signedIn("mia")
	mia.setUpTOTP(t)
	had := domaintest.OK(e.workflows.Workflows.RemoveFactorsOf(t.Context(), "Mia@example.com"))(t)
	if !had {
		t.Error("it says that there were none")
	}
	mia.get("/acme").is(t, 303)
	e.signedIn("mia").get("/acme").is(t, 200)
	e.counts(t, 0, "SELECT (SELECT COUNT(*) FROM account_totp) + (SELECT COUNT(*) FROM recovery_code)")
	e.audited(t, "olga", "/acme/audit", "removed all second factors of mia <mia@example.com>")
	e.audited(t, "ana", "/admin/audit", "removed all second factors of mia <mia@example.com>")
	if had := domaintest.OK(e.workflows.Workflows.RemoveFactorsOf(t.Context(), "mia@example.com"))(t); had {
		t.Error("it removed them twice")
	}
	_, err := e.workflows.Workflows.RemoveFactorsOf(t.Context(), "nobody@example.com")
	domaintest.Is(t, err, accounts.CodeAddressUnknown)
}
