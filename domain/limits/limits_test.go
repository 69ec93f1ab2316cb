package limits

import (
	"bytes"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestName(t *testing.T) {
	t.Parallel()
	if name := Name("a", "bc"); len(name) != 32 || bytes.Equal(name, Name("ab", "c")) ||
		!bytes.Equal(name, Name("a", "bc")) {
		t.Errorf("%x", name)
	}
}

func TestOriginOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]Origin{
		"192.0.2.7":                {Address: "192.0.2.7"},
		"::ffff:192.0.2.7":         {Address: "192.0.2.7"},
		"2001:db8:1:2:3:4:5:6":     {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"2001:db8:1:2:3:4:5:6%eth": {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"":                         {},
		"nonsense":                 {},
	} {
		if origin := OriginOf(address); origin != want {
			t.Errorf("%q is %+v", address, origin)
		}
	}
}

// TestDoubling has a wait grow with each attempt, up to a quarter of an hour, and shrink as time goes by.
func TestDoubling(t *testing.T) {
	t.Parallel()
	d := Doubling{Free: 20, First: 2 * time.Second, Longest: 15 * time.Minute, Forget: 24 * time.Hour}
	now := time.Now()
	for used, want := range map[uint32]time.Duration{19: 0, 20: 2 * time.Second, 21: 4 * time.Second,
		28: 512 * time.Second, 29: d.Longest, 1000: d.Longest} {
		if wait := d.Wait(Count{used, now}, now); wait != want {
			t.Errorf("%d attempts wait %v, want %v", used, wait, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		used, since := rapid.Uint32().Draw(t, "used"), time.Duration(rapid.Int64Range(0, int64(2*d.Forget)).Draw(t, "since"))
		wait := d.Wait(Count{used, now.Add(-since)}, now)
		if used < d.Free && wait != 0 || since >= d.Longest && wait != 0 || wait < 0 || wait+since > max(d.Longest, since) {
			t.Fatalf("%d attempts, the last %v ago, wait %v", used, since, wait)
		}
		if more := d.Wait(Count{used | 1<<31, now.Add(-since)}, now); more < wait {
			t.Fatalf("more attempts wait %v, fewer %v", more, wait)
		}
		if used >= d.Free && since < d.First && wait == 0 {
			t.Fatal("it does not wait")
		}
	})
}

// TestBucket has no stretch of time let more in than the size and what leaks meanwhile.
func TestBucket(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := Bucket{Size: rapid.Uint32Range(1, 20).Draw(t, "size"), Leak: time.Second}
		began := time.Now()
		now, c, taken := began, Count{At: began}, 0
		for _, pause := range rapid.SliceOf(rapid.Int64Range(0, int64(3*time.Second))).Draw(t, "pauses") {
			now = now.Add(time.Duration(pause))
			next, wait := b.Add(c, now)
			if c = next; wait > 0 {
				if later, again := b.Add(c, now.Add(wait)); again > 0 || later.Used > b.Size {
					t.Fatalf("after %v it waits %v", wait, again)
				}
				continue
			}
			taken++
		}
		if most := int(b.Size) + int(now.Sub(began)/b.Leak) + 1; taken > most {
			t.Fatalf("%d taken in %v", taken, now.Sub(began))
		}
	})
}

func TestWindow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 59, 50, 0, time.UTC)
	name, rest := Window(at, time.Hour)
	if other, _ := Window(at.Add(-59*time.Minute), time.Hour); rest != 10*time.Second || name != other {
		t.Errorf("%s, %s, %v", name, other, rest)
	}
	if next, rest := Window(at.Add(rest), time.Hour); next == name || rest != time.Hour {
		t.Errorf("%s, %v", next, rest)
	}
}
