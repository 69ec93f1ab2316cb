package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// tab is a browser tab. The test fails on an uncaught exception, an error in the console, or a violation of the content
// security policy.
type tab struct {
	t     *testing.T
	ctx   context.Context
	app   *env
	mu    sync.Mutex
	wrong []string
	plain bool // runs no scripts
	// expected are complaints of the browser that belong to the test.
	expected *regexp.Regexp
	// What its user did: clicks, drags and choices; keys.
	clicks, strokes int
}

// refusals are responses that a page handles; the browser logs each of them. A page that tells the browser's time zone
// while its user signs out is refused.
var refusals = regexp.MustCompile(`status of (409|422)|status of 401 .*/zone$`)

func (a *env) stranger(t *testing.T) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b := &tab{t: t, ctx: ctx, app: a, expected: refusals}
	t.Cleanup(func() {
		cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, w := range b.wrong {
			t.Error("in the browser:", w)
		}
	})
	b.must(chromedp.Do(ctx))
	b.must(chromedp.Listen(ctx, b.note))
	// Flashes fade after a moment, which may be over before a slow machine gets to look.
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `{ const later = setTimeout; window.setTimeout = (f, ms, ...rest) => later(f, ms === 8000 ? 600000 : ms, ...rest) }`,
	})
	b.size(1280, 900, false)
	return b
}

// tab is one of a signed-in user.
func (a *env) tab(t *testing.T) *tab {
	t.Helper()
	b := a.stranger(t)
	for _, c := range a.cookies() {
		call(b, network.SetCookie, network.SetCookieParams{URL: a.url, Name: c.Name, Value: c.Value})
	}
	return b
}

func (b *tab) note(event any) {
	text := ""
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			text = fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		text = "exception: " + e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			text = "console.error"
			for _, a := range e.Args {
				text += " " + string(a.Value) + a.Description
			}
		}
	}
	if text == "" || b.expected.MatchString(text) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, text)
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	answer, err := chromedp.Call(b.ctx, command, params)
	b.must(err)
	return answer
}

func (b *tab) size(width, height int64, touch bool) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: touch})
	call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: touch})
}

// moving has the page move as most users see it. Other tabs are of users who want that reduced: to draw what moves takes
// a third of the browser's time.
func (b *tab) moving() {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-reduced-motion", Value: "no-preference"}}})
}

func (b *tab) noScript() {
	b.t.Helper()
	b.plain = true
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

func (b *tab) open(path string) {
	b.t.Helper()
	if b.plain {
		b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.app.url+path)))
		return
	}
	// which may lead to another part of the same page
	other := !strings.Contains(path, "#")
	// it may be on its way already
	_, _ = chromedp.Run(b.ctx, chromedp.Evaluate[bool](fill(`(window.left = %s, true)`, []any{other})))
	b.must(chromedp.Do(b.ctx, chromedp.Navigate(b.app.url+path)))
	b.wait(`!window.left && document.documentElement.matches(".js")`)
}

// eval returns the value of a JavaScript expression.
func eval[T any](b *tab, js string, args ...any) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](fill(js, args)))
	if err != nil {
		b.t.Fatalf("%s: %v", fill(js, args), err)
	}
	return value
}

// fill puts arguments, as JavaScript literals, in the place of each %s.
func fill(js string, args []any) string {
	literals := make([]any, len(args))
	for i, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		literals[i] = string(text)
	}
	return fmt.Sprintf(js, literals...)
}

// wait returns when a JavaScript expression is true and the page has loaded, also across page loads. The page itself
// looks every 20 ms, if it runs scripts: to ask it that often would keep the processors from the test.
func (b *tab) wait(js string, args ...any) {
	b.t.Helper()
	js = fill(js, args)
	holds := func() (bool, error) {
		ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second) // a page that is left may not answer
		defer cancel()
		return chromedp.Run(ctx, chromedp.Evaluate[bool](`new Promise(done => {
			addEventListener("pagehide", () => done(false), { once: true })
			const holds = () => { try { return document.readyState === "complete" && !!(`+js+`) } catch { return false } }
			const look = pause => { if (holds()) done(true); else if (pause < 150) setTimeout(look, pause, pause + 5); else done(false) }
			look(10)
		})`, chromedp.EvalAwaitPromise))
	}
	if b.plain {
		holds = func() (bool, error) {
			return chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.readyState === "complete" && !!(`+js+`)`))
		}
	}
	var err error
	domaintest.Until(b.t, js, func() (ok bool) {
		ok, err = holds()
		return ok
	}, func() string {
		page, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](
			`location.href + "\nin focus: " + (document.activeElement?.value ?? "") + "\n" + document.body.innerText`))
		return fmt.Sprintf("(%v) on %s", err, page)
	})
}

// sees waits for a text within the element.
func (b *tab) sees(selector, text string) {
	b.t.Helper()
	b.wait(`document.querySelector(%s)?.innerText.includes(%s)`, selector, text)
}

// at waits for the page with that path.
func (b *tab) at(path string) {
	b.t.Helper()
	b.wait(`location.pathname === %s`, path)
}

type point struct{ X, Y float64 }

// middle is the middle of an element that is in view and rests.
func (b *tab) middle(selector string) point {
	b.t.Helper()
	b.wait(`(() => { // the element has not moved for two frames
		const at = document.querySelector(%s)?.getBoundingClientRect()
		const is = at && %s + " " + at.x + " " + at.y
		if (is && window.middleIs === is) return %s || window.middleDrawn === is
		window.middleIs = is
		window.middleDrawn = null
		if (is) requestAnimationFrame(() => requestAnimationFrame(() => { if (window.middleIs === is) window.middleDrawn = is }))
		return false
	})()`, selector, selector, b.plain)
	return eval[point](b, `(() => {
		const e = document.querySelector(%s)
		e.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" })
		const r = e.getBoundingClientRect()
		return { X: r.x + r.width / 2, Y: r.y + r.height / 2 }
	})()`, selector)
}

func (b *tab) mouse(kind input.DispatchMouseEventType, p point) {
	b.t.Helper()
	params := input.DispatchMouseEventParams{Type: kind, X: p.X, Y: p.Y}
	if kind != input.DispatchMouseEventTypeMouseMoved {
		params.Button, params.ClickCount = input.MouseButtonLeft, 1
	}
	call(b, input.DispatchMouseEvent, params)
}

// click is one of a mouse, with the element under it.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.clicks++
	var p point
	for range 10 { // it may have moved since it was measured
		p = b.middle(selector)
		b.mouse(input.DispatchMouseEventTypeMouseMoved, p)
		if eval[bool](b, `(() => {
			const wanted = document.querySelector(%s), there = document.elementFromPoint(%s, %s)
			return !wanted || wanted.contains(there) || !!there?.contains(wanted)
		})()`, selector, p.X, p.Y) {
			break
		}
	}
	b.mouse(input.DispatchMouseEventTypeMousePressed, p)
	b.mouse(input.DispatchMouseEventTypeMouseReleased, p)
}

// drag takes the card and lets it go over the other element, below is how far under its middle.
func (b *tab) drag(selector, onto string, below float64) {
	b.t.Helper()
	b.must(b.lifts(selector, onto, below)())
}

// lifts takes a card and holds it over an element; the returned function drops it. Until then nothing changes on the
// board: changes by others come after it, however slow the machine.
func (b *tab) lifts(selector, onto string, below float64) (drop func() error) {
	b.t.Helper()
	b.clicks++
	from, to := b.middle(selector), b.middle(onto)
	to.Y += below
	b.mouse(input.DispatchMouseEventTypeMouseMoved, from)
	b.mouse(input.DispatchMouseEventTypeMousePressed, from)
	const steps = 12
	for i := 1.0; i <= steps; i++ {
		b.mouse(input.DispatchMouseEventTypeMouseMoved, point{from.X + (to.X-from.X)*i/steps, from.Y + (to.Y-from.Y)*i/steps})
		b.frame()
	}
	for i := range rest {
		b.mouse(input.DispatchMouseEventTypeMouseMoved, point{to.X + float64(i%2), to.Y})
		b.frame()
	}
	return func() error {
		_, err := chromedp.Call(b.ctx, input.DispatchMouseEvent,
			input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: to.X, Y: to.Y,
				Button: input.MouseButtonLeft, ClickCount: 1})
		return err
	}
}

// rest is the number of frames for which the pointer rests before it drops: SortableJS looks every 50 ms at what lies
// below it, and waits for its own animations.
const rest = 12

// touch drags a finger.
func (b *tab) touch(from, to point) {
	b.t.Helper()
	send := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
		call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	send(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: from.X, Y: from.Y})
	const steps = 12
	for i := 1.0; i <= steps; i++ {
		send(input.DispatchTouchEventTypeTouchMove,
			&input.TouchPoint{X: from.X + (to.X-from.X)*i/steps, Y: from.Y + (to.Y-from.Y)*i/steps})
		b.frame()
	}
	for i := range rest {
		send(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: to.X + float64(i%2), Y: to.Y})
		b.frame()
	}
	send(input.DispatchTouchEventTypeTouchEnd)
}

// tap is a short touch.
func (b *tab) tap(selector string) {
	b.t.Helper()
	p := b.middle(selector)
	call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart,
		TouchPoints: []*input.TouchPoint{{X: p.X, Y: p.Y}}})
	call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd})
}

// frame lets the page draw, as it would between the movements of a hand.
func (b *tab) frame() {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx,
		chromedp.Evaluate[bool](`new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true), 20)))`,
			chromedp.EvalAwaitPromise))
	b.must(err)
}

// types presses keys, one after the other; "\r" is Enter.
func (b *tab) types(keys string) {
	b.t.Helper()
	b.strokes += utf8.RuneCountInString(keys)
	b.settled()
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(keys)))
}

// ctrl presses a key with Ctrl.
func (b *tab) ctrl(key, code string, number int64) {
	b.t.Helper()
	b.settled()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown,
		input.DispatchKeyEventTypeKeyUp} {
		call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Modifiers: 2, Key: key, Code: code,
			WindowsVirtualKeyCode: number})
	}
}

// fills clicks into a field and replaces its text.
func (b *tab) fills(selector, text string) {
	b.t.Helper()
	b.settled()
	b.click(selector)
	b.strokes += utf8.RuneCountInString(text)
	eval[bool](b, `(document.querySelector(%s).select(), true)`, selector)
	call(b, input.InsertText, input.InsertTextParams{Text: text})
}

// settled waits for htmx, which gives the focus to what it added 20 ms later.
func (b *tab) settled() {
	b.t.Helper()
	b.wait(`!document.querySelector(".htmx-added, .htmx-settling")`)
}

// chooses takes an option of a select, by its value.
func (b *tab) chooses(selector, value string) {
	b.t.Helper()
	b.clicks += 2 // it opens, and an option is taken
	b.wait(`document.querySelector(%s)`, selector)
	eval[bool](b, `(() => {
		const select = document.querySelector(%s)
		select.value = %s
		select.dispatchEvent(new Event("change", { bubbles: true }))
		return true
	})()`, selector, value)
}

const columns = `[...document.querySelectorAll(".column")].map(c => ({ name: c.querySelector("h2").innerText, keys: [...c.querySelectorAll(".cards > .card")].map(k => k.dataset.key).join(" ") }))`

// holds waits until a column has exactly these keys.
func (b *tab) holds(name, keys string) {
	b.t.Helper()
	b.wait(columns+`.some(c => c.name === %s && c.keys === %s)`, name, keys)
}

// addTo opens the form at a column's foot.
func (b *tab) addTo(column string) {
	b.t.Helper()
	b.settled()
	b.click("#add-" + b.columnID(column) + " summary")
	b.wait(`document.activeElement.name === "title"`)
}

func card(key string) string { return `.card[data-key="` + key + `"]` }

func (b *tab) columnID(name string) string {
	b.t.Helper()
	id := eval[string](b,
		`[...document.querySelectorAll(".column")].find(c => c.querySelector("h2").innerText === %s)?.dataset.column ?? ""`,
		name)
	if id == "" {
		b.t.Fatal("no column ", name)
	}
	return strings.TrimSpace(id)
}
