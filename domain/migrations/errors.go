package migrations

import (
	"context"
	"fmt"
	"time"
)

// Permanent is an error of a task that no further attempt would mend.
type Permanent struct{ Err error }

func (e Permanent) Error() string { return e.Err.Error() }
func (e Permanent) Unwrap() error { return e.Err }

// Later puts a task off: it comes again after a while, and that costs no attempt; unless its host let
// nothing through for an hour: then it is a failed attempt, as with any error.
type Later struct {
	After  time.Duration
	Host   string // that asked for it; "" if none did
	Reason string
}

func (e Later) Error() string {
	if e.Host == "" {
		return fmt.Sprintf("put off for %s: %s", e.After, e.Reason)
	}
	return fmt.Sprintf("%s: put off for %s: %s", e.Host, e.After, e.Reason)
}

// DetailedError is an error with more to say than its message, such as what an upstream answered; the
// attempt keeps it.
type DetailedError interface {
	error
	Detail() string
}

// PanicError is a panic of a processor.
type PanicError struct {
	Value any
	Stack string
}

func (e PanicError) Error() string  { return fmt.Sprintf("panic: %v", e.Value) }
func (e PanicError) Detail() string { return e.Stack }

// Overdue is an attempt that took longer than its run allows.
type Overdue struct {
	Timeout time.Duration
	Stuck   bool // it ignored the cancellation
}

func (e Overdue) Error() string {
	if e.Stuck {
		return fmt.Sprintf("took longer than the run's timeout of %s, and did not stop when told to", e.Timeout)
	}
	return fmt.Sprintf("took longer than the run's timeout of %s", e.Timeout)
}
func (Overdue) Unwrap() error { return context.DeadlineExceeded }
