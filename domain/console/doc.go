// Package console has the use cases of operators: runs and workers, feeds and their consumers, reference codes,
// companies. Its invariant: each checks that the caller is an operator (operator.go; a test calls all). Pages, API
// and command line call it alike. Start at runs.go.
package console
