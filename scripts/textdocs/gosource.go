package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	shownCalls = []string{"New", "NewField", "Counted", "Count", "Plural"}
	shownKeys  = []string{"Usage", "UsageText", "Description", "Message", "Text", "Label", "Help", "Hint", "Title"}
	unseen     = []string{"fmt.Errorf", "errors.New", "slog", "log", "panic", "regexp"} // for logs and programmers
	talkative  = []string{"views/", "cmd/counterfoil/"}                                 // where any phrase is a text
)

// ofGo returns the texts of a Go file.
func ofGo(name, source string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	c := &collector{counts: isSentence}
	if slices.ContainsFunc(talkative, func(dir string) bool { return strings.HasPrefix(name, dir) }) {
		c.counts = isShown
	}
	c.walk(file)
	return c.texts, nil
}

// collector gathers string literals; what is added to one is a hole in its text.
type collector struct {
	counts func(text string) bool
	texts  []string
}

// isShown reports a text where lower-case phrases and single words are shown.
func isShown(text string) bool { return isPhrase(text) || word.MatchString(text) }

var word = regexp.MustCompile(`^\p{Lu}[\p{Ll}’]+…?[.:]?$`)

// within walks a node with another rule.
func (c *collector) within(n ast.Node, counts func(string) bool) {
	before := c.counts
	c.counts = counts
	c.walk(n)
	c.counts = before
}

func (c *collector) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // a tag is no text
			return false
		case *ast.CallExpr:
			return c.call(n)
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			if ok && slices.Contains(shownKeys, key.Name) && isText(n.Value) {
				c.within(n.Value, func(string) bool { return true })
				return false
			}
		case *ast.BinaryExpr:
			return c.join(n)
		case *ast.BasicLit:
			c.add(literal(n))
		}
		return true
	})
}

// isText reports a literal, or a sum of them: a call may take a name.
func isText(e ast.Expr) bool {
	switch e.(type) {
	case *ast.BasicLit, *ast.BinaryExpr:
		return true
	}
	return false
}

// call walks a call by a rule of its own, if it has one.
func (c *collector) call(n *ast.CallExpr) (goOn bool) {
	pkg, name := calledName(n.Fun)
	if slices.Contains(unseen, pkg) || slices.Contains(unseen, pkg+"."+name) || pkg == "" && slices.Contains(unseen, name) {
		return false
	}
	if !slices.Contains(shownCalls, name) || pkg == "errors" {
		return true
	}
	for _, arg := range n.Args {
		c.within(arg, isShown)
	}
	return false
}

func calledName(fun ast.Expr) (pkg, name string) {
	switch fun := fun.(type) {
	case *ast.Ident:
		return "", fun.Name
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok {
			return x.Name, fun.Sel.Name
		}
		return "", fun.Sel.Name
	}
	return "", ""
}

// join adds the text that a sum of strings makes, and walks what is added to it.
func (c *collector) join(sum *ast.BinaryExpr) (goOn bool) {
	if sum.Op != token.ADD {
		return true
	}
	var text strings.Builder
	var values []ast.Expr
	for _, part := range parts(sum) {
		if lit, ok := part.(*ast.BasicLit); ok {
			text.WriteString(literal(lit))
			continue
		}
		text.WriteString(hole)
		values = append(values, part)
	}
	c.add(text.String())
	for _, value := range values {
		c.walk(value)
	}
	return false
}

func parts(e ast.Expr) []ast.Expr {
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		return append(parts(sum.X), parts(sum.Y)...)
	}
	return []ast.Expr{e}
}

var verbs = regexp.MustCompile(`%[-+#0]*(\[\d+\])?[\d*]*(\.[\d*]+)?[a-zA-Z]`)

// literal returns a string with its verbs of fmt as holes.
func literal(n *ast.BasicLit) string {
	if n.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(n.Value)
	return strings.ReplaceAll(verbs.ReplaceAllString(text, hole), "%%", "%")
}

func (c *collector) add(text string) {
	if c.counts(text) {
		c.texts = append(c.texts, text)
	}
}
