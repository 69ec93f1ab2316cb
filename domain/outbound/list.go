package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// List names networks, addresses and hosts with their ports. The zero value is empty.
type List struct{ rules []rule }

type rule struct {
	network netip.Prefix // or
	name    string
	ports   []uint16 // nil: any
}

// WrongEntry reports an entry of a list that is none.
type WrongEntry struct{ Entry, Why string }

func (e WrongEntry) Error() string { return fmt.Sprintf("%q: %s", e.Entry, e.Why) }

// ParseAllowlist parses networks, IP addresses and host names, separated by commas, such as 10.1.0.0/16,
// 192.168.1.5:8080, [fd00::/8]:8443, images.internal, build.internal:*. A name allows whatever it resolves to. An entry
// without a port has 80 and 443; * is any. It returns WrongEntry.
func ParseAllowlist(text string) (List, error) { return parseList(text, []uint16{80, 443}) }

// ParseDenylist is ParseAllowlist of what is denied: an entry without a port has all.
func ParseDenylist(text string) (List, error) { return parseList(text, nil) }

func parseList(text string, ports []uint16) (List, error) {
	var list List
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		one, err := parseRule(part, ports)
		if err != nil {
			return List{}, WrongEntry{part, err.Error()}
		}
		list.rules = append(list.rules, one)
	}
	return list, nil
}

func parseRule(part string, ports []uint16) (rule, error) {
	if network, err := netip.ParsePrefix(part); err == nil {
		return rule{network: plainNetwork(network), ports: ports}, nil
	}
	if host, port, err := net.SplitHostPort(part); err == nil {
		if ports, err = parsePort(port); err != nil {
			return rule{}, err
		}
		part = host
	}
	if network, err := netip.ParsePrefix(part); err == nil {
		return rule{network: plainNetwork(network), ports: ports}, nil
	}
	if ip, err := netip.ParseAddr(unbracketed(part)); err == nil {
		ip = plainIP(ip).WithZone("")
		return rule{network: netip.PrefixFrom(ip, ip.BitLen()), ports: ports}, nil
	}
	name, err := hostName(part)
	return rule{name: name, ports: ports}, err
}

// unbracketed returns the IPv6 address of [address].
func unbracketed(part string) string {
	if inner, ok := strings.CutPrefix(part, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok {
			return inner
		}
	}
	return part
}

func parsePort(text string) ([]uint16, error) {
	if text == "*" {
		return nil, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return nil, errors.New("its port is none")
	}
	return []uint16{uint16(n)}, nil
}

// plainNetwork returns the IPv4 network that one of mapped addresses stands for.
func plainNetwork(network netip.Prefix) netip.Prefix {
	if network.Addr().Is4In6() && network.Bits() >= 96 {
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
	}
	return network.Masked()
}

// hostName returns a host name as addresses have it: in ASCII and lower case, without a dot at its end.
func hostName(text string) (string, error) {
	none := errors.New("it is no network, IP address or host name")
	name, err := idna.ToASCII(strings.TrimSuffix(strings.ToLower(text), "."))
	if err != nil || name == "" || !utf8.ValidString(text) || strings.Trim(name, "0123456789.") == "" || strings.Contains(name, "..") {
		return "", none
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !inHostName(r) }) {
		return "", none
	}
	return name, nil
}

func inHostName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
}

func (r rule) hasPort(port uint16) bool { return r.ports == nil || slices.Contains(r.ports, port) }

// names reports whether the list names a host or an address, and whether it does so with the port.
func (l List) names(host string, ips []netip.Addr, port uint16) (named, withPort bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, r := range l.rules {
		if r.name != "" && r.name == host || r.name == "" && slices.ContainsFunc(ips, r.network.Contains) {
			named = true
			withPort = withPort || r.hasPort(port)
		}
	}
	return named, withPort
}
