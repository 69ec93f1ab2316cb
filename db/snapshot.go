package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// Snapshot runs read on a read-only connection that sees the data as of one moment. Meanwhile the server keeps all
// older row versions.
func Snapshot(ctx context.Context, pool *sql.DB, read func(*sql.Conn) error) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	defer conn.Close()
	// The connection is dropped in any state, and with it the transaction.
	defer func() { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }()
	for _, statement := range []string{
		"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
		"START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
	} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
	}
	return read(conn)
}
