package db

import (
	"context"
	"database/sql"
)

// HoldSchema takes the lock of changes of the schema on a connection.
func HoldSchema(ctx context.Context, conn *sql.Conn) error {
	return watchedSchema{conn: conn}.lock(ctx)
}
