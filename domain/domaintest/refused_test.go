package domaintest

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

func TestRefusingAddress(t *testing.T) {
	t.Parallel()
	address := RefusingAddress(t)
	for range 2 {
		if conn, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Error(conn, err)
		}
	}
	if listener, err := net.Listen("tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
		t.Error(listener, err)
	}
}
