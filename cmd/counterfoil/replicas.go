package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
)

// codeBadReplica: an address in COUNTERFOIL_REPLICAS is malformed. Write
// mysql://user:password@host:3306/database.
const codeBadReplica fault.Code = "Setting.BadReplica"

func badReplica(number int, why string) error {
	return fault.Invalid.New(codeBadReplica, "",
		fmt.Sprintf("Address %d in COUNTERFOIL_REPLICAS %s: write mysql://user:password@host:3306/database, separated by commas (in a password, %%2C for a comma).", number, why))
}

// openReplicas parses COUNTERFOIL_REPLICAS without connecting: a replica that does not answer now may answer later.
func (e environment) openReplicas() (replicas []monitor.Replica, err error) {
	defer func() {
		if err != nil {
			closeReplicas(replicas)
		}
	}()
	for i, url := range strings.Split(e.replicas, ",") {
		url = strings.TrimSpace(url)
		if url == "" {
			continue
		}
		cfg, err := db.Config(url)
		var bad db.BadURL
		if errors.As(err, &bad) {
			return replicas, badReplica(i+1, bad.Why)
		}
		if err != nil {
			return replicas, err
		}
		d, err := db.OpenToRead(url)
		if err != nil {
			return replicas, badReplica(i+1, "cannot be used")
		}
		d.Connections(1)
		replicas = append(replicas, monitor.Replica{Name: strings.TrimSuffix(cfg.Addr, ":3306"), DB: d})
	}
	return replicas, nil
}

func closeReplicas(replicas []monitor.Replica) {
	for _, r := range replicas {
		r.DB.Close()
	}
}
