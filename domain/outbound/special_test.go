package outbound

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"strings"
	"testing"

	"code.dny.dev/ssrf"
)

// alone is a client of a machine without neighbours, which may reach public addresses.
func alone(purpose Purpose) *Client {
	c := New(Options{Purpose: purpose})
	c.guard.neighbours.read = func() ([]net.Addr, error) { return nil, nil }
	return c
}

// registries are the address blocks of IANA's registries as of November 2026, and multicast's.
var registries = strings.Fields(`
	0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29
	192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24
	192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
	255.255.255.255/32 224.0.0.0/4
	::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128 2001:1::3/128
	2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16
	2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 ff00::/8`)

func TestNoSpecialAddressIsReached(t *testing.T) {
	t.Parallel()
	c := alone(Downloads)
	refused := func(address string) bool {
		_, err := c.Check(address)
		return errors.As(err, new(RefusedAddress))
	}
	for _, block := range append(registries, "168.63.129.16/32", "::/96", "fec0::/10", "4000::/3", "8000::/1", "::/3") {
		network := netip.MustParsePrefix(block)
		first, last := network.Addr(), lastOf(network)
		middle := netip.PrefixFrom(last, min(network.Bits()+1, network.Addr().BitLen())).Masked().Addr()
		for _, ip := range []netip.Addr{first, first.Next(), middle, last.Prev(), last} {
			if !network.Contains(ip) || ip.Is4In6() {
				continue
			}
			for _, written := range written(ip) {
				if !refused("https://"+written+"/") || !refused("http://"+written+":8080/") {
					t.Errorf("%s of %s is reached", written, block)
				}
			}
		}
	}
	t.Run("the addresses next to a range are judged by themselves", func(t *testing.T) {
		for _, r := range special {
			network := netip.MustParsePrefix(r.prefix)
			for _, ip := range []netip.Addr{network.Addr().Prev(), lastOf(network).Next()} {
				if !ip.IsValid() {
					continue
				}
				if got, want := refused("https://"+written(ip)[0]+"/"), !reference(ip); got != want {
					t.Errorf("%s beside %s: refused %t", ip, r.prefix, got)
				}
			}
		}
		for _, ip := range strings.Fields("1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 " +
			"169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.167.255.255 " +
			"192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.15 168.63.129.17 2001:200:: 2001:db7::1 " +
			"2001:db9:: 2001:dff:: 2003:: 3fff:1000:: 3ffe:ffff::1 2620:4f:7fff::1 2620:4f:8001::") {
			if refused("https://" + written(netip.MustParseAddr(ip))[0] + "/") {
				t.Errorf("%s is refused", ip)
			}
		}
	})
}

func lastOf(network netip.Prefix) netip.Addr {
	b := network.Masked().Addr().AsSlice()
	for i := network.Bits(); i < 8*len(b); i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	last, _ := netip.AddrFromSlice(b)
	return last
}

// written are the forms that an address may have in one that is asked for: of an IPv4 address those of translators and
// tunnels, too.
func written(ip netip.Addr) []string {
	if ip.Is4() {
		b := ip.As4()
		h := hex.EncodeToString(b[:])
		h1, h2 := h[:4], h[4:]
		not := fmt.Sprintf("%x:%x", uint16(^b[0])<<8|uint16(^b[1]), uint16(^b[2])<<8|uint16(^b[3]))
		list := []string{ip.String()}
		for _, form := range []string{
			"::ffff:" + ip.String(), "::FFFF:" + h1 + ":" + h2, "0:0:0:0:0:ffff:" + ip.String(), "::" + ip.String(),
			"64:ff9b::" + ip.String(), "64:FF9B::" + h1 + ":" + h2, "64:ff9b:0:0:0:0:" + h1 + ":" + h2,
			"64:ff9b:1::" + ip.String(), "64:ff9b:1:" + h1 + ":" + h2[:2] + ":" + h2[2:] + "00::",
			"2002:" + h1 + ":" + h2 + "::", "2002:" + h1 + ":" + h2 + "::1", "2001:0:" + h1 + ":" + h2 + "::1",
			"2001:0:808:808:0:0:" + not,
		} {
			list = append(list, "["+form+"]")
		}
		return list
	}
	return []string{"[" + ip.String() + "]", "[" + strings.ToUpper(ip.StringExpanded()) + "]", "[" + ip.String() + "%25eth0]"}
}

// reference says whether an address is public, by other code than ours: numbers between first and last of each block,
// and the library code.dny.dev/ssrf.
func reference(ip netip.Addr) bool {
	ip = ip.WithZone("")
	b := ip.As16()
	n := new(big.Int).SetBytes(b[:])
	within := func(block string) bool {
		network := netip.MustParsePrefix(block)
		first, last := network.Addr().As16(), lastOf(network).As16()
		return n.Cmp(new(big.Int).SetBytes(first[:])) >= 0 && n.Cmp(new(big.Int).SetBytes(last[:])) <= 0
	}
	if within("64:ff9b::/96") {
		return reference(netip.AddrFrom4([4]byte(b[12:])))
	}
	for _, block := range append(registries, "168.63.129.16/32") {
		if within(block) {
			return false
		}
	}
	return ssrf.New(ssrf.WithAnyPort()).SafeAddr(ip.Unmap()) == nil
}

// FuzzNoSpelling has no spelling of a host reach an address that is not public, and none of a public one be refused.
func FuzzNoSpelling(f *testing.F) {
	for _, r := range special {
		network := netip.MustParsePrefix(r.prefix)
		for _, ip := range []netip.Addr{network.Addr(), lastOf(network), network.Addr().Prev(), lastOf(network).Next()} {
			if !ip.IsValid() {
				continue
			}
			b := ip.As16()
			f.Add(b[:], "")
			for _, host := range written(ip) {
				f.Add([]byte(nil), host)
			}
		}
	}
	for _, host := range []string{"127.1", "0x7f.1", "2130706433", "017700000001", "127.0.0.1.", "127。0。0。1", "①②⑦.0.0.1",
		"[::ffff:127.0.0.1%25eth0]", "[0:0::1]", "localhost", "a.localhost.", "LOCALHOST", "[::1", "::1", "8.8.8.8"} {
		f.Add([]byte(nil), host)
	}
	clients := []*Client{alone(Downloads), alone(Webhooks)}
	f.Fuzz(func(t *testing.T, address []byte, host string) {
		hosts := []string{host}
		if ip, ok := netip.AddrFromSlice(address); ok {
			hosts = append(hosts, written(ip.Unmap())...)
			if ip.Is4In6() {
				hosts = append(hosts, "["+ip.StringExpanded()+"]")
			}
		}
		for _, host := range hosts {
			for _, c := range clients {
				u, err := c.Check("https://" + host + "/")
				if errors.As(err, new(BadAddress)) {
					continue
				}
				ip, isName := netip.ParseAddr(u.Hostname())
				switch {
				case isName != nil && err == nil && isLocalhost(u.Hostname()):
					t.Errorf("%q is reached", host)
				case isName == nil && (err == nil) != reference(ip):
					t.Errorf("%q, which is %s: %v", host, ip, err)
				}
			}
		}
	})
}
