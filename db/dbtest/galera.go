package dbtest

import (
	"errors"
	"net"
	"os"
	"strconv"
	"testing"

	"github.com/counterfoil/counterfoil/db"
)

// Galera is the environment variable with the path of libgalera_smm.so; scripts/get-galera fetches one.
const Galera = "COUNTERFOIL_GALERA"

// NodeSettings make MariaDB the first node of a cluster that nobody else joins.
func NodeSettings() (map[string]string, error) {
	library := os.Getenv(Galera)
	if library == "" {
		return nil, errors.New(Galera + " is not set: COUNTERFOIL_GALERA=$(scripts/get-galera)/libgalera_smm.so")
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"wsrep_on":               "ON",
		"wsrep_provider":         library,
		"wsrep_cluster_address":  "gcomm://",
		"wsrep_node_address":     "127.0.0.1:" + strconv.Itoa(port),
		"wsrep_provider_options": "gmcast.listen_addr=tcp://127.0.0.1:" + strconv.Itoa(port) + ";gcache.size=64M",
		"binlog_format":          "ROW",
	}, nil
}

// OnGalera reports whether the server for tests is a node of a cluster.
func OnGalera(t testing.TB, d *db.DB) bool {
	t.Helper()
	var name, value string
	err := d.SQL.QueryRow("SHOW GLOBAL VARIABLES LIKE 'wsrep_on'").Scan(&name, &value)
	if err != nil && !db.IsNotFound(err) {
		t.Fatal(err)
	}
	return value == "ON"
}

// FreePort returns a port that nothing listens on at the moment.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
