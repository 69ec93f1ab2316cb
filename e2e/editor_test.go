package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// edits carries out a command of the browser's own editing: undo, copy, paste, selectAll.
func (b *tab) edits(command string) {
	b.t.Helper()
	call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown,
		Commands: []string{command}})
}

// selects marks a part of a text, from one character to before another.
func (b *tab) selects(selector string, from, to int) {
	b.t.Helper()
	eval[bool](b, `(document.querySelector(%s).focus(), document.activeElement.setSelectionRange(%s, %s), true)`, selector,
		from, to)
}

// enter presses Enter as a keyboard does: a page that takes it gets no line's end besides, as it would from types.
func (b *tab) enter(modifiers int64) {
	b.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Modifiers: modifiers, Key: "Enter",
			Code: "Enter", WindowsVirtualKeyCode: 13, Text: "\r"})
	}
}

// writes types lines, with Enter between them.
func (b *tab) writes(text string) {
	b.t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.enter(0)
		}
		if line != "" {
			b.types(line)
		}
	}
}

func (b *tab) reads(selector, text string) {
	b.t.Helper()
	b.wait(`document.querySelector(%s).value === %s`, selector, text)
}

func TestEditor(t *testing.T) {
	t.Parallel()
	const body, write, preview = "#comment-body", "#comment-body-write-tab", "#comment-body-preview-tab"
	tool := func(style string) string { return "#comment-form [data-md-button=" + style + "]" }
	open := func(t *testing.T) *tab {
		t.Helper()
		b := withBoard(t, "One", "Two").tab(t)
		b.open("/acme/NINJA-1")
		b.click(body)
		return b
	}
	t.Run("each tool marks the selected words, is taken back by undo, and keeps the text's focus", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		for style, want := range map[string]string{
			"header-3": "### fins", "bold": "**fins**", "italic": "_fins_", "code": "`fins`", "link": "[fins](url)",
			"unordered-list": "- fins", "ordered-list": "1. fins", "task-list": "- [ ] fins",
		} {
			b.fills(body, "fins")
			b.selects(body, 0, 4)
			b.click(tool(style))
			b.reads(body, want)
			b.wait(`document.activeElement.id === "comment-body"`)
			b.edits("undo")
			b.reads(body, "fins")
		}
	})
	t.Run("Ctrl+B, Ctrl+I and Ctrl+K are keys of the tools", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		for key, want := range map[string]string{"b": "**fins**", "i": "_fins_", "k": "[fins](url)"} {
			b.fills(body, "fins")
			b.selects(body, 0, 4)
			b.ctrl(key, "Key"+key, int64(key[0])-32)
			b.reads(body, want)
		}
	})
	t.Run("the tools are one stop of Tab after the text, with arrows between them", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		b.types("\t")
		b.wait(`document.activeElement.id === "comment-body-write-tab"`)
		b.types("\t")
		b.wait(`document.activeElement.matches(%s)`, tool("header-3"))
		b.types(kb.ArrowRight)
		b.wait(`document.activeElement.matches(%s)`, tool("bold"))
		b.enter(0)
		b.reads(body, "****")
		b.wait(`document.activeElement.id === "comment-body"`)
		b.types("x")
		b.reads(body, "**x**")
		b.types("\t\t")
		b.wait(`document.activeElement.matches(%s)`, tool("bold"))
		b.types("\t")
		b.wait(`document.activeElement.matches("#comment-form .attach-file")`)
		b.types("\t")
		b.wait(`document.activeElement.matches("#comment-form .primary")`)
	})
	t.Run("Enter goes on with a list, and ends it at an empty item", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		for typed, want := range map[string]string{
			"- a\nb\n\nc":              "- a\n- b\n\nc",
			"* a\nb":                   "* a\n* b",
			"9. a\nb\n\nc":             "9. a\n10. b\n\nc",
			"3) a\nb":                  "3) a\n4) b",
			"- [ ] a\nb\n\nc":          "- [ ] a\n- [ ] b\n\nc",
			"- [x] a\nb":               "- [x] a\n- [ ] b",
			"  - a\nb":                 "  - a\n  - b",
			"a\nb":                     "a\nb",
			"-a\n1.a\nb":               "-a\n1.a\nb",
			"```\n- a\nb\n```\n- c\nd": "```\n- a\nb\n```\n- c\n- d",
		} {
			b.edits("selectAll")
			b.edits("delete")
			b.writes(typed)
			if got := eval[string](b, `document.querySelector(%s).value`, body); got != want {
				t.Errorf("%q: %q, not %q", typed, got, want)
			}
		}
	})
	t.Run("in the middle of a list Enter splits an item, and undo takes each step back", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		b.fills(body, "- one two\n- three")
		b.selects(body, 5, 5)
		b.enter(0)
		b.reads(body, "- one\n-  two\n- three")
		b.edits("undo")
		b.reads(body, "- one two\n- three")
		b.selects(body, 17, 17)
		b.writes("\n\n")
		b.reads(body, "- one two\n- three\n\n")
		b.edits("undo")
		b.reads(body, "- one two\n- three\n- ")
		b.edits("undo")
		b.reads(body, "- one two\n- three")
	})
	t.Run("Enter with Shift is a plain line, with Ctrl it saves, and while a word is composed it is the keyboard's",
		func(t *testing.T) {
			t.Parallel()
			b := open(t)
			b.fills(body, "- one")
			b.enter(8)
			b.reads(body, "- one\n")
			b.fills(body, "- one")
			call(b, input.ImeSetComposition, input.ImeSetCompositionParams{Text: "に", SelectionStart: 1, SelectionEnd: 1})
			call(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown,
				Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 229})
			b.reads(body, "- oneに")
			call(b, input.InsertText, input.InsertTextParams{Text: "に"})
			b.ctrl("Enter", "Enter", 13)
			b.sees("#said .comment", "oneに")
		})
	t.Run("Enter in the list of names takes a name, also in a list", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		b.types("- @an")
		b.wait(`document.querySelector(".suggestions [aria-selected=true]")`)
		b.enter(0)
		b.reads(body, "- @ana ")
	})
	t.Run("a link pasted over words becomes theirs, elsewhere it is text, and undo takes it back", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		const link = "https://example.com/fins?a=1"
		b.fills(body, link)
		b.edits("selectAll")
		b.edits("copy")
		b.fills(body, "Paint the fins today")
		b.selects(body, 10, 14)
		b.edits("paste")
		b.reads(body, "Paint the [fins]("+link+") today")
		b.edits("undo")
		b.reads(body, "Paint the fins today")
		b.selects(body, 20, 20)
		b.edits("paste")
		b.reads(body, "Paint the fins today"+link)
	})
	t.Run("a preview shows the text as its page would, keeps the height, and leads back to the caret", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		b.fills(body, "**Paint** the fins of NINJA-2, @ana\n\n- [ ] one")
		b.selects(body, 3, 6)
		height := eval[float64](b, `document.querySelector(%s).offsetHeight`, body)
		b.click(preview)
		b.sees("#comment-body-preview strong", "Paint")
		b.wait(`document.querySelector("#comment-body-preview a.key[href='/acme/NINJA-2']") && !document.querySelector(%s).checkVisibility()`,
			body)
		b.wait(`document.querySelector("#comment-body-preview").offsetHeight >= %s`, height)
		b.wait(`!document.querySelector(%s).checkVisibility({ visibilityProperty: true })`, tool("bold"))
		b.accessible("the preview of a comment")
		b.click(write)
		b.wait(`(() => { const t = document.activeElement; return t.id === "comment-body" && t.selectionStart === 3 && t.selectionEnd === 6 })()`)
		b.edits("undo") // what was typed before
		b.reads(body, "")
		b.types("\t" + kb.ArrowRight)
		b.sees("#comment-body-preview", "Nothing to preview")
		b.wait(`document.activeElement.id === "comment-body-preview-tab"`)
		b.click("#comment-form .primary") // the field is required
		b.wait(`document.activeElement.id === "comment-body"`)
	})
	t.Run("Ctrl+Enter saves from the preview, and the next text is to be written", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		b.fills(body, "seen before")
		b.click(preview)
		b.sees("#comment-body-preview", "seen before")
		b.ctrl("Enter", "Enter", 13)
		b.sees("#said .comment", "seen before")
		b.wait(`document.querySelector(%s).checkVisibility() && document.querySelector(%s).value === ""`, body, body)
	})
	t.Run("without a connection the preview says so, and the text is there", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		b.expected = regexp.MustCompile(`ERR_`)
		b.fills(body, "offline")
		b.app.stop()
		b.click(preview)
		b.sees("#comment-body-preview", "cannot be reached")
		b.click(write)
		b.reads(body, "offline")
	})
	t.Run("the dialog of a new ticket leads by Tab from the title to the text, and back to writing for the next",
		func(t *testing.T) {
			t.Parallel()
			b := withBoard(t).tab(t)
			b.open("/acme/boards/NINJA")
			b.types("c")
			b.wait(`document.activeElement.id === "new-title"`)
			b.types("Paint the fins\t")
			b.writes("- red\nblue")
			b.reads("#new-description", "- red\n- blue")
			b.wait(`!document.querySelector("#dialog .nojs")`)
			b.click("#new-description-preview-tab")
			b.sees("#new-description-preview li:nth-child(2)", "blue")
			b.look("editor-dialog")
			b.click("#dialog .primary")
			b.holds("To do", "NINJA-1")
			b.sees("#dialog", "NINJA-1 created")
			b.reads("#new-description", "")
			b.wait(`document.querySelector("#new-description").checkVisibility()`)
		})
	t.Run("a form that comes late keeps the preview that is open", func(t *testing.T) {
		t.Parallel()
		b := withBoard(t).tab(t)
		b.open("/acme/boards/NINJA")
		eval[bool](b, `(() => {
			const real = window.fetch
			window.fetch = (...all) => String(all[0]).includes("/tickets/new") ? new Promise((done) => { window.release = () => done(real(...all)) }) : real(...all)
			return true
		})()`)
		b.types("c")
		b.wait(`document.activeElement.id === "new-title" && !!window.release`)
		b.types("Paint the fins\t")
		b.writes("- red\nblue")
		b.click("#new-description-preview-tab")
		b.sees("#new-description-preview li:nth-child(2)", "blue")
		eval[bool](b, `(document.querySelector("#new-ticket").dataset.early = "", window.release(), true)`)
		b.wait(`!!document.querySelector("#new-ticket:not([data-early])")`)
		b.sees("#new-description-preview li:nth-child(2)", "blue")
		b.wait(`document.activeElement.id === "new-description-preview-tab"`)
		b.reads("#new-title", "Paint the fins")
		b.reads("#new-description", "- red\n- blue")
	})
	t.Run("edits of tickets and comments have it; forms for plain text have not", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One")
		a.post("/acme/NINJA-1/comments", "body", "said")
		b := a.tab(t)
		b.open("/acme/NINJA-1/edit")
		b.wait(`document.querySelectorAll("#edit-description-write + .preview + .tools [data-md-button]").length === 8`)
		b.accessible("an edit with its tools")
		for _, scheme := range []string{"light", "dark"} {
			call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}}})
			b.look("editor-edit-" + scheme)
		}
		b.open("/acme/NINJA-1")
		b.click("#said .comment header a[href$='/edit']")
		b.wait(`document.querySelectorAll("#said .comment .tools [data-md-button]").length === 8`)
		b.look("editor-comment")
		b.open("/acme/boards/NINJA/settings")
		b.wait(`!document.querySelector(".tools")`)
	})
	t.Run("on a phone the tools are targets for a thumb, in one row that scrolls", func(t *testing.T) {
		t.Parallel()
		b := open(t)
		b.fits("/acme/NINJA-1")
		b.size(360, 740, true)
		b.frame()
		b.wait(`(() => {
			const bar = document.querySelector("#comment-form markdown-toolbar")
			const { left, right, height } = bar.getBoundingClientRect()
			return height >= 44 && height < 60 && left >= 0 && right <= 360 && bar.scrollWidth < 360
		})()`)
		b.fills(body, "fins")
		b.selects(body, 0, 4)
		b.tap(tool("bold"))
		b.reads(body, "**fins**")
		b.look("editor-phone")
	})
}
