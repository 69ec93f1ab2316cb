package db

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeUnknownOutcome: the answer of the database to what was to be saved was lost, so it may have been saved. Look
// before trying again; with an Idempotency-Key, send the same request again.
const CodeUnknownOutcome fault.Code = "Database.UnknownOutcome"

// UnknownOutcome returns the error of a change that may have been saved: its answer was lost. It must not be repeated
// unless that does no harm to a change that was saved.
func UnknownOutcome(cause error) error {
	return fault.Error{
		Kind: fault.Unknown, Code: CodeUnknownOutcome, Cause: cause,
		Message: "The connection to the database was lost while this was being saved, so it is not known whether it was " +
			"saved. Check before you try again.",
	}
}

// leavesOpen reports whether a COMMIT that was sent, and failed with err, may have been carried out: when no answer
// came, or one of a server or connection that was being ended.
func leavesOpen(err error) bool {
	switch number(err) {
	case 0:
		return err != nil && !errors.Is(err, driver.ErrBadConn) // that one was not sent
	case 1053, 1180, 1317, 1927, 2006, 2013, 3100, 3169:
		return true
	}
	return false
}

// isLost reports whether the answer to a statement was lost: err is no answer, and the connection was in use until then.
func (c *conn) isLost(err error) bool {
	return err != nil && number(err) == 0 && !c.whole.IsValid() &&
		!errors.Is(err, driver.ErrBadConn) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
