package verify

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/counterfoil/counterfoil/domain/secrets"
)

// check is an invariant with its check: a query that selects a sentence for each violation, or a function.
type check struct {
	name, says string
	tables     []string // the tables whose rows are checked
	query      string
	run        func(*checkRun) error
}

// checkRun is a running check.
type checkRun struct {
	ctx  context.Context
	conn *sql.Conn
	keys *secrets.Keys
	seen map[string]int64 // rows by table, counted once
	Check
}

func (l *checkRun) at(c check) error {
	for _, table := range c.tables {
		if err := l.count(table); err != nil {
			return err
		}
	}
	if c.run != nil {
		return c.run(l)
	}
	return l.sentences(c.query)
}

// find reports a violation.
func (l *checkRun) find(format string, args ...any) {
	l.Total++
	if len(l.Findings) < MaxFindings {
		l.Findings = append(l.Findings, fmt.Sprintf(format, args...))
	}
}

// sentences records each row of a query as a finding.
func (l *checkRun) sentences(query string) error {
	return l.each(query, func(rows *sql.Rows) error {
		var sentence string
		if err := rows.Scan(&sentence); err != nil {
			return err
		}
		l.find("%s", sentence)
		return nil
	})
}

// each calls fn for every row of a query as it is received.
func (l *checkRun) each(query string, fn func(*sql.Rows) error) error {
	rows, err := l.conn.QueryContext(l.ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (l *checkRun) count(table string) error {
	n, ok := l.seen[table]
	if !ok {
		if err := l.conn.QueryRowContext(l.ctx, "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
			return err
		}
		l.seen[table] = n
	}
	l.Rows += n
	return nil
}
