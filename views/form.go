package views

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// Field is a form's field: its id is unique on the page also while the dialog shows another form.
type Field struct {
	Form, Name, Label, Hint string
	Errors                  Errors
}

// NewField is a field of a form with its messages in errs.
func NewField(form, name, label, hint string, errs Errors) Field {
	return Field{Form: form, Name: name, Label: label, Hint: hint, Errors: errs}
}

// ID is the control's id.
func (f Field) ID() string { return f.Form + "-" + f.Name }

// Message is the error of the field, "" for none.
func (f Field) Message() string { return f.Errors[f.Name] }

// Attrs ties the control to its label, hint and error.
func (f Field) Attrs() templ.Attributes {
	attrs := templ.Attributes{"id": f.ID(), "name": f.Name}
	var by []string
	if f.Hint != "" {
		by = append(by, f.ID()+"-hint")
	}
	if f.Message() != "" {
		by = append(by, f.ID()+"-error")
		attrs["aria-invalid"] = "true"
	}
	if by != nil {
		attrs["aria-describedby"] = strings.Join(by, " ")
	}
	return attrs
}

// FirstField is the field to focus: the first rejected one, else the first.
func FirstField(errs Errors, fields ...string) string {
	for _, name := range fields {
		if errs[name] != "" {
			return name
		}
	}
	return fields[0]
}

// Number is a number in an address or an attribute.
func Number(n uint64) string { return strconv.FormatUint(n, 10) }

// Count is a number with its noun.
func Count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// TextareaValue keeps a first empty line, which HTML drops from a textarea.
func TextareaValue(text string) string {
	if text != "" && text[0] == '\n' {
		return "\n" + text
	}
	return text
}
