// Package domaintest is what tests in all packages share. It knows leaves and db alone, so that each of them may use it.
package domaintest

import (
	"context"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	pollEvery = 20 * time.Millisecond
	patience  = 4 * time.Minute // only keeps a broken test from hanging
)

// Until waits until holds returns true. It asks at once and then every 20 ms; after four minutes the test fails with
// "waited in vain until <what>" and what the states say then. Like t.Fatal, it is for the test's goroutine.
func Until(t testing.TB, what string, holds func() bool, states ...func() string) {
	t.Helper()
	for began := time.Now(); !holds(); _ = wait.Sleep(context.Background(), pollEvery) {
		if time.Since(began) < patience {
			continue
		}
		for _, state := range states {
			what += "\n" + state()
		}
		t.Fatalf("waited in vain until %s", what)
	}
}
