package backup

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/ops/verify"
)

// mostViews is how many views are opened at most.
const mostViews = 5

// view runs read in a view of the data of one moment. MariaDB builds views without a lock: beside commits one can hold
// a later commit without an earlier one, the likelier the more transactions are open or prepared. So commits are held
// back while the view is opened. Where they cannot be, the view is searched for what such a tear leaves; what the view
// before had as well is in the data itself. It returns Torn.
func view(ctx context.Context, pool *sql.DB, mariaDB bool, read func(*sql.Conn) error) error {
	release, held, err := holdCommits(ctx, pool, mariaDB)
	if err != nil {
		return err
	}
	defer release()
	if held {
		return verify.Snapshot(ctx, pool, func(conn *sql.Conn) error {
			release()
			return read(conn)
		})
	}
	return searched(ctx, pool, read)
}

// searched runs read in a view without a tear, of some that are opened beside commits.
func searched(ctx context.Context, pool *sql.DB, read func(*sql.Conn) error) error {
	var before verify.Findings
	for n := range mostViews {
		whole := false
		err := verify.Snapshot(ctx, pool, func(conn *sql.Conn) error {
			found, err := verify.Tears(ctx, conn)
			if err != nil {
				return err
			}
			if whole = len(found) == 0 || n > 0 && found.Among(before); whole {
				return read(conn)
			}
			before = found
			return nil
		})
		if err != nil || whole {
			return err
		}
	}
	account, err := db.Grantee(ctx, pool)
	if err != nil {
		return err
	}
	return Torn(before.One(), account)
}

// holdCommits keeps all others from committing until release is called. It is refused to accounts without RELOAD, and
// gives up where others hold it up for two seconds: meanwhile writers may wait, too.
func holdCommits(ctx context.Context, pool *sql.DB, mariaDB bool) (release func(), held bool, err error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, false, err
	}
	closed := false
	release = func() {
		if closed {
			return
		}
		closed = true
		_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // it ends with its connection
		conn.Close()
	}
	statements := []string{"SET SESSION lock_wait_timeout = 2", "FLUSH TABLES WITH READ LOCK"}
	if mariaDB {
		statements = []string{statements[0], "BACKUP STAGE START", "BACKUP STAGE BLOCK_COMMIT"}
	}
	for _, statement := range statements {
		_, err := conn.ExecContext(ctx, statement)
		if err == nil {
			continue
		}
		release()
		if !errors.As(err, new(*mysql.MySQLError)) {
			return nil, false, err
		}
		return release, false, nil
	}
	return release, true, nil
}
