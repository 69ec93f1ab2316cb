package db

// Statements of reference codes: for many codes at once, and for several places of the pool.

import (
	"context"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/id"
)

// refsAtOnce is how many codes a statement names: MariaDB takes a list of a thousand for a table, and joins it.
const refsAtOnce = 900

const pickRefs = `(SELECT code FROM ref_pool FORCE INDEX (PRIMARY) WHERE code >= ? ORDER BY code LIMIT ? FOR UPDATE SKIP LOCKED)`

// PickRefs locks free codes of the pool and returns them: at most each from each start on. If starts are close to one
// another, a code comes more than once.
func (tx *Tx) PickRefs(ctx context.Context, starts []string, each int) ([]string, error) {
	args := make([]any, 0, 2*len(starts))
	for _, start := range starts {
		args = append(args, start, each)
	}
	return tx.codes(ctx, strings.Repeat(pickRefs+" UNION ALL ", len(starts)-1)+pickRefs, args)
}

// PooledOfLedger returns which of the next codes of the ledger, limit at most from one on and before another, "" for the
// end, are in the pool, in order and without locks; last is the code from which to read on, "" at the end.
func (q *Queries) PooledOfLedger(
	ctx context.Context, from, before string, limit int,
) (pooled []string, last string, err error) {
	query, args := `SELECT l.code, p.code IS NOT NULL FROM (SELECT code FROM ref_ledger FORCE INDEX (PRIMARY) WHERE code >= ?`, []any{from}
	if before != "" {
		query, args = query+` AND code < ?`, append(args, before)
	}
	rows, err := q.db.QueryContext(ctx, query+` ORDER BY code LIMIT ?) l LEFT JOIN ref_pool p FORCE INDEX (PRIMARY) ON p.code = l.code`,
		append(args, limit+1)...)
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var code string
		var there bool
		if err := rows.Scan(&code, &there); err != nil {
			return nil, "", err
		}
		if n++; there {
			pooled = append(pooled, code)
		}
		last = max(last, code)
	}
	if n <= limit {
		last = ""
	}
	return pooled, last, rows.Err()
}

// DropRefs deletes codes from the pool, and returns how many were there.
func (tx *Tx) DropRefs(ctx context.Context, codes []string) (n int64, err error) {
	for part := range slices.Chunk(codes, refsAtOnce) {
		dropped, err := tx.changed(ctx, `DELETE FROM ref_pool WHERE code IN (`+marks(len(part))+`)`, anys(part))
		if err != nil {
			return 0, err
		}
		n += dropped
	}
	return n, nil
}

// IssueRefs records codes as popped. None may have been before.
func (tx *Tx) IssueRefs(ctx context.Context, rows []RefIssue) error {
	for part := range slices.Chunk(rows, refsAtOnce) {
		args := make([]any, 0, 6*len(part))
		for _, r := range part {
			args = append(args, r.Code, r.IssuedAt, uint64(r.CompanyID), uint64(r.TicketID), uint64(r.TokenID), r.Purpose)
		}
		if _, err := tx.SQL.ExecContext(ctx,
			`INSERT INTO ref_issue (code, issued_at, company_id, ticket_id, token_id, purpose) VALUES `+tuples(len(part), 6),
			args...); err != nil {
			return err
		}
	}
	return nil
}

// MintRefs adds codes to the ledger and the new ones to the pool; it returns how many were new. batch is the
// transaction's own: it marks the new ones, because the number of changed rows does not. Codes ascend, and none was
// passed with this batch before.
func (tx *Tx) MintRefs(ctx context.Context, batch uint32, codes []string) (added int64, err error) {
	for part := range slices.Chunk(codes, refsAtOnce) {
		if err := tx.AddToLedger(ctx, batch, part); err != nil {
			return 0, err
		}
		n, err := tx.AddToPool(ctx, batch, part)
		if err != nil {
			return 0, err
		}
		added += n
	}
	return added, nil
}

// MintRefRange is MintRefs for a batch without codes yet, and a ledger with few others between the first and the last:
// it reads that range to find the new ones.
func (tx *Tx) MintRefRange(ctx context.Context, batch uint32, codes []string) (added int64, err error) {
	for part := range slices.Chunk(codes, refsAtOnce) {
		if err := tx.AddToLedger(ctx, batch, part); err != nil {
			return 0, err
		}
	}
	return tx.changed(ctx,
		`INSERT INTO ref_pool (code) SELECT code FROM ref_ledger FORCE INDEX (PRIMARY) WHERE code >= ? AND code <= ? AND batch = ? ORDER BY code`, []any{codes[0], codes[len(codes)-1], batch})
}

// AddToLedger adds codes to the ledger; existing ones stay as they are. Not IGNORE, which hides other errors.
func (tx *Tx) AddToLedger(ctx context.Context, batch uint32, codes []string) error {
	args := make([]any, 0, 2*len(codes))
	for _, code := range codes {
		args = append(args, code, batch)
	}
	_, err := tx.SQL.ExecContext(ctx, `INSERT INTO ref_ledger (code, batch) VALUES `+tuples(len(codes),
		2)+` ON DUPLICATE KEY UPDATE code = ref_ledger.code`, args...)
	return err
}

// AddToPool adds those of the codes to the pool that the batch added to the ledger, and returns how many.
func (tx *Tx) AddToPool(ctx context.Context, batch uint32, codes []string) (int64, error) {
	return tx.changed(ctx,
		`INSERT INTO ref_pool (code) SELECT code FROM ref_ledger FORCE INDEX (PRIMARY) WHERE code IN (`+marks(
			len(codes))+`) AND batch = ? ORDER BY code`, append(anys(codes), batch))
}

// RefsOfBatch returns which of the codes a batch added to the ledger.
func (tx *Tx) RefsOfBatch(ctx context.Context, batch uint32, codes []string) (own []string, err error) {
	for part := range slices.Chunk(codes, refsAtOnce) {
		list, err := tx.codes(ctx,
			`SELECT code FROM ref_ledger FORCE INDEX (PRIMARY) WHERE code IN (`+marks(len(part))+`) AND batch = ?`,
			append(anys(part), batch))
		if err != nil {
			return nil, err
		}
		own = append(own, list...)
	}
	return own, nil
}

// LedgerHas returns which of the codes are in the ledger.
func (q *Queries) LedgerHas(ctx context.Context, codes []string) (known []string, err error) {
	for part := range slices.Chunk(codes, refsAtOnce) {
		list, err := codesOf(ctx, q.db,
			`SELECT code FROM ref_ledger FORCE INDEX (PRIMARY) WHERE code IN (`+marks(len(part))+`)`, anys(part))
		if err != nil {
			return nil, err
		}
		known = append(known, list...)
	}
	return known, nil
}

// RefOfLot is a code and its lot.
type RefOfLot struct {
	Code string
	Lot  id.Lot
}

// QuarantinedAmong returns which of the codes are of a quarantined lot.
func (tx *Tx) QuarantinedAmong(ctx context.Context, codes []string) (list []RefOfLot, err error) {
	for part := range slices.Chunk(codes, refsAtOnce) {
		found, err := ofLots(ctx, tx.SQL, `SELECT l.code, b.lot_id FROM ref_ledger l FORCE INDEX (PRIMARY) STRAIGHT_JOIN ref_batch b ON b.id = l.batch STRAIGHT_JOIN ref_lot o ON o.id = b.lot_id
			WHERE l.code IN (`+marks(len(part))+`) AND o.quarantined_at IS NOT NULL ORDER BY l.code`, anys(part))
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// QuarantineRefs records codes, which are not in the pool any more, as quarantined.
func (tx *Tx) QuarantineRefs(ctx context.Context, codes []string) error {
	for part := range slices.Chunk(codes, refsAtOnce) {
		if _, err := tx.SQL.ExecContext(ctx, `INSERT INTO ref_quarantine (code) VALUES `+tuples(len(part), 1),
			anys(part)...); err != nil {
			return err
		}
	}
	return nil
}

// LedgerFrom returns codes of the ledger with their lots, in order: from one on, or after it, up to before another, ""
// for the end.
func (q *Queries) LedgerFrom(ctx context.Context, from, to string, limit int, inclusive bool) ([]RefOfLot, error) {
	where, args := between("l.code", from, to, inclusive)
	return ofLots(ctx, q.db,
		`SELECT l.code, b.lot_id FROM ref_ledger l FORCE INDEX (PRIMARY) STRAIGHT_JOIN ref_batch b ON b.id = l.batch WHERE `+where+` ORDER BY l.code LIMIT ?`, append(args, limit))
}

// PooledRef is a code of the pool.
type PooledRef struct {
	Code        string
	Quarantined bool // its lot is quarantined
}

// PooledFrom returns codes of the pool, in order and without locks: from one on, or after it, up to before another, ""
// for the end.
func (q *Queries) PooledFrom(
	ctx context.Context, from, to string, limit int, inclusive bool,
) (list []PooledRef, err error) {
	where, args := between("code", from, to, inclusive)
	rows, err := q.db.QueryContext(ctx, `SELECT p.code, o.quarantined_at IS NOT NULL FROM (SELECT code FROM ref_pool FORCE INDEX (PRIMARY) WHERE `+where+` ORDER BY code LIMIT ?) p
		LEFT JOIN ref_ledger l FORCE INDEX (PRIMARY) ON l.code = p.code LEFT JOIN ref_batch b ON b.id = l.batch LEFT JOIN ref_lot o ON o.id = b.lot_id`, append(args, limit)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r PooledRef
		if err := rows.Scan(&r.Code, &r.Quarantined); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b PooledRef) int { return strings.Compare(a.Code, b.Code) })
	return list, rows.Err()
}

// between is the condition that a column is from one text on, or after it, up to before another, "" for the end.
func between(column, from, to string, inclusive bool) (where string, args []any) {
	than := " > ?"
	if inclusive {
		than = " >= ?"
	}
	if to == "" {
		return column + than, []any{from}
	}
	return column + than + " AND " + column + " < ?", []any{from, to}
}

func ofLots(ctx context.Context, conn DBTX, query string, args []any) (list []RefOfLot, err error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r RefOfLot
		if err := rows.Scan(&r.Code, (*uint64)(&r.Lot)); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// RefTable is a table of codes.
type RefTable string

// The tables of codes.
const (
	InLedger     RefTable = "ref_ledger"
	InPool       RefTable = "ref_pool"
	InIssue      RefTable = "ref_issue"
	InQuarantine RefTable = "ref_quarantine"
)

// CodeCount is how many codes a part of a table has, how many of them have the requested length, and the last.
type CodeCount struct {
	Codes, OfLength uint64
	Last            string
}

// CountCodes counts the codes of a table after one, at most so many.
func (q *Queries) CountCodes(
	ctx context.Context, table RefTable, after string, limit, length int,
) (c CodeCount, err error) {
	row := q.db.QueryRowContext(ctx, `SELECT COUNT(*), CAST(COALESCE(SUM(CHAR_LENGTH(code) = ?), 0) AS UNSIGNED), COALESCE(MAX(code), '')
		FROM (SELECT code FROM `+string(table)+` FORCE INDEX (PRIMARY) WHERE code > ? ORDER BY code LIMIT ?) x`, length, after, limit)
	return c, row.Scan(&c.Codes, &c.OfLength, &c.Last)
}

// PooledOfLots returns codes of the pool after one, in order and without locks, with their lots: 0 for a code that the
// ledger does not know.
func (q *Queries) PooledOfLots(ctx context.Context, after string, limit int) ([]RefOfLot, error) {
	list, err := ofLots(ctx, q.db, `SELECT p.code, COALESCE(b.lot_id, 0) FROM (SELECT code FROM ref_pool FORCE INDEX (PRIMARY) WHERE code > ? ORDER BY code LIMIT ?) p
		LEFT JOIN ref_ledger l FORCE INDEX (PRIMARY) ON l.code = p.code LEFT JOIN ref_batch b ON b.id = l.batch`, []any{after, limit})
	slices.SortFunc(list, func(a, b RefOfLot) int { return strings.Compare(a.Code, b.Code) })
	return list, err
}

// LockPooled locks which of the codes are in the pool, after waiting for other locks, and returns them.
func (tx *Tx) LockPooled(ctx context.Context, codes []string) ([]string, error) {
	return tx.codes(ctx, `SELECT code FROM ref_pool FORCE INDEX (PRIMARY) WHERE code IN (`+marks(
		len(codes))+`) ORDER BY code FOR UPDATE`, anys(codes))
}

// LockFree locks which of the codes are in the pool and not locked, and returns them.
func (tx *Tx) LockFree(ctx context.Context, codes []string) (locked []string, err error) {
	for part := range slices.Chunk(codes, refsAtOnce) {
		list, err := tx.codes(ctx,
			`SELECT code FROM ref_pool FORCE INDEX (PRIMARY) WHERE code IN (`+marks(len(part))+`) FOR UPDATE SKIP LOCKED`,
			anys(part))
		if err != nil {
			return nil, err
		}
		locked = append(locked, list...)
	}
	return locked, nil
}

func (tx *Tx) codes(ctx context.Context, query string, args []any) ([]string, error) {
	return codesOf(ctx, tx.SQL, query, args)
}

func codesOf(ctx context.Context, conn DBTX, query string, args []any) (list []string, err error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var code string
		if err := rows.Scan(&code); err != nil {
			return nil, err
		}
		list = append(list, code)
	}
	return list, rows.Err()
}

func anys[V any](values []V) []any {
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = value
	}
	return list
}
