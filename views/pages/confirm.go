package pages

import (
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// ConfirmForm asks for the user's password before a form or a file.
type ConfirmForm struct {
	Action string      // where it is sent
	Fields []SentField // what was sent
	Back   string      // the page that the user came from, or ""
	Errors views.Errors

	Issuer     id.Issuer // that opened the session, 0 if it is the account's own
	IssuerName string
}

// SentField is a field of a form that was sent.
type SentField struct{ Name, Value string }
