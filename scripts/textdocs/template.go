package main

import (
	"go/ast"
	goparser "go/parser"
	"slices"
	"strings"

	"github.com/a-h/templ/parser/v2"
)

var (
	shownAttributes = []string{"title", "placeholder", "aria-label", "aria-description", "alt", "label", "hx-confirm",
		"data-confirm", "data-count", "data-label"}
	// inline elements are a part of the sentence around them; so are links within a paragraph.
	inline = []string{"b", "bdi", "code", "em", "i", "kbd", "mark", "relative-time", "small", "strong", "time"}
	prose  = []string{"p", "h1", "h2", "h3", "li", "td", "dd", "label", "summary", "legend"}
)

// ofTemplate returns the texts of a template and of the Go code in it.
func ofTemplate(name, source string) ([]string, error) {
	file, err := parser.ParseString(source)
	if err != nil {
		return nil, err
	}
	t := &template{}
	for _, node := range file.Nodes {
		switch node := node.(type) {
		case *parser.HTMLTemplate:
			t.nodes(node.Children, false)
			t.end()
		case *parser.TemplateFileGoExpression:
			texts, err := ofGo(name, "package p\n"+node.Expression.Value)
			if err == nil { // an import or a comment may be no file of its own
				t.texts = append(t.texts, texts...)
			}
		}
	}
	return t.texts, nil
}

// template gathers texts; line is the one that goes on.
type template struct {
	line  strings.Builder
	texts []string
}

// end ends the line.
func (t *template) end() {
	t.texts = append(t.texts, t.line.String())
	t.line.Reset()
}

// nodes reads nodes; inProse says that a link is a part of the sentence around it.
func (t *template) nodes(nodes []parser.Node, inProse bool) {
	for _, node := range nodes {
		t.node(node, inProse)
	}
}

func (t *template) node(node parser.Node, inProse bool) {
	switch node := node.(type) {
	case *parser.Text:
		t.line.WriteString(node.Value)
	case *parser.Whitespace:
		t.line.WriteString(" ")
	case *parser.StringExpression:
		t.expression(node.Expression.Value, true)
	case *parser.Element:
		t.element(node, inProse)
	case *parser.TemplElementExpression:
		t.expression(node.Expression.Value, false)
		t.branch(node.Children, inProse)
	case *parser.CallTemplateExpression:
		t.expression(node.Expression.Value, false)
	case *parser.GoCode:
		t.statements(node.Expression.Value)
	case *parser.IfExpression:
		t.branch(node.Then, inProse)
		for _, other := range node.ElseIfs {
			t.branch(other.Then, inProse)
		}
		t.branch(node.Else, inProse)
	case *parser.SwitchExpression:
		for _, one := range node.Cases {
			t.branch(one.Children, inProse)
		}
	case *parser.ForExpression:
		t.branch(node.Children, inProse)
	}
	if spaced, ok := node.(parser.WhitespaceTrailer); ok && spaced.Trailing() != parser.SpaceNone {
		t.line.WriteString(" ")
	}
}

// branch reads nodes that may be left out.
func (t *template) branch(nodes []parser.Node, inProse bool) {
	t.end()
	t.nodes(nodes, inProse)
	t.end()
}

func (t *template) element(e *parser.Element, inProse bool) {
	within := slices.Contains(inline, e.Name) || inProse && (e.Name == "a" || e.Name == "span")
	if !within {
		t.end()
	}
	t.attributes(e.Attributes)
	t.nodes(e.Children, within && inProse || slices.Contains(prose, e.Name))
	if !within {
		t.end()
	}
}

func (t *template) attributes(list []parser.Attribute) {
	for _, a := range list {
		switch a := a.(type) {
		case *parser.ConstantAttribute:
			if isShownAttribute(a.Key) {
				t.texts = append(t.texts, a.Value)
			}
		case *parser.ExpressionAttribute:
			if isShownAttribute(a.Key) {
				t.expression(a.Expression.Value, false)
			}
		case *parser.ConditionalAttribute:
			t.attributes(a.Then)
			t.attributes(a.Else)
		}
	}
}

func isShownAttribute(key parser.AttributeKey) bool {
	return slices.Contains(shownAttributes, key.String())
}

// statements reads the literals of Go code.
func (t *template) statements(source string) {
	texts, err := ofGo("views/", "package p\nfunc _() {\n"+source+"\n}")
	if err == nil { // what is no whole statement says nothing
		t.texts = append(t.texts, texts...)
	}
}

// expression reads the literals of a Go expression; one within a line is a hole in it.
func (t *template) expression(source string, within bool) {
	e, err := goparser.ParseExpr(source)
	if err != nil {
		return
	}
	if lit, ok := e.(*ast.BasicLit); ok && within {
		t.line.WriteString(literal(lit))
		return
	}
	if within {
		t.line.WriteString(hole)
	}
	c := &collector{counts: isShown}
	c.walk(e)
	t.texts = append(t.texts, c.texts...)
}
