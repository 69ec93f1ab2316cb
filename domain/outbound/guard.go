package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// guard connects to public and allowed addresses only.
type guard struct {
	allow      Allowlist
	deny       Allowlist // goes before allow
	resolver   *net.Resolver
	neighbours *neighbours
}

// special knows every range of IANA's registries of special addresses, and Azure's for its machines,
// which is a public one.
var special = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")))

func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{
		Timeout:  10 * time.Second,
		Resolver: g.resolver,
		ControlContext: func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(resolved)
			if err != nil {
				return RefusedAddress{Host: host, Why: "its IP address cannot be read"}
			}
			return g.permit(host, to)
		},
	}
	return dialer.DialContext(ctx, network, address)
}

// permit returns Refused for a connection that is not allowed. host is the name that was resolved.
func (g *guard) permit(host string, to netip.AddrPort) error {
	ip := plainIP(to.Addr())
	if g.denied(host, to) {
		return RefusedAddress{Host: host, IP: to.Addr(), Why: "an operator denied it", Denied: true}
	}
	if g.allow.host(host, to.Port()) || g.allow.ip(ip, to.Port()) {
		return nil
	}
	if err := special.SafeAddr(ip); err != nil {
		return RefusedAddress{Host: host, IP: to.Addr(), Why: "that address is not a public one"}
	}
	near, err := g.neighbours.contains(ip)
	if err != nil {
		return RefusedAddress{Host: host, IP: to.Addr(), Why: "the addresses of this machine cannot be read"}
	}
	if near {
		return RefusedAddress{Host: host, IP: to.Addr(), Why: "that address is this machine's or on one of its networks"}
	}
	if !usual(to.Port()) {
		return RefusedAddress{Host: host, IP: to.Addr(), Why: "ports below 1024 other than 80 and 443 are for other services"}
	}
	return nil
}

func (g *guard) denied(host string, to netip.AddrPort) bool {
	return g.deny.host(host, to.Port()) || g.deny.ip(to.Addr(), to.Port()) || g.deny.ip(plainIP(to.Addr()), to.Port())
}

// usual reports whether web servers are found at the port.
func usual(port uint16) bool { return port == 80 || port == 443 || port >= 1024 }

// plainIP returns the IPv4 address that an IPv6 one embeds: mapped ones, and those of NAT64 gateways.
func plainIP(ip netip.Addr) netip.Addr {
	if ip = ip.Unmap(); ssrf.IPv6NAT64Prefix.Contains(ip) {
		b := ip.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return ip
}

// Allowlist has addresses that may be reached although they are not public. The zero value is empty.
type Allowlist struct{ list []allowRule }

type allowRule struct {
	network netip.Prefix // or
	name    string
	port    uint16 // 0 is any
}

// ParseAllowlist parses networks, IP addresses and host names, separated by commas, such as 10.1.0.0/16,
// 192.168.1.5:8080, images.internal. A name allows whatever it resolves to.
func ParseAllowlist(text string) (Allowlist, error) {
	var a Allowlist
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.ToLower(strings.TrimSpace(part)); part == "" {
			continue
		}
		one, err := parseAllowed(part)
		if err != nil {
			return Allowlist{}, fmt.Errorf("%q: %w", part, err)
		}
		a.list = append(a.list, one)
	}
	return a, nil
}

func parseAllowed(part string) (allowRule, error) {
	if network, err := netip.ParsePrefix(part); err == nil {
		return allowRule{network: network.Masked()}, nil
	}
	var one allowRule
	if host, port, err := net.SplitHostPort(part); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return allowRule{}, errors.New("its port is none")
		}
		part, one.port = host, uint16(n)
	}
	if ip, err := netip.ParseAddr(strings.Trim(part, "[]")); err == nil {
		ip = plainIP(ip)
		one.network = netip.PrefixFrom(ip, ip.BitLen())
		return one, nil
	}
	if strings.ContainsAny(part, "/:*@[] ") || strings.Trim(part, "0123456789.") == "" {
		return allowRule{}, errors.New("it is no network, IP address or host name")
	}
	one.name = strings.TrimSuffix(part, ".")
	return one, nil
}

func (a Allowlist) host(name string, port uint16) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	for _, one := range a.list {
		if one.name != "" && one.name == name && (one.port == 0 || one.port == port) {
			return true
		}
	}
	return false
}

func (a Allowlist) ip(ip netip.Addr, port uint16) bool {
	for _, one := range a.list {
		if one.name == "" && one.network.Contains(ip.WithZone("")) && (one.port == 0 || one.port == port) {
			return true
		}
	}
	return false
}
