// Package csvfile reads CSV files of any size, in the encodings and dialects that spreadsheets write, row by row. A
// row that cannot be read is reported with its line, and those after it are read; reading can resume after any row, by
// its cursor. Start at Open.
package csvfile

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
	MaxRow     = 1 << 20 // bytes of one row
	MaxColumns = 5000
	sampleSize = 64 << 10 // from which encoding and separator are detected
)

// The encodings of a CSV file.
const (
	EncodingDetected = ""             // UTF-8, or as a byte order mark says
	EncodingWindows  = "windows-1252" // also what most call Latin-1
)

// Options say how a CSV file is to be read.
type Options struct {
	Encoding string
	// Header reports whether the first row is a header. Nil means always.
	Header func(first []string) bool
	// From is the cursor of a row to resume after; "" is the beginning.
	From string
}

// File reads a CSV file row by row, with one row in memory. Rows may be separated by CRLF, LF or CR, fields by commas,
// semicolons or tabs, as the first row shows.
type File struct {
	// Columns are the names in the header, trimmed and not always distinct. A column without a name is called Column
	// and its number.
	Columns []string
	// Separator separates fields.
	Separator rune

	in      io.Reader // in UTF-8
	buf     []byte    // read and not yet consumed
	readErr error     // io.EOF, or the read error
	offset  int64     // of buf in the decoded file
	line    uint64    // that buf begins with
	cr      bool      // lines end with CR, which is read as LF
	records *csv.Reader
	ahead   *bufio.Reader // the input of records
	parsed  int           // how much of buf ahead has read
	first   *Row          // of a file without a header
}

// Row is a row of a CSV file.
type Row struct {
	Line   uint64 // that it begins in, from 1
	Fields []string
	Cursor string // for Options.From
}

// CodeBadFile: the file cannot be read. Correct what the message names.
const CodeBadFile fault.Code = "File.Invalid"

func BadFile(reason string) error {
	return fault.Invalid.New(CodeBadFile, "", reason)
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
	return fault.Invalid.New(CodeBadRow, "", e.Error())
}

const notUTF8 = "Save the file as UTF-8 (in Excel: “CSV UTF-8”), or choose the encoding Windows-1252."

// Open begins to read a CSV file. It returns BadFile.
func Open(r io.Reader, options Options) (*File, error) {
	in := bufio.NewReaderSize(r, sampleSize)
	sample, err := in.Peek(sampleSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read file: %w", err)
	}
	decoded, err := decode(in, sample, options.Encoding)
	if err != nil {
		return nil, err
	}
	f := &File{in: decoded, line: 1, ahead: bufio.NewReaderSize(nil, sampleSize)}
	if err := f.begin(options.Header); err != nil {
		return nil, err
	}
	if options.From != "" {
		return f, f.skipTo(options.From)
	}
	return f, nil
}

// decode returns the file as UTF-8, without its byte order mark.
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
	case bytes.HasPrefix(sample, []byte("PK\x03\x04")), bytes.HasPrefix(sample, []byte("\x1f\x8b")),
		bytes.HasPrefix(sample, []byte("\xd0\xcf\x11\xe0")):
		return nil, BadFile("The file is a workbook or an archive, not CSV. Save it as CSV (in Excel: “CSV UTF-8”) and choose that.")
	case isBinary(sample):
		return nil, BadFile("This does not look like a CSV file: it looks like an image or a PDF. Save the table as CSV and choose that file.")
	case bytes.Count(sample, []byte{0}) > len(sample)/4:
		return nil, BadFile("The file is not CSV, or it is UTF-16 without a byte order mark. " + notUTF8)
	case encoding == EncodingWindows:
		return transform.NewReader(in, charmap.Windows1252.NewDecoder()), nil
	case !validSample(sample):
		return nil, BadFile("The file is not UTF-8. " + notUTF8)
	}
	return in, nil
}

// isBinary reports whether a file begins like a picture, a PDF or a program: not UTF-8, and with many characters that
// no other encoding's text has. UTF-16 has them too, but a NUL in every second byte.
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
	if len(sample) == sampleSize {
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
func (f *File) begin(isHeader func([]string) bool) error {
	for f.fill() && len(f.buf) < sampleSize {
		continue
	}
	if !errors.Is(f.readErr, io.EOF) && f.readErr != nil {
		return f.readErr
	}
	if f.cr = endsWithCR(f.buf); f.cr {
		toLF(f.buf)
	}
	f.Separator = separatorOf(f.buf)
	if line := separatorLine.FindSubmatch(f.buf); line != nil {
		f.Separator = rune(line[1][0])
		f.consume(len(line[0]))
	}
	f.records = csv.NewReader(f.ahead)
	f.records.Comma, f.records.FieldsPerRecord = f.Separator, -1
	f.rewind()
	row, err := f.Next()
	var bad BadRow
	switch {
	case errors.Is(err, io.EOF):
		return BadFile("The file is empty.")
	case errors.As(err, &bad):
		return BadFile(fmt.Sprintf("The first row, on line %d, cannot be read. %s", bad.Line, bad.Reason))
	case err != nil:
		return err
	case len(row.Fields) > MaxColumns:
		return BadFile(fmt.Sprintf("The file has %d columns; up to %d can be read.", len(row.Fields), MaxColumns))
	}
	f.Columns = make([]string, len(row.Fields))
	named := isHeader == nil || isHeader(row.Fields)
	for i, name := range row.Fields {
		if f.Columns[i] = strings.TrimSpace(name); !named || f.Columns[i] == "" {
			f.Columns[i] = "Column " + strconv.Itoa(i+1)
		}
	}
	if !named {
		f.first = &row
	}
	return nil
}

// separatorLine is Excel's notation of a separator in the first line.
var separatorLine = regexp.MustCompile(`^(?i:sep)=([,;\t|])\r?(?:\n|$)`)

// skipTo resumes after the row of a cursor.
func (f *File) skipTo(cursor string) error {
	at, line, _ := strings.Cut(cursor, ":")
	offset, err := strconv.ParseInt(at, 10, 64)
	lines, err2 := strconv.ParseUint(line, 10, 64)
	if err != nil || err2 != nil {
		return fmt.Errorf("cursor %q of a CSV file", cursor)
	}
	f.first = nil
	for f.offset < offset {
		if len(f.buf) == 0 && !f.fill() {
			if !errors.Is(f.readErr, io.EOF) {
				return f.readErr
			}
			return BadFile("The file became shorter while it was read.")
		}
		f.consume(int(min(int64(len(f.buf)), offset-f.offset)))
	}
	f.line = lines
	f.rewind()
	return nil
}

// Next returns the next row. It returns BadRow, after which it can be called again, io.EOF, or the read error.
func (f *File) Next() (Row, error) {
	if row := f.first; row != nil {
		f.first = nil
		return *row, nil
	}
	began := f.records.InputOffset()
	fields, err := f.records.Read()
	n := int(f.records.InputOffset() - began)
	empty := f.skipEmptyLines(n)
	n -= empty
	line := f.line
	switch {
	case errors.Is(err, errTooLong) && empty > 0:
		f.rewind() // the row may yet be short enough
		return f.Next()
	case err != nil && errors.Is(err, f.readErr):
		return Row{}, f.readErr
	case err != nil:
		return Row{}, f.skipLine(problem(err, f.buf[:n]))
	}
	raw := f.consume(n)
	switch {
	case bytes.IndexByte(raw, 0) >= 0:
		return Row{}, f.bad(line, "The row has a NUL byte, which is not allowed.", raw)
	case !utf8.Valid(raw):
		return Row{}, f.bad(line, "The row is not UTF-8. "+notUTF8, raw)
	case f.Columns != nil && len(fields) != len(f.Columns):
		return Row{}, f.bad(line, fmt.Sprintf("The row has %d fields, the header %d.", len(fields), len(f.Columns)), raw)
	}
	return Row{Line: line, Fields: fields, Cursor: f.cursor()}, nil
}

func (f *File) cursor() string {
	return strconv.FormatInt(f.offset, 10) + ":" + strconv.FormatUint(f.line, 10)
}

func (f *File) bad(line uint64, reason string, raw []byte) BadRow {
	raw = bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte{'\n'}), []byte{'\r'})
	return BadRow{Line: line, Reason: reason, Content: Excerpt(raw), Cursor: f.cursor()}
}

// Excerpt is the beginning of a row, as valid text.
func Excerpt(raw []byte) string {
	text := strings.ToValidUTF8(string(raw[:min(len(raw), 400)]), "\uFFFD")
	text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

const (
	tooLong     = "The row is longer than 1 MiB."
	openQuote   = "A quote is never closed, or the row is longer than 1 MiB."
	strayQuote  = "There is a quote inside a field. Put the whole field in quotes, and double each quote in it."
	afterQuoted = "There is text after the closing quote of a field. Double each quote inside quotes."
)

// errTooLong ends a row that exceeds the limit.
var errTooLong = errors.New(tooLong)

// problem says why the parser refused a row of which it read so much.
func problem(err error, row []byte) string {
	var at *csv.ParseError
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return strayQuote
	case errors.As(err, &at) && quoteAt(row, at.Line-at.StartLine, at.Column):
		return afterQuoted
	case errors.Is(err, errTooLong) && bytes.Count(row, []byte{'"'})%2 == 0:
		return tooLong
	}
	return openQuote
}

// quoteAt reports whether there is one in a column, from 1, of a line, from 0.
func quoteAt(row []byte, line, column int) bool {
	for range line {
		_, row, _ = bytes.Cut(row, []byte{'\n'})
	}
	return column <= len(row) && row[column-1] == '"'
}

// parserInput is the parser's input: the file from the present row on, up to a row's limit.
type parserInput struct{ *File }

func (w parserInput) Read(p []byte) (int, error) {
	switch {
	case w.parsed > MaxRow:
		return 0, errTooLong
	case w.parsed == len(w.buf) && !w.fill():
		return 0, w.readErr
	}
	n := copy(p, w.buf[w.parsed:min(len(w.buf), MaxRow+1)])
	w.parsed += n
	return n, nil
}

// rewind restarts the parser at the beginning of buf.
func (f *File) rewind() {
	f.parsed = 0
	f.ahead.Reset(parserInput{f})
}

// skipEmptyLines consumes empty lines among the next n bytes, and returns their length.
func (f *File) skipEmptyLines(n int) (skipped int) {
	for skipped < n {
		end := 1
		if bytes.HasPrefix(f.buf, []byte("\r\n")) {
			end = 2
		}
		if f.buf[end-1] != '\n' {
			break
		}
		f.consume(end)
		skipped += end
	}
	return skipped
}

// skipLine consumes the first line of an unreadable row: the rest may be rows of their own after a stray quote.
func (f *File) skipLine(reason string) error {
	line, begin := f.line, slices.Clone(f.buf[:min(len(f.buf), 400)])
	end := bytes.IndexByte(f.buf, '\n')
	for end < 0 {
		f.consume(len(f.buf))
		if !f.fill() {
			break
		}
		end = bytes.IndexByte(f.buf, '\n')
	}
	if end < 0 && !errors.Is(f.readErr, io.EOF) {
		return f.readErr
	}
	f.consume(end + 1)
	f.rewind()
	begin, _, _ = bytes.Cut(begin, []byte{'\n'})
	return f.bad(line, reason, begin)
}

// consume takes n bytes, which are valid until the next fill.
func (f *File) consume(n int) []byte {
	taken := f.buf[:n]
	f.buf, f.offset, f.line = f.buf[n:], f.offset+int64(n), f.line+uint64(bytes.Count(taken, []byte{'\n'}))
	f.parsed -= n
	return taken
}

// fill reads more of the file into buf. It reports whether there was more.
func (f *File) fill() bool {
	if f.readErr != nil {
		return false
	}
	if cap(f.buf)-len(f.buf) < 4096 {
		f.buf = append(make([]byte, 0, 2*len(f.buf)+2*sampleSize), f.buf...)
	}
	n := len(f.buf)
	for range 100 {
		read, err := f.in.Read(f.buf[n:cap(f.buf)])
		if f.buf = f.buf[:n+read]; f.cr {
			toLF(f.buf[n:])
		}
		if err != nil {
			f.readErr = err
			if !errors.Is(err, io.EOF) {
				f.readErr = fmt.Errorf("read file: %w", err)
			}
		}
		if read > 0 || err != nil {
			return read > 0
		}
	}
	f.readErr = fmt.Errorf("read file: %w", io.ErrNoProgress)
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

// separatorOf is the most frequent separator in the first line, outside quotes.
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
