package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/db"
)

const (
	// lagNote is how far a replica may be behind before it is noted, in seconds.
	lagNote = 10
	// pausedNote is the part of the time for which a cluster may hold its writer back.
	pausedNote = 0.1
	// safeTimeout is the least time, in milliseconds, for which a commit should wait for a replica: long enough for
	// someone to act.
	safeTimeout = 60 * 60 * 1000
	// failsafe is the least number of servers of which the rest has a majority when one is lost.
	failsafe = 3
)

// member is a server of a group (Group Replication).
type member struct {
	host, state, role string
	self              bool
}

// askReplication reads where the server's data comes from, and its group.
func (f *facts) askReplication(ctx context.Context, conn *sql.Conn) (err error) {
	f.sources, f.sourcesKnown, err = db.Sources(ctx, conn)
	if err != nil || f.global["group_replication_group_name"] == "" {
		return err
	}
	rows, err := conn.QueryContext(ctx, `SELECT CONCAT(member_host, ':', member_port), member_state, member_role,
			member_id = @@server_uuid
		FROM performance_schema.replication_group_members ORDER BY 1`)
	if db.IsForbidden(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer rows.Close()
	f.membersKnown = true
	for rows.Next() {
		var m member
		if err := rows.Scan(&m.host, &m.state, &m.role, &m.self); err != nil {
			return err
		}
		f.members = append(f.members, m)
	}
	return rows.Err()
}

// replication makes the checks of what the server has: a server alone has only the first.
func replication(f facts) []Check {
	checks := []Check{writable(f)}
	if len(f.sources) > 0 || !f.sourcesKnown && !f.server.MariaDB {
		checks = append(checks, replica(f))
	}
	if on(f.semiSync("enabled")) {
		checks = append(checks, semiSync(f), semiSyncOrder(f), semiSyncTimeout(f))
	}
	if on(f.global["wsrep_on"]) {
		checks = append(checks, node(f), nodes(f), flowControl(f), nodeSettings(f))
	}
	if f.global["group_replication_group_name"] != "" {
		checks = append(checks, groupMember(f), group(f), groupSettings(f))
	}
	return checks
}

func writable(f facts) Check {
	c := Check{Name: "writing", Mark: OK, Value: "read_only = OFF"}
	for _, name := range []string{"read_only", "super_read_only", "innodb_read_only"} {
		if value := f.global[name]; value != "" && value != "OFF" && value != "0" {
			c.Mark, c.Value = Problem, name+" = "+value
			c.Why = "The server only allows reading: it is a replica, or was shut off by a failover. “serve” and “work” refuse it."
			c.Fix = "Point DATABASE_URL at the server that is written to. If this one is to take over, follow docs/scaling.md."
		}
	}
	return c
}

func replica(f facts) Check {
	c := Check{Name: "replica", Mark: OK}
	if len(f.sources) == 0 {
		c.Value, c.Mark, c.Why = "—", Note, "The database account may not read it."
		c.Fix = "GRANT REPLICATION CLIENT ON *.* TO " + f.account + ";"
		return c
	}
	var texts []string
	for _, s := range f.sources {
		texts = append(texts, describe(s))
		switch {
		case s.Applies && writable(f).Mark == OK:
			c.Mark, c.Why = Problem, "The server applies what another writes, and can be written to itself: the two then differ, and numbers are handed out twice. “serve” and “work” refuse it."
			c.Fix = "SET GLOBAL read_only = ON; or, if it is to be the primary: " + f.detach()
		case c.Mark != Problem && (!s.Reads || !s.Applies):
			c.Mark, c.Why = Problem, "It does not follow its primary: after a failover to it, what it lacks is lost."
			c.Fix = "Fix the error that it shows, then start replication again; if it is the primary now: " + f.detach()
		case c.Mark == OK && s.Behind.Int64 > lagNote:
			c.Mark, c.Why = Note, "A failover waits until it has applied what it received; without semi-synchronous replication it loses what it has not."
			c.Fix = "Find what it waits for: a long change, a slow disk, too few threads (slave_parallel_threads, replica_parallel_workers)."
		}
	}
	c.Value = strings.Join(texts, "; ")
	return c
}

func describe(s db.Source) string {
	threads := func(runs bool) string {
		if runs {
			return "on"
		}
		return "off"
	}
	text := fmt.Sprintf("of %s, receiving %s, applying %s", s.Host, threads(s.Reads), threads(s.Applies))
	if s.Behind.Valid {
		text += fmt.Sprintf(", %d s behind", s.Behind.Int64)
	}
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}

// detach is what ends replication at a server for good.
func (f facts) detach() string {
	if f.server.MariaDB {
		return "STOP ALL SLAVES; RESET SLAVE ALL;"
	}
	return "STOP REPLICA; RESET REPLICA ALL;"
}

// semiSyncNames returns the names of a setting, those of MySQL's newer plugin first.
func semiSyncNames(setting string) []string {
	return []string{"rpl_semi_sync_source_" + setting, "rpl_semi_sync_master_" + setting}
}

func (f facts) semiSync(setting string) string {
	for _, name := range semiSyncNames(setting) {
		if value := f.global[name] + f.status[name]; value != "" {
			return value
		}
	}
	return ""
}

// semiSyncName returns the name that the server has for a setting.
func (f facts) semiSyncName(setting string) string {
	names := semiSyncNames(setting)
	if _, newer := f.global[names[0]]; newer {
		return names[0]
	}
	return names[1]
}

func semiSync(f facts) Check {
	clients, _ := strconv.Atoi(f.semiSync("clients"))
	c := Check{Name: "semi-synchronous", Mark: OK,
		Value: fmt.Sprintf("%d replicas acknowledge, status %s", clients, f.semiSync("status"))}
	switch {
	case writable(f).Mark != OK:
	case clients == 0 || !on(f.semiSync("status")):
		c.Mark, c.Why = Problem, "No replica acknowledges commits: they wait for one, or after the timeout are answered although a failover loses them."
		c.Fix = "Start a replica with rpl_semi_sync_slave_enabled (MySQL: rpl_semi_sync_replica_enabled) = ON."
	case clients == 1:
		c.Mark, c.Why = Note, "If this replica is lost, commits wait, or are answered without one."
		c.Fix = "Run two replicas."
	}
	return c
}

func semiSyncOrder(f facts) Check {
	name := f.semiSyncName("wait_point")
	c := f.variable("semi-synchronous order", name)
	if f.global[name] != "AFTER_SYNC" {
		c.Mark, c.Why = Problem, "Others read a commit before a replica has it: after a failover a position that readers have seen is given out again."
		c.Fix = f.set(name, "AFTER_SYNC")
	}
	return c
}

func semiSyncTimeout(f facts) Check {
	name := f.semiSyncName("timeout")
	c := f.variable("semi-synchronous timeout", name)
	if ms, _ := strconv.ParseUint(f.global[name], 10, 64); ms < safeTimeout {
		c.Value += " ms"
		c.Mark, c.Why = Problem, "When no replica has answered for so long, commits are answered without one, and a failover after that loses them."
		c.Fix = f.set(name, "2592000000") + " Commits then wait for a replica."
	}
	return c
}

func node(f facts) Check {
	status, state := f.status["wsrep_cluster_status"], f.status["wsrep_local_state_comment"]
	c := Check{Name: "Galera node", Mark: OK, Value: status + ", " + state}
	switch {
	case status != "Primary" || !on(f.status["wsrep_ready"]):
		c.Mark, c.Why = Problem, "The node is no part of the cluster's majority, or is joining it: it answers neither reads nor writes."
		c.Fix = "Look whether the other nodes run and can be reached; the node joins by itself. Only if all nodes were lost, begin anew at the one whose --wsrep-recover shows the highest position."
	case state != "Synced":
		c.Mark, c.Why = Note, "The node is sending its data to another, or catching up: it lags, and should not be the one that is written to."
		c.Fix = "Wait until wsrep_local_state_comment is Synced."
	}
	return c
}

func nodes(f facts) Check {
	n, _ := strconv.Atoi(f.status["wsrep_cluster_size"])
	c := Check{Name: "Galera nodes", Mark: OK, Value: fmt.Sprintf("wsrep_cluster_size = %d", n)}
	if n < failsafe {
		c.Mark, c.Why = Note, "When one node of two is lost, the other has no majority and stops, too; one alone has no other."
		c.Fix = "Run three nodes, or two and an arbitrator (garbd)."
	}
	return c
}

func flowControl(f facts) Check {
	paused, _ := strconv.ParseFloat(f.status["wsrep_flow_control_paused"], 64)
	c := Check{Name: "Galera flow control", Mark: OK, Value: fmt.Sprintf("paused for %.0f %% of the time", paused*100)}
	if paused > pausedNote {
		c.Mark, c.Why = Note, "A node that does not keep up holds the writer back."
		c.Fix = "Find the node with the highest wsrep_local_recv_queue_avg; its disk is slow, or wsrep_slave_threads too few. FLUSH STATUS begins the count anew."
	}
	return c
}

// nodeSettings are settings that all nodes should have, with their values and what another means.
func nodeSettings(f facts) Check {
	c := Check{Name: "Galera settings", Mark: OK, Value: "as they should be"}
	for _, s := range []struct{ name, value, mark, why string }{
		{"wsrep_certify_nonpk", "ON", Problem, "Changes of tables without a primary key are not compared with those of other nodes."},
		{"wsrep_osu_method", "TOI", Problem, "A change of the schema is made at this node alone, and the nodes differ."},
		{"wsrep_auto_increment_control", "ON", Note, "While the proxy changes from one node to another, both may give out the same ids, and one transaction fails."},
		{"wsrep_sync_wait", "0", Note, "Each read waits for the other nodes. With one node that is used for all, that costs time and brings nothing."},
	} {
		if f.global[s.name] == s.value || c.Mark == Problem {
			continue
		}
		c.Mark, c.Why, c.Value = s.mark, s.why, s.name+" = "+f.global[s.name]
		c.Fix = f.set(s.name, s.value) + " At each node."
	}
	return c
}

func groupMember(f facts) Check {
	c := Check{Name: "group member", Mark: OK}
	if !f.membersKnown {
		c.Value, c.Mark, c.Why = "—", Note, "The database account may not read it."
		c.Fix = "GRANT SELECT ON performance_schema.replication_group_members TO " + f.account + ";"
		return c
	}
	i := slices.IndexFunc(f.members, func(m member) bool { return m.self })
	if i < 0 {
		c.Mark, c.Value = Problem, "OFFLINE"
		c.Why, c.Fix = "The server is in no group: nothing that is written to it reaches the others.", "START GROUP_REPLICATION;"
		return c
	}
	me := f.members[i]
	c.Value = strings.TrimSuffix(me.state+", "+me.role, ", ")
	switch {
	case me.state != "ONLINE":
		c.Mark, c.Why = Problem, "The server has left its group, or is joining it; it is not to be used."
		c.Fix = "Wait while it is RECOVERING. After ERROR: STOP GROUP_REPLICATION; START GROUP_REPLICATION; its log says why it left."
	case me.role != "PRIMARY":
		c.Mark, c.Why = Problem, "The server is a secondary: it only allows reading, and lags. “serve” and “work” refuse it."
		c.Fix = "Point DATABASE_URL at the primary, by a proxy that asks which server that is."
	}
	return c
}

func group(f facts) Check {
	c := Check{Name: "group", Mark: OK}
	var texts, away []string
	online := 0
	for _, m := range f.members {
		texts = append(texts, m.host+" "+m.state)
		if m.state == "ONLINE" {
			online++
		} else {
			away = append(away, m.host)
		}
	}
	c.Value = fmt.Sprintf("%d of %d online: %s", online, len(f.members), strings.Join(texts, ", "))
	switch {
	case !f.membersKnown:
		c.Value = "—"
	case online*2 <= len(f.members):
		c.Mark, c.Why = Problem, "The group has no majority: nothing can be committed."
		c.Fix = "Start the other members. Only if they are lost for good: SET GLOBAL group_replication_force_members = the addresses of those that remain."
	case online < failsafe:
		c.Mark, c.Why = Note, "When one member more is lost, the rest has no majority, and nothing can be committed."
		c.Fix = "Run three members."
		if len(away) > 0 {
			c.Fix = "Bring back " + strings.Join(away, ", ") + ". If one is ONLINE at all others, and UNREACHABLE here for longer than a minute: STOP GROUP_REPLICATION; START GROUP_REPLICATION; here."
		}
	}
	return c
}

func groupSettings(f facts) Check {
	c := Check{Name: "group settings", Mark: OK, Value: "a single primary"}
	switch consistency := f.global["group_replication_consistency"]; {
	case !on(f.global["group_replication_single_primary_mode"]):
		c.Mark, c.Value = Problem, "group_replication_single_primary_mode = OFF"
		c.Why = "Each member can be written to: boards' counters and sequences are rows that all writers change, so their transactions fail against one another."
		c.Fix = "SELECT group_replication_switch_to_single_primary_mode();"
	case consistency == "EVENTUAL":
		c.Mark, c.Value = Note, "group_replication_consistency = EVENTUAL"
		c.Why = "A new primary answers before it has applied what the old one committed: users and readers of feeds see an older state for a moment."
		c.Fix = f.set("group_replication_consistency", "BEFORE_ON_PRIMARY_FAILOVER")
	}
	return c
}
