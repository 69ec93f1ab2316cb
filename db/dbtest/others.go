package dbtest

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Others counts other connections' activity: the query is one of information_schema's lists. While any statement on
// the server holds bytes that are no text, MySQL answers error 3854: then it returns 0.
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
