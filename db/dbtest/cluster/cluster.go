// Package cluster starts databases of several servers on this machine, for tests, each behind HAProxy as docs/scaling
// shows it and with the configuration files from there: Galera, a primary with semi-synchronous replicas, and a group of
// MySQL with a single primary. Its servers are processes of their own, which can be killed, frozen, cut off, made
// read-only and promoted. They listen on 127.0.0.1 alone and die with the program that started them.
//
// Start is where to begin reading; galera.go, semisync.go and group.go have what the three do differently.
package cluster

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// The topologies.
const (
	Galera   = "galera"   // MariaDB
	SemiSync = "semisync" // MariaDB
	Group    = "group"    // MySQL
)

// topology is what the three do differently.
type topology interface {
	// engine is mariadb or mysql.
	engine() string
	// flags are those of a node beside its file in docs/scaling; for a new cluster or to join one that is there.
	flags(n *Node, found bool) ([]string, error)
	// form makes new servers, which run, a cluster whose writer is the first.
	form(ctx context.Context) error
	// rejoin makes a server that was started again, or was away, a member.
	rejoin(ctx context.Context, n *Node) error
	// isMember reports whether a node is in step with the others.
	isMember(ctx context.Context, n *Node) (bool, error)
	// promote makes a node the writer while the one before is well.
	promote(ctx context.Context, n *Node) error
	// failover makes another node the writer after the one before was lost.
	failover(ctx context.Context, lost *Node) error
	// isolate cuts a node off from the others, or ends that.
	isolate(ctx context.Context, n *Node, apart bool) error
}

var errEnded = errors.New("the server ended")

// ErrNotPossible is returned for what a topology has no way to do on one machine.
var ErrNotPossible = errors.New("this topology cannot do that on one machine")

const (
	patience  = 5 * time.Minute // for a server that starts, copies or recovers
	pollEvery = 50 * time.Millisecond
)

// Cluster is a database of three servers.
type Cluster struct {
	Topology string
	Nodes    []*Node
	Mended   []string // members of a group that had to join again because they did not reach another that was well

	topology
	dir   string
	proxy *program
	at    string // the proxy's address
}

// Start returns a new cluster whose nodes are in step, with an empty database. Its files are in a folder of its own in
// memory, if that has room. What it needs is fetched by scripts/get-galera, scripts/get-mysql and scripts/need.
func Start(ctx context.Context, name string) (c *Cluster, err error) {
	c = &Cluster{Topology: name}
	switch name {
	case Galera:
		c.topology = &galera{c}
	case SemiSync:
		c.topology = &semisync{c}
	case Group:
		c.topology = &group{c, map[*Node]time.Time{}}
	default:
		return nil, fmt.Errorf("%q is no topology: there are %s, %s and %s", name, Galera, SemiSync, Group)
	}
	if err := installed(name); err != nil {
		return nil, err
	}
	if c.dir, err = folder(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start a cluster: %w\n%s", err, c.Logs(20)), c.Close())
		}
	}()
	pattern, err := c.pattern(ctx)
	if err != nil {
		return c, err
	}
	for i, node := range []string{"a", "b", "c"} {
		n, err := c.newNode(node, i+1, pattern)
		if err != nil {
			return c, err
		}
		c.Nodes = append(c.Nodes, n)
	}
	if err := c.form(ctx); err != nil {
		return c, err
	}
	if err := c.startProxy(); err != nil {
		return c, err
	}
	if err := c.AwaitWhole(ctx); err != nil {
		return c, err
	}
	return c, c.await(ctx, "the proxy leads to the first node", func() (bool, error) {
		w, err := c.Writer(ctx)
		return w == c.Nodes[0], err
	})
}

// Close ends all servers and removes their files. What a node says on its way is lost: they are killed.
func (c *Cluster) Close() error {
	var group sync.WaitGroup
	if c.proxy != nil {
		group.Go(c.proxy.kill)
	}
	for _, n := range c.Nodes {
		group.Go(n.close)
	}
	group.Wait()
	return os.RemoveAll(c.dir)
}

// URL is the DATABASE_URL of programs: it leads through the proxy to the writer.
func (c *Cluster) URL() string { return urlAt(c.at) }

// URLs are those of the nodes themselves.
func (c *Cluster) URLs() (list []string) {
	for _, n := range c.Nodes {
		list = append(list, n.URL())
	}
	return list
}

// Writer returns the node to which the proxy leads at the moment.
func (c *Cluster) Writer(ctx context.Context) (*Node, error) {
	pool, err := open(c.URL(), 3*time.Second)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	var id int
	if err := pool.QueryRowContext(ctx, "SELECT @@server_id").Scan(&id); err != nil {
		return nil, err
	}
	return c.Nodes[id-1], nil
}

// Promote makes a node the writer while all are well, as for an upgrade of the machine of the one before.
func (c *Cluster) Promote(ctx context.Context, n *Node) error {
	if err := c.promote(ctx, n); err != nil {
		return fmt.Errorf("promote %s: %w", n.Name, err)
	}
	return c.await(ctx, "the proxy leads to "+n.Name, func() (bool, error) {
		w, err := c.Writer(ctx)
		return w == n, err
	})
}

// Failover has another node take over from a writer that was lost: where the servers do so by themselves it does
// nothing.
func (c *Cluster) Failover(ctx context.Context, lost *Node) error {
	if err := c.failover(ctx, lost); err != nil {
		return fmt.Errorf("failover: %w", err)
	}
	return nil
}

// AwaitWhole waits until all nodes are members and in step.
func (c *Cluster) AwaitWhole(ctx context.Context) error {
	for _, n := range c.Nodes {
		if err := c.await(ctx, n.Name+" is in step", func() (bool, error) { return c.isMember(ctx, n) }); err != nil {
			return err
		}
	}
	return nil
}

// await waits until holds returns true. Errors are those of a server that is not ready yet.
func (c *Cluster) await(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		is, err := holds()
		if is && err == nil {
			return nil
		}
		if errors.Is(err, errEnded) {
			return err
		}
		if wait.Sleep(ctx, pollEvery) != nil {
			return fmt.Errorf("waited in vain until %s: %w", what, err)
		}
	}
}

// others are all nodes but one.
func (c *Cluster) others(than *Node) (list []*Node) {
	for _, n := range c.Nodes {
		if n != than {
			list = append(list, n)
		}
	}
	return list
}

// Logs returns the last lines that each server wrote.
func (c *Cluster) Logs(lines int) string {
	var b strings.Builder
	files, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		all := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(&b, "--- %s\n%s\n", filepath.Base(file), strings.Join(all[max(0, len(all)-lines):], "\n"))
	}
	return b.String()
}

const (
	account  = "counterfoil"
	password = "counterfoil"
	database = "counterfoil"
)

func urlAt(address string) string {
	return "mysql://" + account + ":" + password + "@" + address + "/" + database
}

// open returns the database at a URL whose statements fail after a while.
func open(url string, within time.Duration) (*sql.DB, error) {
	cfg, err := db.Config(url)
	if err != nil {
		return nil, err
	}
	cfg.ReadTimeout, cfg.WriteTimeout, cfg.Timeout = within, within, within
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
