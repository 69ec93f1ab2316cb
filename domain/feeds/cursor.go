package feeds

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// Cursor is a reader's position in a feed. Began is the head when the reader began at the start, 0 once it is past
// that: it needs no tombstones that were removed up to there.
type Cursor struct {
	Epoch    uint64
	Feed     string
	Position uint64
	Began    uint64
}

// to returns the cursor of the same reader at a later position.
func (c Cursor) to(position uint64) Cursor {
	c.Position = position
	if position >= c.Began {
		c.Began = 0
	}
	return c
}

// String returns the cursor for readers, to whom it is opaque.
func (c Cursor) String() string {
	s := fmt.Sprintf("v1.%d.%s.%d", c.Epoch, c.Feed, c.Position)
	if c.Began > c.Position {
		s += "." + strconv.FormatUint(c.Began, 10)
	}
	return s
}

// ParseCursor reads what String wrote, for the feed of a name, or returns BadCursor.
func ParseCursor(feed, text string) (Cursor, error) {
	parts := strings.Split(text, ".")
	if len(parts) < 4 || len(parts) > 5 || parts[0] != "v1" || parts[2] != feed {
		return Cursor{}, BadCursor(feed)
	}
	c := Cursor{Feed: feed}
	var err error
	if c.Epoch, err = number(parts[1]); err != nil {
		return Cursor{}, BadCursor(feed)
	}
	if c.Position, err = number(parts[3]); err != nil {
		return Cursor{}, BadCursor(feed)
	}
	if len(parts) == 5 {
		if c.Began, err = number(parts[4]); err != nil || c.Began <= c.Position {
			return Cursor{}, BadCursor(feed)
		}
	}
	return c, nil
}

// number reads a decimal number as it is written, without a sign or zeros before it.
func number(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err == nil && strconv.FormatUint(n, 10) != text {
		err = strconv.ErrSyntax
	}
	return n, err
}

// check returns why the cursor cannot be read from now: CursorOfOldEpoch, CursorAhead, CursorExpired or nil.
func (c Cursor) check(now db.FeedHead) error {
	if err := c.outdated(now); err != nil {
		return err
	}
	if max(c.Position, c.Began) > now.Head {
		return CursorAhead(c.Feed)
	}
	return nil
}

// outdated returns why the cursor cannot be read from any more: CursorOfOldEpoch, CursorExpired or nil.
func (c Cursor) outdated(now db.FeedHead) error {
	switch {
	case c.Epoch != now.Epoch:
		return CursorOfOldEpoch(c.Feed)
	case max(c.Position, c.Began) < now.Horizon:
		return CursorExpired(c.Feed)
	}
	return nil
}

// Find parses "start" or "", "end", a cursor, or a time (RFC 3339), from which it returns the cursor before all that
// was published since. It returns BadPosition, CursorOfOldEpoch, CursorAhead or CursorExpired.
func (e *Engine) Find(ctx context.Context, feed, text string) (Cursor, error) {
	switch text {
	case "", "start":
		return e.Start(ctx, feed)
	case "end":
		return e.End(ctx, feed)
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return e.at(ctx, feed, at)
	}
	cursor, err := ParseCursor(feed, text)
	if err != nil {
		return Cursor{}, BadPosition(feed)
	}
	now, err := e.sequence(ctx, feed)
	if err != nil {
		return Cursor{}, err
	}
	return cursor, cursor.check(now)
}

// unseen is longer than a batch takes from its timestamp to its commit.
const unseen = time.Minute

// at is the cursor before the batches published since a time; the start if older batches are unknown. Batches shortly
// before it are included, because they may have been committed later.
func (e *Engine) at(ctx context.Context, feed string, at time.Time) (Cursor, error) {
	switch year := at.UTC().Year(); { // those that databases accept
	case year < 1000:
		return e.Start(ctx, feed)
	case year > 9999:
		return e.End(ctx, feed)
	}
	hi, err := db.Read(e.db.BatchBefore(ctx, feed, at.UTC().Add(-unseen)))
	if db.IsNotFound(err) {
		return e.Start(ctx, feed)
	}
	if err != nil {
		return Cursor{}, err
	}
	now, err := e.sequence(ctx, feed)
	if err != nil {
		return Cursor{}, err
	}
	cursor := Cursor{Epoch: now.Epoch, Feed: feed, Position: hi}
	return cursor, cursor.check(now)
}

// Stretch is a part of a feed: the positions after After, up to To. Cut says that earlier ones were left out.
type Stretch struct {
	After, To uint64
	Cut       bool
}

// Since returns the stretch of a feed that was published since a time, of which only the last `most` positions. What was
// published shortly before that time may be in it.
func (e *Engine) Since(ctx context.Context, feed string, at time.Time, most uint64) (Stretch, error) {
	now, err := e.sequence(ctx, feed)
	if err != nil {
		return Stretch{}, err
	}
	hi, err := db.Read(e.db.BatchBefore(ctx, feed, at.UTC().Add(-unseen)))
	if err != nil && !db.IsNotFound(err) {
		return Stretch{}, err
	}
	first := now.Head - min(now.Head, most)
	return Stretch{After: max(hi, first), To: now.Head, Cut: hi < first}, nil
}
