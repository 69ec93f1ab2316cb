package views

import (
	"testing"
)

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 12482: "12,482",
		60169205: "60,169,205", 100000: "100,000", -1234: "−1,234"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d is %s", n, got)
		}
	}
}
