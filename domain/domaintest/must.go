package domaintest

import "errors"

// T is a testing.TB or a rapid.T. Functions that take one belong on the test's goroutine, as their Fatal does.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Must fails the test if err is not nil.
func Must(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// OK returns what a call returned beside its error, and fails the test if there is one: board := OK(open(slug))(t).
func OK[V any](value V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Must(t, err)
		return value
	}
}

// Is reports an error unless err is the wanted one, as errors.Is says.
func Is(t T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("the error is %v, not %v", err, want)
	}
}

// Fails reports an error unless a call fails as wanted: domaintest.Fails(open(slug))(t, boards.CodeNotFound).
func Fails[V any](_ V, err error) func(t T, want error) {
	return func(t T, want error) {
		t.Helper()
		Is(t, err, want)
	}
}
