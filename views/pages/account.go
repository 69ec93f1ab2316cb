package pages

import (
	"github.com/counterfoil/counterfoil/views"
)

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
