package dbtest

import (
	"context"
	"database/sql/driver"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// NewClocked returns a new database with the newest schema, whose clock set puts that far from the machine's: each
// statement of its connections runs at that time.
func NewClocked(t testing.TB) (d *db.DB, set func(ahead time.Duration)) {
	t.Helper()
	ahead := &atomic.Int64{}
	d, err := db.OpenWith(URL(t), func(c driver.Connector) driver.Connector { return clockedConnector{patient{c}, ahead} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, func(to time.Duration) { ahead.Store(int64(to)) }
}

type clockedConnector struct {
	driver.Connector
	ahead *atomic.Int64
}

func (c clockedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &clockedConn{inner.(whole), c.ahead}, nil
}

type clockedConn struct {
	whole
	ahead *atomic.Int64
}

// setClock sets the time of the connection's next statement.
func (c *clockedConn) setClock(ctx context.Context) error {
	at := time.Now().Add(time.Duration(c.ahead.Load())).UnixMicro()
	_, err := c.whole.ExecContext(ctx, fmt.Sprintf("SET timestamp = %d.%06d", at/1e6, at%1e6), nil)
	return err
}

func (c *clockedConn) ExecContext(
	ctx context.Context, statement string, args []driver.NamedValue,
) (driver.Result, error) {
	if err := c.setClock(ctx); err != nil {
		return nil, err
	}
	return c.whole.ExecContext(ctx, statement, args)
}

func (c *clockedConn) QueryContext(
	ctx context.Context, statement string, args []driver.NamedValue,
) (driver.Rows, error) {
	if err := c.setClock(ctx); err != nil {
		return nil, err
	}
	return c.whole.QueryContext(ctx, statement, args)
}
