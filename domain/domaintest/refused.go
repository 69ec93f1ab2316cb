package domaintest

import (
	"net"
	"testing"
)

// RefusingAddress returns an address on loopback that refuses connections until the test ends. The address is that of
// the dialing end of a connection, so that it is in use and no server of another test can be given it. The port of a
// listener that was closed could be given to another at once.
func RefusingAddress(t testing.TB) string {
	t.Helper()
	listener := OK(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { listener.Close() })
	conn := OK(net.Dial("tcp", listener.Addr().String()))(t)
	t.Cleanup(func() { conn.Close() })
	return conn.LocalAddr().String()
}
