package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/counterfoil/counterfoil/domain/wait"
)

// typist presses the keys of a text one by one, at a pace, over a network with a latency.
type typist struct{ pace, latency time.Duration }

func (p typist) String() string { return fmt.Sprintf("a key each %s, latency %s", p.pace, p.latency) }

var typists = []typist{
	{0, 0}, {0, 500 * time.Millisecond}, {20 * time.Millisecond, 500 * time.Millisecond},
	{60 * time.Millisecond, 200 * time.Millisecond}, {100 * time.Millisecond, 500 * time.Millisecond},
}

func (p typist) types(b *tab, keys string) {
	b.t.Helper()
	b.settled()
	call(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{
			Latency: float64(p.latency.Milliseconds()), DownloadThroughput: -1, UploadThroughput: -1}}})
	for _, key := range keys {
		b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(string(key))))
		_ = wait.Sleep(context.Background(), p.pace)
	}
}

// Every key that is typed behind the one that opens a dialog goes into its field, in order.
func TestKeysGoToTheDialog(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "One", "Two")
	for _, p := range typists {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			b := a.tab(t)
			for _, c := range []struct{ keys, field, text string }{
				{"jcemail is broken", "new-title", "email is broken"},
				{"/ninja-7", "jump-q", "ninja-7"},
				{"/camp", "jump-q", "camp"},
				{"jasam", "assign-q", "sam"},
			} {
				b.open("/acme/boards/NINJA")
				p.types(b, c.keys)
				b.wait(`document.activeElement.id === %s && document.activeElement.value === %s`, c.field, c.text)
				b.settled()
				if got := eval[string](b, `document.activeElement.value`); got != c.text {
					t.Errorf("%s: the page made %q of it", c.keys, got)
				}
				eval[bool](b, `(localStorage.clear(), true)`) // no draft
			}
		})
	}
}

func TestAssignByEnter(t *testing.T) {
	t.Parallel()
	for _, p := range typists {
		t.Run("Enter takes the first that the text finds: "+p.String(), func(t *testing.T) {
			t.Parallel()
			a := withBoard(t, "One")
			b := a.tab(t)
			b.open("/acme/boards/NINJA")
			p.types(b, "jaan\r")
			b.hears("NINJA-1 is saved.")
			b.wait(`!document.querySelector("dialog[open]")`)
			if page := string(a.read("/acme/work")); !strings.Contains(page, "NINJA-1") {
				t.Error("nobody was assigned")
			}
		})
	}
	t.Run("a text that finds nobody says so, and assigns nobody", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		typist{}.types(b, "azz\r")
		b.hears("No member of that name")
		b.wait(`document.querySelector("dialog[open] #assign-q").value === "zz"`)
	})
}
