// Package e2e uses Counterfoil as users do: the real binary on a real database, in a real browser.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var (
	binary  string          // of Counterfoil
	browser context.Context // one Chromium for all tests; each has a profile of its own in it
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "counterfoil-e2e-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)

	binary = filepath.Join(dir, "counterfoil")
	if out, err := exec.Command("go", "build", "-o", binary, "../cmd/counterfoil").CombinedOutput(); err != nil {
		return fail(fmt.Errorf("build Counterfoil: %w\n%s", err, out))
	}
	chromium, err := findChromium()
	if err != nil {
		return fail(err)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium),
		chromedp.NoSandbox, // Chromium has none for root, as in containers
		chromedp.Flag("disable-background-networking", true),
		chromedp.WSURLReadTimeout(2*time.Minute),            // until it has started
		chromedp.Flag("force-prefers-reduced-motion", true), // see tab.moving
	)...)
	defer stop()
	var quit context.CancelFunc
	browser, quit = chromedp.NewContext(allocator)
	defer quit()
	if err := chromedp.Do(browser); err != nil {
		return fail(fmt.Errorf("start %s: %w", chromium, err))
	}
	return m.Run()
}

// findChromium returns the path of a Chromium: the one without windows starts and draws faster.
func findChromium() (string, error) {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
		"google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("the browser tests need Chromium: apt-get install chromium-headless-shell")
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}
