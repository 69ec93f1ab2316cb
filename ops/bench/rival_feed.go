package bench

import (
	"context"
	"time"
)

// oneByOne is the number of rows that are published one at a time.
const oneByOne = 500

// publishOneByOne is the design that this project started from. It is right only with one publisher: nothing is locked
// between the reads and the writes.
func (b *feedBench) publishOneByOne(ctx context.Context, o *outcome) error {
	candidates, err := ids(b.d.SQL.QueryContext(ctx, "SELECT id FROM ticket WHERE feed_sync_id IS NULL LIMIT ?",
		min(oneByOne, b.changed())))
	if err != nil {
		return err
	}
	for _, id := range candidates {
		began := time.Now()
		if err := b.publishOne(ctx, id); err != nil {
			return err
		}
		o.batch(1, began)
	}
	return nil
}

func (b *feedBench) publishOne(ctx context.Context, id uint64) error {
	tx, err := b.d.SQL.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var title string
	if err := tx.QueryRowContext(ctx, "SELECT title FROM ticket WHERE id = ? AND feed_sync_id IS NULL",
		id).Scan(&title); err != nil {
		return err
	}
	var value uint64
	if err := tx.QueryRowContext(ctx, "SELECT value FROM sequences WHERE name = 'tickets'").Scan(&value); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE ticket SET feed_sync_id = ? WHERE id = ?", value+1, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE sequences SET value = ?, version = version + 1 WHERE name = 'tickets'",
		value+1); err != nil {
		return err
	}
	return tx.Commit()
}

// publishFloor writes the same column of the same rows, in batches of the same size, and nothing else.
func (b *feedBench) publishFloor(ctx context.Context, o *outcome) error {
	_, position, err := b.room(ctx, b.changed())
	if err != nil {
		return err
	}
	err = b.spans(func(after, upto uint64) error {
		list := idsUpTo(after, upto).in()
		began := time.Now()
		_, err := b.d.SQL.ExecContext(ctx, "UPDATE ticket SET feed_sync_id = ? + id WHERE id IN "+list,
			int64(position)-int64(b.first))
		o.batch(int(upto-after), began)
		return err
	})
	if err != nil {
		return err
	}
	return b.settled(ctx, o, position)
}
