package db

import (
	"context"
	"strings"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Seal is the position and the HMAC of an entry of an audit list.
type Seal struct {
	ID       id.Audit
	Seq      uint64
	MAC      []byte
	Existing bool
}

// SealAudit seals entries that are not sealed, in one statement, and returns how many. There is at least one.
func (q *Queries) SealAudit(ctx context.Context, seals []Seal) (int64, error) {
	var args []any
	for _, s := range seals {
		args = append(args, uint64(s.ID), s.Seq)
	}
	for _, s := range seals {
		args = append(args, uint64(s.ID), s.MAC)
	}
	for _, s := range seals {
		args = append(args, uint64(s.ID), s.Existing)
	}
	for _, s := range seals {
		args = append(args, uint64(s.ID))
	}
	when := strings.Repeat(" WHEN ? THEN ?", len(seals)) + " END"
	result, err := q.db.ExecContext(ctx, "UPDATE audit SET seq = CASE id"+when+", mac = CASE id"+when+
		", existing = CASE id"+when+" WHERE seq IS NULL AND id IN "+tuples(1, len(seals)), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
