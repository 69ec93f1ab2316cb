package refs

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Load adds codes that were made elsewhere, and returns the new ones. The codes are distinct, and of their lot's
// length.
func Load(ctx context.Context, tx *db.Tx, lot id.Lot, length int, codes []Code) (added map[Code]bool, err error) {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = string(code)
	}
	slices.Sort(texts)
	batch, err := tx.OpenBatch(ctx, lot)
	if err != nil {
		return nil, fmt.Errorf("load reference codes: %w", err)
	}
	n, err := tx.MintRefs(ctx, uint32(batch), texts)
	if err != nil {
		return nil, fmt.Errorf("load reference codes: %w", err)
	}
	own := texts
	if n < int64(len(texts)) {
		if own, err = tx.RefsOfBatch(ctx, uint32(batch), texts); err != nil {
			return nil, fmt.Errorf("read which codes are new: %w", err)
		}
	}
	added = map[Code]bool{}
	for _, code := range own {
		added[Code(code)] = true
	}
	m := MintResult{Added: uint64(n), Drawn: uint64(len(codes)), Collided: uint64(len(codes)) - uint64(n)}
	return added, countMinted(ctx, tx, lot, length, m)
}
