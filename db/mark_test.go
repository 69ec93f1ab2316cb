package db_test

import (
	"context"
	"slices"
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
		domaintest.Until(t, "the other waits for the lock", func() bool {
			list := domaintest.OK(dbtest.Connections(t.Context(), restore))(t)
			return slices.ContainsFunc(list, func(c dbtest.Connection) bool { return c.Database == name && c.State == "User lock" })
		})
		domaintest.Must(t, db.EndOthers(t.Context(), restore))
		if err := <-ended; err == nil {
			t.Error("the other connection was not ended")
		}
	})
}
