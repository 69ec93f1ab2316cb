package private

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	take := func(how int) bool {
		l := domaintest.OK(openLock(path))(t)
		return domaintest.OK(l.try(how))(t)
	}

	t.Run("shares exclude an owner, and last when their holder is dropped", func(t *testing.T) {
		for range 2 {
			if !take(shared) {
				t.Error("two shares do not go together")
			}
		}
		for range 5 {
			runtime.GC()
			if take(exclusive) {
				t.Fatal("the shares were lost")
			}
		}
	})
}
