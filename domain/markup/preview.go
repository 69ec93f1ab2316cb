package markup

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Preview returns the text of Markdown in one line, without its marks. A text that Render shows as
// plain text keeps them.
func Preview(source string) string {
	if tooCostly(source) {
		return strings.Join(strings.Fields(source), " ")
	}
	bytes := []byte(source)
	var words strings.Builder
	doc := markdown.Parser().Parse(text.NewReader(bytes))
	_ = ast.Walk(doc, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor has no error
		if node.Type() == ast.TypeBlock {
			words.WriteByte(' ')
		}
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := node.(type) {
		case *ast.Text:
			words.WriteString(unescaped(n, bytes))
			if n.SoftLineBreak() || n.HardLineBreak() {
				words.WriteByte(' ')
			}
		case *ast.AutoLink:
			words.Write(n.Label(bytes))
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			words.Write(n.Lines().Value(bytes))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(words.String()), " ")
}

// unescaped resolves backslashes and entities, which the parser leaves to the renderer.
func unescaped(n *ast.Text, source []byte) string {
	if _, code := n.Parent().(*ast.CodeSpan); code || n.IsRaw() {
		return string(n.Value(source))
	}
	return html.UnescapeString(string(util.UnescapePunctuations(n.Value(source))))
}
