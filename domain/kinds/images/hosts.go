package images

import "regexp"

// quotedAddress is an address in an error, quoted as %q does.
var quotedAddress = regexp.MustCompile(`"((?:https?:)?//)(?:[^"\\/?#]*@)?([^"\\/?#]*)(?:[^"\\]|\\.)*"`)

// hostsOnly is an error that names addresses by their hosts alone: an address is part of a ticket's text, and operators
// who do not see the ticket see its errors. The payload of the task has the whole address.
type hostsOnly struct{ err error }

func (e hostsOnly) Error() string { return quotedAddress.ReplaceAllString(e.err.Error(), `"$1$2/…"`) }
func (e hostsOnly) Unwrap() error { return e.err }
