package domaintest

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// failureRecorder keeps what a test that fails says.
type failureRecorder struct {
	testing.TB
	message string
}

func (f *failureRecorder) Helper() {}

func (f *failureRecorder) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestUntil(t *testing.T) {
	t.Parallel()
	t.Run("it asks at once, and then until it is so", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			began, asked := time.Now(), 0
			Until(t, "it was asked three times", func() bool { asked++; return asked == 3 })
			if asked != 3 || time.Since(began) != 2*pollEvery {
				t.Errorf("asked %d times in %v", asked, time.Since(began))
			}
		})
	})
	t.Run("it fails in the end, with the states", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			began, never := time.Now(), &failureRecorder{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				Until(never, "pigs fly", func() bool { return false }, func() string { return "they walk" })
			}()
			<-done
			if never.message != "waited in vain until pigs fly\nthey walk" || time.Since(began) != patience {
				t.Errorf("%q after %v", never.message, time.Since(began))
			}
		})
	})
}
