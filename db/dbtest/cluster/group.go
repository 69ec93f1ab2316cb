package cluster

import (
	"context"
	"strconv"
	"strings"
)

// group is three servers of MySQL with Group Replication, which elect one primary.
type group struct{ *Cluster }

func (g *group) engine() string { return "mysql" }

func (g *group) flags(n *Node, _ bool) ([]string, error) {
	var seeds []string
	for _, n := range g.Nodes {
		seeds = append(seeds, address(n.ports.group))
	}
	return []string{
		"--loose-group-replication-local-address=" + address(n.ports.group),
		"--loose-group-replication-group-seeds=" + strings.Join(seeds, ","),
		"--report-host=127.0.0.1",
		"--report-port=" + strconv.Itoa(n.ports.sql),
	}, nil
}

func (g *group) form(ctx context.Context) error {
	for i, n := range g.Nodes {
		if err := n.start(ctx, false); err != nil {
			return err
		}
		if err := n.exec(ctx, `CHANGE REPLICATION SOURCE TO SOURCE_USER = 'replication', SOURCE_PASSWORD = 'replication'
			FOR CHANNEL 'group_replication_recovery'`); err != nil {
			return err
		}
		join := []string{"START GROUP_REPLICATION"}
		if i == 0 {
			join = []string{"SET GLOBAL group_replication_bootstrap_group = ON", join[0],
				"SET GLOBAL group_replication_bootstrap_group = OFF"}
		}
		if err := n.exec(ctx, join...); err != nil {
			return err
		}
		if err := g.await(ctx, n.Name+" joins", func() (bool, error) { return g.isMember(ctx, n) }); err != nil {
			return err
		}
	}
	return nil
}

// rejoin starts replication of a server that is no member. One that was left out may join by itself meanwhile.
func (g *group) rejoin(ctx context.Context, n *Node) error {
	state, err := g.state(ctx, n)
	if err != nil {
		return err
	}
	if state == "OFFLINE" || state == "" {
		return n.exec(ctx, "START GROUP_REPLICATION")
	}
	return nil
}

func (g *group) state(ctx context.Context, n *Node) (string, error) {
	return n.Ask(ctx, `SELECT MAX(member_state) FROM performance_schema.replication_group_members
		WHERE member_id = @@server_uuid`)
}

// isMember reports whether the node and its view of all others are online, and one of them is the primary.
func (g *group) isMember(ctx context.Context, n *Node) (bool, error) {
	state, err := g.state(ctx, n)
	if err != nil || state == "ONLINE" {
		return state == "ONLINE", err
	}
	if state == "ERROR" { // it left; its own attempts to come back are minutes apart
		return false, n.exec(ctx, "STOP GROUP_REPLICATION", "START GROUP_REPLICATION")
	}
	return false, nil
}

func (g *group) promote(ctx context.Context, n *Node) error {
	return n.exec(ctx, "DO group_replication_set_as_primary(@@server_uuid)")
}

// failover has nothing to do: the group elects another primary.
func (g *group) failover(context.Context, *Node) error { return nil }

// isolate: what the members send each other passes no address that could be cut.
func (g *group) isolate(context.Context, *Node, bool) error { return ErrNotPossible }
