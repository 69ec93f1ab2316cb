package main

import (
	"errors"
	"net"
	"os"
	"strconv"
)

const galera = "galera"

// serverOf returns the server that an engine runs on.
func serverOf(engine string) string {
	if engine == galera {
		return "mariadb"
	}
	return engine
}

// nodeSettings make a server the first node of a cluster that nobody else joins.
func nodeSettings() (map[string]string, error) {
	library := os.Getenv("COUNTERFOIL_GALERA")
	if library == "" {
		return nil, errors.New("COUNTERFOIL_GALERA is not set: COUNTERFOIL_GALERA=$(scripts/get-galera)/libgalera_smm.so")
	}
	port, err := freePort()
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

// freePort returns a port that nothing listens on at the moment.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
