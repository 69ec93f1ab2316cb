package dbtest

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db"
)

// Proxy stands between a program and its database, as a network does. It can drop a connection in silence: both ends
// stay open, and nothing passes any more.
type Proxy struct {
	address string // of the server
	network string

	mu      sync.Mutex
	drop    *drop
	dropped chan struct{}
}

// drop says which connection is to be dropped.
type drop struct {
	after   string // a text that the connection has sent: in its transaction, or just now
	arrives bool   // what is sent does, but not its answer
	commit  bool   // it is a COMMIT
}

// NewProxy returns a proxy in front of a database, and the URL that leads through it.
func NewProxy(t testing.TB, url string) (*Proxy, string) {
	t.Helper()
	cfg, err := db.Config(url)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{network: cfg.Net, address: cfg.Addr}
	var open sync.WaitGroup
	ended := make(chan struct{})
	open.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { p.carry(client, ended) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		close(ended)
		open.Wait()
	})
	user, _, _ := strings.Cut(strings.TrimPrefix(url, "mysql://"), "@")
	return p, "mysql://" + user + "@" + listener.Addr().String() + "/" + cfg.DBName
}

// DropCommit drops the next connection that sends a COMMIT after a text in its transaction; arrives says whether the
// server receives that. What it returns is closed once that has happened.
func (p *Proxy) DropCommit(after string, arrives bool) <-chan struct{} {
	return p.set(drop{after, arrives, true})
}

// DropStatement is DropCommit for a statement with a text.
func (p *Proxy) DropStatement(with string, arrives bool) <-chan struct{} {
	return p.set(drop{with, arrives, false})
}

func (p *Proxy) set(next drop) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop, p.dropped = &next, make(chan struct{})
	return p.dropped
}

// take returns the drop that a connection meets now, nil for none: transaction is what it has sent in its transaction,
// last the latest of that.
func (p *Proxy) take(transaction, last []byte) (*drop, chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drop == nil {
		return nil, nil
	}
	meets := bytes.Contains(last, []byte(p.drop.after))
	if p.drop.commit {
		meets = bytes.HasSuffix(last, []byte("\x03COMMIT")) && bytes.Contains(transaction, []byte(p.drop.after))
	}
	if !meets {
		return nil, nil
	}
	met := p.drop
	p.drop = nil
	return met, p.dropped
}

// carry forwards a connection until an end closes it, or until it is dropped: then it stays as it is until the end of
// the test, or of the client.
func (p *Proxy) carry(client net.Conn, ended <-chan struct{}) {
	defer client.Close()
	server, err := net.Dial(p.network, p.address)
	if err != nil {
		return
	}
	silent := make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() {
		p.forward(client, server, silent)
		select {
		case <-silent: // the server does not learn that the client left
			<-ended
		default:
		}
		server.Close()
	})
	both.Go(func() {
		buffer := make([]byte, 32<<10)
		for {
			n, err := server.Read(buffer)
			select {
			case <-silent: // the client does not learn what the server answered
				_, _ = io.Copy(io.Discard, server)
				return
			default:
			}
			if err != nil {
				client.Close()
				return
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	})
	stopped := make(chan struct{})
	go func() {
		select {
		case <-ended:
			client.Close()
		case <-stopped:
		}
	}()
	both.Wait()
	close(stopped)
}

// forward sends what the client says to the server, until the connection is dropped.
func (p *Proxy) forward(client, server net.Conn, silent chan struct{}) {
	buffer := make([]byte, 32<<10)
	var sent []byte // in this transaction
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		sent = append(sent, buffer[:n]...)
		if bytes.Contains(buffer[:n], []byte("START TRANSACTION")) {
			sent = append(sent[:0], buffer[:n]...)
		}
		if met, dropped := p.take(sent, buffer[:n]); met != nil {
			close(silent)
			if met.arrives {
				_, _ = server.Write(buffer[:n])
			}
			close(dropped)
			_, _ = io.Copy(io.Discard, client)
			return
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}
