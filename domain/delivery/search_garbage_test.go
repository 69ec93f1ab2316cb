package delivery

import (
	"runtime/debug"
	"testing"
)

// Garbage is collected less often while an index is built, but as often as an operator wants, if that was said.
func TestCollectLess(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualGarbage))
	now := func() int {
		percent := debug.SetGCPercent(usualGarbage)
		debug.SetGCPercent(percent)
		return percent
	}
	for _, c := range []struct{ before, while int }{{usualGarbage, buildGarbage}, {50, 50}, {400, 400}, {-1, -1}} {
		debug.SetGCPercent(c.before)
		restore := collectLess()
		if got := now(); got != c.while {
			t.Errorf("%d becomes %d, not %d", c.before, got, c.while)
		}
		restore()
		if got := now(); got != c.before {
			t.Errorf("%d is %d afterwards", c.before, got)
		}
	}
}
