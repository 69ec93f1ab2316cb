package failover

import (
	"testing"
	"time"
)

func TestBusiest(t *testing.T) {
	t.Parallel()
	at := func(seconds ...int) (times []time.Time) {
		for _, s := range seconds {
			times = append(times, time.Unix(int64(s), 0))
		}
		return times
	}
	for _, c := range []struct {
		what  string
		times []time.Time
		want  int
	}{
		{"no times", nil, 0},
		{"one", at(5), 1},
		{"the whole span counts", at(0, 10, 20, 31), 3},
		{"in any order", at(100, 0, 130, 101, 128), 4},
		{"the busiest counts, not the last", at(0, 1, 2, 3, 1000, 1001), 4},
	} {
		if got := busiest(c.times, 30*time.Second); got != c.want {
			t.Errorf("%s: %d, not %d", c.what, got, c.want)
		}
	}
}
