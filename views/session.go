package views

import (
	"cmp"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// Device is the browser of a session in words.
func Device(s accounts.Session) string { return cmp.Or(s.Device, "Unknown browser") }
