package outboundtest

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/outbound"
)

// Client returns a client that may also reach what a list allows, such as 127.0.0.1:*, which is this machine.
func Client(t testing.TB, purpose outbound.Purpose, allow string) *outbound.Client {
	t.Helper()
	list, err := outbound.ParseAllowlist(allow)
	if err != nil {
		t.Fatal(err)
	}
	c := outbound.New(outbound.Options{Purpose: purpose, Allow: list})
	t.Cleanup(c.Close)
	return c
}

// Here returns a client for webhooks that may also reach this machine, at any port.
func Here(t testing.TB) *outbound.Client {
	t.Helper()
	return Client(t, outbound.Webhooks, "127.0.0.1:*")
}
