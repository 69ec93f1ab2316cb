package domaintest

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
