package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// semisync is a primary of MariaDB with two replicas, of which one acknowledges each commit before it is answered.
type semisync struct{ *Cluster }

const mariadb = "mariadb"

func (s *semisync) engine() string { return mariadb }

func (s *semisync) flags(*Node, bool) ([]string, error) { return nil, nil }

func (s *semisync) form(ctx context.Context) error {
	for _, n := range s.Nodes {
		if err := n.start(ctx, false); err != nil {
			return err
		}
	}
	first := s.Nodes[0]
	for _, n := range s.others(first) {
		if err := n.follow(ctx, first); err != nil {
			return err
		}
	}
	return first.lead(ctx)
}

// lead makes a server, which follows none any more, the primary.
func (n *Node) lead(ctx context.Context) error {
	return n.exec(ctx, "SET GLOBAL rpl_semi_sync_master_enabled = ON", "SET GLOBAL read_only = OFF")
}

// follow makes a server a replica, from where it is.
func (n *Node) follow(ctx context.Context, primary *Node) error {
	host, port, _ := strings.Cut(primary.link.address(), ":")
	return n.exec(ctx,
		"STOP SLAVE",
		"SET GLOBAL read_only = ON",
		"SET GLOBAL rpl_semi_sync_master_enabled = OFF",
		"SET GLOBAL gtid_slave_pos = @@GLOBAL.gtid_current_pos",
		fmt.Sprintf(`CHANGE MASTER TO MASTER_HOST = '%s', MASTER_PORT = %s, MASTER_USER = 'replication',
			MASTER_PASSWORD = 'replication', MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1,
			MASTER_HEARTBEAT_PERIOD = 2`, host, port),
		"START SLAVE")
}

// primary is the server that is not read-only and has a replica.
func (s *semisync) primary(ctx context.Context, of []*Node) (*Node, error) {
	for _, n := range of {
		if n.program.ended() {
			continue
		}
		is, err := n.Ask(ctx, "SELECT @@read_only")
		if err == nil && is == "0" {
			return n, nil
		}
	}
	return nil, errors.New("no server is the primary")
}

// rejoin makes a server a replica of the primary. One that was the primary itself and was away, but not killed, has to
// be started again: that throws away what no replica acknowledged.
func (s *semisync) rejoin(ctx context.Context, n *Node) error {
	if is, err := n.Ask(ctx, "SELECT @@read_only"); err != nil || is == "0" {
		n.Kill()
		if err := n.start(ctx, true); err != nil {
			return err
		}
	}
	primary, err := s.primary(ctx, s.others(n))
	if err != nil {
		return err
	}
	return n.follow(ctx, primary)
}

func (s *semisync) isMember(ctx context.Context, n *Node) (bool, error) {
	readOnly, err := n.Ask(ctx, "SELECT @@read_only")
	if err != nil || readOnly == "0" {
		return err == nil, err
	}
	status, err := n.row(ctx, "SHOW SLAVE STATUS")
	if err != nil {
		return false, err
	}
	if status["Slave_IO_Running"] != "Yes" || status["Slave_SQL_Running"] != "Yes" {
		return false, fmt.Errorf("%s does not follow: %s %s", n.Name, status["Last_IO_Error"], status["Last_SQL_Error"])
	}
	return status["Seconds_Behind_Master"] == "0", nil
}

// promote waits until the node has all that the primary has, which takes no more writes meanwhile.
func (s *semisync) promote(ctx context.Context, n *Node) error {
	old, err := s.primary(ctx, s.Nodes)
	if err != nil || old == n {
		return err
	}
	if err := old.ReadOnly(ctx, true); err != nil {
		return err
	}
	position, err := old.Ask(ctx, "SELECT @@gtid_binlog_pos")
	if err != nil {
		return err
	}
	return s.takeOver(ctx, n, position, s.others(n))
}

// takeOver makes a replica that has received all up to a position the primary of others.
func (s *semisync) takeOver(ctx context.Context, n *Node, position string, others []*Node) error {
	if reached, err := n.Ask(ctx, "SELECT MASTER_GTID_WAIT(?, 30)", position); err != nil || reached != "0" {
		return fmt.Errorf("%s does not apply what it received up to %s: %s %w", n.Name, position, reached, err)
	}
	if err := n.exec(ctx, "STOP SLAVE", "RESET SLAVE ALL"); err != nil {
		return err
	}
	for _, other := range others {
		if err := other.follow(ctx, n); err != nil {
			return err
		}
	}
	return n.lead(ctx)
}

// failover promotes the replica that has received most. Both have to be asked: either may be the one that acknowledged
// the last commit. They ask the lost primary for nothing more first, so that it gets no acknowledgement either.
func (s *semisync) failover(ctx context.Context, lost *Node) error {
	replicas := s.others(lost)
	var best *Node
	var most uint64
	for _, n := range replicas {
		if err := n.exec(ctx, "STOP SLAVE IO_THREAD"); err != nil {
			return err
		}
		status, err := n.row(ctx, "SHOW SLAVE STATUS")
		if err != nil {
			return err
		}
		if sequence := lastOf(status["Gtid_IO_Pos"]); best == nil || sequence > most {
			best, most = n, sequence
		}
	}
	status, err := best.row(ctx, "SHOW SLAVE STATUS")
	if err != nil {
		return err
	}
	var other []*Node
	for _, n := range replicas {
		if n != best {
			other = append(other, n)
		}
	}
	return s.takeOver(ctx, best, status["Gtid_IO_Pos"], other)
}

// lastOf is the sequence number of a position: domain-server-sequence.
func lastOf(position string) uint64 {
	number, _ := strconv.ParseUint(position[strings.LastIndexByte(position, '-')+1:], 10, 64)
	return number
}

// isolate cuts whatever others reach the node by; a replica that asks the primary does so by the primary's link.
func (s *semisync) isolate(_ context.Context, n *Node, apart bool) error {
	n.link.setCut(apart)
	return nil
}
