package doctor

import (
	"database/sql"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// healthy are facts without fault, with a binary log.
func healthy() facts {
	return facts{
		server: db.Server{Version: "9.7.0", Major: 9, Minor: 7},
		global: map[string]string{
			"innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "ON", "innodb_autoinc_lock_mode": "2", "log_bin": "ON", "sync_binlog": "1",
			"binlog_format":      "ROW",
			"max_allowed_packet": "67108864", "innodb_buffer_pool_size": "1073741824", "max_connections": "151",
		},
		session: map[string]string{"transaction_isolation": "READ-COMMITTED", "time_zone": "+00:00",
			"max_user_connections": "0"},
		status:  map[string]string{"threads_connected": "20"},
		account: "'app'@'%'", schema: db.SchemaStatus{Version: 3, Latest: 3}, dataBytes: 500 * mib,
		clock:   20 * time.Millisecond,
		history: value{12, true}, transactions: value{0, true}, disks: []disk{{"/data", 40 * gib}}, sourcesKnown: true,
		claims:  &monitor.ClaimPlan{Known: true, Good: true, Text: "ref by ix_claim (9 bytes)"},
		waiting: &backlog{rows: 3, since: sql.NullInt64{Int64: 1, Valid: true}},
	}
}

// semiSynchronous makes the server a primary that so many replicas acknowledge.
func semiSynchronous(f *facts, replicas string) {
	f.global["rpl_semi_sync_source_enabled"], f.global["rpl_semi_sync_source_wait_point"] = "ON", "AFTER_SYNC"
	f.global["rpl_semi_sync_source_timeout"] = "2592000000"
	f.status["rpl_semi_sync_source_clients"], f.status["rpl_semi_sync_source_status"] = replicas, "ON"
}

// galera makes the server a node of three.
func galera(f *facts) {
	for name, value := range map[string]string{"wsrep_on": "ON", "wsrep_certify_nonpk": "ON", "wsrep_osu_method": "TOI",
		"wsrep_auto_increment_control": "ON", "wsrep_sync_wait": "0"} {
		f.global[name] = value
	}
	for name, value := range map[string]string{"wsrep_cluster_status": "Primary", "wsrep_ready": "ON",
		"wsrep_local_state_comment": "Synced", "wsrep_cluster_size": "3", "wsrep_flow_control_paused": "0.01"} {
		f.status[name] = value
	}
}

// inGroup makes the server the primary of three.
func inGroup(f *facts) {
	f.global["group_replication_group_name"], f.global["group_replication_single_primary_mode"] = "some", "ON"
	f.membersKnown = true
	f.members = []member{{"a:3306", "ONLINE", "PRIMARY", true}, {"b:3306", "ONLINE", "SECONDARY", false},
		{"c:3306", "ONLINE", "SECONDARY", false}}
}

func TestDiagnose(t *testing.T) {
	t.Parallel()
	t.Run("healthy is all ok", func(t *testing.T) {
		for _, c := range diagnose(healthy()) {
			if c.Mark != OK || c.Why != "" || c.Fix != "" || c.Value == "" {
				t.Errorf("%+v", c)
			}
		}
	})
	for _, c := range []struct {
		what        string
		change      func(*facts)
		check, mark string
		says, fix   string
	}{
		{"an unfit server", func(f *facts) { f.unfit = "MySQL 5.7 is too old." }, "server", Problem, "does not start",
			"too old"},
		{"a plan that goes over all tasks",
			func(f *facts) { f.claims = &monitor.ClaimPlan{Known: true, Text: "all by PRIMARY"} }, "claim plan", Problem,
			"go over", "ix_claim"},
		{"a restore that was cut off", func(f *facts) { f.mark = db.RestoreMark }, "schema", Problem, "nothing may use it", "restore FILE"},
		{"a failover that was cut off", func(f *facts) { f.mark = db.FailoverMark }, "schema", Problem, "nothing may use it", "failover"},
		{"a broken schema", func(f *facts) { f.schema.Dirty = true }, "schema", Problem, "halfway", "restore"},
		{"an older schema", func(f *facts) { f.schema.Version = 2 }, "schema", Note, "older", "schema up"},
		{"a newer schema", func(f *facts) { f.schema.Version = 4 }, "schema", Problem, "newer", "newer"},
		{"a table elsewhere", func(f *facts) { f.oddTables = []string{"ticket (MyISAM)"} }, "tables", Problem,
			"no transactions", "ENGINE = InnoDB"},
		{"lazy commits", func(f *facts) { f.global["innodb_flush_log_at_trx_commit"] = "2" }, "commits", Problem,
			"last second", "SET PERSIST innodb_flush_log_at_trx_commit = 1;"},
		{"lazy commits on MariaDB",
			func(f *facts) { f.server.MariaDB = true; f.global["innodb_flush_log_at_trx_commit"] = "0" }, "commits", Problem,
			"last second", "SET GLOBAL innodb_flush_log_at_trx_commit = 1; and innodb_flush_log_at_trx_commit = 1 under"},
		{"inserts that wait for one another", func(f *facts) { f.global["innodb_autoinc_lock_mode"] = "1" }, "AUTO_INCREMENT",
			Note, "other inserts", "innodb_autoinc_lock_mode = 2"},
		{"torn pages", func(f *facts) { f.global["innodb_doublewrite"] = "OFF" }, "page writes", Problem, "half written",
			"innodb_doublewrite = ON"},
		{"a lazy binary log", func(f *facts) { f.global["sync_binlog"] = "0" }, "binary log", Problem, "may lack",
			"sync_binlog = 1"},
		{"a binary log of statements", func(f *facts) { f.global["binlog_format"] = "STATEMENT" }, "binary log format",
			Problem, "another order", "binlog_format = ROW"},
		{"another isolation", func(f *facts) { f.session["transaction_isolation"] = "REPEATABLE-READ" }, "isolation", Problem,
			"READ COMMITTED", "proxy"},
		{"another time zone", func(f *facts) { f.session["time_zone"] = "SYSTEM" }, "time zone", Problem, "UTC", "proxy"},
		{"a clock that is fast", func(f *facts) { f.clock = 1100 * time.Millisecond }, "clock", Note, "histories", "chrony"},
		{"a clock that is slow", func(f *facts) { f.clock = -1100 * time.Millisecond }, "clock", Note, "histories", "chrony"},
		{"small packets", func(f *facts) { f.global["max_allowed_packet"] = "4194304" }, "packet", Note, "Bulk",
			"max_allowed_packet = 16777216"},
		{"little memory", func(f *facts) { f.dataBytes = 2 * gib }, "memory", Note, "disk",
			"innodb_buffer_pool_size = 2684354560"},
		{"too few connections", func(f *facts) { f.global["max_connections"] = "20" }, "connections", Problem, "up to 32",
			"max_connections = 150"},
		{"few connections", func(f *facts) { f.global["max_connections"] = "60" }, "connections", Note, "up to 32",
			"max_connections = 150"},
		{"few connections for the account", func(f *facts) { f.session["max_user_connections"] = "10" }, "connections",
			Problem, "up to 32", "ALTER USER 'app'@'%'"},
		{"many connections in use", func(f *facts) { f.status["threads_connected"] = "130" }, "connections", Note,
			"four fifths", "max_connections = 302"},
		{"a slow purge", func(f *facts) { f.history.value = historyNote }, "purge", Note, "old row versions",
			"innodb_purge_threads"},
		{"a hopeless purge", func(f *facts) { f.history.value = historyProblem }, "purge", Problem, "old row versions",
			"innodb_purge_threads"},
		{"an unreadable purge", func(f *facts) { f.history = value{} }, "purge", Note, "may not read",
			"GRANT PROCESS ON *.* TO 'app'@'%';"},
		{"a long transaction", func(f *facts) { f.transactions.value = 60 }, "open transactions", Note,
			"keeps every row version", "KILL"},
		{"a forgotten transaction", func(f *facts) { f.transactions.value = 3600 }, "open transactions", Problem,
			"keeps every row version", "KILL"},
		{"unreadable transactions", func(f *facts) { f.transactions = value{} }, "open transactions", Note, "may not read",
			"GRANT PROCESS"},
		{"changes that nobody publishes",
			func(f *facts) { f.waiting = &backlog{rows: 1000, since: sql.NullInt64{Int64: 60, Valid: true}} }, "feeds", Note,
			"get no changes", "counterfoil serve"},
		{"changes that nobody ever published", func(f *facts) { f.waiting = &backlog{rows: 1} }, "feeds", Note,
			"get no changes", "counterfoil work"},
		{"a server that only allows reading", func(f *facts) { f.global["read_only"] = "ON" }, "writing", Problem, "only allows reading",
			"docs/scaling.md"},
		{"replication that may not be seen", func(f *facts) { f.sourcesKnown = false }, "replica", Note, "may not read",
			"GRANT REPLICATION CLIENT ON *.* TO 'app'@'%';"},
		{"a replica that others write to", func(f *facts) { f.sources = []db.Source{{Reads: true, Applies: true}} }, "replica", Problem,
			"can be written to itself", "RESET REPLICA ALL"},
		{"a former replica that stopped", func(f *facts) { f.sources = []db.Source{{Error: "no"}} }, "replica", Problem,
			"does not follow", "RESET REPLICA ALL"},
		{"a primary without a replica", func(f *facts) { semiSynchronous(f, "0") }, "semi-synchronous", Problem, "loses them",
			"Start a replica"},
		{"a primary with one replica", func(f *facts) { semiSynchronous(f, "1") }, "semi-synchronous", Note, "commits wait",
			"two replicas"},
		{"commits that are read before a replica has them",
			func(f *facts) { semiSynchronous(f, "2"); f.global["rpl_semi_sync_source_wait_point"] = "AFTER_COMMIT" },
			"semi-synchronous order", Problem, "given out again", "SET PERSIST rpl_semi_sync_source_wait_point = AFTER_SYNC;"},
		{"commits that wait for a replica for a moment",
			func(f *facts) { semiSynchronous(f, "2"); f.global["rpl_semi_sync_source_timeout"] = "10000" },
			"semi-synchronous timeout", Problem, "without one", "rpl_semi_sync_source_timeout = 2592000000"},
		{"a node that its cluster has lost", func(f *facts) { galera(f); f.status["wsrep_cluster_status"] = "non-Primary" }, "Galera node",
			Problem, "neither reads nor writes", "joins by itself"},
		{"a node that catches up", func(f *facts) { galera(f); f.status["wsrep_local_state_comment"] = "Joined" }, "Galera node", Note,
			"lags", "Synced"},
		{"two nodes", func(f *facts) { galera(f); f.status["wsrep_cluster_size"] = "2" }, "Galera nodes", Note, "no majority", "garbd"},
		{"a node that holds others back", func(f *facts) { galera(f); f.status["wsrep_flow_control_paused"] = "0.4" },
			"Galera flow control", Note, "holds the writer back", "wsrep_local_recv_queue_avg"},
		{"a node whose reads wait", func(f *facts) { galera(f); f.global["wsrep_sync_wait"] = "1" }, "Galera settings", Note,
			"Each read waits", "wsrep_sync_wait = 0"},
		{"a node that changes its schema alone", func(f *facts) { galera(f); f.global["wsrep_osu_method"] = "RSU" }, "Galera settings",
			Problem, "the nodes differ", "wsrep_osu_method = TOI"},
		{"a group that may not be seen", func(f *facts) { inGroup(f); f.membersKnown = false }, "group member", Note, "may not read",
			"GRANT SELECT ON performance_schema.replication_group_members TO 'app'@'%';"},
		{"a secondary", func(f *facts) { inGroup(f); f.members[0].role = "SECONDARY" }, "group member", Problem, "refuse it", "primary"},
		{"a member that this one does not reach", func(f *facts) { inGroup(f); f.members[2].state = "UNREACHABLE" }, "group", Note, "one member more",
			"Bring back c:3306. If one is ONLINE at all others"},
		{"a group of two", func(f *facts) { inGroup(f); f.members = f.members[:2] }, "group", Note, "one member more", "three"},
		{"a group of several primaries",
			func(f *facts) { inGroup(f); f.global["group_replication_single_primary_mode"] = "OFF" }, "group settings", Problem,
			"fail against one another", "switch_to_single_primary_mode"},
		{"a group whose new primary lags",
			func(f *facts) { inGroup(f); f.global["group_replication_consistency"] = "EVENTUAL" }, "group settings", Note,
			"older state", "BEFORE_ON_PRIMARY_FAILOVER"},
		{"a key that is not here", func(f *facts) {
			f.key = &secrets.State{Path: "/data/key", Current: "0123456789abcdef",
				Err: fault.Unavailable.New(secrets.CodeOtherKey, "", "The key file lacks it. Copy the key file.")}
		}, "key file", Problem, "Copy the key file", "do not start here"},
		{"secrets in the clear", func(f *facts) { f.key = &secrets.State{Current: "0123456789abcdef", Waits: true} }, "key file", Note,
			"still in the clear", "Stop the servers of the release before"},
		{"a disk that fills", func(f *facts) { f.disks[0].free = 900 * mib }, "disk", Note, "stops", "COUNTERFOIL_DATA"},
		{"a full disk", func(f *facts) { f.disks[0].free = 100 * mib }, "disk", Problem, "stops", "COUNTERFOIL_DATA"},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := healthy()
			f.global, f.session, f.status = maps.Clone(f.global), maps.Clone(f.session), maps.Clone(f.status)
			c.change(&f)
			for _, got := range diagnose(f) {
				switch {
				case got.Name != c.check:
					if got.Mark != OK {
						t.Errorf("%s is a %s too", got.Name, got.Mark)
					}
				case got.Mark != c.mark || !strings.Contains(got.Why, c.says) || !strings.Contains(got.Fix, c.fix):
					t.Errorf("%+v", got)
				}
			}
		})
	}
	t.Run("a server without a binary log", func(t *testing.T) {
		f := healthy()
		f.global["log_bin"], f.global["sync_binlog"], f.global["binlog_format"] = "OFF", "0", "STATEMENT"
		for _, c := range diagnose(f) {
			if c.Mark != OK {
				t.Errorf("%+v", c)
			}
		}
	})
	t.Run("a report is ok with notes, not with problems", func(t *testing.T) {
		for mark, want := range map[string]bool{OK: true, Note: true, Problem: false} {
			if got := (Report{Checks: []Check{{Mark: OK}, {Mark: mark}}}).OK(); got != want {
				t.Errorf("%s: %v", mark, got)
			}
		}
	})
}
