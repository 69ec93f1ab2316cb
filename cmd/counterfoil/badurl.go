package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// codeBadDatabase: the database that DATABASE_URL names cannot be used. Correct the address, or what the
// message names.
const codeBadDatabase fault.Code = "Database.NotUsable"

func badDatabase(where, why string) error {
	return fault.Unavailable.New(codeBadDatabase, "", fmt.Sprintf("DATABASE_URL points to %s, but %s.", where, why))
}

var systemDatabases = []string{"mysql", "information_schema", "performance_schema", "sys"}

// checkURL refuses a DATABASE_URL that names no database, or one of the server's own.
func checkURL(rawURL string) error {
	cfg, err := db.Config(rawURL)
	if err != nil {
		return err
	}
	if cfg.DBName == "" {
		return db.BadURL{Why: "names no database"}
	}
	if slices.Contains(systemDatabases, cfg.DBName) {
		return badDatabase(cfg.Addr, "the database "+cfg.DBName+" is the server's own; create one for Counterfoil")
	}
	return nil
}

// explain says why a first connection to DATABASE_URL failed.
func explain(rawURL string, err error) error {
	cfg, bad := db.Config(rawURL)
	if bad != nil || err == nil {
		return err
	}
	var refused *mysql.MySQLError
	var unavailable db.Unavailable
	switch {
	case errors.As(err, &refused) && refused.Number == 1045:
		return badDatabase(cfg.Addr, "it does not let the user "+cfg.User+" in with this password")
	case errors.As(err, &refused) && refused.Number == 1044:
		return badDatabase(cfg.Addr,
			fmt.Sprintf("the user %s may not use the database %s, or it does not exist: CREATE DATABASE %[2]s; GRANT ALL ON %[2]s.* TO %[1]s", cfg.User, cfg.DBName))
	case errors.As(err, &refused) && refused.Number == 1049:
		return badDatabase(cfg.Addr,
			fmt.Sprintf("there is no database %s: CREATE DATABASE %[1]s CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci",
				cfg.DBName))
	case errors.Is(err, mysql.ErrNoTLS):
		return badDatabase(cfg.Addr, "that server has no TLS; leave out tls=true or set TLS up")
	case errors.As(err, &unavailable) && errors.As(unavailable.Err, &refused):
		return badDatabase(cfg.Addr, unavailable.Why+". If it is a replica, or was shut off by a failover, point DATABASE_URL at the server that is written to; else try again")
	case errors.Is(err, db.CodeUnavailable):
		return badDatabase(cfg.Addr, "no database server answers there. Check that it runs and that the address is right")
	}
	return err
}
