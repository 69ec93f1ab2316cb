package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/pquerna/otp/totp"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// looksRight holds a page against the rules for all pages, and keeps pictures of it.
func (b *tab) looksRight(name string) {
	b.t.Helper()
	b.accessible(name)
	b.fits(name)
	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		b.look(name + "-" + scheme)
	}
	b.size(1280, 900, false)
}

func TestAuthenticatorApp(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the fins")
	b := a.tab(t)
	b.expected = refusals
	b.open("/account")
	b.click("a[href='/account/totp']")
	b.at("/account/totp")
	b.looksRight("totp")
	key := strings.ReplaceAll(eval[string](b, `document.querySelector("#totp-key").textContent`), " ", "")
	b.fills("#totp-code", "000000")
	b.click("main form .primary")
	b.wait(`document.querySelector("#totp-code-error")`)
	b.fills("#totp-code", domaintest.OK(totp.GenerateCode(key, time.Now()))(t))
	b.click("main form .primary")
	b.wait(`document.querySelector("#recovery-codes")?.value.split("\n").length === 10`)
	b.looksRight("recovery-codes")
	b.click("main a.primary")
	b.at("/account")
	b.sees("main", "10 recovery codes left")
	b.looksRight("account")
	b.open("/acme/settings")
	b.looksRight("settings")

	b.signsOut()
	b.signsInAs(email)
	b.at("/login/second")
	b.looksRight("second-step")
	b.fills("#second-code", "000000")
	b.click("main form .primary")
	b.wait(`document.querySelector("#second-code-error")`)
	b.looksRight("second-step-refused")
	b.fills("#second-code", domaintest.OK(totp.GenerateCode(key, time.Now().Add(30*time.Second)))(t)) // the present one may be used
	b.click("main form .primary")
	b.wait(`location.pathname.startsWith("/acme")`)
}

// withAuthenticator gives a tab a device that has passkeys and verifies its user. The page is at localhost: browsers
// have none at an address.
func (b *tab) withAuthenticator() webauthn.AuthenticatorID {
	b.t.Helper()
	b.app.url = strings.Replace(b.app.url, "127.0.0.1", "localhost", 1)
	call(b, webauthn.Enable, webauthn.EnableParams{})
	added := call(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{Protocol: "ctap2", Transport: "internal", HasResidentKey: true,
			HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true}})
	return added.AuthenticatorID
}

func TestPasskey(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the fins")
	b := a.stranger(t)
	device := b.withAuthenticator()
	b.signsIn(email)
	b.open("/account")
	b.click("a[href='/account/passkeys']")
	b.at("/account/passkeys")
	b.looksRight("passkey")
	b.fills("#passkey-name", "Laptop")
	b.click("main form .primary")
	b.wait(`document.querySelector("#recovery-codes")`)
	b.wait(`window.print = () => { document.title = "Printed" }`)
	b.click("[data-print]")
	b.wait(`document.title === "Printed"`)
	b.click("main a.primary")
	b.at("/account")
	b.sees("main", "Laptop")
	b.looksRight("account-passkey")
	b.click("[aria-label='Rename Laptop']")
	b.wait(`document.querySelector("#passkey-name")?.value === "Laptop"`)
	b.looksRight("passkey-name")
	b.fills("#passkey-name", "Desk")
	b.click("main form .primary")
	b.at("/account")
	b.sees("main", "Desk")

	b.signsOut() // and in again, without a password
	b.looksRight("login-passkey")
	b.click("[data-passkey='/login/passkey']")
	b.wait(`location.pathname.startsWith("/acme")`)

	b.signsOut() // as a second step
	b.signsInAs(email)
	b.at("/login/second")
	b.looksRight("second-passkey")
	b.click("[data-passkey='/login/second/passkey']")
	b.wait(`location.pathname.startsWith("/acme")`)

	b.signsOut() // a device whose user is another
	call(b, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device})
	b.click("[data-passkey='/login/passkey']")
	b.wait(`document.querySelector(".toast")?.textContent.includes("No passkey was used")`)
	b.at("/login")
	call(b, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device, IsUserVerified: true})

	b.click("[data-passkey='/login/passkey']") // the passkey is removed, and signs nobody in any more
	b.wait(`location.pathname.startsWith("/acme")`)
	b.open("/account")
	b.click("[aria-label='Remove Desk']")
	b.wait(`document.querySelector(".flashes")?.textContent.includes("The passkey is removed")`)
	b.signsOut()
	b.expected = refusals
	b.click("[data-passkey='/login/passkey']")
	b.sees("main .summary", "This passkey was not accepted.")
}
