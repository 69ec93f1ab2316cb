package web_test

import (
	"strings"
	"testing"
)

func TestPreview(t *testing.T) {
	t.Parallel()
	const path = "/acme/preview"
	t.Run("a text is shown as its page would show it, with keys, members and nothing harmful", func(t *testing.T) {
		t.Parallel()
		e, ana, _, _ := newEnvWithTalk(t)
		for _, field := range []string{"description", "merged_description", "body"} {
			e.unchanged(t, func() {
				a := ana.htmx("x").post(path, field, "**See** DEMO-2, NONE-1 and @ben. "+hostile).fragment(t, 200)
				a.textIs(t, ".prose strong", "See")
				a.textIs(t, ".prose a.key", "DEMO-2")
				a.textIs(t, ".prose .mention", "@ben")
				a.has(t, 0, ".prose :is(script, img, [onerror])")
			})
		}
	})
	t.Run("a comment and a description look the same before and after they are saved", func(t *testing.T) {
		t.Parallel()
		_, ana, _, vera := newEnvWithTalk(t) // for those who may change the ticket the boxes are buttons then
		const text = "# Fins\n\n- [ ] DEMO-2\n- [x] @ben\n\n| a | b |\n|---|---|\n| `c` | https://example.com |"
		before, _ := ana.htmx("x").post(path, "body", text).is(t, 200).page().Find(".prose").Html()
		ana.post("/acme/DEMO-1/comments", "body", text).is(t, 303)
		if after, _ := vera.get("/acme/DEMO-1").page().Find(".comment .prose").Last().Html(); after != before {
			t.Errorf("%s\nbecame\n%s", before, after)
		}
	})
	t.Run("there is nothing of an empty text", func(t *testing.T) {
		t.Parallel()
		_, ana, _, _ := newEnvWithTalk(t)
		for _, field := range []string{"description", "body"} {
			ana.htmx("x").post(path, field, " \n").fragment(t, 200).textIs(t, ".none", "Nothing to preview")
		}
	})
	t.Run("a text that could not be saved is refused in the words of its form", func(t *testing.T) {
		t.Parallel()
		_, ana, _, _ := newEnvWithTalk(t)
		large := strings.Repeat("a", 65536)
		for field, what := range map[string]string{"description": "description", "merged_description": "description",
			"body": "comment"} {
			a := ana.post(path, field, large).is(t, 422)
			if got := a.text(t, ".lead"); !strings.Contains(got, what) || !strings.Contains(got, "65536 bytes") {
				t.Error(got)
			}
			a.textIs(t, ".typed textarea", large)
			ana.htmx("x").post(path, field, large).is(t, 400) // the editor shows the sentence
		}
		ana.htmx("x").post(path, "description", strings.Repeat("a", oversize)).is(t, 413)
	})
	t.Run("a viewer may, a stranger may not", func(t *testing.T) {
		t.Parallel()
		e, _, _, vera := newEnvWithTalk(t)
		vera.htmx("x").post(path, "body", "DEMO-1").is(t, 200).has(t, 1, ".key")
		e.visitor().post(path, "body", "DEMO-1").goesTo(t, "/login")
	})
	t.Run("without JavaScript each form for Markdown shows it in a new tab", func(t *testing.T) {
		t.Parallel()
		_, ana, _, _ := newEnvWithTalk(t)
		for _, page := range []string{"/acme/boards/DEMO/tickets/new", "/acme/DEMO-1/edit", "/acme/DEMO-1"} {
			a := ana.get(page).is(t, 200)
			a.has(t, 1, `.markdown textarea`)
			a.has(t, 1, `button.primary ~ button.nojs[formaction="`+path+`"][formtarget="_blank"]`)
		}
		a := ana.post(path, "title", "x", "description", "*Fins*").is(t, 200)
		a.textIs(t, "h1", "Preview")
		a.textIs(t, ".prose em", "Fins")
	})
}
