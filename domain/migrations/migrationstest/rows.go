// Package migrationstest has what the tests of migrations and its worker and monitor share: an operator before an
// engine (Desk), and rows that are written and read by statements. It imports neither worker nor monitor, so that
// their own tests can import it.
package migrationstest

import (
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// Exec executes a statement, and returns the id of the row that it adds.
func Exec(t testing.TB, d *db.DB, statement string, args ...any) int64 {
	t.Helper()
	result, err := d.SQL.Exec(statement, args...)
	if err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
	last, err := result.LastInsertId()
	domaintest.Must(t, err)
	return last
}

// Number is what a statement finds.
func Number(t testing.TB, d *db.DB, statement string, args ...any) (n int64) {
	t.Helper()
	if err := d.SQL.QueryRow(statement, args...).Scan(&n); err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
	return n
}
