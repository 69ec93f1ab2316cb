package opstest

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/db/private"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// OnMySQL reports whether the server for tests is MySQL.
func OnMySQL() bool { return dbtest.Engine() == "mysql" }

// Private returns the URL of a database on a small server of the test's own.
func Private(t testing.TB, settings map[string]string) string {
	t.Helper()
	all := map[string]string{"innodb_buffer_pool_size": "64M", "innodb_flush_log_at_trx_commit": "0",
		"innodb_doublewrite": "0", "sync_binlog": "0"}
	maps.Copy(all, settings)
	server := domaintest.OK(private.Open(t.Context(),
		private.Options{Dir: t.TempDir(), Engine: dbtest.Engine(), Settings: all}))(t)
	t.Cleanup(func() { domaintest.Must(t, server.Close(context.Background())) })
	return server.URL("counterfoil")
}

// Pair returns the URLs of a database with the newest schema at a primary and at its semi-synchronous replica, which
// can be written to like any server until a test sets read_only.
func Pair(t testing.TB) (primary, replica string) {
	t.Helper()
	port := domaintest.OK(dbtest.FreePort())(t)
	settings := map[string]string{"server_id": "1", "log_bin": "binlog", "binlog_format": "ROW", "skip_networking": "0",
		"bind_address": "127.0.0.1", "port": strconv.Itoa(port)}
	source, prefix, follower, plain := "MASTER", "MASTER", "SLAVE", ""
	if OnMySQL() {
		source, prefix, follower, plain = "REPLICATION SOURCE", "SOURCE", "REPLICA", ", SOURCE_SSL = 0"
		settings["plugin_load_add"] = "semisync_source.so;semisync_replica.so"
		settings["loose_rpl_semi_sync_replica_enabled"] = "ON"
		settings["skip_replica_start"] = "ON"
	} else {
		settings["rpl_semi_sync_slave_enabled"] = "ON"
	}
	primary = Private(t, settings)
	settings["server_id"] = "2"
	settings["port"] = strconv.Itoa(domaintest.OK(dbtest.FreePort())(t))
	replica = Private(t, settings)

	p, r := dbtest.OpenAt(t, primary), dbtest.OpenAt(t, replica)
	domaintest.Exec(t, p, "CREATE USER follower@'%'")
	domaintest.Exec(t, p, "GRANT REPLICATION SLAVE ON *.* TO follower@'%'")
	domaintest.Exec(t, r, fmt.Sprintf(
		"CHANGE %s TO %[2]s_HOST = '127.0.0.1', %[2]s_PORT = %[3]d, %[2]s_USER = 'follower', %[2]s_HEARTBEAT_PERIOD = 1%[4]s",
		source, prefix, port, plain))
	domaintest.Exec(t, r, "START "+follower)
	domaintest.Must(t, db.SchemaUp(primary))
	domaintest.Exec(t, p, "SET GLOBAL rpl_semi_sync_"+strings.ToLower(prefix)+"_enabled = ON")
	return primary, replica
}
