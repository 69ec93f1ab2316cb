package db

import (
	"context"
	"database/sql/driver"
)

// whole is the set of a driver's methods that database/sql uses.
type whole interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	driver.NamedValueChecker
}

// conn is a connection that the pool closes once its server answered that it cannot be written to: after a failover
// the address leads to another server, which an open connection does not reach.
type conn struct {
	whole
	discarded bool
}

// IsValid reports whether the pool may keep the connection.
func (c *conn) IsValid() bool { return !c.discarded && c.whole.IsValid() }

func (c *conn) judge(err error) error {
	switch number(err) {
	case notInCluster, readOnlyOption, readOnlyTransaction, readOnlyMode:
		c.discarded = true
	}
	return err
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	result, err := c.whole.ExecContext(ctx, query, args)
	return result, c.judge(err)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.whole.QueryContext(ctx, query, args)
	return rows, c.judge(err)
}

func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	begun, err := c.whole.BeginTx(ctx, options)
	if err != nil {
		return nil, c.judge(err)
	}
	return tx{begun, c}, nil
}

// tx is a transaction of a conn.
type tx struct {
	driver.Tx
	conn *conn
}

func (t tx) Commit() error { return t.conn.judge(t.Tx.Commit()) }
