package markup

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Limits of a text, beyond which it is shown as plain text. The parser's work grows with the square of these, and a
// table's HTML with its columns times its rows, however short the rows are: without limits a text of 13 kB makes 12 MB
// of HTML, and one of 64 kB keeps a processor busy for minutes.
const (
	maxNesting  = 50     // quotes and lists within one another
	maxIndent   = 200    // columns of white space before a line
	maxCells    = 20_000 // columns times rows of a table
	maxBrackets = 2_000  // [ and (
	maxMarks    = 8_000  // * _ ~ ` <
	maxNames    = 16_384 // bytes of the names of marked members
)

// swells reports whether the links of a parsed text have far more bytes than its source, as when one long address is
// defined once and used a thousand times: 64 kB would make 60 MB of HTML.
func swells(doc ast.Node, source int) bool {
	room := 4*source + 4096
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if _, ours := n.AttributeString("class"); !ours {
				room -= len(n.Destination) + len(n.Title)
			}
		case *ast.Image:
			room -= len(n.Destination) + len(n.Title)
		}
		if room < 0 {
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return room < 0
}

// plain is a text as it was typed.
func plain(source string) string {
	return "<pre tabindex=\"0\">" + html.EscapeString(source) + "</pre>"
}

// tooCostly reports whether a text would take the parser too long.
func tooCostly(source string) bool {
	if count(source, "[(") > maxBrackets || count(source, "*_~`<") > maxMarks {
		return true
	}
	columns, rows := 0, 0 // of a possible table: lines up to a blank one, after a possible row of delimiters
	for line := range strings.Lines(source) {
		if nestingDepth(line) > maxNesting || indent(line) > maxIndent {
			return true
		}
		if strings.TrimSpace(line) == "" {
			columns, rows = 0, 0
			continue
		}
		if strings.Contains(line, "|") && strings.Contains(line, "-") {
			columns = max(columns, strings.Count(line, "|")+1)
		}
		if columns > 0 {
			rows++
		}
		if columns*rows > maxCells {
			return true
		}
	}
	return false
}

func count(s, chars string) int {
	n := 0
	for i := range len(s) {
		if strings.IndexByte(chars, s[i]) >= 0 {
			n++
		}
	}
	return n
}

func indent(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return 0 // a blank line
}

// nestingDepth counts the marks of quotes and list items at a line's beginning.
func nestingDepth(line string) int {
	depth := 0
	for {
		line = strings.TrimLeft(line, " \t")
		rest := strings.TrimLeft(line, "0123456789")
		switch {
		case strings.HasPrefix(line, ">"):
			line = line[1:]
		case len(rest) < len(line) && isMark(rest, ".)"), len(rest) == len(line) && isMark(line, "-+*"):
			line = rest[1:]
		default:
			return depth
		}
		depth++
	}
}

// isMark reports whether s begins with one of chars and white space.
func isMark(s, chars string) bool {
	return len(s) > 1 && strings.IndexByte(chars, s[0]) >= 0 && strings.IndexByte(" \t\r\n", s[1]) >= 0
}
