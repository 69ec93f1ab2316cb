package dbtest

import (
	"context"
	"database/sql"
	"regexp"
	"testing"
)

// A Connection is one of a server's connections, with what it does.
type Connection struct {
	ID        uint64
	Database  string // "" if it uses none
	State     string // such as "User lock"; "" if it does nothing
	Statement string // that it runs, as it was sent; "" if it runs none
}

// Others counts the other connections to d's database that match.
func Others(t testing.TB, d *sql.DB, matches func(Connection) bool) int {
	t.Helper()
	conn, err := d.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var own uint64
	var database string
	if err := conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID(), DATABASE()").Scan(&own, &database); err != nil {
		t.Fatal(err)
	}
	list, err := Connections(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, c := range list {
		if c.ID != own && c.Database == database && matches(c) {
			count++
		}
	}
	return count
}

// Running matches the connections whose statement has a regular expression.
func Running(expression string) func(Connection) bool {
	has := regexp.MustCompile("(?s)" + expression)
	return func(c Connection) bool { return has.MatchString(c.Statement) }
}

// Connections lists a server's connections. SHOW does not translate the statements that they run: MySQL's tables of the
// same list fail (error 3854) while any statement on the server holds bytes that are no text, such as a hash.
func Connections(ctx context.Context, on interface {
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}) ([]Connection, error) {
	rows, err := on.QueryContext(ctx, "SHOW FULL PROCESSLIST")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var list []Connection
	for rows.Next() {
		var c Connection
		var database, state, statement sql.NullString
		into := []any{&c.ID, new(sql.RawBytes), new(sql.RawBytes), &database, new(sql.RawBytes), new(sql.RawBytes), &state, &statement}
		for range len(columns) - len(into) {
			into = append(into, new(sql.RawBytes)) // MariaDB's progress
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		c.Database, c.State, c.Statement = database.String, state.String, statement.String
		list = append(list, c)
	}
	return list, rows.Err()
}
