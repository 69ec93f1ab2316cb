package db

import (
	"context"
	"database/sql"
	"errors"
	"net"

	"github.com/go-sql-driver/mysql"
)

// TryWrite returns nil if a server takes writes to a table of the schema from this account, otherwise the error with
// which it refuses: variables do not tell, because some accounts are excepted from read_only, and a node outside its
// cluster has none. It changes nothing.
func TryWrite(ctx context.Context, conn *sql.Conn) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	_, err = tx.ExecContext(ctx, "UPDATE sequences SET version = version WHERE name = 'tickets'")
	return err
}

// RefusesWrites reports whether err is the answer of a server that is not to be written to.
func RefusesWrites(err error) bool {
	switch number(err) {
	case notInCluster, readOnlyOption, readOnlyTransaction, readOnlyMode, hookOfReplication:
		return true
	}
	return false
}

// IsNoAnswer reports whether err says that nothing answers at an address: not that the address is unknown, nor what a
// server said.
func IsNoAnswer(err error) bool {
	var unknown *net.DNSError
	if err == nil || errors.As(err, &unknown) || errors.As(err, new(*mysql.MySQLError)) {
		return false
	}
	return whyUnavailable(err) == whyNoAnswer || errors.Is(err, context.DeadlineExceeded)
}

// Identity names the server and the database of a connection.
func Identity(ctx context.Context, conn *sql.Conn) (name string, err error) {
	return name, conn.QueryRowContext(ctx, "SELECT CONCAT(@@hostname, ':', @@port, ':', @@datadir, ' ', DATABASE())").
		Scan(&name)
}
