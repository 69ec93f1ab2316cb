package migrations

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// The limits of a CSV file. The file itself may be of any size.
const (
	MaxCSVRow     = 1 << 20 // bytes of one row
	MaxCSVColumns = 5000
	csvSample     = 64 << 10 // what encoding and separator are told from
)

// The encodings that a CSV file can be said to have.
const (
	EncodingDetected = ""             // UTF-8, or what a byte order mark says
	EncodingWindows  = "windows-1252" // also what most call Latin-1
)

// CSVOptions say how a CSV file is to be read.
type CSVOptions struct {
	Encoding string
	// Header says whether the first row is one. Where it is nil the first row always is.
	Header func(first []string) bool
	// From is the cursor of a row: reading goes on after it. "" is the beginning.
	From string
}

// CSV reads a CSV file row by row, never more than a row of it at a time. Its rows may be separated by
// CRLF, LF or CR, its fields by commas, semicolons or tabs, as its first row shows.
type CSV struct {
	// Columns are the names in the header, trimmed; several may be the same. What has no name there, and
	// each column of a file without a header, is called Column and its number.
	Columns []string
	// Separator is what is between fields.
	Separator rune

	in     io.Reader // in UTF-8
	buf    []byte    // what was read of it and not yet consumed
	ended  error     // why there is no more: io.EOF, or what reading failed with
	offset int64     // of buf in the decoded file
	line   uint64    // that buf begins with
	cr     bool      // lines end with CR, which is read as LF
	fields *csv.Reader
	raw    *bufio.Reader
	first  *CSVRow // of a file without a header
}

// CSVRow is a row of a CSV file.
type CSVRow struct {
	Line   uint64 // that it begins in, from 1
	Fields []string
	Cursor string // for CSVOptions.From
}

// CodeBadFile: the file cannot be read. Correct what the message names.
const CodeBadFile fault.Code = "File.Invalid"

func BadFile(reason string) error {
	return fault.Error{Kind: fault.Invalid, Code: CodeBadFile, Message: reason}
}

// CodeBadRow: a row of the file cannot be read. Correct the line that the message names; those after it are
// read.
const CodeBadRow fault.Code = "File.BadRow"

// BadRow reports a row that cannot be read. Those after it can.
type BadRow struct {
	Line    uint64
	Reason  string
	Content string // how it begins
	Cursor  string
}

func (e BadRow) Error() string { return fmt.Sprintf("Line %d: %s", e.Line, e.Reason) }
func (e BadRow) Unwrap() error {
	return fault.Error{Kind: fault.Invalid, Code: CodeBadRow, Message: e.Error()}
}

const notUTF8 = "Save the file as UTF-8 (in Excel: “CSV UTF-8”), or choose the encoding Windows-1252."

// OpenCSV begins to read a CSV file. It returns BadFile.
func OpenCSV(r io.Reader, options CSVOptions) (*CSV, error) {
	in := bufio.NewReaderSize(r, csvSample)
	sample, err := in.Peek(csvSample)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read file: %w", err)
	}
	decoded, err := decode(in, sample, options.Encoding)
	if err != nil {
		return nil, err
	}
	c := &CSV{in: decoded, line: 1, raw: bufio.NewReaderSize(nil, 4096)}
	if err := c.begin(options.Header); err != nil {
		return nil, err
	}
	if options.From != "" {
		return c, c.skipTo(options.From)
	}
	return c, nil
}

// decode returns what is in the file as UTF-8, without its byte order mark.
func decode(in *bufio.Reader, sample []byte, encoding string) (io.Reader, error) {
	utf16 := func(order unicode.Endianness) io.Reader {
		return transform.NewReader(in, unicode.UTF16(order, unicode.ExpectBOM).NewDecoder())
	}
	switch {
	case len(sample) == 0:
		return nil, BadFile("The file is empty.")
	case bytes.HasPrefix(sample, []byte("\xef\xbb\xbf")):
		_, err := in.Discard(3)
		return in, err
	case bytes.HasPrefix(sample, []byte("\xff\xfe")):
		return utf16(unicode.LittleEndian), nil
	case bytes.HasPrefix(sample, []byte("\xfe\xff")):
		return utf16(unicode.BigEndian), nil
	case bytes.HasPrefix(sample, []byte("PK\x03\x04")), bytes.HasPrefix(sample, []byte("\x1f\x8b")), bytes.HasPrefix(sample, []byte("\xd0\xcf\x11\xe0")):
		return nil, BadFile("The file is a workbook or an archive, not CSV. Save it as CSV (in Excel: “CSV UTF-8”) and choose that.")
	case isBinary(sample):
		return nil, BadFile("This does not look like a CSV file: it is no text, but something like a picture or a PDF. Save the table as CSV and choose that file.")
	case bytes.Count(sample, []byte{0}) > len(sample)/4:
		return nil, BadFile("The file is not CSV, or it is UTF-16 without a byte order mark. " + notUTF8)
	case encoding == EncodingWindows:
		return transform.NewReader(in, charmap.Windows1252.NewDecoder()), nil
	case !validSample(sample):
		return nil, BadFile("The file is not UTF-8. " + notUTF8)
	}
	return in, nil
}

// isBinary reports whether the beginning of a file is that of a picture, a PDF, a program: it is not UTF-8 and
// full of what no text in another encoding has. UTF-16 has that, too, and is told by its NUL bytes: every second.
func isBinary(sample []byte) bool {
	controls, nul := 0, [2]int{}
	for i, b := range sample {
		if b == 0 {
			nul[i%2]++
		}
		if b < ' ' && !bytes.ContainsRune([]byte("\t\n\v\f\r\x1b"), rune(b)) {
			controls++
		}
	}
	if controls <= len(sample)/50 || validSample(sample) {
		return false
	}
	utf16 := nul[0]+nul[1] > len(sample)/4 && max(nul[0], nul[1]) > 10*min(nul[0], nul[1])
	return !utf16 || http.DetectContentType(sample) != "application/octet-stream"
}

// validSample reports whether the beginning of a file is UTF-8; a full sample may end within a character.
func validSample(sample []byte) bool {
	if len(sample) == csvSample {
		for cut := 0; cut < utf8.UTFMax-1 && len(sample) > 0; cut++ {
			if last, _ := utf8.DecodeLastRune(sample); last != utf8.RuneError {
				break
			}
			sample = sample[:len(sample)-1]
		}
	}
	return utf8.Valid(sample)
}

// begin reads the header.
func (c *CSV) begin(isHeader func([]string) bool) error {
	for c.fill() && len(c.buf) < csvSample {
		continue
	}
	if !errors.Is(c.ended, io.EOF) && c.ended != nil {
		return c.ended
	}
	if c.cr = endsWithCR(c.buf); c.cr {
		toLF(c.buf)
	}
	c.separateBy(separatorOf(c.buf))
	if said := separatorLine.FindSubmatch(c.buf); said != nil {
		c.separateBy(rune(said[1][0]))
		c.consume(len(said[0]), 1)
	}
	row, err := c.Next()
	var bad BadRow
	switch {
	case errors.Is(err, io.EOF):
		return BadFile("The file is empty.")
	case errors.As(err, &bad):
		return BadFile(fmt.Sprintf("The first row, on line %d, cannot be read. %s", bad.Line, bad.Reason))
	case err != nil:
		return err
	case len(row.Fields) > MaxCSVColumns:
		return BadFile(fmt.Sprintf("The file has %d columns; up to %d can be read.", len(row.Fields), MaxCSVColumns))
	}
	c.Columns = make([]string, len(row.Fields))
	named := isHeader == nil || isHeader(row.Fields)
	for i, name := range row.Fields {
		if c.Columns[i] = strings.TrimSpace(name); !named || c.Columns[i] == "" {
			c.Columns[i] = "Column " + strconv.Itoa(i+1)
		}
	}
	if !named {
		c.first = &row
	}
	return nil
}

// separatorLine is what Excel understands at the top of a file.
var separatorLine = regexp.MustCompile(`^(?i:sep)=([,;\t|])\r?(?:\n|$)`)

func (c *CSV) separateBy(separator rune) {
	c.Separator = separator
	c.fields = csv.NewReader(c.raw)
	c.fields.Comma, c.fields.FieldsPerRecord = separator, -1
}

// skipTo goes on after the row whose cursor it was.
func (c *CSV) skipTo(cursor string) error {
	at, line, _ := strings.Cut(cursor, ":")
	offset, err := strconv.ParseInt(at, 10, 64)
	lines, err2 := strconv.ParseUint(line, 10, 64)
	if err != nil || err2 != nil {
		return fmt.Errorf("cursor %q of a CSV file", cursor)
	}
	c.first = nil
	for c.offset < offset {
		if len(c.buf) == 0 && !c.fill() {
			if !errors.Is(c.ended, io.EOF) {
				return c.ended
			}
			return BadFile("The file is shorter than what was already read of it.")
		}
		c.consume(int(min(int64(len(c.buf)), offset-c.offset)), 0)
	}
	c.line = lines
	return nil
}

// Next returns the next row. It returns BadRow, after which it can be called again, io.EOF, or what
// reading the file failed with.
func (c *CSV) Next() (CSVRow, error) {
	if row := c.first; row != nil {
		c.first = nil
		return *row, nil
	}
	for {
		line := c.line
		raw, problem := c.record()
		switch {
		case problem != "":
			return CSVRow{}, c.bad(line, problem, raw)
		case raw == nil:
			return CSVRow{}, c.ended
		case len(raw) == 0:
			continue // an empty line
		case bytes.IndexByte(raw, 0) >= 0:
			return CSVRow{}, c.bad(line, "The row has a NUL byte, which is no text.", raw)
		case !utf8.Valid(raw):
			return CSVRow{}, c.bad(line, "The row is not UTF-8. "+notUTF8, raw)
		}
		fields, err := c.split(raw)
		if err != nil {
			return CSVRow{}, c.bad(line, "The row is not CSV: "+err.Error()+".", raw)
		}
		if c.Columns != nil && len(fields) != len(c.Columns) {
			return CSVRow{}, c.bad(line, fmt.Sprintf("The row has %d fields, the header %d.", len(fields), len(c.Columns)), raw)
		}
		return CSVRow{Line: line, Fields: fields, Cursor: c.cursor()}, nil
	}
}

func (c *CSV) cursor() string {
	return strconv.FormatInt(c.offset, 10) + ":" + strconv.FormatUint(c.line, 10)
}

func (c *CSV) bad(line uint64, reason string, raw []byte) BadRow {
	return BadRow{Line: line, Reason: reason, Content: excerpt(raw), Cursor: c.cursor()}
}

// excerpt is how a row begins, for people and for the database.
func excerpt(raw []byte) string {
	text := strings.ToValidUTF8(string(raw[:min(len(raw), 400)]), "\uFFFD")
	text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

// split parses one record.
func (c *CSV) split(raw []byte) ([]string, error) {
	c.raw.Reset(bytes.NewReader(raw))
	fields, err := c.fields.Read()
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		err = parse.Err
	}
	return fields, err
}

// Where record is in a row.
const (
	atField = iota // where a field begins
	inPlain
	inQuotes
	afterQuote // within quotes: their end, or the first of two
)

const (
	tooLong     = "The row is longer than 1 MiB."
	openQuote   = "A quote is opened and never closed, or the row is longer than 1 MiB."
	strayQuote  = "A quote stands within a field. A field with quotes is written in quotes, and each of its own twice."
	afterQuoted = "There is text after the closing quote of a field. A quote within quotes is written twice."
)

// record consumes a row and returns it without its line break, nil at the end. The row may have line breaks
// in quotes. Where there is a problem with it, only its first line is consumed: what looks like
// the rest of a row with a quote too many may be rows of their own.
func (c *CSV) record() (raw []byte, problem string) {
	where, lines, firstEnd := atField, uint64(1), -1
	for i := 0; ; i++ {
		if i >= len(c.buf) && !c.fill() {
			return c.lastRecord(where, firstEnd)
		}
		b := c.buf[i]
		if b == '\n' && where != inQuotes {
			raw := c.consume(i+1, lines)[:i]
			return bytes.TrimSuffix(raw, []byte{'\r'}), ""
		}
		if i >= MaxCSVRow {
			problem := tooLong
			if where == inQuotes {
				problem = openQuote
			}
			return c.consumeLine(firstEnd), problem
		}
		if b == '\n' {
			if lines++; firstEnd < 0 {
				firstEnd = i
			}
		}
		if where, problem = c.step(where, b, i); problem != "" {
			return c.consumeLine(firstEnd), problem
		}
	}
}

// step returns where the row is after a byte.
func (c *CSV) step(where int, b byte, i int) (int, string) {
	switch where {
	case inQuotes:
		if b == '"' {
			return afterQuote, ""
		}
		return inQuotes, ""
	case afterQuote:
		switch {
		case b == '"':
			return inQuotes, ""
		case rune(b) == c.Separator:
			return atField, ""
		case b == '\r' && c.newlineAt(i+1):
			return afterQuote, ""
		}
		return where, afterQuoted
	}
	switch {
	case b == '"' && where == atField:
		return inQuotes, ""
	case b == '"':
		return where, strayQuote
	case rune(b) == c.Separator:
		return atField, ""
	}
	return inPlain, ""
}

// newlineAt reports whether a line ends there.
func (c *CSV) newlineAt(i int) bool {
	for i >= len(c.buf) {
		if !c.fill() {
			return true
		}
	}
	return c.buf[i] == '\n'
}

// lastRecord is what is left where the file ends.
func (c *CSV) lastRecord(where, firstEnd int) ([]byte, string) {
	switch {
	case !errors.Is(c.ended, io.EOF), len(c.buf) == 0:
		return nil, ""
	case where == inQuotes:
		return c.consumeLine(firstEnd), openQuote
	}
	return bytes.TrimSuffix(c.consume(len(c.buf), 1), []byte{'\r'}), ""
}

// consumeLine consumes up to and with the next line break, at firstEnd where that is known, and returns
// how the line begins.
func (c *CSV) consumeLine(firstEnd int) []byte {
	begin := slices.Clone(c.buf[:min(len(c.buf), 400)])
	for firstEnd < 0 {
		if firstEnd = bytes.IndexByte(c.buf, '\n'); firstEnd < 0 {
			c.consume(len(c.buf), 0)
			if !c.fill() {
				return begin
			}
		}
	}
	c.consume(firstEnd+1, 1)
	begin, _, _ = bytes.Cut(begin, []byte{'\n'})
	return begin
}

// consume takes n bytes, which stay as they are until the next fill.
func (c *CSV) consume(n int, lines uint64) []byte {
	taken := c.buf[:n]
	c.buf, c.offset, c.line = c.buf[n:], c.offset+int64(n), c.line+lines
	return taken
}

// fill reads more of the file into buf. It reports whether there was more.
func (c *CSV) fill() bool {
	if c.ended != nil {
		return false
	}
	if cap(c.buf)-len(c.buf) < 4096 {
		c.buf = append(make([]byte, 0, 2*len(c.buf)+2*csvSample), c.buf...)
	}
	n := len(c.buf)
	for range 100 {
		read, err := c.in.Read(c.buf[n:cap(c.buf)])
		if c.buf = c.buf[:n+read]; c.cr {
			toLF(c.buf[n:])
		}
		if err != nil {
			c.ended = err
			if !errors.Is(err, io.EOF) {
				c.ended = fmt.Errorf("read file: %w", err)
			}
		}
		if read > 0 || err != nil {
			return read > 0
		}
	}
	c.ended = fmt.Errorf("read file: %w", io.ErrNoProgress)
	return false
}

// endsWithCR reports whether the first line does, without a LF after it.
func endsWithCR(sample []byte) bool {
	at := bytes.IndexAny(sample, "\r\n")
	return at >= 0 && sample[at] == '\r' && at+1 < len(sample) && sample[at+1] != '\n'
}

func toLF(text []byte) {
	for i, b := range text {
		if b == '\r' {
			text[i] = '\n'
		}
	}
}

// separatorOf is what the first line has most of, outside quotes.
func separatorOf(sample []byte) rune {
	count := map[byte]int{}
	quoted := false
	for _, b := range bytes.TrimLeft(sample, "\r\n") {
		if b == '"' {
			quoted = !quoted
		}
		if b == '\n' && !quoted {
			break
		}
		if !quoted {
			count[b]++
		}
	}
	best := byte(',')
	for _, b := range []byte{';', '\t'} {
		if count[b] > count[best] {
			best = b
		}
	}
	return rune(best)
}
