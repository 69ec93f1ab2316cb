// Package dbtest gives each test a database of its own, on a real server.
package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
)

// Server is the environment variable with the URL of the server for tests, without a database.
// db/dbtest/server sets it.
const Server = "COUNTERFOIL_TEST_DATABASE"

// Pool is the environment variable with the socket of db/dbtest/server over which it lends databases. Another server
// has none: then each database is made here.
const Pool = "COUNTERFOIL_TEST_POOL"

// Engine returns the engine of the server for tests: mariadb or mysql.
func Engine() string { return os.Getenv("COUNTERFOIL_TEST_ENGINE") }

// URL returns the URL of a database like a new one, with the newest schema. It is given back after the test.
func URL(t testing.TB) string {
	t.Helper()
	if os.Getenv(Pool) != "" {
		return borrow(t)
	}
	url := Empty(t)
	if err := db.SchemaUp(url); err != nil {
		t.Fatal(err)
	}
	return url
}

var lender = &http.Client{Transport: &http.Transport{
	DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", os.Getenv(Pool))
	},
	DisableKeepAlives: true, // no goroutine that stays behind
}}

func borrow(t testing.TB) string {
	t.Helper()
	name := ask(t, "lend", "")
	t.Cleanup(func() { ask(t, "return", name) })
	return Named(t, name)
}

func ask(t testing.TB, what, body string) string {
	t.Helper()
	answer, err := lender.Post("http://pool/"+what, "text/plain", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s a database: %d %s %v", what, answer.StatusCode, text, err)
	}
	return string(text)
}

// Open returns a new database with the newest schema.
func Open(t testing.TB) *db.DB {
	t.Helper()
	return OpenAt(t, URL(t), db.AnswerWithin(0))
}

// OpenAt opens the database at a URL. Its server ends no transaction that stands still.
func OpenAt(t testing.TB, url string, options ...db.Option) *db.DB {
	t.Helper()
	d, err := db.OpenWith(url, func(c driver.Connector) driver.Connector { return patient{c} }, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// patient has connections that the server does not close while a slow machine suspends a test within a transaction.
type patient struct{ driver.Connector }

func (c patient) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	const patience = "SET SESSION wait_timeout = 28800 /*M!100300, idle_transaction_timeout = 0 */"
	if _, err := conn.(driver.ExecerContext).ExecContext(ctx, patience, nil); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// Empty returns the URL of a new database without tables.
func Empty(t testing.TB) string {
	t.Helper()
	server := os.Getenv(Server)
	if server == "" {
		t.Fatalf("%s is not set. Run the tests with `make test`, or one package with `go run ./db/dbtest/server -- go test ./domain/boards`.", Server)
	}
	name := "t_" + strings.ToLower(rand.Text()[:16])
	execute(t, server, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci")
	t.Cleanup(func() { execute(t, server, "DROP DATABASE "+name) })
	return strings.TrimSuffix(server, "/") + "/" + name
}

func execute(t testing.TB, server, statement string) {
	t.Helper()
	cfg, err := db.Config(strings.TrimSuffix(server, "/") + "/mysql")
	if err != nil {
		t.Fatal(err)
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	pool := sql.OpenDB(connector)
	defer pool.Close()
	if _, err := pool.ExecContext(context.Background(), statement); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", statement, err))
	}
}

// Named returns the URL of a database on the server for tests.
func Named(t testing.TB, name string) string {
	t.Helper()
	return strings.TrimSuffix(os.Getenv(Server), "/") + "/" + name
}
