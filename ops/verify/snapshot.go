package verify

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// Snapshot is db.Snapshot for one who may take long between two questions.
func Snapshot(ctx context.Context, pool *sql.DB, read func(*sql.Conn) error) error {
	return db.Snapshot(ctx, pool, func(conn *sql.Conn) error {
		if _, err := conn.ExecContext(ctx, "SET SESSION wait_timeout = 28800"); err != nil { // what is read may go to a slow disk
			return fmt.Errorf("snapshot: %w", err)
		}
		return read(conn)
	})
}
