package pages

import "github.com/counterfoil/counterfoil/views"

// only are the messages about some fields: those of one form of a page that has several.
func only(errs views.Errors, fields ...string) views.Errors {
	some := views.Errors{}
	for _, name := range fields {
		if errs[name] != "" {
			some[name] = errs[name]
		}
	}
	return some
}
