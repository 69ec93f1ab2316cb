package cluster

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
)

// Node is a server of a cluster. Its methods are for one goroutine at a time.
type Node struct {
	Name string

	cluster *Cluster
	id      int // its server_id, from 1
	dir     string
	ports   ports
	link    *link   // what others reach it by
	admin   *sql.DB // root's, over a socket that no mishap cuts

	mu      sync.Mutex
	program *program
}

// ports are those that a server listens on.
type ports struct{ sql, group, receive int }

func (c *Cluster) newNode(name string, id int, pattern string) (*Node, error) {
	n := &Node{Name: name, cluster: c, id: id, dir: filepath.Join(c.dir, name)}
	if err := copyFolder(pattern, n.data()); err != nil {
		return nil, err
	}
	var err error
	if n.ports, err = freePorts(); err != nil {
		return nil, err
	}
	if n.link, err = newLink(address(n.ports.sql)); err != nil {
		return nil, err
	}
	cfg, err := db.Config("mysql://root@unix(" + n.socket() + ")/")
	if err != nil {
		return nil, err
	}
	cfg.ReadTimeout, cfg.WriteTimeout = time.Minute, time.Minute
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	n.admin = sql.OpenDB(connector)
	return n, nil
}

func (n *Node) data() string   { return filepath.Join(n.dir, "data") }
func (n *Node) socket() string { return filepath.Join(n.dir, "sock") }
func (n *Node) log() string    { return filepath.Join(n.cluster.dir, n.Name+".log") }

// URL is the node's own, past the proxy.
func (n *Node) URL() string { return urlAt(n.link.address()) }

// start starts the server: as the first of a new cluster, or to find the others. It waits until it answers.
func (n *Node) start(ctx context.Context, found bool) error {
	own, err := n.cluster.flags(n, found)
	if err != nil {
		return err
	}
	if err := n.launch(own); err != nil {
		return err
	}
	return n.cluster.await(ctx, n.Name+" answers", func() (bool, error) {
		if n.program.ended() {
			return false, fmt.Errorf("%s: %w", n.Name, errEnded)
		}
		return true, n.exec(ctx, "DO 0")
	})
}

func (n *Node) launch(own []string) error {
	engine, err := serverOf(n.cluster.Topology)
	if err != nil {
		return err
	}
	flags := slices.Concat([]string{"--defaults-file=" + config(n.cluster.Topology+".cnf")},
		engine.flags, n.common(), own)
	p, err := start(n.log(), engine.environment, engine.path, flags...)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.program = p
	return nil
}

// common are the flags of a node of any kind.
func (n *Node) common() []string {
	return []string{
		"--datadir=" + n.data(),
		"--socket=" + n.socket(),
		"--pid-file=" + filepath.Join(n.dir, "pid"),
		"--tmpdir=" + n.dir,
		"--bind-address=127.0.0.1",
		"--port=" + strconv.Itoa(n.ports.sql),
		"--server-id=" + strconv.Itoa(n.id),
		"--innodb-buffer-pool-size=64M",
		"--default-time-zone=+00:00",
	}
}

// Kill ends the server as a power cut of its machine would.
func (n *Node) Kill() { n.program.kill() }

// Restart starts a server that was killed, and returns once it is a member again.
func (n *Node) Restart(ctx context.Context) error {
	if err := n.start(ctx, true); err != nil {
		return fmt.Errorf("restart %s: %w", n.Name, err)
	}
	return n.Rejoin(ctx)
}

// Rejoin makes a node that was away a member again, if it does not become one by itself.
func (n *Node) Rejoin(ctx context.Context) error {
	if err := n.cluster.rejoin(ctx, n); err != nil {
		return fmt.Errorf("rejoin %s: %w", n.Name, err)
	}
	return n.cluster.await(ctx, n.Name+" is a member again", func() (bool, error) { return n.cluster.isMember(ctx, n) })
}

// Freeze stops the server's process as it is, until Thaw.
func (n *Node) Freeze() error { return n.program.signal(syscall.SIGSTOP) }

// Thaw lets a frozen server go on.
func (n *Node) Thaw() error { return n.program.signal(syscall.SIGCONT) }

// Isolate cuts the node off from the other nodes, until Heal. It returns ErrNotPossible for a group.
func (n *Node) Isolate(ctx context.Context) error { return n.cluster.isolate(ctx, n, true) }

// Heal ends Isolate.
func (n *Node) Heal(ctx context.Context) error { return n.cluster.isolate(ctx, n, false) }

// ReadOnly has the server refuse what ordinary accounts write, or not.
func (n *Node) ReadOnly(ctx context.Context, is bool) error {
	return n.exec(ctx, fmt.Sprintf("SET GLOBAL read_only = %t", is))
}

// exec executes statements as root, one after the other, on a connection of theirs.
func (n *Node) exec(ctx context.Context, statements ...string) error {
	conn, err := n.admin.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// Ask returns the text that a statement finds, as root.
func (n *Node) Ask(ctx context.Context, query string, args ...any) (text string, err error) {
	var value sql.NullString
	if err := n.admin.QueryRowContext(ctx, query, args...).Scan(&value); err != nil {
		return "", fmt.Errorf("%s: %w", query, err)
	}
	return value.String, nil
}

// row returns the columns of the one row that a statement finds, by name, as root.
func (n *Node) row(ctx context.Context, query string) (map[string]string, error) {
	rows, err := n.admin.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, into := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	found := map[string]string{}
	if !rows.Next() {
		return found, rows.Err()
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	for i, name := range names {
		found[name] = values[i].String
	}
	return found, nil
}

func (n *Node) close() {
	if n.program != nil {
		n.program.kill()
	}
	n.admin.Close()
	n.link.close()
	os.RemoveAll(n.dir)
}
