package cluster

import (
	"io"
	"net"
	"sync"
)

// link carries connections to a server, as a network does. While it is cut nothing passes, and nobody is told.
type link struct {
	listener net.Listener
	to       string
	open     sync.WaitGroup

	mu      sync.Mutex
	changed sync.Cond
	cut     bool
	closed  bool
	conns   map[net.Conn]bool
}

func newLink(to string) (*link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &link{listener: listener, to: to, conns: map[net.Conn]bool{}}
	l.changed.L = &l.mu
	l.open.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			l.open.Go(func() { l.carry(client) })
		}
	})
	return l, nil
}

func (l *link) address() string { return l.listener.Addr().String() }

// setCut cuts the link, or lets all go on that waits.
func (l *link) setCut(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	l.changed.Broadcast()
}

// passes waits while the link is cut, and reports whether it is still there.
func (l *link) passes() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.cut && !l.closed {
		l.changed.Wait()
	}
	return !l.closed
}

func (l *link) note(c net.Conn, is bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if is {
		l.conns[c] = true
	} else {
		delete(l.conns, c)
	}
	return !l.closed
}

func (l *link) carry(client net.Conn) {
	defer client.Close()
	defer l.note(client, false)
	if !l.note(client, true) || !l.passes() {
		return
	}
	server, err := net.Dial("tcp", l.to)
	if err != nil {
		return
	}
	defer server.Close()
	defer l.note(server, false)
	if !l.note(server, true) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.copy(server, client) })
	both.Go(func() { l.copy(client, server) })
	both.Wait()
}

func (l *link) copy(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if !l.passes() {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if err == io.EOF {
				l.passes()
			}
			return
		}
	}
}

func (l *link) close() {
	l.listener.Close()
	l.mu.Lock()
	l.closed = true
	for c := range l.conns {
		c.Close()
	}
	l.changed.Broadcast()
	l.mu.Unlock()
	l.open.Wait()
}
