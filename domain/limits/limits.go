// Package limits has the rules for limiting attempts: by origin, with a doubling wait, with a leaky bucket, or by
// windows of time. It stores nothing: counts are rows of the packages that limit something, shared by all servers, or in
// the memory of one server, as those of package api.
package limits

import (
	"crypto/sha256"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Name returns the name of a count, 32 bytes, that reveals nothing of the parts.
func Name(parts ...string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return sum[:]
}

// Origin is the source of attempts. Of an IPv6 address, Address is the first 64 bits, which one user has, and Network
// the first 48, the most that one customer has. An IPv4 address has no network; an invalid address gives the zero
// Origin.
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

// Count is a number of attempts, and the time of the last.
type Count struct {
	Used uint32
	At   time.Time
}

// Doubling allows some free attempts; then each doubles the wait until the next.
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

// Bucket allows Size attempts at once, and then one per Leak.
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
