package accounts

import (
	"context"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/limits"
)

// CodeAttempt is one try at the code of a second factor, counted.
type CodeAttempt struct {
	name     []byte
	auditKey []byte
	Full     bool // it used up the free ones, and that was not recorded lately
}

// CountCode counts a try at the code of an account's second factor, or returns TooManyAttempts and counts nothing.
// Commit it before the code is checked. All tries count together, wherever they come from, since whoever tries has
// the password; those of a device, a browser that has signed in to the account, count for that alone.
func CountCode(ctx context.Context, tx *db.Tx, account ID, device string) (CodeAttempt, error) {
	id := strconv.FormatUint(uint64(account), 10)
	a := CodeAttempt{name: limits.Name("code", id, device), auditKey: limits.Name("said code", id)}
	levels := []level{{name: a.name, next: nextTry}}
	wait, err := lockLevels(ctx, tx, levels)
	if err != nil {
		return CodeAttempt{}, err
	}
	if wait > 0 {
		return CodeAttempt{}, TooManyAttempts{Wait: wait}
	}
	if err := countLevels(ctx, tx, levels); err != nil {
		return CodeAttempt{}, err
	}
	if levels[0].Used == tries.Free {
		a.Full, err = recordOnce(ctx, tx, a.auditKey)
	}
	return a, err
}

// Succeed forgets the tries before the right code.
func (a CodeAttempt) Succeed(ctx context.Context, tx *db.Tx) error { return set(ctx, tx, a.name, 0) }
