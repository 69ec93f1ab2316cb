package db

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// giveUpUnanswered sets TCP_USER_TIMEOUT: without it the system sends unacknowledged data for 15 minutes.
func giveUpUnanswered(network, _ string, c syscall.RawConn) (err error) {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	if refused := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unanswered.Milliseconds()))
	}); refused != nil {
		return refused
	}
	return err
}
