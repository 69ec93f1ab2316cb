package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// Mark is a table that is there while nothing may use a database but the command that made it: from before what it
// changes until what protects the data stands. Each new connection looks for marks, and no other than the command's is
// opened while there is one; the command ends those that were open before. So no request asks for it. It is no part of
// the schema, which the command may change.
type Mark string

// The marks. Each has a command that goes on if it was cut off.
const (
	RestoreMark  Mark = "restore_under_way"
	FailoverMark Mark = "failover_under_way"
)

// IsMark reports whether a table is a mark.
func IsMark(table string) bool { return table == string(RestoreMark) || table == string(FailoverMark) }

const findMark = "SELECT COALESCE(MIN(table_name), '') FROM information_schema.tables " +
	"WHERE table_schema = DATABASE() AND table_name IN ('" + string(RestoreMark) + "', '" + string(FailoverMark) + "')"

// CodeRestoring: a backup is being restored into the database, or a restore was cut off. Wait for it; if none is
// running, run it again.
const CodeRestoring fault.Code = "Database.Restoring"

// CodeFailingOver: the database was promoted, and “counterfoil failover” is under way or was cut off. Wait for it; if
// none is running, run it again.
const CodeFailingOver fault.Code = "Database.FailingOver"

// Refusal is the error of a caller that may not use a marked database; nil without a mark.
func (m Mark) Refusal() error {
	switch m {
	case RestoreMark:
		return fault.Unavailable.New(CodeRestoring, "",
			"A backup is being restored into this database, or a restore was cut off, and nothing may use it until that is done. Wait for the restore; if none is running, run “counterfoil restore FILE” again: it empties the database and begins anew.")
	case FailoverMark:
		return fault.Unavailable.New(CodeFailingOver, "",
			"A failover is under way in this database, or was cut off, and nothing may use it until that is done. Wait for it; if none is running, run “counterfoil failover” again with the same options: it goes on.")
	}
	return nil
}

// IsMarked reports whether err is a Refusal.
func IsMarked(err error) bool {
	return errors.Is(err, CodeRestoring) || errors.Is(err, CodeFailingOver)
}

// FindMark returns the mark of the connection's database, "" if it has none.
func FindMark(ctx context.Context, on asker) (mark Mark, err error) {
	return mark, on.QueryRowContext(ctx, findMark).Scan(&mark)
}

// OpenMarked is Open also for a marked database. Its statements may take as long as they need.
func OpenMarked(rawURL string) (*DB, error) {
	return open(rawURL, func(c driver.Connector, k *killer) driver.Connector { return sessionConnector{c, k, toWrite} },
		AnswerWithin(0))
}

// OpenToLook is OpenMarked for a program that only reads, at any server that answers at all.
func OpenToLook(rawURL string) (*DB, error) {
	return open(rawURL, func(c driver.Connector, k *killer) driver.Connector { return sessionConnector{c, k, toLook} },
		AnswerWithin(0))
}

// freeConnector refuses connections to a marked database.
type freeConnector struct{ driver.Connector }

func (c freeConnector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := free(ctx, opened); err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}

func free(ctx context.Context, on driver.Conn) error {
	rows, err := on.(driver.QueryerContext).QueryContext(ctx, findMark, nil)
	if err != nil {
		return fmt.Errorf("look for a mark: %w", err)
	}
	defer rows.Close()
	mark := make([]driver.Value, 1)
	if err := rows.Next(mark); err != nil {
		return fmt.Errorf("look for a mark: %w", err)
	}
	return Mark(text(mark[0])).Refusal()
}

// CodeNotAlone: another connection to the database cannot be ended. Stop the program that has it.
const CodeNotAlone fault.Code = "Database.InUse"

func notAlone(of connection) error {
	return fault.Conflict.New(CodeNotAlone, "",
		fmt.Sprintf("The user %s has the connection %d to this database open, and it could not be ended. Stop the program that has it, then try again.", of.user, of.id))
}

const (
	endConnections = 20 * time.Second
	lookAgain      = 20 * time.Millisecond
)

// EndOthers ends the other connections to the database, with their transactions, and waits until they are gone. It
// returns the error of CodeNotAlone if it cannot.
func EndOthers(ctx context.Context, conn *sql.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, endConnections)
	defer cancel()
	others, err := otherConnections(ctx, conn)
	if err != nil {
		return err
	}
	for _, other := range others {
		if err := end(ctx, conn, other); err != nil {
			return err
		}
	}
	for len(others) > 0 {
		was := others
		if others, err = otherConnections(ctx, conn); err == nil {
			others = remaining(was, others)
		}
		if err == nil && len(others) > 0 {
			err = wait.Sleep(ctx, lookAgain)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return notAlone(was[0])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// otherConnections returns the other connections to the database, but for those of the server itself.
func otherConnections(ctx context.Context, conn *sql.Conn) ([]connection, error) {
	var mine uint64
	var database string
	if err := conn.QueryRowContext(ctx, "SELECT CONNECTION_ID(), DATABASE()").Scan(&mine, &database); err != nil {
		return nil, err
	}
	all, err := connections(ctx, conn)
	return slices.DeleteFunc(all, func(c connection) bool {
		return c.id == mine || c.database != database || c.user == "system user" || c.user == "event_scheduler"
	}), err
}

// remaining returns which of them are still there.
func remaining(of, there []connection) []connection {
	return slices.DeleteFunc(of, func(c connection) bool { return !slices.Contains(there, c) })
}

func end(ctx context.Context, conn *sql.Conn, other connection) error {
	_, err := conn.ExecContext(ctx, fmt.Sprintf("KILL %d", other.id))
	const gone, anothers = 1094, 1095
	switch number(err) {
	case gone:
		return nil
	case anothers:
		return notAlone(other)
	}
	return err
}
