package outbound

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"
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
		err := g.permit("receiver.test", netip.AddrPortFrom(netip.MustParseAddr(address), 443), false)
		if got := errors.As(err, new(RefusedAddress)); got != refused {
			t.Errorf("%s: %v", address, err)
		}
	}
	g.allow, _ = ParseAllowlist("8.8.4.99:443")
	if err := g.permit("receiver.test", netip.MustParseAddrPort("8.8.4.99:443"), false); err != nil {
		t.Errorf("an allowed neighbour: %v", err)
	}
}

func TestNothingIsReachedIfInterfacesCannotBeRead(t *testing.T) {
	t.Parallel()
	g := &guard{neighbours: &neighbours{read: func() ([]net.Addr, error) { return nil, errors.New("no netlink") }}}
	if err := g.permit("receiver.test", netip.MustParseAddrPort("8.8.8.8:443"), false); err == nil {
		t.Error("it was permitted")
	}
	c := New(Options{})
	c.guard = g
	if _, err := c.Check("https://8.8.8.8/"); !errors.As(err, new(Unreachable)) || IsRefused(err) || Final(err) {
		t.Errorf("it is refused for good: %v", err)
	}
	g.allow = parsed(t, ParseAllowlist, "8.8.8.8")
	if _, err := c.Check("https://8.8.8.8/"); err != nil {
		t.Errorf("what is allowed: %v", err)
	}
}

func parsed(t *testing.T, parse func(string) (List, error), text string) List {
	t.Helper()
	list, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestDeniedAddressesAreRefusedThoughAllowed(t *testing.T) {
	t.Parallel()
	for list, addresses := range map[string]map[string]bool{
		"10.1.0.0/16, 8.8.8.8, printer.example": {
			"http://10.1.2.3/": true, "http://10.1.2.3:8080/": true, "http://10.2.2.3/": false,
			"https://8.8.8.8/": true, "https://8.8.4.4/": false, "http://[::ffff:10.1.2.3]/": true,
			"http://[64:ff9b::8.8.8.8]/": true, "http://PRINTER.example/": true, "http://printer.example./": true,
			"http://[2002:0a01:0203::1]/": true, "http://[::10.1.2.3]/": true,
			"http://[64:ff9b:1:0a01:2:300::]/": true, "http://[64:ff9b:1::10.1.2.3]/": true,
			"http://[2001:0:0a01:0203::1]/": true, "http://[2001::f5fe:fdfc]/": true, // Teredo's server and client
			"http://[2002:0a02:0203::1]/": false, "http://[64:ff9b:1::10.2.2.3]/": false,
		},
		"::ffff:10.1.2.3, ::ffff:8.8.8.0/120": {
			"http://10.1.2.3/": true, "http://10.1.2.4/": false, "http://[::ffff:10.1.2.3]/": true,
			"https://8.8.8.8/": true, "https://8.8.9.8/": false, "https://[64:ff9b::8.8.8.1]/": true,
		},
		"::/64, 64:ff9b::/96, 2a00::/16": {
			"http://10.1.2.3/": true, "http://[::ffff:10.1.2.3]/": true, "https://8.8.8.8/": true,
			"https://[64:ff9b::8.8.8.8]/": true, "https://[2a00::1]/": true, "https://[2b00::1]/": false,
		},
		"bücher.example, 10.2.0.0/16:8080": {
			"http://BÜCHER.example/": true, "http://xn--bcher-kva.example/": true,
			"http://10.2.2.3:8080/": true, "http://10.2.2.3/": false,
		},
	} {
		c := New(Options{Deny: parsed(t, ParseDenylist, list), Allow: parsed(t, ParseAllowlist,
			"10.0.0.0/8:*, printer.example, 2001::/16, 2002::/16, ::/64, 64:ff9b::/32")})
		for address, denied := range addresses {
			_, err := c.Check(address)
			var refused RefusedAddress
			if got := errors.As(err, &refused) && refused.Denied; got != denied {
				t.Errorf("%s of %q: %v", address, list, err)
			}
		}
	}
}

func TestHTTPIsNotForPublicReceiversOfWebhooks(t *testing.T) {
	t.Parallel()
	for purpose, refused := range map[Purpose]bool{Webhooks: true, Downloads: false} {
		g := alone(purpose).guard
		g.allow = parsed(t, ParseAllowlist, "chat.internal, 10.0.0.0/8")
		for address, want := range map[string]bool{"8.8.8.8:80": refused, "10.1.2.3:80": false} {
			err := g.permit("chat.internal", netip.MustParseAddrPort(address), true) // the name is listed
			if got := errors.As(err, new(PlainAddress)); got != want || (err != nil) != want {
				t.Errorf("%s: %v", address, err)
			}
			if err := g.permit("chat.internal", netip.MustParseAddrPort(address), false); err != nil {
				t.Errorf("%s by https: %v", address, err)
			}
		}
	}
}

// faraway is a connection that says that it leads elsewhere.
type faraway struct {
	net.Conn
	to net.Addr
}

func (c faraway) RemoteAddr() net.Addr { return c.to }

func TestAnAnswerIsPrivateByItsConnection(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for address, private := range map[string]bool{
		"8.8.8.8:80": false, "[2606:4700::1111]:80": false, "[64:ff9b::8.8.8.8]:80": false,
		"10.1.2.3:80": true, "127.0.0.1:80": true, "[::ffff:10.1.2.3]:80": true, "[fd00::1]:80": true, "[fe80::1%eth0]:80": true,
	} {
		c := alone(Downloads)
		c.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
			return faraway{conn, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))}, err
		}
		for range 2 { // by a new connection, and a kept one
			res, err := c.Get(t.Context(), "http://example.com/", "*/*", Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := FromPrivate(res); got != private {
				t.Errorf("%s: %t", address, got)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
		c.guard.neighbours.at = time.Time{}
		c.guard.neighbours.read = func() ([]net.Addr, error) { return nil, errors.New("no netlink") }
		res, err := c.Get(t.Context(), "http://example.com/", "*/*", Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if !FromPrivate(res) {
			t.Errorf("%s is public on a machine that does not know its networks", address)
		}
		res.Body.Close()
	}
}
