//go:build cluster

package db_test

import (
	"os"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// Galera refuses the statement that publishes elsewhere: rows get the same positions without it.
func TestPublishOnGalera(t *testing.T) {
	urls := strings.Fields(os.Getenv("COUNTERFOIL_CLUSTER"))
	if len(urls) != 3 {
		t.Fatal("COUNTERFOIL_CLUSTER must have the URLs of one database at three Galera nodes.")
	}
	d := domaintest.OK(db.Open(urls[0]))(t)
	t.Cleanup(func() { d.Close() })
	domaintest.Exec(t, d, "DROP TABLE IF EXISTS paper")
	domaintest.Exec(t, d, "CREATE TABLE paper (id BIGINT UNSIGNED PRIMARY KEY, feed_sync_id BIGINT UNSIGNED NULL UNIQUE)")
	var rows []uint64
	for i := range uint64(250) {
		rows = append(rows, 1000-i)
		domaintest.Exec(t, d, "INSERT INTO paper VALUES (?, NULL)", 1000-i)
	}
	if n := domaintest.OK(d.Publish(t.Context(), "paper", rows, 500))(t); n != 250 {
		t.Errorf("%d rows were published", n)
	}
	domaintest.Counts(t, d, 250, "SELECT COUNT(*) FROM paper WHERE id + feed_sync_id = 1501")
}
