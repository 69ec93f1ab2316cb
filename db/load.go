package db

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// Load is the server's load.
type Load struct {
	Threads   int64       // running, this one among them
	History   ServerValue // old row versions that are not purged yet
	Deadlocks ServerValue // since the server started
}

// ServerValue is a number that some accounts may not read.
type ServerValue struct {
	Value int64
	Known bool
	Grant string // the statement that allows this account to read it, if it may not
}

// Load reads the server's load. MySQL shows some of it only to accounts with PROCESS.
func (d *DB) Load(ctx context.Context) (Load, error) {
	values, err := numbers(ctx, d.SQL,
		`SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_running', 'Innodb_history_list_length', 'Innodb_deadlocks')`)
	if err != nil {
		return Load{}, fmt.Errorf("read status: %w", classify(err))
	}
	l := Load{Threads: values["threads_running"]}
	if l.History.Value, l.History.Known = values["innodb_history_list_length"]; l.History.Known {
		l.Deadlocks.Value, l.Deadlocks.Known = values["innodb_deadlocks"]
		return l, nil
	}
	values, err = numbers(ctx, d.SQL,
		"SELECT name, `count` FROM information_schema.innodb_metrics WHERE name IN ('trx_rseg_history_len', 'lock_deadlocks')")
	if err != nil && !IsForbidden(err) {
		return Load{}, fmt.Errorf("read metrics: %w", classify(err))
	}
	l.History.Value, l.History.Known = values["trx_rseg_history_len"]
	l.Deadlocks.Value, l.Deadlocks.Known = values["lock_deadlocks"]
	if err == nil {
		return l, nil
	}
	account, err := Grantee(ctx, d.SQL)
	if err != nil {
		return Load{}, classify(err)
	}
	l.History.Grant = "GRANT PROCESS ON *.* TO " + account + ";"
	l.Deadlocks.Grant = l.History.Grant
	return l, nil
}

// numbers reads pairs of a name, in lower case, and a whole number.
func numbers(ctx context.Context, pool *sql.DB, query string) (map[string]int64, error) {
	rows, err := pool.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	values := make(map[string]int64)
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			values[strings.ToLower(name)] = n
		}
	}
	return values, rows.Err()
}

// IsForbidden reports whether the account lacks a right that the statement needs.
func IsForbidden(err error) bool {
	switch number(err) {
	case 1044, 1045, 1142, 1143, 1227:
		return true
	}
	return false
}

// asker is a pool, a connection or a transaction.
type asker interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Grantee returns the account of the connection as a GRANT names it: 'name'@'host'.
func Grantee(ctx context.Context, on asker) (string, error) {
	var account string
	if err := on.QueryRowContext(ctx, "SELECT CURRENT_USER()").Scan(&account); err != nil {
		return "", err
	}
	at := strings.LastIndex(account, "@")
	return fmt.Sprintf("'%s'@'%s'", account[:max(at, 0)], account[at+1:]), nil
}

// GrantSelect returns the statement that allows the account of the connection to read a table of its database, "" if
// the server does not name the account.
func GrantSelect(ctx context.Context, on asker, table string) string {
	var database string
	account, err := Grantee(ctx, on)
	if err == nil {
		err = on.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&database)
	}
	if err != nil {
		return ""
	}
	return fmt.Sprintf("GRANT SELECT ON `%s`.%s TO %s;", database, table, account)
}
