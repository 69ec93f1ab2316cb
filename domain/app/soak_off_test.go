//go:build !soak

package app_test

import "time"

const (
	answerWithin = time.Second
	rounds       = 1
)
