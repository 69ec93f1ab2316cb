package outbound

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// guard connects to public and allowed addresses only.
type guard struct {
	purpose    Purpose
	allow      List
	deny       List // goes before allow
	resolver   *net.Resolver
	neighbours *neighbours
}

// exchange is a request with its answer.
type exchange struct {
	plain   atomic.Bool // it asks by http
	private atomic.Bool // a connection of it is to an address that is not public
}

type exchangeKey struct{}

func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	of, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, fmt.Errorf("%s is dialled without a request", host)
	}
	dialer := net.Dialer{
		Timeout:  10 * time.Second,
		Resolver: g.resolver,
		ControlContext: func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(resolved)
			if err != nil {
				return RefusedAddress{Host: host, Why: "its IP address cannot be read", setting: g.purpose.setting()}
			}
			err = g.permit(host, to, of.plain.Load())
			if err == nil && !g.isPublic(to.Addr()) {
				of.private.Store(true)
			}
			return err
		},
	}
	return dialer.DialContext(ctx, network, address)
}

// permit returns RefusedAddress or PlainAddress for a connection that is not allowed, and another error if that is not
// known at present. host is the name that was resolved; plain says that nothing would be encrypted.
func (g *guard) permit(host string, to netip.AddrPort, plain bool) error {
	refuse := func(why string) error {
		return RefusedAddress{Host: host, IP: to.Addr(), Why: why, setting: g.purpose.setting()}
	}
	if g.denied(host, to) {
		return RefusedAddress{Host: host, IP: to.Addr(), Why: "an operator denied it", Denied: true}
	}
	ip := plainIP(to.Addr())
	named, allowed := g.allow.names(host, []netip.Addr{ip.WithZone("")}, to.Port())
	why := ""
	if !isPublic(ip) {
		why = "that address is not a public one"
	} else if near, err := g.neighbours.contains(ip); err != nil && !allowed {
		return fmt.Errorf("the addresses of this machine cannot be read: %w", err)
	} else if near || err != nil {
		why = "that address is this machine's or on one of its networks"
	}
	switch {
	case why != "" && named && !allowed:
		return refuse(fmt.Sprintf("it is allowed, but not its port %d", to.Port()))
	case why != "" && !allowed:
		return refuse(why)
	case why == "" && plain && g.purpose != Downloads:
		return PlainAddress{host}
	case why == "" && !allowed && !usual(to.Port()):
		return refuse("ports below 1024 other than 80 and 443 are for other services")
	}
	return nil
}

// permitName is permit for a name before it is resolved, as far as that can be said.
func (g *guard) permitName(host string, port uint16, plain bool) error {
	if _, denied := g.deny.names(host, nil, port); denied {
		return RefusedAddress{Host: host, Why: "an operator denied it", Denied: true}
	}
	named, allowed := g.allow.names(host, nil, port)
	refuse := func(why string) error {
		return RefusedAddress{Host: host, Why: why, setting: g.purpose.setting()}
	}
	if isLocalhost(host) {
		here := func(ip netip.Addr) bool { return g.permit(host, netip.AddrPortFrom(ip, port), plain) == nil }
		if here(netip.AddrFrom4([4]byte{127, 0, 0, 1})) || here(netip.IPv6Loopback()) {
			return nil
		}
		return refuse("that is this server")
	}
	switch {
	case plain && g.purpose != Downloads && named && !allowed:
		return refuse(fmt.Sprintf("it is allowed, but not its port %d", port))
	case plain && g.purpose != Downloads && !allowed:
		return PlainAddress{host}
	case !allowed && !usual(port):
		return refuse("ports below 1024 other than 80 and 443 are for other services")
	}
	return nil
}

// isLocalhost reports whether a name is this machine's wherever it is resolved (RFC 6761).
func isLocalhost(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func (g *guard) denied(host string, to netip.AddrPort) bool {
	_, denied := g.deny.names(host, spellings(to.Addr()), to.Port())
	return denied
}

// isPublic reports whether an address is known to be neither special nor near.
func (g *guard) isPublic(ip netip.Addr) bool {
	ip = plainIP(ip)
	near, err := g.neighbours.contains(ip)
	return isPublic(ip) && !near && err == nil
}

// usual reports whether web servers are found at the port.
func usual(port uint16) bool { return port == 80 || port == 443 || port >= 1024 }
