package accounts

import "github.com/counterfoil/counterfoil/domain/fault"

// CodeSecondFactorNeeded: the company, or /admin, opens to sessions with a second factor alone. Sign in with one, or
// set one up.
const CodeSecondFactorNeeded fault.Code = "SecondFactor.Needed"

func SecondFactorNeeded() error {
	return fault.Forbidden.New(CodeSecondFactorNeeded, "",
		"This opens with a second factor only. Sign in with yours, or set one up on your account page.")
}

// CodeWrongCode: the code is wrong, too old, or was used before. Wait for the next one of the app, or use a recovery
// code.
const CodeWrongCode fault.Code = "SecondFactor.WrongCode"

func WrongCode() error {
	return fault.Invalid.New(CodeWrongCode, "code",
		"This code is wrong or was used before. Wait for the app’s next code, and check that your device’s clock is right.")
}

// WrongRecoveryCode is WrongCode where only a recovery code is taken.
func WrongRecoveryCode() error {
	return fault.Invalid.New(CodeWrongCode, "code", "This recovery code is wrong or was used before. Type another of yours.")
}

// CodeBadTOTPKey: the key of the authenticator app is not one that the page made. Reload the page.
const CodeBadTOTPKey fault.Code = "SecondFactor.BadKey"

func BadTOTPKey() error {
	return fault.Invalid.New(CodeBadTOTPKey, "", "The key of the app is damaged. Reload the page and scan the new code.")
}

// CodeTOTPConflict: the account has an authenticator app. Remove that first.
const CodeTOTPConflict fault.Code = "SecondFactor.Conflict"

func TOTPConflict() error {
	return fault.Conflict.New(CodeTOTPConflict, "",
		"Your account has an authenticator app already. Remove that first to set up another one.")
}

// CodeFactorNotFound: the account does not have this second factor any more. Reload the page.
const CodeFactorNotFound fault.Code = "SecondFactor.NotFound"

func FactorNotFound() error {
	return fault.NotFound.New(CodeFactorNotFound, "", "Your account does not have this second factor any more.")
}

// CodeNotOwner: only an owner of the company can do this. Ask one.
const CodeNotOwner fault.Code = "Member.NotOwner"

func NotOwner() error {
	return fault.Forbidden.New(CodeNotOwner, "", "Only owners of the company can do this. Ask one of them.")
}
