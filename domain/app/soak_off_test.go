//go:build !soak

package app_test

import "time"

const (
	answerWithin = 2 * time.Second
	rounds       = 1
)
