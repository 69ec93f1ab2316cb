package domaintest

// Must fails the test if err is not nil. Like t.Fatal, it is for the test's goroutine. T is a testing.TB or a rapid.T.
func Must(t interface {
	Helper()
	Fatal(args ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
