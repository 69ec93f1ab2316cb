package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/counterfoil/counterfoil/domain/wait"
)

// clusterLock is the lock of changes of the schema where each server has named locks of its own: Galera. It is a row, so
// of two processes that take it at two nodes one is refused. Its holder writes the row every few seconds. One that has
// not done so for a while, though writes come through, has died.
type clusterLock struct {
	pool  *sql.DB // its connections live as long as the lock is needed; that of the change does not
	name  string  // of this holder
	waits func(why string)
}

// SchemaLock is the table of the lock, which is no part of the schema.
const SchemaLock = "schema_lock"

const (
	schemaLockBeat = 2 * time.Second
	schemaLockDead = 15 * time.Second
)

// lockCluster waits until no process at another node changes the schema. unlock lets the next one. On a server that is
// no node of Galera it does nothing.
func (w watchedSchema) lockCluster(ctx context.Context, pool *sql.DB) (unlock func(), err error) {
	if node, err := isGalera(ctx, w.conn); err != nil || !node {
		return func() {}, err
	}
	host, _ := os.Hostname()
	l := &clusterLock{pool: pool, waits: w.waits}
	if err := w.conn.QueryRowContext(ctx, "SELECT CONCAT(?, CONNECTION_ID(), ' ', UUID_SHORT())",
		fmt.Sprintf("process %d at %s, connection ", os.Getpid(), host)).Scan(&l.name); err != nil {
		return nil, err
	}
	for _, statement := range []string{
		`CREATE TABLE IF NOT EXISTS schema_lock (
			id TINYINT PRIMARY KEY, holder VARCHAR(255) NOT NULL, beat BIGINT NOT NULL, waits BIGINT NOT NULL)`,
		"INSERT IGNORE INTO schema_lock VALUES (1, '', 0, 0)",
	} {
		if err := l.exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	if err := l.take(ctx); err != nil {
		return nil, err
	}
	beating, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for wait.Sleep(beating, schemaLockBeat) == nil {
			_, _ = pool.ExecContext(beating, "UPDATE schema_lock SET beat = beat + 1 WHERE holder = ?", l.name)
		}
	}()
	return func() {
		stop()
		<-ended
		_ = l.exec(ctx, "UPDATE schema_lock SET holder = '', beat = beat + 1 WHERE holder = ?", l.name)
	}, nil
}

// take waits for a lock that is free, or whose holder died.
func (l *clusterLock) take(ctx context.Context) error {
	var seen int64 = -1
	var since time.Time
	for said := ""; ; {
		began := time.Now()
		if err := l.exec(ctx, "UPDATE schema_lock SET waits = waits + 1"); err != nil {
			return err
		}
		var holder string
		var beat int64
		if err := l.pool.QueryRowContext(ctx, "SELECT holder, beat FROM schema_lock").Scan(&holder, &beat); err != nil {
			return err
		}
		// A change of the schema holds up all writes: meanwhile the holder cannot show that it lives.
		if beat != seen || time.Since(began) > schemaLockBeat {
			seen, since = beat, time.Now()
		}
		if holder == "" || time.Since(since) > schemaLockDead {
			got, err := l.pool.ExecContext(ctx,
				"UPDATE schema_lock SET holder = ?, beat = beat + 1 WHERE holder = ? AND beat = ?", l.name, holder, beat)
			if err == nil {
				if n, err := got.RowsAffected(); err != nil || n == 1 {
					return err
				}
			} else if !retryable(err) {
				return err
			}
			continue
		}
		if holder != said {
			said = holder
			l.waits("Another process is changing the schema, or looking at it: " + holder + ". Waiting until it is done.")
		}
		if err := wait.Sleep(ctx, schemaLockBeat/4); err != nil {
			return err
		}
	}
}

// exec executes a statement again while another node's write wins against it.
func (l *clusterLock) exec(ctx context.Context, statement string, args ...any) error {
	for {
		_, err := l.pool.ExecContext(ctx, statement, args...)
		if !retryable(err) {
			return err
		}
		if err := wait.Sleep(ctx, lookAgain); err != nil {
			return err
		}
	}
}

func isGalera(ctx context.Context, conn *sql.Conn) (bool, error) {
	var name, value string
	err := conn.QueryRowContext(ctx, "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'").Scan(&name, &value)
	if errors.Is(err, sql.ErrNoRows) { // MySQL
		return false, nil
	}
	return value == "ON", err
}
