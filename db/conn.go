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
	begun     bool // a transaction

	at     place
	killer *killer
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
	valid := c.whole.IsValid()
	result, err := c.whole.ExecContext(ctx, query, args)
	if valid && !c.begun && c.isLost(err) {
		err = UnknownOutcome(err) // it was a transaction of its own
	}
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
	c.begun = true
	return tx{begun, c}, nil
}

// tx is a transaction of a conn.
type tx struct {
	driver.Tx
	conn *conn
}

// Commit returns UnknownOutcome if the transaction may have been committed although it failed.
func (t tx) Commit() error {
	t.conn.begun = false
	sent := t.conn.whole.IsValid()
	err := t.Tx.Commit()
	if !t.conn.whole.IsValid() {
		t.conn.killer.end(t.conn.at)
	}
	if sent && leavesOpen(err) {
		return UnknownOutcome(err)
	}
	return t.conn.judge(err)
}

// Rollback ends the transaction also if the connection is dead: its locks are let go before another may ask for them.
func (t tx) Rollback() error {
	t.conn.begun = false
	err := t.Tx.Rollback()
	if !t.conn.whole.IsValid() {
		t.conn.killer.end(t.conn.at)
	}
	return err
}
