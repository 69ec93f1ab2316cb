// Package fault has the six kinds of error that a caller can act on.
//
// A domain error is a small struct with its data. Its Error is a sentence for the person who
// caused it, saying what to do next, and it unwraps to one kind:
//
//	type NotFound struct{ Slug string }
//
//	func (e NotFound) Error() string { return "There is no board " + e.Slug + " here." }
//	func (e NotFound) Unwrap() error { return fault.NotFound }
//
// An error without a kind is a fault of ours.
package fault

import (
	"errors"
	"fmt"
	"slices"
)

// The kinds. Test for one with errors.Is.
var (
	Invalid     = errors.New("invalid")
	NotFound    = errors.New("not found")
	Conflict    = errors.New("conflict")
	Forbidden   = errors.New("forbidden")
	RateLimited = errors.New("rate limited")
	Unavailable = errors.New("unavailable")
)

var kinds = []error{Invalid, NotFound, Conflict, Forbidden, RateLimited, Unavailable}

// Kind returns the kind that err unwraps to, or nil.
func Kind(err error) error {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return nil
}

// Message returns the sentence for people of the domain error within err, "" where there is none.
func Message(err error) string {
	if domain := Domain(err); domain != nil {
		return domain.Error()
	}
	return ""
}

// Name returns the name of the domain error within err, such as boards.SlugConflict, or "".
func Name(err error) string {
	if domain := Domain(err); domain != nil {
		return fmt.Sprintf("%T", domain)
	}
	return ""
}

// Domain returns the domain error within err: the first in its tree that unwraps straight to a
// kind. It is nil where there is none.
func Domain(err error) error {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		next := e.Unwrap()
		if slices.Contains(kinds, next) {
			return err
		}
		return Domain(next)
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			if found := Domain(part); found != nil {
				return found
			}
		}
	}
	return nil
}

// Field returns the name of the form field or JSON member that err is about, or "".
func Field(err error) string {
	var fielded interface{ Field() string }
	if errors.As(err, &fielded) {
		return fielded.Field()
	}
	return ""
}
