package views

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// field is a form's field: its id is unique on the page also while the dialog shows another form.
type field struct {
	Form, Name, Label, Hint string
	Errors                  Errors
}

func newField(form, name, label, hint string, errs Errors) field {
	return field{Form: form, Name: name, Label: label, Hint: hint, Errors: errs}
}

func (f field) id() string    { return f.Form + "-" + f.Name }
func (f field) error() string { return f.Errors[f.Name] }

// attrs ties the control to its label, hint and error.
func (f field) attrs() templ.Attributes {
	attrs := templ.Attributes{"id": f.id(), "name": f.Name}
	var by []string
	if f.Hint != "" {
		by = append(by, f.id()+"-hint")
	}
	if f.error() != "" {
		by = append(by, f.id()+"-error")
		attrs["aria-invalid"] = "true"
	}
	if by != nil {
		attrs["aria-describedby"] = strings.Join(by, " ")
	}
	return attrs
}

// first is the field to begin with: the first rejected one, else the first.
func first(errs Errors, fields ...string) string {
	for _, name := range fields {
		if errs[name] != "" {
			return name
		}
	}
	return fields[0]
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// leading keeps a first empty line, which HTML drops from a textarea.
func leading(text string) string {
	if text != "" && text[0] == '\n' {
		return "\n" + text
	}
	return text
}
