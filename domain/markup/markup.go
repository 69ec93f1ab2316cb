// Package markup turns Markdown into safe HTML, with ticket keys as links and members marked. Start at Render.
package markup

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Linker returns the URL path of the ticket with a key, or "" if there is none. Keys are in upper case as written,
// such as NINJA-42.
type Linker func(key string) string

// Render returns Markdown (GitHub's flavour) as HTML with allowed tags and attributes only: no script, style, form or
// frame. Links to other sites carry rel="nofollow noreferrer". Handles such as @ana are marked if people has a name
// for them. An image with a small copy is shown by that, as a link to the whole one. One of another host is shown only by
// its picture here, else as a link; pictures may be nil. A text that would take long is shown as plain text.
func Render(source string, link Linker, members Namer, pictures Pictures) (string, error) {
	html, typed, err := render(source, link, members, pictures)
	if typed {
		return plain(source), nil
	}
	return html, err
}

// AsTyped reports whether Render shows a text as plain text, and returns its error, whatever the references are.
func AsTyped(source string) (bool, error) {
	_, typed, err := render(source, func(key string) string { return "/" + key },
		func(handle string) string { return handle }, nil)
	return typed, err
}

func render(source string, link Linker, members Namer, pictures Pictures) (_ string, typed bool, err error) {
	if tooCostly(source) {
		return "", true, nil
	}
	doc := parse(source, &references{link: link, members: members, pictures: pictures, room: maxNames})
	if swells(doc, len(source)) {
		return "", true, nil
	}
	var html bytes.Buffer
	if err := markdown.Renderer().Render(&html, []byte(source), doc); err != nil {
		return "", false, fmt.Errorf("render markdown: %w", err)
	}
	return accessible.Replace(policy.SanitizeReader(&html).String()), false, nil
}

// markdown is shared by all texts: making one costs more than parsing most texts. References come with the context of
// a parse.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(refer{}, 500))),
)

var referencesKey = parser.NewContextKey()

func parse(source string, refs *references) ast.Node {
	with := parser.NewContext()
	with.Set(referencesKey, refs)
	return markdown.Parser().Parse(text.NewReader([]byte(source)), parser.WithContext(with))
}

// refer marks the references of a parse in its document.
type refer struct{}

func (refer) Transform(doc *ast.Document, reader text.Reader, with parser.Context) {
	if refs, ok := with.Get(referencesKey).(*references); ok {
		refs.mark(doc, reader.Source())
		refs.place(doc, reader.Source())
		refs.placeFiles(doc)
	}
}

// accessible adds what goldmark leaves out: a name for the boxes of a task list, and keyboard scrolling for wide code
// and tables. In sanitised HTML these strings are always tags.
var accessible = strings.NewReplacer(
	`<input checked="" disabled="" type="checkbox">`, checkedBox, `<input disabled="" type="checkbox">`, uncheckedBox,
	`<pre>`, `<pre tabindex="0">`, `<table>`, `<table tabindex="0">`,
)

var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(key|picture|file|language-[a-zA-Z0-9+#-]+)$`)).OnElements("a", "code")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^mention$`)).OnElements("span")
	p.AllowAttrs("title").OnElements("span") // any name
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")
	p.RequireNoFollowOnLinks(false)
	p.RequireNoFollowOnFullyQualifiedLinks(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	return p
}

// Span is a part of a line of text. Path is its link, "" for plain text.
type Span struct{ Text, Path string }

// Spans splits a line of plain text at its keys.
func Spans(line string, link Linker) []Span {
	var spans []Span
	rest := 0
	for _, at := range keysIn([]byte(line)) {
		path := link(line[at[0]:at[1]])
		if path == "" {
			continue
		}
		if at[0] > rest {
			spans = append(spans, Span{Text: line[rest:at[0]]})
		}
		spans = append(spans, Span{Text: line[at[0]:at[1]], Path: path})
		rest = at[1]
	}
	if rest < len(line) {
		spans = append(spans, Span{Text: line[rest:]})
	}
	return spans
}

var keyForm = regexp.MustCompile(`\b[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,18}\b`)

// references links the keys in a text and marks members, except in code and links.
type references struct {
	link     Linker
	members  Namer
	pictures Pictures
	room     int // for names, in bytes; when it is used up no more members are marked
}

func (r *references) mark(doc *ast.Document, source []byte) {
	var texts []*ast.Text
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link, *ast.AutoLink, *ast.CodeSpan, *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			texts = append(texts, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range texts {
		r.split(n, source)
	}
}

// split replaces each key of a text by a link, and each handle by a mark.
func (r *references) split(n *ast.Text, source []byte) {
	parent, segment := n.Parent(), n.Segment
	rest := segment.Start
	put := func(at refSpan, node ast.Node) {
		if at.start > rest {
			parent.InsertBefore(parent, n, ast.NewTextSegment(text.NewSegment(rest, at.start)))
		}
		parent.InsertBefore(parent, n, node)
		rest = at.stop
	}
	for _, at := range r.in(source, segment) {
		if at.start < rest {
			continue
		}
		word := source[at.start:at.stop]
		if word[0] == '@' {
			if name := r.members(strings.ToLower(string(word[1:]))); name != "" && r.room >= len(name) {
				r.room -= len(name)
				put(at, mention(word, name))
			}
		} else if path := r.link(string(word)); path != "" {
			anchor := ast.NewLink()
			anchor.Destination = []byte(path)
			anchor.SetAttributeString("class", []byte("key"))
			anchor.AppendChild(anchor, ast.NewTextSegment(text.NewSegment(at.start, at.stop)))
			put(at, anchor)
		}
	}
	n.Segment = segment.WithStart(rest)
}

// in returns the keys and handles in a segment, in their order.
func (r *references) in(source []byte, segment text.Segment) []refSpan {
	list := handlesIn(source, segment.Start, segment.Stop)
	for _, at := range keysIn(segment.Value(source)) {
		list = append(list, refSpan{segment.Start + at[0], segment.Start + at[1]})
	}
	slices.SortFunc(list, func(a, b refSpan) int { return a.start - b.start })
	return list
}

// slugForm is looser than keyForm: markup may surround a key, as in _NINJA-42_.
var slugForm = regexp.MustCompile(`([A-Z][A-Z0-9]{1,9})-[1-9]`)

// Boards returns the slugs of possible keys in a text, each once: more than Render asks for.
func Boards(source string) []string {
	var slugs []string
	for _, match := range slugForm.FindAllStringSubmatch(source, -1) {
		if !slices.Contains(slugs, match[1]) {
			slugs = append(slugs, match[1])
		}
	}
	return slugs
}

// looseKey is to keyForm as slugForm is.
var looseKey = regexp.MustCompile(`[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,18}`)

// Keys returns possible keys in a text: more than Render asks for.
func Keys(source string) []string { return looseKey.FindAllString(source, -1) }

// KeysOf returns the keys in a line of plain text, as Spans links them.
func KeysOf(line string) (keys []string) {
	for _, at := range keysIn([]byte(line)) {
		keys = append(keys, line[at[0]:at[1]])
	}
	return keys
}

// KeysIn returns the keys in a text, as Render links them: not those in code, in links, or of a text that is shown as it
// was typed.
func KeysIn(source string) (keys []string) {
	if !looseKey.MatchString(source) || tooCostly(source) {
		return nil
	}
	doc := parse(source, &references{
		link:    func(key string) string { keys = append(keys, key); return "" },
		members: func(string) string { return "" },
	})
	if swells(doc, len(source)) {
		return nil
	}
	return keys
}

// keysIn returns where keys begin and end. Keys that a hyphen or slash ties to more are left out: X-NINJA-42,
// NINJA-42-B, a path.
func keysIn(text []byte) [][]int {
	tied := func(b byte) bool { return b == '-' || b == '/' || b == '_' || b >= 0x80 }
	return slices.DeleteFunc(keyForm.FindAllIndex(text, -1), func(at []int) bool {
		return at[0] > 0 && tied(text[at[0]-1]) || at[1] < len(text) && tied(text[at[1]])
	})
}
