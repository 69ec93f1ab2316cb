package db_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestEndOthers(t *testing.T) {
	t.Parallel()

	t.Run("ends a connection whose statement holds bytes that are no text", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		restore := domaintest.OK(d.SQL.Conn(t.Context()))(t)
		defer restore.Close()
		other := domaintest.OK(d.SQL.Conn(t.Context()))(t)
		defer other.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var name string
		domaintest.Must(t, restore.QueryRowContext(t.Context(), "SELECT DATABASE()").Scan(&name))
		domaintest.OK(restore.ExecContext(t.Context(), "DO GET_LOCK(?, 0)", name))(t)
		ended := make(chan error, 1)
		go func() {
			_, err := other.ExecContext(ctx, "DO GET_LOCK(?, 600), ?", name, []byte("\xed\x71\xcf\xc0"))
			ended <- err
		}()
		domaintest.Until(t, "the other waits for the lock", func() bool { return waitsForLock(t, restore, name) })
		domaintest.Must(t, db.EndOthers(t.Context(), restore))
		if err := <-ended; err == nil {
			t.Error("the other connection was not ended")
		}
	})
}

// waitsForLock reports whether a connection to a database waits for a lock with a name.
func waitsForLock(t *testing.T, conn *sql.Conn, database string) (waits bool) {
	t.Helper()
	rows := domaintest.OK(conn.QueryContext(t.Context(), "SHOW PROCESSLIST"))(t)
	defer rows.Close()
	columns := domaintest.OK(rows.Columns())(t)
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		domaintest.Must(t, rows.Scan(into...))
		const db, state = 3, 6
		waits = waits || values[db].String == database && values[state].String == "User lock"
	}
	return waits
}
