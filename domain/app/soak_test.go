//go:build soak

package app_test

import "github.com/counterfoil/counterfoil/db"

// In `make soak` connections are as long-suffering as those of serve, and dropped again and again.
const (
	answerWithin = db.AnswerTimeout
	rounds       = 5
)
