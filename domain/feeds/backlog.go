package feeds

import (
	"sync"
	"time"
)

// backlog remembers since when this process has seen rows unpublished: a row does not say when it was changed.
type backlog struct {
	mu    sync.Mutex
	since map[string]map[uint64]time.Time // by feed and row
}

func newBacklog() *backlog { return &backlog{since: map[string]map[uint64]time.Time{}} }

// found records the unpublished rows of a feed.
func (w *backlog) found(feed string, rows []uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, was := time.Now(), w.since[feed]
	since := make(map[uint64]time.Time, len(rows))
	for _, row := range rows {
		since[row] = now
		if before, ok := was[row]; ok {
			since[row] = before
		}
	}
	w.since[feed] = since
}

// remove records that rows of a feed wait no more.
func (w *backlog) remove(feed string, rows []uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, row := range rows {
		delete(w.since[feed], row)
	}
}

// overdue returns a row of a feed that has waited for too long.
func (w *backlog) overdue(feed string) (row uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for row, since := range w.since[feed] {
		if time.Since(since) > overdue {
			return row, true
		}
	}
	return 0, false
}

// oldest is when the oldest unpublished row was first seen, the zero time if there is none; known is false before the
// first poll.
func (w *backlog) oldest(feed string) (since time.Time, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows, known := w.since[feed]
	for _, at := range rows {
		if since.IsZero() || at.Before(since) {
			since = at
		}
	}
	return since, known
}

// OldestWaiting returns the age of a feed's oldest unpublished row, 0 if there is none, since this process began;
// known is false before the first poll.
func (e *Engine) OldestWaiting(feed string) (age time.Duration, known bool) {
	since, known := e.backlog.oldest(feed)
	if since.IsZero() {
		return 0, known
	}
	return time.Since(since), known
}
