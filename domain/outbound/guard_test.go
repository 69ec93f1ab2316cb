package outbound

import (
	"errors"
	"net"
	"net/netip"
	"testing"
)

func TestThisMachineAndItsNetworksAreRefused(t *testing.T) {
	t.Parallel()
	network := func(text string) net.Addr {
		ip, of, err := net.ParseCIDR(text)
		if err != nil {
			t.Fatal(err)
		}
		return &net.IPNet{IP: ip, Mask: of.Mask}
	}
	g := &guard{neighbours: &neighbours{read: func() ([]net.Addr, error) {
		return []net.Addr{network("8.8.4.20/24"), network("2a00:1450:1:2::5/64")}, nil
	}}}
	for address, refused := range map[string]bool{
		"8.8.4.20":                true,
		"8.8.4.99":                true,
		"::ffff:8.8.4.99":         true,
		"64:ff9b::8.8.4.99":       true,
		"2a00:1450:1:2::5":        true,
		"2a00:1450:1:2:9::9":      true,
		"8.8.5.1":                 false,
		"2a00:1450:1:3::5":        false,
		"64:ff9b::10.0.0.1":       true,
		"64:ff9b:1::8.8.8.8":      true,
		"::8.8.8.8":               true,
		"::127.0.0.1":             true,
		"2002:7f00:1::1":          true,
		"2001:0:808:808::f5ff:fe": true,
		"fe80::1":                 true,
		"fd00::1":                 true,
		"100.64.0.1":              true,
		"192.0.0.1":               true,
		"198.18.0.1":              true,
	} {
		err := g.permit("receiver.test", netip.AddrPortFrom(netip.MustParseAddr(address), 443))
		if got := errors.As(err, new(RefusedAddress)); got != refused {
			t.Errorf("%s: %v", address, err)
		}
	}
	g.allow, _ = ParseAllowlist("8.8.4.99:443")
	if err := g.permit("receiver.test", netip.MustParseAddrPort("8.8.4.99:443")); err != nil {
		t.Errorf("an allowed neighbour: %v", err)
	}
}

func TestNothingIsReachedIfInterfacesCannotBeRead(t *testing.T) {
	t.Parallel()
	g := &guard{neighbours: &neighbours{read: func() ([]net.Addr, error) { return nil, errors.New("no netlink") }}}
	if err := g.permit("receiver.test", netip.MustParseAddrPort("8.8.8.8:443")); err == nil {
		t.Error("it was permitted")
	}
}

func TestDeniedAddressesAreRefusedThoughAllowed(t *testing.T) {
	t.Parallel()
	list := func(text string) Allowlist {
		a, err := ParseAllowlist(text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	c := New(Options{Allow: list("10.0.0.0/8, printer.example"), Deny: list("10.1.0.0/16, 8.8.8.8, printer.example")})
	for address, denied := range map[string]bool{
		"http://10.1.2.3/": true, "http://10.2.2.3/": false, "https://8.8.8.8/": true, "https://8.8.4.4/": false,
		"http://[::ffff:10.1.2.3]/": true, "http://[64:ff9b::8.8.8.8]/": true, "http://PRINTER.example/": true,
	} {
		_, err := c.Check(address)
		var refused RefusedAddress
		if got := errors.As(err, &refused) && refused.Denied; got != denied {
			t.Errorf("%s: %v", address, err)
		}
	}
}
