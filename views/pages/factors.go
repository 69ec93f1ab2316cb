package pages

import (
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// SecondForm asks for the second factor of a user.
type SecondForm struct {
	Email    string
	Next     string
	Passkeys bool // the user has one
	Errors   views.Errors
}

// TOTPForm sets an authenticator app up.
type TOTPForm struct {
	Key    accounts.TOTPKey
	QRCode string // a data URL
	Next   string
	Errors views.Errors
}

// PasskeyForm adds a passkey.
type PasskeyForm struct {
	Name, Next string
	Possible   bool // browsers have passkeys at the server's address
	Errors     views.Errors
}

// PasskeyNameForm renames a passkey.
type PasskeyNameForm struct {
	Passkey id.Passkey
	Name    string
	Errors  views.Errors
}

// FactorsProps are the second factors of the user.
type FactorsProps struct {
	accounts.Factors
	List []accounts.Passkey
}

// RecoveryCodesProps are new recovery codes, which are shown once.
type RecoveryCodesProps struct {
	Page  views.Page
	Codes []string
	Next  string
	Host  string
}

func recoveryLeft(n int) string {
	if n == 1 {
		return "1 recovery code left"
	}
	return views.Number(uint64(n)) + " recovery codes left"
}
