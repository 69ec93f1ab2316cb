package refs

import (
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// BadCode reports a text that is no reference code.
type BadCode struct{ Text string }

func (BadCode) Error() string {
	return "A reference code has five or six letters and digits, such as ukrEP. Upper and lower case are different."
}
func (BadCode) Unwrap() error { return fault.Invalid }
func (BadCode) Field() string { return "code" }

// BadCount reports that so many codes cannot be taken at once.
type BadCount struct{ Most int }

func (e BadCount) Error() string { return fmt.Sprintf("Ask for 1 to %d codes at a time.", e.Most) }
func (BadCount) Unwrap() error   { return fault.Invalid }
func (BadCount) Field() string   { return "count" }

// Empty reports that the pool does not have as many codes as were asked for. Nothing was taken.
type Empty struct{ Asked int }

func (e Empty) Error() string {
	if e.Asked > 1 {
		return "There are not so many reference codes left just now. Ask for fewer, or try again in half a minute: an operator of this server can mint more."
	}
	return "There is no reference code left just now. Try again in half a minute: an operator of this server can mint more."
}
func (Empty) Unwrap() error { return fault.Unavailable }

// RetryAfter is about how long a refill takes to begin and to bring the first codes.
func (Empty) RetryAfter() time.Duration { return 30 * time.Second }

// UsedUp reports that a part of all codes has no more that could be minted.
type UsedUp struct{ Length int }

func (e UsedUp) Error() string {
	return fmt.Sprintf("Hardly any code of %d characters is left that was never used. Mint longer ones.", e.Length)
}
func (UsedUp) Unwrap() error { return fault.Conflict }

// Known reports a code that was in the ledger before.
type Known struct{ Code Code }

func (e Known) Error() string {
	return fmt.Sprintf("The code %s was minted or loaded before. It stays as it is.", e.Code)
}
func (Known) Unwrap() error { return fault.Conflict }

// LotNotFound reports a lot that is not there.
type LotNotFound struct{ ID id.Lot }

func (e LotNotFound) Error() string {
	if e.ID == 0 {
		return "There is no such lot of reference codes."
	}
	return fmt.Sprintf("There is no lot %d of reference codes.", e.ID)
}
func (LotNotFound) Unwrap() error { return fault.NotFound }

// InQuarantine reports a lot that is in quarantine already.
type InQuarantine struct{ ID id.Lot }

func (e InQuarantine) Error() string { return fmt.Sprintf("Lot %d is in quarantine already.", e.ID) }
func (InQuarantine) Unwrap() error   { return fault.Conflict }

// BadPolicy reports a number by which the pool cannot be kept filled.
type BadPolicy struct {
	Name string
	Why  string
}

func (e BadPolicy) Error() string { return e.Why }
func (BadPolicy) Unwrap() error   { return fault.Invalid }
func (e BadPolicy) Field() string { return e.Name }

// TooManyToCount reports that a count of all codes was given up.
type TooManyToCount struct{ After time.Duration }

func (e TooManyToCount) Error() string {
	return fmt.Sprintf("Counting all reference codes took longer than %s and was given up, for the database keeps what is deleted meanwhile. It is tried again in a day.", e.After)
}
func (TooManyToCount) Unwrap() error { return fault.Unavailable }

// TakenOver reports that another server counts codes in place of this one, which took very long.
type TakenOver struct{}

func (TakenOver) Error() string { return "Another server counts reference codes by now." }
func (TakenOver) Unwrap() error { return fault.Conflict }
