package views

// only are the messages about some fields: those of one form of a page that has several.
func only(errs Errors, fields ...string) Errors {
	some := Errors{}
	for _, name := range fields {
		if errs[name] != "" {
			some[name] = errs[name]
		}
	}
	return some
}
