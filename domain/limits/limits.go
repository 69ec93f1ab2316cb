// Package limits has the rules by which attempts are limited: by origin, with a wait that doubles, with a bucket
// that leaks, or by windows of time. It counts nothing: the counts are rows that any number of servers share, and
// belong to whoever limits something.
package limits

import (
	"crypto/sha256"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Name returns the name of a count, 32 bytes, that tells nothing of the parts.
func Name(parts ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return sum[:]
}

// Origin is where attempts come from, as far as limits tell them apart. Of an IPv6 address Address is the first 64
// bits, which belong to one user, who has the others to choose from, and Network the first 48, which one customer
// has at most. An address of IPv4 is in no network; what is no address is the zero Origin.
type Origin struct{ Address, Network string }

// OriginOf returns the origin of an IP address.
func OriginOf(address string) Origin {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return Origin{}
	}
	at = at.Unmap().WithZone("")
	if !at.Is6() {
		return Origin{Address: at.String()}
	}
	own, _ := at.Prefix(64)
	network, _ := at.Prefix(48)
	return Origin{own.String(), network.String()}
}

// Count is how many attempts count, and when the last of them was.
type Count struct {
	Used uint32
	At   time.Time
}

// Doubling lets some attempts be free; then each doubles the wait until the next.
type Doubling struct {
	Free           uint32
	First, Longest time.Duration
	Forget         time.Duration // after so long without an attempt they are free again
}

// Wait returns how long from now until the next attempt; 0 is at once.
func (d Doubling) Wait(c Count, now time.Time) time.Duration {
	since := now.Sub(c.At)
	if c.Used < d.Free || since >= d.Forget {
		return 0
	}
	wait := d.Longest
	if doublings := c.Used - d.Free; doublings < 62 && d.First < d.Longest>>doublings {
		wait = d.First << doublings
	}
	return max(0, wait-since)
}

// Bucket takes Size attempts at once, and then one whenever one has leaked out of it.
type Bucket struct {
	Size uint32
	Leak time.Duration // of one
}

// Add returns the count with one attempt more, or how long to wait until there is room for it.
func (b Bucket) Add(c Count, now time.Time) (Count, time.Duration) {
	leaked := uint32(min(max(now.Sub(c.At), 0)/b.Leak, time.Duration(b.Size)))
	if leaked >= c.Used {
		return Count{1, now}, 0
	}
	c.Used -= leaked
	c.At = c.At.Add(time.Duration(leaked) * b.Leak)
	if c.Used >= b.Size {
		return c, b.Leak - now.Sub(c.At)
	}
	return Count{c.Used + 1, c.At}, 0
}

// Window returns the name of the window of time that now is in, and how long it lasts yet.
func Window(now time.Time, length time.Duration) (name string, rest time.Duration) {
	begun := now.Truncate(length)
	return strconv.FormatInt(begun.Unix(), 10), begun.Add(length).Sub(now)
}
