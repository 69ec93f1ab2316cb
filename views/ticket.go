package views

import (
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
)

func columnName(b boards.Board, column id.Column) string {
	c, _ := b.Column(column)
	return c.Name
}

// leading keeps a first empty line, which HTML drops from a textarea.
func leading(text string) string {
	if text != "" && text[0] == '\n' {
		return "\n" + text
	}
	return text
}

// shorten keeps a title to what a select can show.
func shorten(title string) string {
	const most = 60
	runes := []rune(title)
	if len(runes) <= most {
		return title
	}
	return string(runes[:most-1]) + "…"
}
