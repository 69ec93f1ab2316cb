package pages

import (
	"cmp"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// device is the browser of a session in words.
func device(s accounts.Session) string { return cmp.Or(s.Device, "Unknown browser") }

// only returns the errors of some fields: those of one form of several on a page.
func only(errs views.Errors, fields ...string) views.Errors {
	some := views.Errors{}
	for _, name := range fields {
		if errs[name] != "" {
			some[name] = errs[name]
		}
	}
	return some
}
