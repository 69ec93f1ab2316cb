package worker

import (
	"testing"
	"time"
)

func TestClaimTimes(t *testing.T) {
	t.Parallel()
	var c claimTimes
	if c.p99() != 0 {
		t.Error("before the first claim")
	}
	c.add(time.Second)
	if c.p99() != time.Second {
		t.Error("after one")
	}
	for i := range 1000 {
		c.add(time.Duration(i%100+1) * time.Millisecond)
	}
	if p := c.p99(); p < 99*time.Millisecond || p > 100*time.Millisecond {
		t.Errorf("%s", p)
	}
}
