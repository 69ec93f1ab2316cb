package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeUnavailable: the database cannot be used at the moment. Nothing was done; try again after Retry-After.
const CodeUnavailable fault.Code = "Database.Unavailable"

// Unavailable says why the database cannot be used at the moment, for users.
type Unavailable struct {
	Why string
	Err error
}

func (e Unavailable) Error() string {
	return "The database cannot be used right now: " + e.Why + ". Nothing was lost; try again in a moment."
}

func (e Unavailable) Unwrap() error {
	return fault.Error{Kind: fault.Unavailable, Code: CodeUnavailable, Message: e.Error(), Cause: e.Err}
}

// Is lets errors.Is find the context's end in an interrupted statement.
func (e Unavailable) Is(target error) bool { return errors.Is(e.Err, target) }

// IsDuplicate reports whether err is a violation of the named unique index. The name is matched by
// suffix: MySQL puts the table before it.
func IsDuplicate(err error, index string) bool {
	var e *mysql.MySQLError
	if !errors.As(err, &e) || e.Number != 1062 {
		return false
	}
	name := strings.TrimSuffix(strings.TrimSuffix(e.Message, "'"), `"`)
	return strings.HasSuffix(name, "'"+index) || strings.HasSuffix(name, "."+index)
}

// IsDeadlock reports whether err, also after retries, is a deadlock or lock wait timeout.
func IsDeadlock(err error) bool {
	var unavailable Unavailable
	if errors.As(err, &unavailable) {
		err = unavailable.Err
	}
	return retryable(err)
}

// IsNotFound reports whether a :one query found no row.
func IsNotFound(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// Read returns a query's result with its error classified: for reads outside InTx.
func Read[T any](value T, err error) (T, error) { return value, classify(err) }

func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// The numbers of errors with which a server says that it is not to be written to.
const (
	notInCluster        = 1047 // Galera: the node is no part of a primary component, or still joins it
	readOnlyOption      = 1290 // read_only, or another option
	readOnlyTransaction = 1792
	readOnlyMode        = 1836
	hookOfReplication   = 3100 // Group Replication refuses the COMMIT
)

// unknownVariable: the server has no such setting.
const unknownVariable = 1193

// notOnGalera: MariaDB refuses an update of a join with a table that it derives, on Galera only.
const notOnGalera = 4165

// retryable: deadlock victim, lock wait timeout, row changed since the snapshot (MariaDB 11.6 on), an AUTO_INCREMENT
// that waited too long for its table, a transaction that lost against one of another server (Group Replication).
func retryable(err error) bool {
	switch number(err) {
	case 1213, 1205, 1020, 1467, 3101:
		return true
	}
	return false
}

// classify turns temporary errors into Unavailable and returns others unchanged.
func classify(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		fault.KindOf(err) != "" {
		return err
	}
	if why := whyUnavailable(err); why != "" {
		return Unavailable{Why: why, Err: err}
	}
	return err
}

const whyNoAnswer = "it does not answer"

func whyUnavailable(err error) string {
	switch number(err) {
	case 0:
	case 3, 1021, 1026, 1114, 1878, 3019, 3675:
		return "its disk is full; free some space on the database's machine"
	case 1040, 1203:
		return "it has too many connections"
	case 1053, 1927, 2006, 2013, 3169, 4031:
		return "it is restarting"
	case readOnlyOption, readOnlyTransaction, readOnlyMode:
		return "it only allows reading"
	case notInCluster, hookOfReplication:
		return "its server has left its cluster, or is joining it"
	case 1180:
		return "it could not commit"
	case 1205, 1213, 1020, 1467, 3101:
		return "it is too busy"
	default:
		return ""
	}
	var network *net.OpError
	switch {
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, mysql.ErrInvalidConn), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, io.EOF),
		errors.Is(err, mysql.ErrMalformPkt), errors.Is(err, mysql.ErrPktSync), errors.Is(err, mysql.ErrPktSyncMul),
		errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.EPIPE),
		errors.As(err, &network):
		return whyNoAnswer
	}
	return ""
}
