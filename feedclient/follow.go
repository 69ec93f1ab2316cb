package feedclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Mode is how Follow gets changes once it has read all rows.
type Mode int

// The modes.
const (
	LongPoll Mode = iota // asks; the server answers when there is a change
	Poll                 // asks at an interval
	Stream               // keeps a connection open, on which the server sends each change
)

// Options are Follow's options.
type Options struct {
	Feed     string
	Board    string        // the slug of the only board, "" for all
	Store    Store         // keeps its progress; nil is a Memory
	From     string        // for an empty Store, as Query.Cursor: "" is the start, which gives all rows
	Consumer string        // the name of a registered consumer: the server keeps its cursor, and Store only marks of rows
	Limit    int           // rows of a page, as Query.Limit; 0 is 500
	Mode     Mode          // LongPoll by default
	Every    time.Duration // of Poll; 0 is 2 s
}

// Handler applies a change to the reader's copy: it sets the row of that id, or removes it if it is deleted. After a
// crash it may get a change again, and the deletion of a row that it does not have.
type Handler func(ctx context.Context, item Item) error

// Follow hands over the newest version of every row, in the order of changes, until ctx ends, handle or the Store
// fails, or the server refuses for good; it returns that error. The handler's work is saved after it, so nothing is
// lost if the program is killed, and a change that was not saved comes again. Called again with the same Store it
// resumes.
//
// If the server refuses the cursor (after a restore, or a month without reading), it reads from the start, and then
// hands over as deleted the rows that were not shown. If the reader gets to see a board, or loses one, it hands over the
// rows of that board.
func (c *Client) Follow(ctx context.Context, o Options, handle Handler) error {
	if err := c.check(); err != nil {
		return err
	}
	if o.Consumer != "" && o.Mode == Stream {
		return errors.New("feedclient: a registered consumer reads pages: choose LongPoll or Poll")
	}
	if o.Store == nil {
		o.Store = &Memory{}
	}
	o.Limit, o.Every = cmp.Or(o.Limit, 500), cmp.Or(o.Every, 2*time.Second)
	place, err := o.Store.Place(ctx)
	if err != nil {
		return fmt.Errorf("read the store: %w", err)
	}
	resumed := place.Round != 0
	if !resumed {
		place = Place{Feed: o.Feed, Board: o.Board, Cursor: o.From, Round: 1}
	}
	if place.Feed != o.Feed || place.Board != o.Board {
		return fmt.Errorf("feedclient: the store is of the feed %q and the board %q, not of %q and %q", place.Feed,
			place.Board, o.Feed, o.Board)
	}
	f := &follower{c: c, o: o, place: place, handle: handle, marks: map[uint64]Mark{}}
	f.resume(resumed)
	for {
		if err := f.step(ctx); err != nil && !startOver(err) && !errors.Is(err, errUnknownBoards) {
			return err
		} else if err != nil {
			if err := f.startOver(ctx); err != nil {
				return err
			}
		}
	}
}

// follower is a running Follow.
type follower struct {
	c      *Client
	o      Options
	place  Place
	handle Handler
	marks  map[uint64]Mark // handed over and not saved yet
	pause  backoff
	idle   bool // the last page was the end of the feed
	unsure bool // the registered consumer may not have moved with place
}

// resume continues a round that was cut off. One that is read from the start again begins anew: a row that it handed
// over may have been removed since, and would not be missed.
func (f *follower) resume(resumed bool) {
	if !resumed || f.place.Whole {
		return
	}
	if f.place.Cursor == "" {
		f.place.Round++
	}
	f.unsure = f.o.Consumer != "" && f.place.Cursor != ""
}

// step reads the next page or stream.
func (f *follower) step(ctx context.Context) error {
	if f.idle && f.o.Mode == Stream {
		return f.stream(ctx)
	}
	page, err := f.page(ctx)
	if err != nil {
		return err
	}
	if f.unsure && page.From != f.place.Cursor {
		return f.startOver(ctx)
	}
	f.unsure = false
	if err := f.take(ctx, page.Items...); err != nil {
		return err
	}
	f.place.Cursor = page.Cursor
	if err := f.save(ctx); err != nil {
		return err
	}
	if f.whole(page) {
		if err := f.sweep(ctx); err != nil {
			return err
		}
	}
	if f.o.Consumer != "" && page.From != page.Cursor {
		if err := f.advance(ctx, page); err != nil {
			return err
		}
	}
	if f.idle = !page.More; f.idle && f.o.Mode == Poll {
		return sleep(ctx, f.o.Every)
	}
	return nil
}

// page reads a page, with retries.
func (f *follower) page(ctx context.Context) (page Page, err error) {
	q := Query{Feed: f.o.Feed, Board: f.o.Board, Cursor: f.place.Cursor, Limit: f.o.Limit}
	if f.o.Consumer != "" {
		q.Cursor, q.Consumer = "", f.o.Consumer
	}
	if f.idle && f.o.Mode == LongPoll {
		q.Wait = 30 * time.Second
	}
	err = f.insist(ctx, func() (err error) {
		page, err = f.c.Page(ctx, q)
		return err
	})
	return page, err
}

// insist tries until it succeeds, is refused for good, or ctx ends.
func (f *follower) insist(ctx context.Context, try func() error) error {
	for {
		err := try()
		switch {
		case err == nil:
			f.pause.reset()
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !temporary(err):
			return err
		}
		if err := f.c.wait(ctx, &f.pause, err); err != nil {
			return err
		}
	}
}

// take hands items over: each whose position is above its last in this round. Positions of different rounds are not
// compared, because a restored database uses them again.
func (f *follower) take(ctx context.Context, items ...Item) error {
	for len(items) > 0 {
		n := slices.IndexFunc(items, Item.aboutBoard)
		if n < 0 {
			return f.takeRows(ctx, items)
		}
		if err := f.takeRows(ctx, items[:n]); err != nil {
			return err
		}
		if err := f.changeOfBoard(ctx, items[n]); err != nil {
			return err
		}
		items = items[n+1:]
	}
	return nil
}

func (f *follower) takeRows(ctx context.Context, items []Item) error {
	known, err := f.known(ctx, items)
	if err != nil {
		return err
	}
	for _, item := range items {
		if mark, ok := known[item.ID]; ok && mark.Round == f.place.Round && mark.Position >= item.Position {
			continue
		}
		if err := f.handle(ctx, item); err != nil {
			return err
		}
		mark := Mark{ID: item.ID, Round: f.place.Round, Position: item.Position, Board: item.Board,
			Gone: item.Deleted, Sum: item.Sum()}
		f.marks[item.ID], known[item.ID] = mark, mark
	}
	return nil
}

// known returns the marks of the rows of items. It first adds marks for rows without one: the program may be killed
// after the handler's work and before its save, and a sweep must find these rows all the same.
func (f *follower) known(ctx context.Context, items []Item) (map[uint64]Mark, error) {
	rows := make([]uint64, len(items))
	for i, item := range items {
		rows[i] = item.ID
	}
	if len(rows) == 0 {
		return nil, nil
	}
	found, err := f.o.Store.Marks(ctx, rows)
	if err != nil {
		return nil, fmt.Errorf("read the store: %w", err)
	}
	known := maps.Clone(found)
	if known == nil {
		known = map[uint64]Mark{}
	}
	var noted []Mark
	for _, item := range items {
		if mark, ok := f.marks[item.ID]; ok {
			known[item.ID] = mark
		} else if _, ok := known[item.ID]; !ok && !item.Deleted {
			mark := Mark{ID: item.ID, Round: f.place.Round, Board: item.Board}
			noted, known[item.ID] = append(noted, mark), mark
		}
	}
	if len(noted) == 0 {
		return known, nil
	}
	return known, f.save(ctx, noted...)
}

// save saves the place, the rows handed over, and more marks, even if ctx has ended: the work is done.
func (f *follower) save(ctx context.Context, more ...Mark) error {
	marks := slices.AppendSeq(more, maps.Values(f.marks))
	if err := f.o.Store.Save(context.WithoutCancel(ctx), f.place, marks); err != nil {
		return fmt.Errorf("save to the store: %w", err)
	}
	clear(f.marks)
	return nil
}

// whole reports whether a page is the first to reach the end of a round. A paused consumer gets an empty page at any
// cursor, so an unmoved cursor says nothing.
func (f *follower) whole(page Page) bool {
	return !f.place.Whole && !page.More && (f.o.Consumer == "" || page.From != page.Cursor)
}

// sweep hands over as deleted the rows that this round did not contain.
func (f *follower) sweep(ctx context.Context) error {
	for {
		rows, err := f.o.Store.Before(ctx, f.place.Round, 1000)
		if err != nil {
			return fmt.Errorf("read the store: %w", err)
		}
		f.place.Whole = len(rows) == 0
		for _, row := range rows {
			if err := f.handle(ctx, Item{ID: row, Deleted: true, Reason: Swept}); err != nil {
				return err
			}
			f.marks[row] = Mark{ID: row, Gone: true}
		}
		if err := f.save(ctx); err != nil || len(rows) == 0 {
			return err
		}
	}
}

// startOver begins a new round.
func (f *follower) startOver(ctx context.Context) error {
	f.place.Round++
	f.place.Cursor, f.place.Whole, f.idle, f.unsure = "", false, false, false
	if err := f.save(ctx); err != nil {
		return err
	}
	if f.o.Consumer == "" {
		return nil
	}
	return f.insist(ctx, func() error {
		_, err := f.c.Seek(ctx, f.o.Feed, f.o.Consumer, "start")
		return err
	})
}

// advance moves the consumer behind a page. If another process has moved it, reading resumes from there.
func (f *follower) advance(ctx context.Context, page Page) error {
	err := f.insist(ctx, func() error {
		_, err := f.c.Advance(ctx, f.o.Feed, f.o.Consumer, page.From, page.Cursor)
		return err
	})
	var refused *Error
	if errors.As(err, &refused) && refused.Type == problem+"Consumer.MovedSince" {
		return nil
	}
	return err
}

// together is the most changes of a stream that are handed over and saved at once.
const together = 200

// stream follows a stream until it ends. Events that arrive together are saved together.
func (f *follower) stream(ctx context.Context) error {
	var items []Item
	return f.c.Stream(ctx, Query{Feed: f.o.Feed, Board: f.o.Board, Cursor: f.place.Cursor}, func(event Event) error {
		if event.Item != nil {
			items = append(items, *event.Item)
		}
		if event.More && len(items) < together {
			return nil
		}
		if err := f.take(ctx, items...); err != nil {
			return err
		}
		items, f.place.Cursor = items[:0], event.Cursor
		return f.save(ctx)
	})
}
