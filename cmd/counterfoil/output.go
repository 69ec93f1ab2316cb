package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/counterfoil/counterfoil/views"
)

// table writes rows in columns.
func table(env environment, head string, rows [][]string) error {
	w := tabwriter.NewWriter(env.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, strings.ReplaceAll(head, " ", "\t"))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// oneLine is a text that cannot break a table or send commands to the terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}

func digits[T ~uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

func thousands(n uint64) string { return views.Thousands(int64(n)) }

// indented sets a text of several lines off from the lines around it, without commands to the terminal.
func indented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = "  " + strings.TrimRight(oneLine(line), " ")
	}
	return strings.Join(lines, "\n")
}

func cutTo(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}
