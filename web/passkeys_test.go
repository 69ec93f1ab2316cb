package web_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

const (
	partyID     = "localhost"
	partyOrigin = "http://localhost:8080"
)

// newPasskeyEnv is an env at an address where browsers have passkeys.
func newPasskeyEnv(t *testing.T) *env {
	t.Helper()
	return newEnvWithRoles(t, withURL(partyOrigin))
}

// authenticator answers as a browser with one passkey does.
type authenticator struct {
	key            *ecdsa.PrivateKey
	id, handle     []byte
	count          uint32
	party, origin  string
	kind           string // of an answer
	flags          byte
	spoilSignature bool
}

// Flags of answers.
const (
	userPresent  = 1
	userVerified = 4
	withKey      = 64
)

func newAuthenticator(t testing.TB) *authenticator {
	t.Helper()
	return &authenticator{key: domaintest.OK(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t), id: []byte(rand.Text()),
		party: partyID, origin: partyOrigin, kind: "webauthn.get", flags: userPresent | userVerified}
}

type passkeyOptions struct {
	Challenge        string
	UserVerification string
	User             struct{ ID string }
	AllowCredentials []struct{ ID string }
}

func (a *answer) passkeyOptions(t testing.TB) (o passkeyOptions) {
	t.Helper()
	domaintest.Must(t, json.Unmarshal([]byte(a.is(t, 200).body), &o))
	return o
}

func base64url(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (a *authenticator) clientData(kind, challenge string) []byte {
	text, err := json.Marshal(object{"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false})
	if err != nil {
		panic(err)
	}
	return text
}

func (a *authenticator) data(flags byte) []byte {
	party := sha256.Sum256([]byte(a.party))
	return binary.BigEndian.AppendUint32(append(party[:], flags), a.count)
}

// makes answers options for a new passkey.
func (a *authenticator) makes(t testing.TB, o passkeyOptions) string {
	t.Helper()
	a.handle = domaintest.OK(base64.RawURLEncoding.DecodeString(o.User.ID))(t)
	public := domaintest.OK(a.key.PublicKey.Bytes())(t)[1:] // x and y
	data := append(a.data(a.flags|withKey), make([]byte, 16)...)
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(a.id))), a.id...)
	data = append(data, 0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32) // COSE: an EC2 key on P-256, for ES256
	data = append(data, public[:32]...)
	data = append(append(data, 0x22, 0x58, 32), public[32:]...)
	object_ := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return a.encode(object{"clientDataJSON": base64url(a.clientData("webauthn.create", o.Challenge)),
		"attestationObject": base64url(append(object_, data...))})
}

// signs answers options for a sign-in.
func (a *authenticator) signs(t testing.TB, o passkeyOptions) string {
	t.Helper()
	a.count++
	client, data := a.clientData(a.kind, o.Challenge), a.data(a.flags)
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(append(bytes.Clone(data), hash[:]...))
	signature := domaintest.OK(ecdsa.SignASN1(rand.Reader, a.key, sum[:]))(t)
	if a.spoilSignature {
		signature[len(signature)-1] ^= 1
	}
	return a.encode(object{"clientDataJSON": base64url(client), "authenticatorData": base64url(data),
		"signature": base64url(signature), "userHandle": base64url(a.handle)})
}

func (a *authenticator) encode(response object) string {
	text, err := json.Marshal(object{"id": base64url(a.id), "rawId": base64url(a.id), "type": "public-key",
		"response": response, "clientExtensionResults": object{}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// addPasskey gives the browser's user a passkey.
func (b *browser) addPasskey(t testing.TB) *authenticator {
	t.Helper()
	a := newAuthenticator(t)
	answer := a.makes(t, b.get(views.NewPasskeyPath).passkeyOptions(t))
	added := b.post(views.PasskeysPath, "name", "Laptop", "answer", answer)
	if added.code != http.StatusSeeOther { // with the first there are recovery codes
		added.is(t, 200).has(t, 1, "#recovery-codes")
	}
	return a
}

func (e *env) signInOptions(t testing.TB) passkeyOptions {
	t.Helper()
	return e.visitor().get(views.PasskeySignInPath).passkeyOptions(t)
}

const badPasskey = "This passkey was not accepted."

func TestPasskey(t *testing.T) {
	t.Parallel()

	t.Run("signs in alone, and counts as a second factor", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		a := e.signedIn("mia").addPasskey(t)
		e.exec("UPDATE company SET second_factor = TRUE WHERE slug = 'acme'")
		options := e.signInOptions(t)
		if options.UserVerification != "required" || len(options.AllowCredentials) > 0 {
			t.Errorf("anyone is told %+v", options)
		}
		mia := e.visitor()
		mia.get("/login").is(t, 200).has(t, 1, "[data-passkey='"+views.PasskeySignInPath+"']")
		mia.post(views.PasskeySignInPath, "answer", a.signs(t, options), "next", "/acme/work").goesTo(t, "/acme/work")
		mia.get("/acme/work").is(t, 200)
		mia.get(views.AccountPath).is(t, 200).textHas(t, "main", "Laptop")
		e.counts(t, 1, "SELECT COUNT(*) FROM session_way WHERE way = 'passkey' AND at >= (SELECT used_at FROM passkey)")
	})

	t.Run("is renamed by its user alone", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		mia := e.signedIn("mia")
		mia.addPasskey(t)
		path := views.PasskeyPath(id.Passkey(e.count("SELECT id FROM passkey")))
		mia.get(views.AccountPath).is(t, 200).has(t, 1, "a[href='"+path+"']")
		mia.get(path).is(t, 200).has(t, 1, "#passkey-name[value=Laptop]")

		long := strings.Repeat("x", accounts.MaxName+1)
		mia.post(path, "name", "").is(t, 422).has(t, 1, "#passkey-name-error")
		mia.post(path, "name", long).is(t, 422).has(t, 1, "#passkey-name[value="+long+"]")
		ana := e.ana()
		ana.get(path).is(t, 404)
		ana.post(path, "name", "Mine").is(t, 404)
		e.counts(t, 1, "SELECT COUNT(*) FROM passkey WHERE name = 'Laptop'")

		mia.post(path, "name", "Desk").goesTo(t, views.AccountPath)
		mia.get(views.AccountPath).is(t, 200).textHas(t, "main", "Desk")
		mia.post(path, "name", "Desk").goesTo(t, views.AccountPath) // again, unchanged
	})

	t.Run("is a second step after the password", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		a := e.signedIn("mia").addPasskey(t)
		mia := e.firstStep(t, "mia")
		mia.get("/acme").is(t, 303)
		mia.get(views.SecondStepPath).is(t, 200).has(t, 1, "[data-passkey='"+views.SecondPasskeyPath+"']")
		options := mia.get(views.SecondPasskeyPath).passkeyOptions(t)
		if len(options.AllowCredentials) != 1 || options.AllowCredentials[0].ID != base64url(a.id) {
			t.Errorf("the browser is told %+v", options)
		}
		a.flags = userPresent // a security key without a PIN
		mia.post(views.SecondPasskeyPath, "answer", a.signs(t, options), "next", "/acme/work").goesTo(t, "/acme/work")
		mia.get("/acme/work").is(t, 200)
		e.audited(t, "olga", "/acme/audit", "added the passkey Laptop")
	})

	t.Run("that counts its uses wrongly is refused from then on, and marked", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		mia := e.signedIn("mia")
		a := mia.addPasskey(t)
		a.count = 7
		e.visitor().post(views.PasskeySignInPath, "answer", a.signs(t, e.signInOptions(t))).goesTo(t, "/acme")
		a.count-- // the copy has the same count
		for range 2 {
			copied := e.visitor()
			copied.post(views.PasskeySignInPath, "answer", a.signs(t, e.signInOptions(t))).is(t, 422).
				textHas(t, "main .summary", "This passkey may have been copied")
			copied.get("/acme").is(t, 303)
			a.count += 10
		}
		mia.get(views.AccountPath).is(t, 200).textHas(t, "main .chip.bad", "may be copied")
		e.audited(t, "olga", "/acme/audit", "used the passkey Laptop, which may have been copied")
	})

	t.Run("gives a notice of a browser that is not known", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		mia := e.signedIn("mia")
		a := mia.addPasskey(t)
		e.exec("DELETE FROM notification")
		mia.post("/logout").is(t, 303)
		mia.post(views.PasskeySignInPath, "answer", a.signs(t, e.signInOptions(t))).goesTo(t, "/acme")
		if list := mia.notices("acme"); len(list) > 0 {
			t.Errorf("the inbox has %q", list)
		}
		e.visitor().with("User-Agent", iphone).post(views.PasskeySignInPath, "answer", a.signs(t, e.signInOptions(t))).goesTo(t, "/acme")
		if list := mia.notices("acme"); !slices.Equal(list, []string{"New sign-in | Safari on iPhone, 192.0.2.1 | /account"}) {
			t.Errorf("the inbox has %q", list)
		}
	})

	t.Run("answers once, of callers at once", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		a := e.signedIn("mia").addPasskey(t)
		a.count = ^uint32(0) // it does not count: 0 each time
		answer := a.signs(t, e.signInOptions(t))
		codes := make(chan int, 6)
		var all sync.WaitGroup
		for range cap(codes) {
			all.Go(func() { codes <- e.visitor().post(views.PasskeySignInPath, "answer", answer).code })
		}
		all.Wait()
		close(codes)
		in := 0
		for code := range codes {
			if code == http.StatusSeeOther {
				in++
			}
		}
		if in != 1 {
			t.Errorf("%d were let in", in)
		}
	})

	t.Run("is removed by its user alone, which ends other sessions", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		other, mia := e.signedIn("mia"), e.signedIn("mia")
		a := mia.addPasskey(t)
		vera := e.signedIn("vera")
		vera.addPasskey(t)
		mine := itoa(e.count("SELECT MIN(id) FROM passkey"))
		path := views.PasskeysPath + "/" + mine + "/removal"
		vera.post(path).is(t, 404)
		other.post(path).is(t, 303)
		e.counts(t, 2, "SELECT COUNT(*) FROM passkey")
		mia.post(path).goesTo(t, views.AccountPath)
		mia.get("/acme").is(t, 200)
		other.get("/acme").is(t, 303)
		e.visitor().post(views.PasskeySignInPath, "answer", a.signs(t, e.signInOptions(t))).is(t, 422)
		e.visitor().post("/login", "email", "mia@example.com", "password", password).goesTo(t, "/acme")
		e.counts(t, 10, "SELECT COUNT(*) FROM recovery_code") // of vera
		e.audited(t, "olga", "/acme/audit", "removed a passkey")
	})

	t.Run("is added once, under a name, twenty at most", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		mia := e.signedIn("mia")
		a := newAuthenticator(t)
		unnamed := mia.post(views.PasskeysPath, "name", " ", "answer", a.makes(t, mia.get(views.NewPasskeyPath).passkeyOptions(t)))
		unnamed.is(t, 422).has(t, 1, "#passkey-name-error")
		mia.post(views.PasskeysPath, "name", "Phone").is(t, 422).textHas(t, "main .summary", badPasskey)
		if name := mia.post(views.PasskeysPath, "name", "Phone").value(t, "#passkey-name"); name != "Phone" {
			t.Errorf("the name became %q", name)
		}
		mia.post(views.PasskeysPath, "name", "Phone", "answer", a.makes(t, mia.get(views.NewPasskeyPath).passkeyOptions(t))).is(t, 200)
		mia.post(views.PasskeysPath, "name", "Phone", "answer", a.makes(t, mia.get(views.NewPasskeyPath).passkeyOptions(t))).is(t, 409)
		for range accounts.MaxPasskeys - 1 {
			mia.addPasskey(t)
		}
		one := newAuthenticator(t).makes(t, mia.get(views.NewPasskeyPath).passkeyOptions(t))
		mia.post(views.PasskeysPath, "name", "One more", "answer", one).is(t, 409).textHas(t, "main .summary", "You have 20 passkeys")
	})

	t.Run("is not offered where browsers have none", func(t *testing.T) {
		t.Parallel()
		for _, address := range []string{"http://tickets.example.com", "https://192.0.2.1"} {
			e := newEnv(t, withURL(address))
			e.visitor().get("/login").is(t, 200).has(t, 0, "[data-passkey]")
			e.visitor().get(views.PasskeySignInPath).is(t, 422)
		}
	})
}

func TestRelyingParty(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]accounts.RelyingParty{
		"https://Tickets.example.com":      {ID: "tickets.example.com", Origin: "https://tickets.example.com"},
		"https://tickets.example.com:8443": {ID: "tickets.example.com", Origin: "https://tickets.example.com:8443"},
		"http://localhost:8080":            {ID: "localhost", Origin: "http://localhost:8080"},
		"http://tickets.example.com":       {}, "https://[2001:db8::1]": {}, "https://192.0.2.1": {}, "": {}, "localhost": {},
	} {
		if got, ok := accounts.RelyingPartyOf(base); got != want || ok != (want != accounts.RelyingParty{}) {
			t.Errorf("%q is %+v, %t", base, got, ok)
		}
	}
}

// TestHostilePasskeys answers wrongly in each way that the protocol is there for.
func TestHostilePasskeys(t *testing.T) {
	t.Parallel()
	for how, answer := range map[string]func(t *testing.T, e *env, a *authenticator) string{
		"a challenge of its own": func(t *testing.T, _ *env, a *authenticator) string {
			return a.signs(t, passkeyOptions{Challenge: base64url(bytes.Repeat([]byte("c"), 56))})
		},
		"no challenge": func(t *testing.T, _ *env, a *authenticator) string { return a.signs(t, passkeyOptions{}) },
		"a challenge whose end is changed": func(t *testing.T, e *env, a *authenticator) string {
			challenge := domaintest.OK(base64.RawURLEncoding.DecodeString(e.signInOptions(t).Challenge))(t)
			challenge[23] ^= 255
			return a.signs(t, passkeyOptions{Challenge: base64url(challenge)})
		},
		"a challenge of a second step": func(t *testing.T, e *env, a *authenticator) string {
			return a.signs(t, e.firstStep(t, "mia").get(views.SecondPasskeyPath).passkeyOptions(t))
		},
		"a challenge late": func(t *testing.T, e *env, a *authenticator) string {
			at := e.stopClock()
			answer := a.signs(t, e.signInOptions(t))
			e.db.SetClock(func() time.Time { return at.Add(10*time.Minute + time.Second) })
			return answer
		},
		"an answer twice": func(t *testing.T, e *env, a *authenticator) string {
			answer := a.signs(t, e.signInOptions(t))
			e.visitor().post(views.PasskeySignInPath, "answer", answer).goesTo(t, "/acme")
			return answer
		},
		"from another origin": func(t *testing.T, e *env, a *authenticator) string {
			a.origin = "http://localhost.evil.example:8080"
			return a.signs(t, e.signInOptions(t))
		},
		"from another port": func(t *testing.T, e *env, a *authenticator) string {
			a.origin = "http://localhost:9090"
			return a.signs(t, e.signInOptions(t))
		},
		"for another party": func(t *testing.T, e *env, a *authenticator) string {
			a.party = "evil.example"
			return a.signs(t, e.signInOptions(t))
		},
		"with another signature": func(t *testing.T, e *env, a *authenticator) string {
			a.spoilSignature = true
			return a.signs(t, e.signInOptions(t))
		},
		"with another key": func(t *testing.T, e *env, a *authenticator) string {
			a.key = newAuthenticator(t).key
			return a.signs(t, e.signInOptions(t))
		},
		"as another account": func(t *testing.T, e *env, a *authenticator) string {
			a.handle = e.signedIn("vera").addPasskey(t).handle
			return a.signs(t, e.signInOptions(t))
		},
		"as nobody": func(t *testing.T, e *env, a *authenticator) string {
			a.handle = nil
			return a.signs(t, e.signInOptions(t))
		},
		"without verifying its user": func(t *testing.T, e *env, a *authenticator) string {
			a.flags = userPresent
			return a.signs(t, e.signInOptions(t))
		},
		"without a user": func(t *testing.T, e *env, a *authenticator) string {
			a.flags = userVerified
			return a.signs(t, e.signInOptions(t))
		},
		"as for a new passkey": func(t *testing.T, e *env, a *authenticator) string {
			a.kind = "webauthn.create"
			return a.signs(t, e.signInOptions(t))
		},
		"with an unknown passkey": func(t *testing.T, e *env, a *authenticator) string {
			a.id = []byte("unknown")
			return a.signs(t, e.signInOptions(t))
		},
		"nothing":         func(*testing.T, *env, *authenticator) string { return "" },
		"what is no JSON": func(*testing.T, *env, *authenticator) string { return "<script>" },
		"an empty object": func(*testing.T, *env, *authenticator) string { return "{}" },
		"much": func(*testing.T, *env, *authenticator) string {
			return strings.Repeat("[", 100_000)
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			e := newPasskeyEnv(t)
			a := e.signedIn("mia").addPasskey(t)
			thief := e.visitor()
			refused := thief.post(views.PasskeySignInPath, "answer", answer(t, e, a)).is(t, 422)
			if said := refused.text(t, "main .summary"); !strings.Contains(said, badPasskey) && said != "That took too long. Try again." {
				t.Errorf("it says %q", said)
			}
			thief.get("/acme").is(t, 303)
		})
	}

	t.Run("another account's passkey is no second step", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		e.signedIn("mia").addPasskey(t)
		vera := e.signedIn("vera").addPasskey(t)
		mia := e.firstStep(t, "mia")
		mia.post(views.SecondPasskeyPath, "answer", vera.signs(t, mia.get(views.SecondPasskeyPath).passkeyOptions(t))).is(t, 422)
		theirs := e.firstStep(t, "vera").get(views.SecondPasskeyPath).passkeyOptions(t)
		mia.post(views.SecondPasskeyPath, "answer", vera.signs(t, theirs)).is(t, 422)
		mia.post(views.SecondPasskeyPath, "answer", vera.signs(t, e.signInOptions(t))).is(t, 422)
		mia.get("/acme").is(t, 303)
	})

	t.Run("a new passkey answers a challenge of its user, of here, and once", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		mia, vera := e.signedIn("mia"), e.signedIn("vera")
		options := vera.get(views.NewPasskeyPath).passkeyOptions(t)
		mia.post(views.PasskeysPath, "name", "Rogue", "answer", newAuthenticator(t).makes(t, options)).is(t, 422)
		mia.post(views.PasskeysPath, "name", "Rogue", "answer", newAuthenticator(t).makes(t, e.signInOptions(t))).is(t, 422)
		foreign := newAuthenticator(t)
		foreign.origin = "https://evil.example"
		mia.post(views.PasskeysPath, "name", "Rogue", "answer", foreign.makes(t, mia.get(views.NewPasskeyPath).passkeyOptions(t))).is(t, 422)
		other := newAuthenticator(t)
		other.party = "evil.example"
		mia.post(views.PasskeysPath, "name", "Rogue", "answer", other.makes(t, mia.get(views.NewPasskeyPath).passkeyOptions(t))).is(t, 422)
		e.counts(t, 0, "SELECT COUNT(*) FROM passkey")
		options = mia.get(views.NewPasskeyPath).passkeyOptions(t)
		mia.post(views.PasskeysPath, "name", "Phone", "answer", newAuthenticator(t).makes(t, options)).is(t, 200)
		mia.post(views.PasskeysPath, "name", "Again", "answer", newAuthenticator(t).makes(t, options)).is(t, 422)
	})

	t.Run("a taken passkey changes hands nowhere", func(t *testing.T) {
		t.Parallel()
		e := newPasskeyEnv(t)
		a := e.signedIn("mia").addPasskey(t)
		vera := e.signedIn("vera")
		vera.post(views.PasskeysPath, "name", "Taken", "answer", a.makes(t, vera.get(views.NewPasskeyPath).passkeyOptions(t))).is(t, 409)
		e.counts(t, 1, "SELECT COUNT(*) FROM passkey")
	})
}
