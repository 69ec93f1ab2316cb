package migrations

import (
	"context"
	"fmt"
	"strconv"
)

// FillRange fills a run with a task for each piece of the ids first to last, of at most size ids. Text
// makes the payload of a piece.
func FillRange(ctx context.Context, into Filler, first, last, size uint64, text func(from, to uint64) string) error {
	if size == 0 {
		return fmt.Errorf("a piece of no ids")
	}
	done, begun, err := cursorID(into)
	if err != nil {
		return err
	}
	if begun {
		if done >= last {
			return nil
		}
		first = done + 1
	}
	for from := first; from <= last; {
		to := last
		if last-from >= size {
			to = from + size - 1
		}
		if err := into.Add(ctx, NewTask{Payload: text(from, to), Cursor: strconv.FormatUint(to, 10)}); err != nil {
			return err
		}
		if to == last {
			return nil
		}
		from = to + 1
	}
	return nil
}

// FillPages fills a run with a task for each item of a source that is read by pages, in ascending order
// of the items' ids. Next returns the items with an id above after, as many as it likes, none at the end;
// task returns an item's id and payload.
func FillPages[T any](
	ctx context.Context, into Filler, next func(ctx context.Context, after uint64) ([]T, error),
	task func(item T) (id uint64, payload string),
) error {
	after, _, err := cursorID(into)
	if err != nil {
		return err
	}
	for {
		items, err := next(ctx, after)
		if err != nil || len(items) == 0 {
			return err
		}
		for _, item := range items {
			id, payload := task(item)
			if id <= after {
				return fmt.Errorf("id %d came after %d", id, after)
			}
			after = id
			if err := into.Add(ctx, NewTask{Payload: payload, Cursor: strconv.FormatUint(id, 10)}); err != nil {
				return err
			}
		}
	}
}

// cursorID is the id that a filling came to.
func cursorID(into Filler) (id uint64, begun bool, err error) {
	if into.Cursor() == "" {
		return 0, false, nil
	}
	id, err = strconv.ParseUint(into.Cursor(), 10, 64)
	if err != nil {
		return 0, false, fmt.Errorf("the cursor %q is no id", into.Cursor())
	}
	return id, true, nil
}
