package refs

import (
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// CodeBadCode: the text is no reference code. Send five or six letters and digits, such as ukrEP.
const CodeBadCode fault.Code = "Code.Invalid"

func BadCode() error {
	return fault.Invalid.New(CodeBadCode, "code",
		"A reference code has five or six letters and digits, such as ukrEP. Upper and lower case matter.")
}

// CodeBadCount: so many codes cannot be taken at once. Send a number in the bounds that the message names.
const CodeBadCount fault.Code = "Code.BadCount"

func BadCount(most int) error {
	return fault.Invalid.New(CodeBadCount, "count", fmt.Sprintf("Ask for 1 to %d codes at a time.", most))
}

// CodeEmpty: the pool does not have as many codes as were asked for, and none was taken. Try again after
// Retry-After.
const CodeEmpty fault.Code = "Code.PoolEmpty"

// Empty reports that the pool does not have as many codes as were asked for. Nothing was taken.
type Empty struct{ Requested int }

func (e Empty) Error() string {
	if e.Requested > 1 {
		return "Not enough reference codes are left right now. Ask for fewer, or try again in half a minute: an operator of this server can mint more."
	}
	return "No reference code is left right now. Try again in half a minute: an operator of this server can mint more."
}
func (e Empty) Unwrap() error {
	return fault.Unavailable.New(CodeEmpty, "", e.Error())
}

// RetryAfter is about how long a refill takes to begin and to bring the first codes.
func (Empty) RetryAfter() time.Duration { return 30 * time.Second }

// CodeUsedUp: hardly any code of this length is left that was never used. Mint longer ones.
const CodeUsedUp fault.Code = "Code.UsedUp"

func UsedUp(length int) error {
	return fault.Conflict.New(CodeUsedUp, "",
		fmt.Sprintf("Hardly any unused codes of %d characters are left. Mint longer ones.", length))
}

// CodeKnown: the code was minted or loaded before. It stays as it is.
const CodeKnown fault.Code = "Code.Known"

func Known(code Code) error {
	return fault.Conflict.New(CodeKnown, "",
		fmt.Sprintf("The code %s was minted or loaded before. It stays as it is.", code))
}

// CodeLotNotFound: there is no such lot of codes. See the list of lots.
const CodeLotNotFound fault.Code = "Lot.NotFound"

func LotNotFound(id id.Lot) error {
	return fault.NotFound.New(CodeLotNotFound, "", lotNotFoundMessage(id))
}

func lotNotFoundMessage(id id.Lot) string {
	if id == 0 {
		return "This lot of reference codes does not exist."
	}
	return fmt.Sprintf("Lot %d of reference codes does not exist.", id)
}

// CodeInQuarantine: the lot is in quarantine already. Nothing needs to be done.
const CodeInQuarantine fault.Code = "Lot.InQuarantine"

func InQuarantine(id id.Lot) error {
	return fault.Conflict.New(CodeInQuarantine, "", fmt.Sprintf("Lot %d is in quarantine already.", id))
}

// CodeBadPolicy: a number of the refill policy is out of bounds. Send a value in the bounds that the message
// names.
const CodeBadPolicy fault.Code = "Code.BadPolicy"

func BadPolicy(name, why string) error {
	return fault.Invalid.New(CodeBadPolicy, name, why)
}

// CodeTooManyToCount: the count of all codes took too long and was given up. It is tried again in a day.
const CodeTooManyToCount fault.Code = "Code.CountTooSlow"

func TooManyToCount(after time.Duration) error {
	return fault.Unavailable.New(CodeTooManyToCount, "",
		fmt.Sprintf("Counting all reference codes took longer than %s and was stopped. It is retried in a day.", after))
}

// CodeTakenOver: another server counts the codes by now. Nothing needs to be done.
const CodeTakenOver fault.Code = "Code.CountTakenOver"

func TakenOver() error {
	return fault.Conflict.New(CodeTakenOver, "", "Another server is counting reference codes now.")
}

// CodeNotIssued: the code was never popped, or not by a token of the caller. Check how it is written.
const CodeNotIssued fault.Code = "Code.NotFound"

func NotIssued() error {
	return fault.NotFound.New(CodeNotIssued, "",
		"No token of yours popped this reference code. Check how it is written: upper and lower case matter.")
}

// CodeBadPurpose: the purpose of a pop is too long, or not one line of text. Shorten or retype it.
const CodeBadPurpose fault.Code = "Code.BadPurpose"

func BadPurpose() error {
	return fault.Invalid.New(CodeBadPurpose, "purpose",
		fmt.Sprintf("The purpose may have up to %d characters, in one line.", MaxPurpose))
}

// CodeOverCall: the service account may not pop so many codes in one call. Ask for fewer at a time.
const CodeOverCall fault.Code = "Code.OverCallBudget"

// OverCall reports that a service account asked for more codes than it may pop in one call.
type OverCall struct{ PerCall int }

func (e OverCall) Error() string {
	return fmt.Sprintf("This service account may pop up to %d codes in a call. Ask for fewer at a time.", e.PerCall)
}

func (e OverCall) Unwrap() error { return fault.RateLimited.New(CodeOverCall, "count", e.Error()) }

// RetryAfter is short: a smaller call may follow at once.
func (OverCall) RetryAfter() time.Duration { return time.Second }

// CodeOverDay: the service account has too few codes left of its budget of the day. Try again after Retry-After, or ask
// an operator of the server for a larger budget.
const CodeOverDay fault.Code = "Code.OverDayBudget"

// OverDay reports that a service account has too few codes left for a day, which ends after Wait.
type OverDay struct {
	PerDay, Left int
	Wait         time.Duration
}

func (e OverDay) Error() string {
	return fmt.Sprintf("This service account may pop %d codes a day, and has %d left. The next day begins at 00:00 UTC. "+
		"An operator of this server can raise the budget.", e.PerDay, e.Left)
}

func (e OverDay) Unwrap() error { return fault.RateLimited.New(CodeOverDay, "count", e.Error()) }

func (e OverDay) RetryAfter() time.Duration { return e.Wait }
