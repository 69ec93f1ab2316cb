// Package fault has the errors of the domain: each has one kind, which says what a caller can do, and one code,
// which says what it is. Clients and tests match codes.
//
// A package declares a constant for each of its codes and a small function that makes the error:
//
//	// CodeNotFound: the board does not exist, or not for the caller. See the list of boards.
//	const CodeNotFound fault.Code = "Board.NotFound"
//
//	func NotFound() error {
//		return fault.NotFound.New(CodeNotFound, "", "There is no such board here. …")
//	}
//
// An error whose data a caller needs is a type of its own that unwraps to an Error. An error without a kind is
// a server error.
package fault

import (
	"errors"
	"strings"
)

// Kind is what a caller can do about an error. Test for one with errors.Is.
type Kind string

// The kinds.
const (
	Invalid         Kind = "invalid"         // send something else
	Unauthenticated Kind = "unauthenticated" // sign in, or send a token
	Forbidden       Kind = "forbidden"       // ask a user who may
	NotFound        Kind = "not found"
	Gone            Kind = "gone"     // it existed, and will not again
	Conflict        Kind = "conflict" // read the present state
	TooLarge        Kind = "too large"
	Unsupported     Kind = "unsupported" // send it in another format
	RateLimited     Kind = "rate limited"
	Unavailable     Kind = "unavailable" // try again later; nothing was done
	StorageFull     Kind = "storage full"
	Unknown         Kind = "unknown" // it may have happened: check before retrying
)

// Kinds are all of them.
var Kinds = []Kind{Invalid, Unauthenticated, Forbidden, NotFound, Gone, Conflict, TooLarge, Unsupported, RateLimited,
	Unavailable, StorageFull, Unknown}

func (k Kind) Error() string { return string(k) }

// New returns an error of the kind, about a form field or JSON member, "" for none. The message is a sentence for the
// user: what happened, then what to do.
func (k Kind) New(code Code, field, message string) Error {
	return Error{Kind: k, Code: code, Field: field, Message: message}
}

// Code names an error for good, as Noun.Reason. Test for one with errors.Is.
type Code string

func (c Code) Error() string { return string(c) }

// Error is an error of the domain.
type Error struct {
	Kind    Kind
	Code    Code
	Field   string // the form field or JSON member that it is about, or ""
	Message string // a sentence for the user: what happened, then what to do
	Cause   error  // for the log alone: it is not unwrapped, so an error has one kind
}

func (e Error) Error() string { return e.Message }

// Is reports whether target is the error's kind or code.
func (e Error) Is(target error) bool { return target == error(e.Kind) || target == error(e.Code) }

// Several is all that is wrong with a request, each with its field.
type Several []error

func (s Several) Error() string {
	sentences := make([]string, len(s))
	for i, err := range s {
		sentences[i] = err.Error()
		if field := Field(err); field != "" {
			sentences[i] = field + ": " + sentences[i]
		}
	}
	return strings.Join(sentences, " ")
}

// Unwrap returns the errors one by one.
func (s Several) Unwrap() []error { return s }

// Join joins the errors that are not nil, and the parts of any Several among them: nil for none, the error itself for
// one, else Several. An error without a kind is returned alone.
func Join(errs ...error) error {
	var all Several
	for _, err := range errs {
		var several Several
		switch {
		case err == nil:
		case KindOf(err) == "":
			return err
		case errors.As(err, &several):
			all = append(all, several...)
		default:
			all = append(all, err)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// Each returns the errors that were joined, or err alone; nil for nil.
func Each(err error) []error {
	var several Several
	switch {
	case err == nil:
		return nil
	case errors.As(err, &several):
		return several
	}
	return []error{err}
}

// Of returns the first Error within err. ok is false if there is none.
func Of(err error) (e Error, ok bool) {
	ok = errors.As(err, &e)
	return e, ok
}

// KindOf returns the kind of err, "" if it has none.
func KindOf(err error) Kind {
	if e, ok := Of(err); ok {
		return e.Kind
	}
	var kind Kind
	errors.As(err, &kind)
	return kind
}

// CodeOf returns the code of err, "" if it has none.
func CodeOf(err error) Code {
	e, _ := Of(err)
	return e.Code
}

// Message returns the sentence for users of the Error within err, "" if there is none.
func Message(err error) string {
	e, _ := Of(err)
	return e.Message
}

// Field returns the name of the form field or JSON member that err is about, or "".
func Field(err error) string {
	e, _ := Of(err)
	return e.Field
}

// Cause returns the cause of err, for the log; nil if there is none.
func Cause(err error) error {
	e, _ := Of(err)
	return e.Cause
}

// At returns an Error, or each of Several, about another field. It returns other errors as they are.
func At(field string, err error) error {
	var moved []error
	for _, one := range Each(err) {
		if e, ok := Of(one); ok {
			e.Field = field
			one = e
		}
		moved = append(moved, one)
	}
	return Join(moved...)
}
