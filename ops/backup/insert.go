package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"
)

const (
	rowsPerInsert  = 500
	bytesPerInsert = 1 << 20

	// A transaction is committed once it has so many rows or bytes. A single row may be larger.
	rowsPerCommit  = 10 * rowsPerInsert
	bytesPerCommit = 4 * bytesPerInsert
)

// inserter adds rows in statements of many rows each, some of them in a transaction.
type inserter struct {
	ctx      context.Context
	conn     *sql.Conn
	bytes    int // of a statement, about
	inserted map[string]int64

	tx        *sql.Tx // nil if none is open
	rowsInTx  int
	bytesInTx int
}

func newInserter(ctx context.Context, conn *sql.Conn) (*inserter, error) {
	in := &inserter{ctx: ctx, conn: conn, inserted: map[string]int64{}}
	var packet int
	if err := conn.QueryRowContext(ctx, "SELECT @@max_allowed_packet").Scan(&packet); err != nil {
		return nil, err
	}
	in.bytes = min(bytesPerInsert, packet/4) // quoting doubles some bytes
	return in, nil
}

// begin opens a transaction if none is open.
func (in *inserter) begin() (err error) {
	if in.tx == nil {
		in.tx, err = in.conn.BeginTx(in.ctx, nil)
	}
	return err
}

func (in *inserter) commit() error {
	if in.tx == nil {
		return nil
	}
	tx := in.tx
	in.tx, in.rowsInTx, in.bytesInTx = nil, 0, 0
	return tx.Commit()
}

func (in *inserter) rollback() {
	if in.tx != nil {
		in.tx.Rollback()
	}
}

// rows inserts the rows of a member.
func (in *inserter) rows(t Table, content []byte) error {
	var args []any
	var n, size int
	for len(content) > 0 {
		line, rest, _ := bytes.Cut(content, []byte{'\n'})
		row, err := parseRow(line, t.Columns)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		if n > 0 && (n == rowsPerInsert || size+len(line) > in.bytes) {
			if err := in.insert(t, n, size, args); err != nil {
				return err
			}
			args, n, size = args[:0], 0, 0
		}
		args, n, size = append(args, row...), n+1, size+len(line)
		content = rest
	}
	return in.insert(t, n, size, args)
}

func (in *inserter) insert(t Table, n, size int, args []any) error {
	if n == 0 {
		return nil
	}
	if err := in.begin(); err != nil {
		return memberError{err}
	}
	one := "(" + strings.Repeat("?,", len(t.Columns)-1) + "?)"
	statement := "INSERT INTO " + quote(t.Name) + " (" + quoteAll(t.names()) + ") VALUES " +
		strings.Repeat(one+",", n-1) + one
	result, err := in.tx.ExecContext(in.ctx, statement, args...)
	if tooLarge(err) {
		return memberError{BadSchema("A row of " + t.Name +
			" is larger than the server accepts. Raise its max_allowed_packet to 64M, then restore again.")}
	}
	if err != nil {
		return memberError{fmt.Errorf("table %s: %w", t.Name, err)}
	}
	affected, err := result.RowsAffected()
	if err != nil {
		return memberError{err}
	}
	in.inserted[t.Name] += affected
	in.rowsInTx, in.bytesInTx = in.rowsInTx+n, in.bytesInTx+size
	if in.rowsInTx < rowsPerCommit && in.bytesInTx < bytesPerCommit {
		return nil
	}
	if err := in.commit(); err != nil {
		return memberError{fmt.Errorf("table %s: %w", t.Name, err)}
	}
	return nil
}

func tooLarge(err error) bool {
	var said *mysql.MySQLError
	return errors.Is(err, mysql.ErrPktTooLarge) || errors.As(err, &said) && said.Number == 1153
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}
