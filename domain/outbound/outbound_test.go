package outbound_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
)

func allow(t *testing.T, text string) outbound.List {
	t.Helper()
	return domaintest.OK(outbound.ParseAllowlist(text))(t)
}

// start returns a server that misbehaves, and a client that may ask it.
func start(t *testing.T) (*outbound.Client, *outboundtest.Server, string) {
	t.Helper()
	hostile := outboundtest.New()
	server := httptest.NewServer(hostile)
	t.Cleanup(server.Close)
	t.Cleanup(hostile.Close)
	u := domaintest.OK(url.Parse(server.URL))(t)
	return outbound.New(outbound.Options{Allow: allow(t, u.Host), Agent: "Counterfoil/test"}), hostile, server.URL
}

func fetch(c *outbound.Client, address string, limits outbound.Limits) ([]byte, error) {
	res, err := c.Get(context.Background(), address, "image/*", limits)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

func TestRefusedAddresses(t *testing.T) {
	t.Parallel()
	c := outbound.New(outbound.Options{})
	t.Run("whatever is no plain http or https address", func(t *testing.T) {
		for _, address := range []string{
			"", "x", "//host/x", "/etc/passwd", "file:///etc/passwd", "gopher://example.com/", "ftp://example.com/x.png",
			"data:image/png;base64,AA",
			"javascript:alert(1)", "http://", "http:///x", "http://user:secret@example.com/", "http://user@example.com/",
			"http://example.com:0/",
			"http://example.com:70000/", "http://example.com:x/", "http://[::1", "http://exa mple.com/",
			"http://example.com/\x00",
			"http://" + strings.Repeat("a", 9000),
		} {
			if _, err := c.Check(address); !errors.As(err, new(outbound.BadAddress)) {
				t.Errorf("%.60q: %v", address, err)
			} else if strings.Contains(err.Error(), "secret") {
				t.Errorf("the password is told: %v", err)
			}
			if _, err := c.Get(context.Background(), address, "*/*", outbound.Limits{}); !errors.As(err,
				new(outbound.BadAddress)) || !outbound.Final(err) {
				t.Errorf("%.60q: %v", address, err)
			}
		}
	})
	t.Run("addresses that are not public, in whatever form, before anybody is asked", func(t *testing.T) {
		for _, host := range []string{
			"127.0.0.1", "127.8.9.10", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
			"169.254.169.254", "169.254.1.1",
			"100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.2.1", "198.51.100.7", "203.0.113.9", "198.18.0.1",
			"224.0.0.1", "239.255.255.250",
			"240.0.0.1", "255.255.255.255", "192.88.99.1", "168.63.129.16",
			"[::]", "[::1]", "[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]",
			"[2001:db8::1]", "[3fff::1]", "[100::1]",
			"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:a9fe:a9fe]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
			"[64:ff9b::10.0.0.1]", "[64:ff9b:1::a00:1]",
			"[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2001:0:7f00:1::1]", "[5f00::1]",
		} {
			for _, scheme := range []string{"http://", "https://"} {
				if _, err := c.Check(scheme + host + "/x.png"); !errors.As(err, new(outbound.RefusedAddress)) ||
					!outbound.Final(err) {
					t.Errorf("%s: %v", host, err)
				}
			}
		}
	})
	t.Run("ports of other services", func(t *testing.T) {
		for _, host := range []string{"example.com:22", "8.8.8.8:25", "example.com:1023"} {
			if _, err := c.Check("http://" + host + "/"); !errors.As(err, new(outbound.RefusedAddress)) {
				t.Errorf("%s: %v", host, err)
			}
		}
	})
	t.Run("public ones are fine, and so are their IPv6 forms", func(t *testing.T) {
		for address, host := range map[string]string{
			"https://example.com/a.png?b=c#d": "example.com", "HTTP://EXAMPLE.com": "example.com", "http://8.8.8.8/": "8.8.8.8",
			"http://example.com:8080/":  "example.com:8080",
			"http://[2606:4700::1111]/": "[2606:4700::1111]", "http://[::ffff:8.8.8.8]/": "[::ffff:8.8.8.8]",
			"http://[64:ff9b::8.8.8.8]/":   "[64:ff9b::8.8.8.8]",
			"https://bücher.example/ä.png": "xn--bcher-kva.example",
		} {
			if u, err := c.Check(address); err != nil || u.Host != host {
				t.Errorf("%s: %v, %v", address, u, err)
			}
		}
	})
}

func TestConnectionsThatAreNotMade(t *testing.T) {
	t.Parallel()
	t.Run("to a name that leads to this machine", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
		defer server.Close()
		_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
		c := outbound.New(outbound.Options{})
		for _, host := range []string{"localhost", "LOCALHOST", "127.1", "0x7f.1", "2130706433", "017700000001"} {
			_, err := fetch(c, "http://"+host+":"+port+"/", outbound.Limits{})
			// Not every machine takes the odd forms for addresses.
			if !errors.As(err, new(outbound.RefusedAddress)) && (strings.Contains(strings.ToLower(host), "local") ||
				!errors.As(err, new(outbound.Unreachable))) {
				t.Errorf("%s: %v", host, err)
			}
		}
	})
	t.Run("to a name that leads elsewhere the second time it is asked for", func(t *testing.T) {
		var first, second atomic.Int32
		good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			first.Add(1)
			w.Header().Set("Connection", "close")
		}))
		defer good.Close()
		_, port, _ := net.SplitHostPort(good.Listener.Addr().String())
		inner, err := net.Listen("tcp", "127.0.0.2:"+port)
		domaintest.Must(t, err)
		go http.Serve(inner, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { second.Add(1) })) //nolint:errcheck,gosec // ends with the listener
		defer inner.Close()
		c := outbound.New(outbound.Options{Allow: allow(t, "127.0.0.1:"+port),
			Resolver: outboundtest.Resolver(t, "127.0.0.1", "127.0.0.2")})
		if _, err := fetch(c, "http://rebind.test:"+port+"/", outbound.Limits{}); err != nil {
			t.Error(err)
		}
		_, err = fetch(c, "http://rebind.test:"+port+"/", outbound.Limits{})
		var refused outbound.RefusedAddress
		if !errors.As(err, &refused) || refused.IP.String() != "127.0.0.2" || refused.Host != "rebind.test" {
			t.Errorf("%v", err)
		}
		if first.Load() != 1 || second.Load() != 0 {
			t.Errorf("asked %d and %d times", first.Load(), second.Load())
		}
	})
	t.Run("after redirects", func(t *testing.T) {
		c, hostile, base := start(t)
		inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
		defer inner.Close()
		for to, want := range map[string]any{
			"http://169.254.169.254/latest/meta-data/": new(outbound.RefusedAddress),
			inner.URL:                        new(outbound.RefusedAddress),
			"http://localhost:1/":            new(outbound.RefusedAddress),
			"http://[::1]/":                  new(outbound.RefusedAddress),
			"file:///etc/passwd":             new(outbound.BadAddress),
			"gopher://127.0.0.1:6379/x":      new(outbound.BadAddress),
			"http://user:secret@example.com": new(outbound.BadAddress),
		} {
			_, err := fetch(c, base+"/to?"+to, outbound.Limits{})
			if !errors.As(err, want) || !outbound.Final(err) {
				t.Errorf("%s: %v", to, err)
			}
		}
		if hostile.Requests() != 7 {
			t.Errorf("%d requests", hostile.Requests())
		}
	})
}

// Not parallel: it sets the environment, which net/http reads once.
func TestProxy(t *testing.T) {
	proxy := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	u, _ := url.Parse(proxy.URL)
	c := outbound.New(outbound.Options{Allow: allow(t, u.Host), Resolver: outboundtest.Resolver(t, "127.0.0.1")})
	if _, err := fetch(c, "http://proxied.test/", outbound.Limits{}); !errors.As(err, new(outbound.RefusedAddress)) {
		t.Errorf("%v", err)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	c, hostile, base := start(t)
	short := outbound.Limits{Header: 5 * time.Second, Total: 10 * time.Second, Pace: 50 * time.Millisecond}
	t.Run("a response is read whole", func(t *testing.T) {
		got, err := fetch(c, base+"/image/5.png", outbound.Limits{})
		if err != nil || !bytes.Equal(got, outboundtest.Picture(5, "5.png")) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
	t.Run("a redirect to an image is one", func(t *testing.T) {
		if _, err := fetch(c, base+"/to?/to?/image/5.png", outbound.Limits{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a redirect to another host waits for its rate, and returns its error as it is", func(t *testing.T) {
		port := base[strings.LastIndexByte(base, ':')+1:]
		busy := errors.New("it wants to be left alone")
		for to, want := range map[string]struct {
			awaited []string
			err     error
		}{
			"/image/1.png":                                   {nil, nil},
			base + "/to?/image/1.png":                        {nil, nil},
			"http://localhost:" + port + "/image/1.png":      {[]string{"localhost"}, busy},
			base + "/to?http://LOCALHOST:" + port + "/x.png": {[]string{"localhost"}, busy},
		} {
			var awaited []string
			_, err := fetch(c, base+"/to?"+to, outbound.Limits{Await: func(_ context.Context, host string) error {
				awaited = append(awaited, host)
				return busy
			}})
			if err != want.err || !slices.Equal(awaited, want.awaited) {
				t.Errorf("%s: %v, awaited %q", to, err, awaited)
			}
		}
	})
	t.Run("a status is no error", func(t *testing.T) {
		res, err := c.Get(context.Background(), base+"/status/404", "*/*", outbound.Limits{})
		if err != nil || res.StatusCode != http.StatusNotFound {
			t.Fatalf("%v, %v", res, err)
		}
		res.Body.Close()
	})
	t.Run("requests have a user agent, and no referrer or cookies", func(t *testing.T) {
		var headers []http.Header
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			headers = append(headers, r.Header.Clone())
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			if r.URL.Path == "/" {
				http.Redirect(w, r, "/next", http.StatusFound)
			}
		}))
		defer server.Close()
		c := outbound.New(outbound.Options{Allow: allow(t, "127.0.0.0/8:*"), Agent: "Counterfoil/1.2"})
		if _, err := fetch(c, server.URL+"/", outbound.Limits{}); err != nil || len(headers) != 2 {
			t.Fatalf("%d requests, %v", len(headers), err)
		}
		for _, h := range headers {
			if h.Get("User-Agent") != "Counterfoil/1.2" || h.Get("Cookie") != "" || h.Get("Referer") != "" ||
				h.Get("Accept") != "image/*" {
				t.Errorf("%v", h)
			}
		}
	})
	t.Run("a loop ends", func(t *testing.T) {
		before := hostile.Requests()
		_, err := fetch(c, base+"/loop", outbound.Limits{Redirects: 3})
		if !errors.As(err, new(outbound.TooManyRedirects)) || !outbound.Final(err) || hostile.Requests()-before != 4 {
			t.Errorf("%v after %d requests", err, hostile.Requests()-before)
		}
	})
	t.Run("no more is read than the limit, announced or not, packed or not", func(t *testing.T) {
		for _, path := range []string{"/image/5.png", "/endless", "/gzip-bomb.png"} {
			got, err := fetch(c, base+path, outbound.Limits{Bytes: 100})
			if !errors.As(err, new(outbound.TooLarge)) || !outbound.Final(err) || len(got) > 100 {
				t.Errorf("%s: %d bytes, %v", path, len(got), err)
			}
		}
		picture := outboundtest.Picture(5, "x.png")
		if got, err := fetch(c, base+"/image/5.png", outbound.Limits{Bytes: int64(len(picture))}); err != nil ||
			len(got) != len(picture) {
			t.Errorf("what is as long as the limit: %d bytes, %v", len(got), err)
		}
	})
	t.Run("a response that stalls or drips is given up", func(t *testing.T) {
		for path, limits := range map[string]outbound.Limits{
			"/stall":      {Header: 50 * time.Millisecond},
			"/stall-body": short,
			"/drip":       short,
			"/endless":    {Total: 50 * time.Millisecond, Bytes: 1 << 40},
		} {
			_, err := fetch(c, base+path, limits)
			if !errors.As(err, new(outbound.TooSlow)) || outbound.Final(err) {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
	t.Run("a truncated response is an error", func(t *testing.T) {
		for _, path := range []string{"/reset", "/cut.png"} {
			if _, err := fetch(c, base+path, outbound.Limits{}); !errors.As(err, new(outbound.Unreachable)) ||
				outbound.Final(err) {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
	t.Run("a cancelled caller gets its context's error", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		res := domaintest.OK(c.Get(ctx, base+"/stall-body", "*/*", outbound.Limits{}))(t)
		defer res.Body.Close()
		cancel()
		domaintest.Fails(io.ReadAll(res.Body))(t, context.Canceled)
		domaintest.Fails(c.Get(ctx, base+"/image/1.png", "*/*", outbound.Limits{}))(t, context.Canceled)
	})
}

func TestAllow(t *testing.T) {
	t.Parallel()
	t.Run("the listed addresses are reached, and no others", func(t *testing.T) {
		for list, c := range map[string]struct{ yes, no []string }{
			"10.1.0.0/16, 192.168.1.5:8080": {
				[]string{"10.1.2.3", "10.1.2.3:443", "[::ffff:10.1.2.3]", "[64:ff9b::10.1.2.3]", "192.168.1.5:8080"},
				[]string{"10.1.2.3:22", "10.1.2.3:8080", "10.2.0.1", "192.168.1.5", "192.168.1.5:8081", "127.0.0.1"}},
			"images.internal:*,other:8443,third": {
				[]string{"IMAGES.internal.", "images.internal:25", "images.internal:8080", "third:443"},
				[]string{"x.images.internal:25", "10.0.0.1", "other:22", "third:22"}},
			"fd00::/8, [::1]:8080, ::2, [fe80::/10]:8443": {
				[]string{"[fd12::1]", "[::1]:8080", "[::2]:443", "[fe80::1]:8443"},
				[]string{"[fd12::1]:8080", "[::1]", "[::2]:22", "[::3]", "[fe80::1]"}},
			"10.3.0.0/16:8080, 10.3.0.0/16:*, 10.4.0.0/16:*, ::ffff:10.5.0.0/112": {
				[]string{"10.3.1.1:8080", "10.3.1.1:22", "10.4.1.1:1", "10.4.1.1", "10.5.1.1"}, []string{"10.5.1.1:8080"}},
			" , ": {nil, []string{"127.0.0.1"}},
		} {
			client := outbound.New(outbound.Options{Allow: allow(t, list)})
			for _, host := range c.yes {
				if _, err := client.Check("http://" + host + "/"); err != nil {
					t.Errorf("%s of %q: %v", host, list, err)
				}
			}
			for _, host := range c.no {
				if _, err := client.Check("http://" + host + "/"); !errors.As(err, new(outbound.RefusedAddress)) {
					t.Errorf("%s of %q: %v", host, list, err)
				}
			}
		}
	})
	t.Run("a listed name allows its addresses, under that name alone", func(t *testing.T) {
		_, _, base := start(t)
		u, _ := url.Parse(base)
		c := outbound.New(outbound.Options{Allow: allow(t, "images.test:*"), Resolver: outboundtest.Resolver(t, "127.0.0.1")})
		if _, err := fetch(c, "http://images.test:"+u.Port()+"/image/1.png", outbound.Limits{}); err != nil {
			t.Error(err)
		}
		if _, err := fetch(c, "http://other.test:"+u.Port()+"/image/1.png", outbound.Limits{}); !errors.As(err,
			new(outbound.RefusedAddress)) {
			t.Errorf("%v", err)
		}
	})
	t.Run("other entries are refused", func(t *testing.T) {
		for _, list := range []string{"http://x", "10.0.0.0/33", "a b", "x:0", "x:99999", "*", "*.internal", "1.2.3",
			"a/b", "x:", ":80", "10.0.0.0/8:x", "a..b", ".", "a%2eb", "[::1", "fd00::/8:80:90", "\xff"} {
			for _, parse := range []func(string) (outbound.List, error){outbound.ParseAllowlist, outbound.ParseDenylist} {
				a, err := parse("10.0.0.1, " + list)
				var wrong outbound.WrongEntry
				if !errors.As(err, &wrong) || wrong.Entry != list {
					t.Errorf("%q is %v, %v", list, a, err)
				}
			}
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"0": 0, "120": 2 * time.Minute, " 7 ": 7 * time.Second, now.Add(time.Hour).Format(http.TimeFormat): time.Hour,
		now.Add(-time.Hour).Format(http.TimeFormat): 0,
		"": -1, "-5": -1, "-99999999999999": -1, "soon": -1, "99999999999999": math.MaxInt32 * time.Second,
		"99999999999999999999999999": math.MaxInt32 * time.Second,
	} {
		got, ok := outbound.RetryAfter(&http.Response{Header: http.Header{"Retry-After": {value}}}, now)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is %v, %v", value, got, ok)
		}
	}
}
