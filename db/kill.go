package db

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"time"
)

const (
	// killTimeout is how long the end of a transaction whose connection died may take; after it the server's own
	// timeouts end it (session).
	killTimeout = 2 * time.Second
	// killsAtOnce bounds the connections that are opened for it.
	killsAtOnce = 2
)

// place is a connection as its server knows it.
type place struct {
	id       int64
	server   string
	readOnly bool // the server, when the connection was opened
}

// placeOf asks for it.
func placeOf(ctx context.Context, c driver.QueryerContext) (place, error) {
	rows, err := c.QueryContext(ctx,
		"SELECT CONNECTION_ID(), CONCAT(@@hostname, ':', @@port, ':', @@datadir), @@global.read_only", nil)
	if err != nil {
		return place{}, err
	}
	defer rows.Close()
	values := make([]driver.Value, 3)
	if err := rows.Next(values); err != nil {
		return place{}, err
	}
	var p place
	if _, err := fmt.Sscan(text(values[0]), &p.id); err != nil {
		return place{}, err
	}
	p.server = text(values[1])
	p.readOnly = text(values[2]) != "0" && text(values[2]) != "OFF"
	if err := rows.Next(values); err != io.EOF {
		return place{}, fmt.Errorf("which connection is it: %w", err)
	}
	return p, nil
}

func text(value driver.Value) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	return fmt.Sprint(value)
}

// killer ends connections at the server over new ones. A connection that was dropped in silence tells the server
// nothing: it keeps the transaction, and its locks, until it has a result to send, or times out.
type killer struct {
	connector driver.Connector
	slots     chan struct{}
}

// end ends a connection at its server, if it can be reached within killTimeout.
func (k *killer) end(at place) {
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	select {
	case k.slots <- struct{}{}:
		defer func() { <-k.slots }()
	case <-ctx.Done():
		return
	}
	_ = k.kill(ctx, at) // the server's timeouts remain
}

// kill leaves alone a connection that only has the same number: that of another server, or of one that began anew.
func (k *killer) kill(ctx context.Context, at place) error {
	opened, err := k.connector.Connect(ctx)
	if err != nil {
		return err
	}
	defer opened.Close()
	c := opened.(whole)
	here, err := placeOf(ctx, c)
	if err != nil || here.server != at.server || here.id < at.id {
		return err
	}
	_, err = c.ExecContext(ctx, fmt.Sprintf("KILL CONNECTION %d", at.id), nil)
	return err
}
