package feeds

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
)

// Row returns a row as a reader gets it now. It returns NotFound, or RowNotFound if the row does not exist, is not the
// reader's to see, or is not published now: its newest version then follows at a later position.
func (e *Engine) Row(ctx context.Context, name string, row uint64, scope Scope) (Item, error) {
	feed, err := e.Feed(name)
	if err != nil {
		return Item{}, err
	}
	var rows []Row
	err = e.db.ReadTx(ctx, func(tx *db.Tx) error {
		now, err := sequence(ctx, tx.Queries, name)
		if err != nil {
			return err
		}
		position, err := tx.PositionOf(ctx, feed.Table, row)
		if db.IsNotFound(err) || err == nil && (position == nil || *position > now.Head) {
			return RowNotFound(name, row)
		}
		if err != nil {
			return err
		}
		rows, err = feed.Load(ctx, tx, Span{After: *position - 1, To: *position, Limit: 1, Scope: scope})
		return err
	})
	if err != nil {
		return Item{}, err
	}
	if len(rows) == 0 || rows[0].Hidden || rows[0].ID != row {
		return Item{}, RowNotFound(name, row)
	}
	return rows[0].Item, nil
}
