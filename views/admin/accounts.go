package admin

import (
	"strings"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// AccountsProps is a page of the accounts of all companies, or those that a text finds.
type AccountsProps struct {
	Page     views.Page
	Query    string
	Accounts []accounts.Listed
	More     bool
}

// AccountProps is an account.
type AccountProps struct {
	Page         views.Page
	Account      accounts.Account
	Companies    []accounts.Membership
	Factors      accounts.Factors
	Sessions     []accounts.Session // the latest
	MoreSessions bool
	Link         string // for a new password, once
	Successor    string // as it was typed
	Address      string // likewise, or the present one
	Errors       views.Errors
}

// factorsText says what an account has beside its password.
func factorsText(f accounts.Factors) string {
	var parts []string
	if f.TOTP {
		parts = append(parts, "authenticator app")
	}
	if f.Passkeys > 0 {
		parts = append(parts, views.Counted(int64(f.Passkeys), "passkey", "passkeys"))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(append(parts, views.Counted(int64(f.RecoveryCodes), "recovery code", "recovery codes")), ", ")
}
