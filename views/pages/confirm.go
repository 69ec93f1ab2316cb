package pages

import "github.com/counterfoil/counterfoil/views"

// ConfirmForm asks for the user's password before a form or a file.
type ConfirmForm struct {
	Action string      // where it is sent
	Fields []SentField // what was sent
	Back   string      // the page that the user came from, or ""
	Errors views.Errors
}

// SentField is a field of a form that was sent.
type SentField struct{ Name, Value string }
