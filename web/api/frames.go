package api

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/streams"
)

// frame is the bytes for all streams at one position.
type frame struct {
	events []byte
	next   feeds.Cursor
	more   bool
	rows   int // the best number of rows to read after it
}

type place struct {
	scope  feeds.Scope
	cursor feeds.Cursor
}

// frames lets streams at one position share one read, while it runs and for a moment after. A row that changes later
// comes again with a later position, so a shared read loses nothing.
type frames struct {
	group    singleflight.Group
	patience time.Duration // for one read
	mu       sync.Mutex
	recent   map[place]datedFrame
	bytes    int
}

type datedFrame struct {
	frame
	at time.Time
}

const (
	frameRows  = 100       // at most
	frameLong  = 128 << 10 // the bytes that end it: thousands may each have one of their own, and take it slowly
	frameFor   = time.Second
	frameBytes = 16 << 20 // of all kept frames
)

// read returns the frame after a cursor; so many rows are read unless another stream has just read there.
func (f *frames) read(ctx context.Context, w *workflows.Workflows, scope feeds.Scope, cursor feeds.Cursor,
	rows int) (frame, error) {
	at := place{scope, cursor}
	if known, ok := f.known(w, at); ok {
		return known, nil
	}
	result := f.group.DoChan(fmt.Sprint(at), func() (_ any, err error) {
		defer func() {
			if r := recover(); r != nil { // it would end the process
				err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		if known, ok := f.known(w, at); ok {
			return known, nil
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.patience) // the others need it too
		defer cancel()
		page, err := w.FeedAfter(ctx, scope, cursor, rows)
		if err != nil {
			f.forget() // a new epoch may have begun, before Place knows of it
			return frame{}, err
		}
		made, err := newFrame(page, rows)
		if err == nil && made.next != cursor {
			f.keep(at, datedFrame{made, began})
		}
		return made, err
	})
	select {
	case r := <-result:
		if r.Err != nil {
			return frame{}, r.Err
		}
		return r.Val.(frame), nil
	case <-ctx.Done():
		return frame{}, ctx.Err()
	}
}

// known returns the frame of another stream's recent read, unless a new epoch has begun since.
func (f *frames) known(w *workflows.Workflows, at place) (frame, bool) {
	if end, _ := w.Feeds().Head(at.cursor.Feed); end.Epoch != at.cursor.Epoch {
		return frame{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.recent[at]
	return found.frame, ok && time.Since(found.at) < frameFor
}

func (f *frames) keep(at place, made datedFrame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for old, kept := range f.recent {
		if time.Since(kept.at) >= frameFor {
			delete(f.recent, old)
			f.bytes -= len(kept.events)
		}
	}
	if f.bytes+len(made.events) > frameBytes {
		return
	}
	if f.recent == nil {
		f.recent = map[place]datedFrame{}
	}
	f.bytes += len(made.events) - len(f.recent[at].events)
	f.recent[at] = made
}

func (f *frames) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent, f.bytes = nil, 0
}

// newFrame writes the items of a page, which scanned so many rows, as events.
func newFrame(page feeds.Page, rows int) (frame, error) {
	made := frame{next: page.Cursor, more: page.More, rows: min(frameRows, 2*rows)}
	for i, item := range page.Items {
		data, err := json.Marshal(item)
		if err != nil {
			return frame{}, fmt.Errorf("write item: %w", err)
		}
		behind := page.CursorAfter(i)
		made.events = streams.Event(made.events, behind.String(), "change", data)
		if i < len(page.Items)-1 && len(made.events) >= frameLong {
			made.next, made.more, made.rows = behind, true, i+1
			break
		}
	}
	return made, nil
}
