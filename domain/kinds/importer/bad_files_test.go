package importer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// Wrong files for each migration that takes one: either the file is refused with a reason, or its bad rows are
// rejected by line and the others are taken.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	e := newEnv(t, apptest.Files(t))
	utf16 := func(order unicode.Endianness) func(string) string {
		return func(text string) string {
			return domaintest.OK(unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(text))(t)
		}
	}
	latin := func(text string) string {
		return domaintest.OK(charmap.Windows1252.NewEncoder().String(text))(t)
	}
	// In a file, # is a number that the last one did not have.
	numbered := func(text string) string {
		var b strings.Builder
		for n, part := range strings.Split(text, "#") {
			if n > 0 {
				fmt.Fprint(&b, n)
			}
			b.WriteString(part)
		}
		return b.String()
	}
	for _, kind := range []struct {
		name, first, row string // the header's first column, and a row of it
		values           migrations.Values
	}{
		{"import-tickets", "title", "Größe #", migrations.Values{"company": "acme", "board": "DEMO",
			"author": "ana@example.com"}},
		{"download-images", "url", "https://example.com/#.png", migrations.Values{"company": "acme", "source": "file"}},
	} {
		head, row := kind.first+",Größe\n", kind.row+",ß\n"
		good := head + row + row
		for _, c := range []struct {
			name, file string
			encode     func(string) string
			values     []string
			tasks      int
			rejected   []uint64 // lines
			refused    string
		}{
			{name: "a good file", file: good, tasks: 2},
			{name: "a byte order mark", file: "\ufeff" + good, tasks: 2},
			{name: "UTF-16, little end first", file: good, encode: utf16(unicode.LittleEndian), tasks: 2},
			{name: "UTF-16, big end first", file: good, encode: utf16(unicode.BigEndian), tasks: 2},
			{name: "UTF-16 without a mark", file: good,
				encode: func(s string) string { return utf16(unicode.LittleEndian)(s)[2:] }, refused: "UTF-16"},
			{name: "Latin-1", file: good, encode: latin, refused: "choose the encoding Windows-1252"},
			{name: "Latin-1, as it says", file: good, encode: latin, values: []string{"encoding", csvfile.EncodingWindows},
				tasks: 2},
			{name: "one row of Latin-1 far down", file: head + strings.Repeat(row, 5000) + "gr\xfc\xdfe,1\n" + row, tasks: 5001,
				rejected: []uint64{5002}},
			{name: "nothing", file: "", refused: "empty"},
			{name: "empty lines", file: "\n\r\n\n", refused: "empty"},
			{name: "no rows", file: head, refused: "no rows"},
			{name: "other columns", file: "neither,nor\n1,2\n", refused: "neither, nor"},
			{name: "a workbook", file: "PK\x03\x04whatever", refused: "workbook"},
			{name: "a picture", file: "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + strings.Repeat("\x00\x01\xfe\x90", 100),
				refused: "does not look like a CSV file"},
			{name: "more columns than can be", file: kind.first + strings.Repeat(",", csvfile.MaxColumns) + "\n",
				refused: "5001 columns"},
			{name: "a header without end", file: strings.Repeat("a", 2*csvfile.MaxRow), refused: "first row"},
			{name: "a quote that is never closed", file: head + row + "\"x,1\n" + row, tasks: 2, rejected: []uint64{3}},
			{name: "a quote within a field", file: head + "x\"y,1\n" + row, tasks: 1, rejected: []uint64{2}},
			{name: "text after a quote", file: head + "\"x\"y,1\n" + row, tasks: 1, rejected: []uint64{2}},
			{name: "a field far too large", file: head + row + strings.Repeat("x", 3*csvfile.MaxRow) + ",1\n" + row, tasks: 2,
				rejected: []uint64{3}},
			{name: "a quoted field far too large", file: head + row + "\"" + strings.Repeat("x", 3*csvfile.MaxRow) + "\",1\n" +
				row, tasks: 2, rejected: []uint64{3}},
			{name: "too few and too many fields", file: head + "x\nx,1,2\n" + row, tasks: 1, rejected: []uint64{2, 3}},
			{name: "a NUL byte", file: head + "x,\x00\n" + row, tasks: 1, rejected: []uint64{2}},
			{name: "no good row", file: head + "x\n,\n\"\n", rejected: []uint64{2, 3, 4}},
		} {
			t.Run(kind.name+": "+c.name, func(t *testing.T) {
				t.Parallel()
				file := numbered(c.file)
				if c.encode != nil {
					file = c.encode(file)
				}
				into := e.newImport(t, file, c.values...)
				for name, value := range kind.values {
					into.values[name] = value
				}
				err := e.Migration(t, kind.name).Fill(context.Background(), into)
				if c.refused != "" {
					if !errors.Is(err, csvfile.CodeBadFile) || !strings.Contains(err.Error(), c.refused) ||
						len(into.tasks)+len(into.rejected) > 0 {
						t.Errorf("%v; %d tasks, %d rejected", err, len(into.tasks), len(into.rejected))
					}
					return
				}
				var lines []uint64
				for _, r := range into.rejected {
					lines = append(lines, r.Line)
					if r.Reason == "" {
						t.Errorf("line %d is rejected without a reason", r.Line)
					}
				}
				if err != nil || len(into.tasks) != c.tasks || !slices.Equal(lines, c.rejected) {
					t.Errorf("%v; %d tasks, lines %d are rejected: %+v", err, len(into.tasks), lines, into.rejected)
				}
			})
		}
	}
}
