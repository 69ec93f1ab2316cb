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

// A lock of one node is none for the others: three that bring an empty database up at once all succeed.
func TestNodesChangeTheSchemaAtOnce(t *testing.T) {
	urls := strings.Fields(os.Getenv("COUNTERFOIL_CLUSTER"))
	if len(urls) != 3 {
		t.Fatal("COUNTERFOIL_CLUSTER must have the URLs of one database at three Galera nodes.")
	}
	var beside []*db.DB // the database, which is dropped
	var name string
	for _, url := range urls {
		cut := strings.LastIndexByte(url, '/') + 1
		d := domaintest.OK(db.Open(url[:cut] + "information_schema"))(t)
		t.Cleanup(func() { d.Close() })
		beside, name = append(beside, d), url[cut:]
	}
	const rounds = 4
	failed := 0
	for round := range rounds {
		collation := []string{"utf8mb4_unicode_520_ci", "utf8mb4_general_ci"}[round%2]
		domaintest.Exec(t, beside[0], "DROP DATABASE "+name)
		domaintest.Exec(t, beside[0], "CREATE DATABASE "+name+" CHARACTER SET utf8mb4 COLLATE "+collation)
		for _, d := range beside { // nodes follow with a delay
			domaintest.Until(t, "the node has the new database", func() bool {
				return domaintest.Number(t, d, `SELECT COUNT(*) FROM schemata
					WHERE schema_name = ? AND default_collation_name = ?`, name, collation) == 1
			})
		}
		ended := make(chan error, len(urls))
		for _, url := range urls {
			go func() { ended <- db.SchemaUp(url, db.SchemaWatch{Waits: func(why string) { t.Log(why) }}) }()
		}
		for range urls {
			if err := <-ended; err != nil {
				t.Log(err)
				failed++
			}
		}
		if status := domaintest.OK(db.Schema(urls[0]))(t); status.Dirty || status.Version != status.Latest {
			t.Errorf("%+v", status)
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d failed in %d rounds", failed, rounds*len(urls), rounds)
	}
}

// A node that dies while it changes the schema keeps the others waiting for a while only.
func TestTheLockOfTheSchemaOutlivesNoHolder(t *testing.T) {
	urls := strings.Fields(os.Getenv("COUNTERFOIL_CLUSTER"))
	if len(urls) != 3 {
		t.Fatal("COUNTERFOIL_CLUSTER must have the URLs of one database at three Galera nodes.")
	}
	domaintest.Must(t, db.SchemaUp(urls[0]))
	d := domaintest.OK(db.Open(urls[1]))(t)
	t.Cleanup(func() { d.Close() })
	domaintest.Exec(t, d, "UPDATE schema_lock SET holder = 'a process that died'")
	waits, end := upgrading(urls[2])
	if why := <-waits; !strings.Contains(why, "a process that died") {
		t.Error(why)
	}
	domaintest.Must(t, <-end)
	domaintest.Until(t, "the lock is free", func() bool {
		return domaintest.Number(t, d, "SELECT COUNT(*) FROM schema_lock WHERE holder = ''") == 1
	})
}
