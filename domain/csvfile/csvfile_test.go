package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
)

// readCSV returns the rows of a file as "line: fields" and "line! reason".
func readCSV(t *testing.T, file string, options Options) (columns []string, rows []string) {
	t.Helper()
	c := domaintest.OK(Open(strings.NewReader(file), options))(t)
	return c.Columns, drain(t, c)
}

func drain(t *testing.T, c *File) (rows []string) {
	t.Helper()
	for {
		row, err := c.Next()
		var bad BadRow
		switch {
		case errors.Is(err, io.EOF):
			return rows
		case errors.As(err, &bad):
			rows = append(rows, fmt.Sprintf("%d! %s", bad.Line, bad.Reason))
		case err != nil:
			t.Fatal(err)
		default:
			rows = append(rows, fmt.Sprintf("%d: %s", row.Line, strings.Join(row.Fields, "|")))
		}
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 3*MaxRow)
	for _, c := range []struct {
		name, file string
		columns    []string
		rows       []string
	}{
		{"commas", "a,b\n1,2\n", []string{"a", "b"}, []string{"2: 1|2"}},
		{"semicolons, with commas in fields", "a;b,c;d\n1;2,3;4\n", []string{"a", "b,c", "d"}, []string{"2: 1|2,3|4"}},
		{"tabs", "a\tb\n1\t2\n", []string{"a", "b"}, []string{"2: 1|2"}},
		{"separators in a quoted name are not counted", "\"a;;;;\",b\n1,2\n", []string{"a;;;;", "b"}, []string{"2: 1|2"}},
		{"a separator that the file states", "sep=;\r\na;b\r\n1;2", []string{"a", "b"}, []string{"3: 1|2"}},
		{"a byte order mark is no part of the first name", "\ufeffa,b\n1,2\n", []string{"a", "b"}, []string{"2: 1|2"}},
		{"a byte order mark before a quoted name", "\ufeff\"a\",b\n1,2\n", []string{"a", "b"}, []string{"2: 1|2"}},
		{"CRLF", "a,b\r\n1,2\r\n\"3\",\"4\"\r\n", []string{"a", "b"}, []string{"2: 1|2", "3: 3|4"}},
		{"CR", "a,b\r1,2\r\"3\r3\",4\r5,6", []string{"a", "b"}, []string{"2: 1|2", "3: 3\n3|4", "5: 5|6"}},
		{"LF in a file of CR ends a row, too", "a,b\r1,2\n3,4\r", []string{"a", "b"}, []string{"2: 1|2", "3: 3|4"}},
		{"no line break at the end", "a,b\n1,2", []string{"a", "b"}, []string{"2: 1|2"}},
		{"line breaks in quotes", "a,b\n\"1\n1\r\n1\",2\n3,4\n", []string{"a", "b"}, []string{"2: 1\n1\n1|2", "5: 3|4"}},
		{"quotes in quotes", "a,b\n\"1 \"\"one\"\"\",\"\"\"\"\n", []string{"a", "b"}, []string{"2: 1 \"one\"|\""}},
		{"names that repeat, or are missing", "Comment, Comment ,,\n1,2,3,4\n",
			[]string{"Comment", "Comment", "Column 3", "Column 4"}, []string{"2: 1|2|3|4"}},
		{"empty lines are no rows", "\n\na,b\n\n1,2\n\r\n3,4\n\n", []string{"a", "b"}, []string{"5: 1|2", "7: 3|4"}},
		{"header only", "a,b\n", []string{"a", "b"}, nil},
		{"one column", "a\n1\n2\n", []string{"a"}, []string{"2: 1", "3: 2"}},
		{"emoji, HTML and SQL are text", "a,b\n👩‍🚀,<script>alert('x')</script>'; DROP TABLE ticket; --\n", []string{"a", "b"},
			[]string{"2: 👩‍🚀|<script>alert('x')</script>'; DROP TABLE ticket; --"}},
		{
			"too few and too many fields", "a,b\n1\n1,2,3\n1,2\n", []string{"a", "b"},
			[]string{"2! The row has 1 fields, the header 2.", "3! The row has 3 fields, the header 2.", "4: 1|2"},
		},
		{"a NUL byte", "a,b\n1,\x00\n3,4\n", []string{"a", "b"}, []string{"2! The row has a NUL byte, which is not allowed.",
			"3: 3|4"}},
		{"text after a quoted field", "a,b\n\"1\"x,2\n3,4\n", []string{"a", "b"}, []string{"2! " + afterQuoted, "3: 3|4"}},
		{"a quote within a field", "a,b\n1\"x,2\n3,4\n", []string{"a", "b"}, []string{"2! " + strayQuote, "3: 3|4"}},
		{"a quote before a quoted row", "a,b\n1,\"2\n\"3\",4\n5,6\n", []string{"a", "b"},
			[]string{"2! " + afterQuoted, "3: 3|4", "4: 5|6"}},
		{"a quote that is never closed", "a,b\n1,\"2\n3,4\n5,6\n", []string{"a", "b"},
			[]string{"2! " + openQuote, "3: 3|4", "4: 5|6"}},
		{"a quote that is never closed, on the last line", "a,b\n1,2\n3,\"4", []string{"a", "b"},
			[]string{"2: 1|2", "3! " + openQuote}},
		{
			"a quote that is not closed within 1 MiB", "a,b\n1,\"2\n" + strings.Repeat("3,4\n", MaxRow/4+10), []string{"a", "b"},
			append([]string{"2! " + openQuote}, numberedRows(3, MaxRow/4+10, "3|4")...),
		},
		{"a row without end", "a,b\n1,2\n" + huge + "\n3,4\n", []string{"a", "b"},
			[]string{"2: 1|2", "3! " + tooLong, "4: 3|4"}},
		{"a quoted row without end", "a,b\n\"" + huge + "\n3,4\n", []string{"a", "b"}, []string{"2! " + openQuote, "3: 3|4"}},
		{"a line without end that ends the file", "a,b\n1,2\n" + huge, []string{"a", "b"},
			[]string{"2: 1|2", "3! " + tooLong}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			columns, rows := readCSV(t, c.file, Options{})
			if !slices.Equal(columns, c.columns) {
				t.Errorf("columns %q, want %q", columns, c.columns)
			}
			if !slices.Equal(rows, c.rows) {
				t.Errorf("rows %.300q, want %.300q", rows, c.rows)
			}
		})
	}
}

func numberedRows(from, n int, fields string) (rows []string) {
	for i := range n {
		rows = append(rows, fmt.Sprintf("%d: %s", from+i, fields))
	}
	return rows
}

func TestOpen_encodings(t *testing.T) {
	t.Parallel()
	text := "Titel,b\nGrüße — “naïve” €,2\n" + strings.Repeat("äöü,ß\n", 20_000)
	encode := func(e interface{ String(string) (string, error) }) string {
		return domaintest.OK(e.String(text))(t)
	}
	_, want := readCSV(t, text, Options{})
	windows := encode(charmap.Windows1252.NewEncoder())
	for name, file := range map[string]string{
		"UTF-8 with a mark": "\ufeff" + text,
		"UTF-16 LE":         encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()),
		"UTF-16 BE":         encode(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder()),
		"Windows-1252":      windows,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			columns, rows := readCSV(t, file, Options{Encoding: EncodingWindows}) // a mark says more than an option
			if columns[0] != "Titel" || !slices.Equal(rows, want) {
				t.Errorf("got %q %.200q", columns, rows)
			}
		})
	}
	t.Run("other files are refused with what to do", func(t *testing.T) {
		t.Parallel()
		_, err := Open(strings.NewReader(windows), Options{})
		if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "Windows-1252") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a row that is not UTF-8 far down is rejected alone", func(t *testing.T) {
		t.Parallel()
		rows := strings.Repeat("a,b\n", 50_000)
		_, got := readCSV(t, rows+"gr\xfc\xdfe,2\n3,4\n", Options{})
		if n := len(got); n != 50_001 || got[n-2] != "50001! The row is not UTF-8. "+notUTF8 || got[n-1] != "50002: 3|4" {
			t.Errorf("got %d rows, %q", n, got[n-2:])
		}
	})
	t.Run("a sample that ends within a character is UTF-8", func(t *testing.T) {
		t.Parallel()
		for shift := range 4 {
			_, rows := readCSV(t, "a\n"+strings.Repeat("x", sampleSize-4+shift)+"\n", Options{})
			_, rows2 := readCSV(t, "a\n"+strings.Repeat("x", sampleSize-5+shift)+"😀\n", Options{})
			if len(rows) != 1 || len(rows2) != 1 {
				t.Errorf("shift %d: %d and %d rows", shift, len(rows), len(rows2))
			}
		}
	})
}

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, says string }{
		"an empty file":             {"", "empty"},
		"a file of empty lines":     {"\n\r\n\n", "empty"},
		"only a mark":               {"\ufeff", "empty"},
		"a workbook":                {"PK\x03\x04whatever", "workbook"},
		"an old workbook":           {"\xd0\xcf\x11\xe0\xa1\xb1", "workbook"},
		"a picture":                 {string(outboundtest.Picture(7, "x.png")), "does not look like a CSV file"},
		"a photograph":              {string(outboundtest.Picture(7, "x.jpg")), "does not look like a CSV file"},
		"a moving picture":          {string(outboundtest.Picture(7, "x.gif")), "does not look like a CSV file"},
		"another binary file":       {strings.Repeat("\x03\xfe\x90a\x1cz", 20_000), "does not look like a CSV file"},
		"a program":                 {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00\x00\x00\x9f\x00\x03\x00\x00\x00\x00\xf0", 500), "does not look like a CSV file"},
		"UTF-16 of more than ASCII": {strings.Repeat("a\x00,\x00\x41\x04\xfc\x00\n\x00", 500), "UTF-16"},
		"text in another encoding":  {"BM,Gr\xf6\xdfe\n1,2\n", "not UTF-8"},
		"UTF-16 without a mark":     {"a\x00,\x00b\x00\n\x00", "UTF-16"},
		"a broken header":           {"a,\"b\n1,2\n", "first row"},
		"a header without end":      {strings.Repeat("a", 2*MaxRow), "first row"},
		"a header with NUL bytes":   {"abcdefgh,\x00\n1,2\n", "first row"},
		"more columns than can be":  {strings.Repeat(",", MaxColumns) + "\n", "5001 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(strings.NewReader(c.file), Options{})
			if !errors.Is(err, CodeBadFile) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestOpen_without_a_header(t *testing.T) {
	t.Parallel()
	isHeader := func(first []string) bool { return !strings.HasPrefix(first[0], "http") }
	columns, rows := readCSV(t, "https://a,1\nhttps://b,2\n", Options{Header: isHeader})
	if !slices.Equal(columns, []string{"Column 1", "Column 2"}) ||
		!slices.Equal(rows, []string{"1: https://a|1", "2: https://b|2"}) {
		t.Errorf("got %q %q", columns, rows)
	}
	columns, rows = readCSV(t, "url,n\nhttps://b,2\n", Options{Header: isHeader})
	if !slices.Equal(columns, []string{"url", "n"}) || !slices.Equal(rows, []string{"2: https://b|2"}) {
		t.Errorf("got %q %q", columns, rows)
	}
}

func TestOpen_says_that_reading_failed(t *testing.T) {
	t.Parallel()
	broken := errors.New("the store is away")
	c, err := Open(io.MultiReader(strings.NewReader("a,b\n"+strings.Repeat("1,2\n", 100_000)+"3"),
		iotest.ErrReader(broken)), Options{})
	domaintest.Must(t, err)
	for err == nil {
		_, err = c.Next()
	}
	if !errors.Is(err, broken) || errors.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	if _, err := Open(iotest.ErrReader(broken), Options{}); !errors.Is(err, broken) || errors.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
}

// A file that is read in pieces from any of its cursors gives the same rows as one that is read at once.
func TestOpen_resumes_after_any_row(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		encoding := rapid.SampledFrom([]unicode.Endianness{unicode.LittleEndian, unicode.BigEndian}).Draw(t, "order")
		file := rapid.StringOf(rapid.SampledFrom([]rune("ab,;\t\"\n\r äß\x00"))).Draw(t, "file")
		if rapid.Bool().Draw(t, "utf16") {
			file, _ = unicode.UTF16(encoding, unicode.UseBOM).NewEncoder().String(file)
		}
		type entry struct {
			line uint64
			text string
		}
		read := func(from string) (all []entry, cursors []string) {
			c, err := Open(iotest.HalfReader(strings.NewReader(file)), Options{From: from})
			if err != nil {
				if from != "" {
					t.Fatal(err)
				}
				return nil, nil
			}
			for last := uint64(0); ; {
				row, err := c.Next()
				var bad BadRow
				switch {
				case errors.Is(err, io.EOF):
					return all, cursors
				case errors.As(err, &bad):
					row = Row{Line: bad.Line, Fields: []string{bad.Reason, bad.Content}, Cursor: bad.Cursor}
				case err != nil:
					t.Fatal(err)
				}
				if row.Line <= last {
					t.Fatalf("line %d after %d", row.Line, last)
				}
				last = row.Line
				all, cursors = append(all, entry{row.Line, strings.Join(row.Fields, "|")}), append(cursors, row.Cursor)
			}
		}
		all, cursors := read("")
		for i, cursor := range cursors {
			if rest, _ := read(cursor); !slices.Equal(rest, all[i+1:]) {
				t.Fatalf("after row %d: %v, want %v", i, rest, all[i+1:])
			}
		}
	})
}

func TestOpen_reads_what_encoding_csv_writes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(2, 5).Draw(t, "width")
		field := rapid.StringOf(rapid.SampledFrom([]rune("ab,;\t\"\n '=äß😀")))
		rows := rapid.SliceOf(rapid.SliceOfN(field, width, width)).Draw(t, "rows")
		header := make([]string, width)
		for i := range header {
			header[i] = fmt.Sprint("h", i)
		}
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		w.Comma = rapid.SampledFrom([]rune{',', ';', '\t'}).Draw(t, "separator")
		domaintest.Must(t, w.WriteAll(append([][]string{header}, rows...)))
		c := domaintest.OK(Open(&file, Options{}))(t)
		for i, want := range rows {
			row, err := c.Next()
			if err != nil || !slices.Equal(row.Fields, want) {
				t.Fatalf("row %d: %q, %v, want %q", i, row.Fields, err, want)
			}
		}
		if _, err := c.Next(); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	})
}

func FuzzFile(f *testing.F) {
	f.Add([]byte("a,b\n1,\"2\n3\",4\r\n\"5"))
	f.Add([]byte("sep=;\ra;b\r1;2"))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := Open(bytes.NewReader(file), Options{})
		if err != nil {
			return
		}
		for range len(file) + 1 {
			if _, err = c.Next(); errors.Is(err, io.EOF) {
				return
			}
		}
		t.Fatal("more rows than bytes")
	})
}
