package dbtest

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Others counts what other connections do: the query is one of information_schema's lists of them. While
// any statement on the server has bytes in it that are no text, MySQL answers error 3854 to all of
// these: then it is not known, and 0.
func Others(t testing.TB, d *sql.DB, query string) (n int) {
	t.Helper()
	err := d.QueryRow(query).Scan(&n)
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == 3854 {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
