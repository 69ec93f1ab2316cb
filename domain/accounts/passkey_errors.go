package accounts

import "github.com/counterfoil/counterfoil/domain/fault"

// CodeBadPasskey: the answer of the passkey is not one to this page's question: of another site, another account,
// sent twice, or changed. Try again from the page.
const CodeBadPasskey fault.Code = "Passkey.Bad"

func BadPasskey(cause error) error {
	return fault.Error{Kind: fault.Invalid, Code: CodeBadPasskey, Cause: cause,
		Message: "This passkey was not accepted. Reload the page and try again, or use another way to sign in."}
}

// CodeLatePasskey: the passkey took longer than ten minutes to answer. Try again.
const CodeLatePasskey fault.Code = "Passkey.Late"

func LatePasskey() error {
	return fault.Invalid.New(CodeLatePasskey, "", "That took too long. Try again.")
}

// CodePasskeyCloned: the passkey counted its uses wrongly, so a copy of it may be in use. Sign in another way, remove
// it and add a new one.
const CodePasskeyCloned fault.Code = "Passkey.Cloned"

func PasskeyCloned() error {
	return fault.Invalid.New(CodePasskeyCloned, "",
		"This passkey may have been copied, so it signs nobody in any more. Sign in another way, and remove it on your account page.")
}

// CodePasskeyConflict: an account has this passkey already. Use it, or add another one.
const CodePasskeyConflict fault.Code = "Passkey.Conflict"

func PasskeyConflict() error {
	return fault.Conflict.New(CodePasskeyConflict, "", "This passkey was added before.")
}

// CodeTooManyPasskeys: the account has as many passkeys as it may have. Remove one first.
const CodeTooManyPasskeys fault.Code = "Passkey.TooMany"

func TooManyPasskeys() error {
	return fault.Conflict.New(CodeTooManyPasskeys, "", "You have 20 passkeys, the most allowed. Remove one that is not needed first.")
}

// CodeNoPasskeysHere: browsers have no passkeys at this address: they need a host name, and https. Set
// COUNTERFOIL_URL to such an address.
const CodeNoPasskeysHere fault.Code = "Passkey.Unavailable"

func NoPasskeysHere() error {
	return fault.Invalid.New(CodeNoPasskeysHere, "",
		"Browsers have no passkeys at this address. They need a host name and https; the operator of this server sets COUNTERFOIL_URL.")
}
