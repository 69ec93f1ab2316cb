// Package markup turns Markdown into HTML that is safe to show, with ticket keys as links.
package markup

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Linker returns the URL path of the ticket with that key, or "" where the text is none. Keys are
// given in upper case as they were written, such as NINJA-42.
type Linker func(key string) string

// Render returns Markdown (GitHub's flavour) as HTML of the tags and attributes that a text needs
// and no other: no script, style, form or frame gets through. Links to other sites carry
// rel="nofollow noreferrer".
func Render(source string, link Linker) (string, error) {
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(keyLinks{link}, 500))),
	)
	var html bytes.Buffer
	if err := markdown.Convert([]byte(source), &html); err != nil {
		return "", fmt.Errorf("render markdown: %w", err)
	}
	return accessible.Replace(policy.SanitizeReader(&html).String()), nil
}

// accessible adds what goldmark leaves out: a name for the boxes of a task list, and a way to scroll
// wide code with the keyboard. In sanitised HTML these strings are tags and nothing else.
var accessible = strings.NewReplacer(
	`<input checked="" disabled="" type="checkbox">`, `<input checked="" disabled="" type="checkbox" aria-label="done">`,
	`<input disabled="" type="checkbox">`, `<input disabled="" type="checkbox" aria-label="not done">`,
	`<pre>`, `<pre tabindex="0">`,
)

var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(key|language-[a-zA-Z0-9+#-]+)$`)).OnElements("a", "code")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")
	p.RequireNoFollowOnLinks(false)
	p.RequireNoFollowOnFullyQualifiedLinks(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	return p
}

var keyForm = regexp.MustCompile(`\b[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,18}\b`)

// keyLinks makes links of the keys in text, but not in code or within a link.
type keyLinks struct{ link Linker }

func (k keyLinks) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
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
		k.split(n, reader.Source())
	}
}

// split puts a link in the place of each key of a text.
func (k keyLinks) split(n *ast.Text, source []byte) {
	parent, segment := n.Parent(), n.Segment
	rest := segment.Start
	for _, at := range keyForm.FindAllIndex(segment.Value(source), -1) {
		start, stop := segment.Start+at[0], segment.Start+at[1]
		if withinWord(source, start, stop, segment) {
			continue
		}
		path := k.link(string(source[start:stop]))
		if path == "" {
			continue
		}
		if start > rest {
			parent.InsertBefore(parent, n, ast.NewTextSegment(text.NewSegment(rest, start)))
		}
		anchor := ast.NewLink()
		anchor.Destination = []byte(path)
		anchor.SetAttributeString("class", []byte("key"))
		anchor.AppendChild(anchor, ast.NewTextSegment(text.NewSegment(start, stop)))
		parent.InsertBefore(parent, n, anchor)
		rest = stop
	}
	n.Segment = segment.WithStart(rest)
}

// withinWord reports whether a hyphen or slash ties the key to more: X-NINJA-42, NINJA-42-B, a path.
func withinWord(source []byte, start, stop int, segment text.Segment) bool {
	tied := func(b byte) bool { return b == '-' || b == '/' || b == '_' || b >= 0x80 }
	return start > segment.Start && tied(source[start-1]) || stop < segment.Stop && tied(source[stop])
}
