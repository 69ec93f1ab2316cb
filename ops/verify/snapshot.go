package verify

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// Snapshot is db.Snapshot for slow readers.
func Snapshot(ctx context.Context, pool *sql.DB, read func(*sql.Conn) error) error {
	return db.Snapshot(ctx, pool, func(conn *sql.Conn) error {
		if _, err := conn.ExecContext(ctx, "SET SESSION wait_timeout = 28800"); err != nil { // a reader may write to a slow disk
			return fmt.Errorf("snapshot: %w", err)
		}
		return read(conn)
	})
}
