package feeds

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

const (
	// AuditRange is how many ids one range of an audit has.
	AuditRange = 1000
	// auditRanges is how many ranges one request reads.
	auditRanges = 10
)

// RowPosition is the position of a row in a feed, 0 if it is not published. Gone rows are deleted, or left the scope.
type RowPosition struct {
	ID       uint64
	Position uint64
	Edition
	Gone bool
}

// List returns the rows of a scope's company with ids in (after, to], in ascending order, and the largest id
// of the table.
type List func(ctx context.Context, q *db.Queries, scope Scope, after, to uint64) (rows []RowPosition, last uint64,
	err error)

// Audit is what a reader at To has, by ranges of ids; those without rows are left out. The next page begins behind
// the id After, 0 at the end.
type Audit struct {
	To     Cursor
	Ranges []Range
	After  uint64
}

// Range is what a reader has of the rows with ids from From to To: how many, and the sums of their Sums and SumV2s. It
// must match exactly if Pending is 0; otherwise Pending rows changed since, and come behind To.
type Range struct {
	From, To   uint64
	Count      int
	Checksum   uint64
	ChecksumV2 uint64
	Pending    int
}

// Sum is a row's part of the checksum of its range: the first eight bytes, big-endian, of the SHA-256 of its id and
// position, as in "7:345". Sums are added modulo 2^64.
func Sum(row, position uint64) uint64 {
	return sum(strconv.FormatUint(row, 10) + ":" + strconv.FormatUint(position, 10))
}

// SumV2 is the same of its id, position, version and the time of its last change as JSON has it, as in
// "7:345:2:2026-01-31T12:00:00.5Z". It differs if a position was given out twice for one row.
func SumV2(row, position uint64, edition Edition) uint64 {
	return sum(strconv.FormatUint(row, 10) + ":" + strconv.FormatUint(position, 10) + ":" +
		strconv.FormatUint(edition.Version, 10) + ":" + edition.UpdatedAt.UTC().Format(time.RFC3339Nano))
}

func sum(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:8])
}

// Audit reads the ids above after, as many as one request may. It returns CursorOfOldEpoch or CursorAhead if to is
// of another epoch or database.
//
// Below a position that was read once, rows are only removed (a changed one comes again at a later position), so the
// rows there now are those that every reader at that position has.
func (e *Engine) Audit(ctx context.Context, to Cursor, scope Scope, after uint64) (Audit, error) {
	feed, err := e.Feed(to.Feed)
	if err != nil {
		return Audit{}, err
	}
	if feed.List == nil {
		return Audit{}, fmt.Errorf("feeds: %s has no audit", feed.Name)
	}
	after -= after % AuditRange
	end := after + auditRanges*AuditRange
	var rows []RowPosition
	var last uint64
	err = e.awaitHead(ctx, func() error {
		return e.db.ReadTx(ctx, func(tx *db.Tx) error {
			now, err := sequence(ctx, tx.Queries, feed.Name)
			if err != nil {
				return err
			}
			now.Horizon = 0 // tombstones do not count
			if err := to.check(now); err != nil {
				return err
			}
			rows, last, err = feed.List(ctx, tx.Queries, scope, after, end)
			return err
		})
	})
	if err != nil {
		return Audit{}, fmt.Errorf("audit %s: %w", feed.Name, err)
	}
	audit := Audit{To: to, Ranges: ranges(rows, to.Position)}
	if end < last {
		audit.After = end
	}
	return audit, nil
}

// ranges sums up rows in ascending order of ids.
func ranges(rows []RowPosition, to uint64) (list []Range) {
	for _, row := range rows {
		from := (row.ID-1)/AuditRange*AuditRange + 1
		if len(list) == 0 || list[len(list)-1].From != from {
			list = append(list, Range{From: from, To: from + AuditRange - 1})
		}
		r := &list[len(list)-1]
		switch {
		case row.Position == 0 || row.Position > to:
			r.Pending++
		case !row.Gone:
			r.Count++
			r.Checksum += Sum(row.ID, row.Position)
			r.ChecksumV2 += SumV2(row.ID, row.Position, row.Edition)
		}
	}
	return list
}
