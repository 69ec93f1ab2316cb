package outbound

import "net/netip"

// special are the ranges that no public host has: all of IANA's registries of special-purpose addresses, those that
// are globally reachable included, since no web server is there, and a few that are special elsewhere.
//
//	https://www.iana.org/assignments/iana-ipv4-special-registry
//	https://www.iana.org/assignments/iana-ipv6-special-registry
var special = []specialRange{
	{"0.0.0.0/8", "this network, RFC 791"},
	{"10.0.0.0/8", "private use, RFC 1918"},
	{"100.64.0.0/10", "shared address space, RFC 6598"},
	{"127.0.0.0/8", "loopback, RFC 1122"},
	{"169.254.0.0/16", "link local, RFC 3927"},
	{"172.16.0.0/12", "private use, RFC 1918"},
	{"192.0.0.0/24", "IETF protocol assignments, RFC 6890; in it RFC 7335, 7600, 7723, 8155, 8880"},
	{"192.0.2.0/24", "documentation, RFC 5737"},
	{"192.31.196.0/24", "AS112, RFC 7535"},
	{"192.52.193.0/24", "AMT, RFC 7450"},
	{"192.88.99.0/24", "6to4 relays, RFC 7526; in it RFC 6751"},
	{"192.168.0.0/16", "private use, RFC 1918"},
	{"192.175.48.0/24", "AS112, RFC 7534"},
	{"198.18.0.0/15", "benchmarking, RFC 2544"},
	{"198.51.100.0/24", "documentation, RFC 5737"},
	{"203.0.113.0/24", "documentation, RFC 5737"},
	{"240.0.0.0/4", "reserved, RFC 1112; in it broadcast, RFC 8190"},
	{"224.0.0.0/4", "multicast, RFC 5771, in a registry of its own"},
	{"168.63.129.16/32", "public, but Azure's service for its machines"},

	{"::/128", "unspecified, RFC 4291"},
	{"::1/128", "loopback, RFC 4291"},
	{"::ffff:0:0/96", "IPv4-mapped, RFC 4291: judged by the IPv4 address"},
	{"::/96", "IPv4-compatible, RFC 4291"},
	{"64:ff9b:1::/48", "NAT64 of a network of its own, RFC 8215"},
	{"100::/64", "discard, RFC 6666"},
	{"100:0:0:1::/64", "dummy, RFC 9780"},
	{"2001::/23", "IETF protocol assignments, RFC 2928; in it Teredo, RFC 4380, ORCHID, RFC 7343, and others"},
	{"2001:db8::/32", "documentation, RFC 3849"},
	{"2002::/16", "6to4, RFC 3056"},
	{"2620:4f:8000::/48", "AS112, RFC 7534"},
	{"3fff::/20", "documentation, RFC 9637"},
	{"5f00::/16", "segment routing, RFC 9602"},
	{"fc00::/7", "unique local, RFC 4193"},
	{"fe80::/10", "link local, RFC 4291"},
	{"fec0::/10", "site local, RFC 3879"},
	{"ff00::/8", "multicast, RFC 4291"},
}

// specialRange is a range with what it is for.
type specialRange struct{ prefix, use string }

var (
	specialPrefixes = parsePrefixes(special)
	// globalUnicast is all that IANA has given out of IPv6.
	globalUnicast = netip.MustParsePrefix("2000::/3")
	// wellKnownNAT64 leads to the IPv4 address at its end (RFC 6052).
	wellKnownNAT64 = netip.MustParsePrefix("64:ff9b::/96")
	// localNAT64 leads to IPv4 addresses, too, in a way that each network chooses.
	localNAT64 = netip.MustParsePrefix("64:ff9b:1::/48")
	sixToFour  = netip.MustParsePrefix("2002::/16")
	teredo     = netip.MustParsePrefix("2001::/32")
	compatible = netip.MustParsePrefix("::/96")
)

func parsePrefixes(ranges []specialRange) []netip.Prefix {
	list := make([]netip.Prefix, len(ranges))
	for i, r := range ranges {
		list[i] = netip.MustParsePrefix(r.prefix)
	}
	return list
}

// isPublic reports whether the internet has hosts at an address. It is a plain one, as of plainIP.
func isPublic(ip netip.Addr) bool {
	ip = ip.WithZone("")
	if ip.Is6() && !globalUnicast.Contains(ip) {
		return false
	}
	for _, prefix := range specialPrefixes {
		if prefix.Contains(ip) {
			return false
		}
	}
	return ip.IsValid()
}

// plainIP returns the IPv4 address that an IPv6 one stands for: mapped ones, and those of NAT64 gateways.
func plainIP(ip netip.Addr) netip.Addr {
	if ip = ip.Unmap(); wellKnownNAT64.Contains(ip) {
		b := ip.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return ip
}

// spellings returns an address with all others that it may lead to by a translator or a tunnel.
func spellings(ip netip.Addr) []netip.Addr {
	plain := plainIP(ip).WithZone("")
	list := []netip.Addr{ip.WithZone(""), plain}
	if plain.Is4() {
		return append(list, netip.AddrFrom16(plain.As16()))
	}
	b := plain.As16()
	v4 := func(b ...byte) { list = append(list, netip.AddrFrom4([4]byte(b))) }
	switch {
	case localNAT64.Contains(plain):
		v4(b[6], b[7], b[9], b[10])   // RFC 6052, for a prefix of 48 bits
		v4(b[7], b[9], b[10], b[11])  // of 56
		v4(b[9], b[10], b[11], b[12]) // of 64
		v4(b[12:]...)                 // of 96
	case sixToFour.Contains(plain):
		v4(b[2:6]...)
	case teredo.Contains(plain):
		v4(b[4:8]...) // the server
		v4(^b[12], ^b[13], ^b[14], ^b[15])
	case compatible.Contains(plain):
		v4(b[12:]...)
	}
	return list
}
