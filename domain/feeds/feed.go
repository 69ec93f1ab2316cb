package feeds

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// Feed is a table whose changes are published. Its rows have an id and feed_sync_id, which is NULL until the row is
// published as it is; sequences has a row with the feed's name.
type Feed struct {
	Name   string
	Table  string
	Sights string // the table of changes of sight, which are published among the rows; "" for none
	Load   Load
	List   List         // for audits; nil if there are none
	Board  LoadSnapshot // nil if rows are of no board
}

// tables returns the tables whose rows the feed publishes.
func (f Feed) tables() []string {
	if f.Sights == "" {
		return []string{f.Table}
	}
	return []string{f.Table, f.Sights}
}

// Scope says which rows of a feed a reader sees.
type Scope struct {
	db.Sight
	Board id.Board // 0: all in sight
	Base  string   // the public URL that addresses in payloads begin with
}

// Span is a range of positions, in (After, To], of which at most Limit rows are read.
type Span struct {
	After, To uint64
	Limit     int
	Scope     Scope
}

// Edition tells two states of a row apart: how often it was edited, and when it last changed.
type Edition struct {
	Version   uint64
	UpdatedAt time.Time
}

// Item is a row for a reader. Data is nil, and Edition zero, if the row was deleted or left the reader's scope. With the
// reasons Left and Joined it is about all rows of a board, and has no ID.
type Item struct {
	ID       uint64
	Position uint64
	Edition
	Board   id.Board  // of the row; 0 if it is gone
	Ticket  id.Ticket // of a ticket or comment that is not out of scope; not marshalled
	Deleted bool
	Reason  string // why it is gone, such as LeftFilter; "" if it was deleted
	Data    any    // marshalled as JSON
}

// Reasons of items.
const (
	LeftFilter = "left_filter" // the row left the reader's scope
	Left       = "left"        // the reader does not see the board any more
	Joined     = "joined"      // the reader sees the board, and has its rows from Snapshot
)

// Row is a row of a stretch. One that is hidden is not the reader's to see, and never was. Feed is the feed as the
// statement saw it that read the row's position.
type Row struct {
	Item
	Hidden bool
	Feed   db.FeedHead
}

// Load returns all rows of a span in ascending order of positions, hidden ones too. It reads positions before
// payloads, or in the same statement, never after.
type Load func(ctx context.Context, tx *db.Tx, look Span) ([]Row, error)

// Engine publishes and reads the registered feeds. Make one with New, then call Run.
type Engine struct {
	db      *db.DB
	feeds   []Feed
	log     *slog.Logger
	pending wait.Wakeup
	signal  *signal
	backlog *backlog
	every   time.Duration
	// aheadFor is how long Read waits for a head that is behind its cursor.
	aheadFor time.Duration
	flushes  *coalesce.Group[string, struct{}, struct{}]
}

var identifier = regexp.MustCompile(`^[a-z_]+$`)

// New returns an engine for the feeds. It panics if one is malformed, which is a mistake in the program.
func New(d *db.DB, log *slog.Logger, list ...Feed) *Engine {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{db: d, log: log, pending: wait.NewWakeup(), signal: newSignal(), backlog: newBacklog(), every: every,
		aheadFor: aheadFor}
	e.flushes = newFlushes(e)
	for _, f := range list {
		if !identifier.MatchString(f.Name) || !identifier.MatchString(strings.Join(f.tables(), "_")) || f.Load == nil {
			panic(fmt.Sprintf("feeds: %q cannot be a feed", f.Name))
		}
		e.feeds = append(e.feeds, f)
	}
	return e
}

// Names returns the names of all feeds, in the order of registration.
func (e *Engine) Names() []string {
	names := make([]string, len(e.feeds))
	for i, f := range e.feeds {
		names[i] = f.Name
	}
	return names
}

// Feed returns the feed of a name, or NotFound.
func (e *Engine) Feed(name string) (Feed, error) {
	for _, f := range e.feeds {
		if f.Name == name {
			return f, nil
		}
	}
	return Feed{}, NotFound(name, e.Names())
}
