package feeds

import (
	"sync"
	"time"
)

// backlog remembers since when this process has seen rows unpublished: a row does not say when it was changed.
type backlog struct {
	mu    sync.Mutex
	since map[string]map[uint64]time.Time // by table and row
}

func newBacklog() *backlog { return &backlog{since: map[string]map[uint64]time.Time{}} }

// found records the unpublished rows of a table.
func (w *backlog) found(table string, rows []uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, was := time.Now(), w.since[table]
	since := make(map[uint64]time.Time, len(rows))
	for _, row := range rows {
		since[row] = now
		if before, ok := was[row]; ok {
			since[row] = before
		}
	}
	w.since[table] = since
}

// remove records that rows of a table wait no more.
func (w *backlog) remove(table string, rows []uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, row := range rows {
		delete(w.since[table], row)
	}
}

// overdue returns a row of a table that has waited for too long.
func (w *backlog) overdue(table string) (row uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for row, since := range w.since[table] {
		if time.Since(since) > overdue {
			return row, true
		}
	}
	return 0, false
}

// oldest is when the oldest unpublished row of some tables was first seen, the zero time if there is none; known is false
// before the first poll.
func (w *backlog) oldest(tables []string) (since time.Time, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, table := range tables {
		rows, polled := w.since[table]
		known = known || polled
		for _, at := range rows {
			if since.IsZero() || at.Before(since) {
				since = at
			}
		}
	}
	return since, known
}

// OldestWaiting returns the age of a feed's oldest unpublished row, 0 if there is none, since this process began;
// known is false before the first poll.
func (e *Engine) OldestWaiting(name string) (age time.Duration, known bool) {
	feed, err := e.Feed(name)
	if err != nil {
		return 0, false
	}
	since, known := e.backlog.oldest(feed.tables())
	if since.IsZero() {
		return 0, known
	}
	return time.Since(since), known
}
