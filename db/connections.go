package db

import (
	"context"
	"database/sql"
)

// connection is a connection to the server, as far as the account may see it. Its database is "" if it uses none.
type connection struct {
	id                   uint64
	user, host, database string
}

// connections lists the server's connections. SHOW does not translate the statements that they run: MySQL's tables of
// the same list fail (error 3854) while any statement holds bytes that are no text, such as a password's hash.
func connections(ctx context.Context, conn *sql.Conn) (list []connection, err error) {
	rows, err := conn.QueryContext(ctx, "SHOW PROCESSLIST")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var c connection
	var database sql.NullString
	into := []any{&c.id, &c.user, &c.host, &database}
	for range len(columns) - len(into) {
		into = append(into, new(sql.RawBytes))
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		c.database = database.String
		list = append(list, c)
	}
	return list, rows.Err()
}
