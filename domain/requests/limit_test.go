package requests

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
)

func TestFromAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]From{
		"192.0.2.7":                {address: "192.0.2.7"},
		"::ffff:192.0.2.7":         {address: "192.0.2.7"},
		"2001:db8:1:2:3:4:5:6":     {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"2001:db8:1:2:3:4:5:6%eth": {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"":                         {},
		"nonsense":                 {},
	} {
		if from := FromAddress(address); from != want {
			t.Errorf("%q is %+v", address, from)
		}
	}
}

// TestBackOff has a wait grow with each miss, up to a quarter of an hour, and shrink as time goes by.
func TestBackOff(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Now()
		used, since := rapid.Uint32().Draw(t, "used"), time.Duration(rapid.Int64Range(0, int64(2*forgetful)).Draw(t, "since"))
		wait := backOff(db.PublicLimit{Used: used, LastAt: now.Add(-since)}, freeMisses, now)
		if used < freeMisses && wait != 0 || since >= maxWait && wait != 0 || wait < 0 || wait+since > max(maxWait, since) {
			t.Fatalf("%d misses, the last %v ago, wait %v", used, since, wait)
		}
		if more := backOff(db.PublicLimit{Used: used | 1<<31, LastAt: now.Add(-since)}, freeMisses, now); more < wait {
			t.Fatalf("more misses wait %v, fewer %v", more, wait)
		}
		if used >= freeMisses && since < firstWait && wait == 0 {
			t.Fatal("it does not wait")
		}
	})
}
