package dbtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
)

// Copy returns a new database with the rows of another, which nobody changes meanwhile.
func Copy(t testing.TB, of *db.DB) *db.DB {
	t.Helper()
	d := Open(t)
	conn, err := d.SQL.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	do := func(statement string) {
		t.Helper()
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	_, from := of.Location()
	do("SET SESSION foreign_key_checks = 0")
	for _, table := range tablesWithRows(t, of) {
		do("DELETE FROM " + table) // the schema's own rows
		do(fmt.Sprintf("INSERT INTO %s SELECT * FROM %s.%s", table, from, table))
	}
	do("SET SESSION foreign_key_checks = 1")
	return d
}

func tablesWithRows(t testing.TB, d *db.DB) []string {
	t.Helper()
	var asks []string
	for _, table := range list(t, d, "SHOW TABLES") {
		asks = append(asks, fmt.Sprintf("(SELECT '%s' FROM %s LIMIT 1)", table, table))
	}
	return list(t, d, strings.Join(asks, " UNION ALL "))
}

func list(t testing.TB, d *db.DB, query string) (values []string) {
	t.Helper()
	rows, err := d.SQL.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}
