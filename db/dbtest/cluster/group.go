package cluster

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// group is three servers of MySQL with Group Replication, which elect one primary.
type group struct {
	*Cluster
	doubts map[*Node]time.Time // since when a member does not reach another that is online at the third
}

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

// state is a node's state as it sees itself, "" if it has none.
func (g *group) state(ctx context.Context, n *Node) (string, error) { return g.stateAt(ctx, n, n) }

// stateAt is a node's state as another sees it.
func (g *group) stateAt(ctx context.Context, at, n *Node) (string, error) {
	return at.Ask(ctx, `SELECT MAX(member_state) FROM performance_schema.replication_group_members
		WHERE member_port = ?`, n.ports.sql)
}

// isMember reports whether the node is online, as it and all others see it that are. Its own word does not suffice: one
// that stood still and was left out learns of that later.
func (g *group) isMember(ctx context.Context, n *Node) (bool, error) {
	state, err := g.state(ctx, n)
	if err != nil {
		return false, err
	}
	if state == "ERROR" { // it left; its own attempts to come back are minutes apart
		return false, n.exec(ctx, "STOP GROUP_REPLICATION", "START GROUP_REPLICATION")
	}
	for _, other := range g.others(n) {
		own, err := g.state(ctx, other)
		if err != nil || own != onlineState {
			continue
		}
		seen, err := g.stateAt(ctx, other, n)
		if err != nil {
			return false, err
		}
		if seen != onlineState {
			return false, g.doubt(ctx, other, state == onlineState && seen == "UNREACHABLE")
		}
		delete(g.doubts, other)
	}
	return state == onlineState, nil
}

const onlineState = "ONLINE"

// doubt does what docs/scaling.md says of a member that does not reach another, which is well, for a minute: one that came
// back after it was killed was UNREACHABLE at one of the two others for as long as one looked (MySQL 9.7.4).
func (g *group) doubt(ctx context.Context, at *Node, alone bool) error {
	since, doubts := g.doubts[at]
	switch {
	case !alone:
		delete(g.doubts, at)
	case !doubts:
		g.doubts[at] = time.Now()
	case time.Since(since) > time.Minute:
		delete(g.doubts, at)
		g.Mended = append(g.Mended, at.Name)
		return at.exec(ctx, "STOP GROUP_REPLICATION", "START GROUP_REPLICATION")
	}
	return nil
}

func (g *group) promote(ctx context.Context, n *Node) error {
	return n.exec(ctx, "DO group_replication_set_as_primary(@@server_uuid)")
}

// failover has nothing to do: the group elects another primary.
func (g *group) failover(context.Context, *Node) error { return nil }

// isolate: what the members send each other passes no address that could be cut.
func (g *group) isolate(context.Context, *Node, bool) error { return ErrNotPossible }
