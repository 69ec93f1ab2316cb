package backup

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// The encodings of values.
const (
	number = "number" // as a JSON number with every digit
	text   = "text"   // as a JSON string
	binary = "binary" // as a JSON string in base64
)

// appendRow adds a row as a line: a JSON array.
func appendRow(line []byte, columns []Column, values []sql.RawBytes) ([]byte, error) {
	line = append(line, '[')
	for i, value := range values {
		if i > 0 {
			line = append(line, ',')
		}
		switch {
		case value == nil:
			line = append(line, "null"...)
		case columns[i].Type == number:
			line = append(line, value...)
		case columns[i].Type == binary:
			line = append(line, '"')
			line = base64.StdEncoding.AppendEncode(line, value)
			line = append(line, '"')
		default:
			if !utf8.Valid(value) {
				return nil, fmt.Errorf("column %s holds text that is not UTF-8", columns[i].Name)
			}
			line = appendString(line, value)
		}
	}
	return append(line, "]\n"...), nil
}

const digits = "0123456789abcdef"

// appendString adds s as a JSON string. encoding/json has no way to append one without a copy.
func appendString(line, s []byte) []byte {
	line = append(line, '"')
	from := 0
	for i, b := range s {
		if b >= ' ' && b != '"' && b != '\\' {
			continue
		}
		line = append(line, s[from:i]...)
		from = i + 1
		switch b {
		case '"', '\\':
			line = append(line, '\\', b)
		case '\n':
			line = append(line, '\\', 'n')
		default:
			line = append(line, '\\', 'u', '0', '0', digits[b>>4], digits[b&15])
		}
	}
	line = append(line, s[from:]...)
	return append(line, '"')
}

// errRow: a line is not a row of its table.
var errRow = errors.New("a row does not fit its table")

// parseRow reads a line as arguments for an insert.
func parseRow(line []byte, columns []Column) ([]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var values []any
	if err := decoder.Decode(&values); err != nil || decoder.More() || len(values) != len(columns) {
		return nil, errRow
	}
	for i, value := range values {
		var err error
		if values[i], err = argument(value, columns[i].Type); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// argument: a number goes to the server as its digits, which it reads exactly.
func argument(value any, kind string) (any, error) {
	if value == nil {
		return nil, nil
	}
	n, isNumber := value.(json.Number)
	s, isString := value.(string)
	switch {
	case kind == number && isNumber:
		return n.String(), nil
	case kind == text && isString:
		return s, nil
	case kind == binary && isString:
		b, err := base64.StdEncoding.Strict().DecodeString(s)
		if err != nil {
			return nil, errRow
		}
		return b, nil
	}
	return nil, errRow
}
