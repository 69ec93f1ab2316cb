package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
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
