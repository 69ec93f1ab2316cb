package feeds

// What the actors of a stage do with a table of their own, papers, and its feed: each part once as it is,
// and replaceable by a wrong one.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/id"
)

const theFeed = "papers"

// A paper has been on the boards whose bits are set in seen_on: what aliases of keys are to tickets.
var paperTables = []string{
	`CREATE TABLE paper (
		id BIGINT UNSIGNED PRIMARY KEY, board INT UNSIGNED NOT NULL, seen_on INT UNSIGNED NOT NULL, content BIGINT UNSIGNED NOT NULL,
		deleted BOOLEAN NOT NULL DEFAULT FALSE, feed_sync_id BIGINT UNSIGNED NULL, UNIQUE KEY uq_paper_feed (feed_sync_id)
	) ENGINE=InnoDB`,
	`CREATE TABLE paper_note (paper_id BIGINT UNSIGNED PRIMARY KEY, content BIGINT UNSIGNED NOT NULL) ENGINE=InnoDB`,
	`INSERT INTO sequences (name, epoch) VALUES ('papers', 1)`,
}

const papers = 3

// newPapers returns a stage in a database with the tables.
func newPapers(t testing.TB, names ...string) *stage {
	t.Helper()
	s := newStage(t, dbtest.URL(t), names...)
	for _, statement := range paperTables {
		if _, err := s.watch.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// parts are what a system is made of.
type parts struct {
	edit    func(ctx context.Context, d *db.DB, paper uint64) error
	remove  func(ctx context.Context, d *db.DB, paper uint64) error
	move    func(ctx context.Context, d *db.DB, paper uint64, board uint32) error
	publish func(ctx context.Context, e *Engine) error
	load    func(d *db.DB) Load
	read    func(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error)
	purge   func(ctx context.Context, d *db.DB) error
	restore func(ctx context.Context, d *db.DB, old picture) error
	// early has a consumer save where it stands before it does the work.
	early bool
	save  func(c *consumer, at place, page Page)
	apply func(c *consumer, at place, item Item)
	// shared has the two consumers be one that runs twice.
	shared bool
}

// right is the system as it is.
func right() parts {
	return parts{
		edit:   editPaper("content = content + 1, feed_sync_id = NULL"),
		remove: removePaper, move: movePaper,
		publish: func(ctx context.Context, e *Engine) error { _, err := e.RunOnce(ctx, theFeed); return err },
		load:    loadPapers,
		read: func(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
			return e.Read(ctx, c, limit, scope)
		},
		purge: purgePapers(true), restore: restorePapers(true),
		save: (*consumer).save, apply: (*consumer).apply,
	}
}

func editPaper(set string) func(context.Context, *db.DB, uint64) error {
	return func(ctx context.Context, d *db.DB, paper uint64) error {
		return d.InTx(ctx, func(tx *db.Tx) error {
			if _, err := tx.SQL.ExecContext(ctx, "UPDATE paper SET "+set+" WHERE id = ?", paper); err != nil {
				return err
			}
			_, err := tx.SQL.ExecContext(ctx, "UPDATE paper_note SET content = content + 1 WHERE paper_id = ?", paper)
			return err
		})
	}
}

func removePaper(ctx context.Context, d *db.DB, paper uint64) error {
	return change(ctx, d, "UPDATE paper SET deleted = NOT deleted, feed_sync_id = NULL WHERE id = ?", paper)
}

func movePaper(ctx context.Context, d *db.DB, paper uint64, board uint32) error {
	return change(ctx, d, "UPDATE paper SET board = ?, seen_on = seen_on | (1 << ?), feed_sync_id = NULL WHERE id = ?", board, board, paper)
}

func change(ctx context.Context, d *db.DB, statement string, args ...any) error {
	return d.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, statement, args...)
		return err
	})
}

// purgePapers removes the tombstones that are published, and raises the horizon over them.
func purgePapers(raise bool) func(context.Context, *db.DB) error {
	return func(ctx context.Context, d *db.DB) error {
		return d.InTx(ctx, func(tx *db.Tx) error {
			gone, horizon, err := lockTombstones(ctx, tx)
			if err != nil || len(gone) == 0 {
				return err
			}
			if _, err := tx.SQL.ExecContext(ctx, "DELETE FROM paper WHERE id IN ("+strings.Join(gone, ", ")+")"); err != nil || !raise {
				return err
			}
			_, err = tx.RaiseHorizon(ctx, int64(horizon), theFeed)
			return err
		})
	}
}

// lockTombstones locks by the primary key: through the index of positions it would lock in the other order
// than writers do.
func lockTombstones(ctx context.Context, tx *db.Tx) (gone []string, horizon uint64, err error) {
	rows, err := tx.SQL.QueryContext(ctx, "SELECT id, feed_sync_id FROM paper FORCE INDEX (PRIMARY) WHERE deleted AND feed_sync_id IS NOT NULL ORDER BY id FOR UPDATE")
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var position uint64
		if err := rows.Scan(&id, &position); err != nil {
			return nil, 0, err
		}
		gone, horizon = append(gone, id), max(horizon, position)
	}
	return gone, horizon, rows.Err()
}

// restorePapers puts the database back to how it was: a backup, or a copy that lagged behind.
func restorePapers(epoch bool) func(context.Context, *db.DB, picture) error {
	return func(ctx context.Context, d *db.DB, old picture) error {
		return d.InTx(ctx, func(tx *db.Tx) error {
			for _, statement := range old.statements() {
				if _, err := tx.SQL.ExecContext(ctx, statement); err != nil {
					return err
				}
			}
			if _, err := tx.SQL.ExecContext(ctx, "UPDATE paper_note n JOIN paper p ON p.id = n.paper_id SET n.content = p.content"); err != nil || !epoch {
				return err
			}
			_, err := tx.NewEpoch(ctx)
			return err
		})
	}
}

const pageOfPapers = `SELECT id, board, seen_on, content, deleted, feed_sync_id FROM paper FORCE INDEX (uq_paper_feed)
WHERE feed_sync_id > ? AND feed_sync_id <= ? ORDER BY feed_sync_id LIMIT ?`

// paper is what a reader is shown.
type paper struct {
	Board   uint32
	Content uint64
}

func loadPapers(d *db.DB) Load {
	return func(ctx context.Context, _ *db.Queries, look Look) ([]Row, error) {
		return pageOf(ctx, d, look, true)
	}
}

// pageOf tells of a paper that left the board, unless told to hide it.
func pageOf(ctx context.Context, d *db.DB, look Look, tell bool) ([]Row, error) {
	rows, err := d.SQL.QueryContext(ctx, pageOfPapers, look.After, look.Upto, look.Limit)
	if err != nil {
		return nil, err
	}
	return papersOf(rows, uint32(look.Scope.Board), tell)
}

func papersOf(rows *sql.Rows, board uint32, tell bool) (list []Row, err error) {
	defer rows.Close()
	for rows.Next() {
		var r Row
		var p paper
		var seenOn uint32
		if err := rows.Scan(&r.ID, &p.Board, &seenOn, &p.Content, &r.Deleted, &r.Position); err != nil {
			return nil, err
		}
		switch {
		case board != 0 && seenOn&(1<<board) == 0:
			r.Hidden = true
		case board != 0 && p.Board != board && !r.Deleted:
			r.Deleted, r.Reason, r.Hidden = true, LeftFilter, !tell
		}
		if !r.Deleted {
			r.Data = p
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// consumer keeps a copy of a feed. All of it outlives its process, but what a page in hand says.
type consumer struct {
	scope Scope
	limit int
	place
	held map[uint64]held
	// While it reads from the start, what it was shown; nil otherwise.
	shown map[uint64]bool
	// wrong is what it found wrong with what it was given.
	wrong []violation
}

// place is where it stands: its cursor, "" before the first, and how often it has begun anew.
type place struct {
	cursor string
	round  int
}

type held struct {
	position uint64
	gone     bool
	paper    paper
}

func newConsumer(limit int, board uint32) *consumer {
	return &consumer{limit: limit, scope: Scope{Board: id.Board(board)}, held: map[uint64]held{}, shown: map[uint64]bool{}}
}

// poll reads a page and applies it.
func (c *consumer) poll(ctx context.Context, a *actor, e *Engine, p parts) (more bool, err error) {
	if c.cursor == "" {
		c.again() // what it has of an earlier try may be of another database
	}
	at := c.place
	page, err := c.read(ctx, e, p, at)
	var before CursorOfBefore
	var ahead CursorAhead
	var expired CursorExpired
	if errors.As(err, &before) || errors.As(err, &ahead) || errors.As(err, &expired) {
		if at == c.place {
			c.again()
		}
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return page.More, p.consume(a, c, at, page)
}

func (c *consumer) read(ctx context.Context, e *Engine, p parts, at place) (Page, error) {
	var from Cursor
	var err error
	if at.cursor == "" {
		from, err = e.Start(ctx, theFeed)
	} else {
		from, err = ParseCursor(theFeed, at.cursor)
	}
	if err != nil {
		return Page{}, err
	}
	page, err := p.read(ctx, e, from, c.limit, c.scope)
	if err == nil {
		c.check(from, page)
	}
	return page, err
}

// again has it read from the start: what it is not shown then it drops. Positions of before say nothing.
func (c *consumer) again() {
	c.place, c.shown = place{round: c.round + 1}, map[uint64]bool{}
	for row, had := range c.held {
		had.position = 0
		c.held[row] = had
	}
}

// check is I10: a page ascends, is behind the cursor, and ends where it says.
func (c *consumer) check(at Cursor, page Page) {
	last := at.Position
	for _, item := range page.Items {
		if item.Position <= last {
			c.wrong = append(c.wrong, violation{"I10", fmt.Sprintf("%d comes behind %d", item.Position, last)})
		}
		last = item.Position
	}
	if page.Cursor.Position < last || len(page.Items) > c.limit {
		c.wrong = append(c.wrong, violation{"I10", fmt.Sprintf("a page of %d up to %d ends at %d", len(page.Items), last, page.Cursor.Position)})
	}
}

func (c *consumer) apply(at place, item Item) {
	if c.round != at.round { // another of it has begun anew, and may have dropped the row
		return
	}
	if c.shown != nil {
		c.shown[item.ID] = true
	}
	if had, ok := c.held[item.ID]; ok && had.position >= item.Position {
		return // an older one, or the same again
	}
	p, _ := item.Data.(paper)
	c.held[item.ID] = held{position: item.Position, gone: item.Deleted, paper: p}
}

// save moves on from where the page was read, unless another has moved on meanwhile.
func (c *consumer) save(at place, page Page) {
	if c.place != at {
		return
	}
	c.cursor = page.Cursor.String()
	if c.shown != nil && !page.More {
		maps.DeleteFunc(c.held, func(row uint64, _ held) bool { return !c.shown[row] })
		c.shown = nil
	}
}

func (p parts) consume(a *actor, c *consumer, at place, page Page) error {
	apply := func() error { return p.applyAll(a, c, at, page) }
	save := func() error { return p.saveAt(a, c, at, page) }
	steps := []func() error{apply, save}
	if p.early {
		steps = []func() error{save, apply}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (p parts) applyAll(a *actor, c *consumer, at place, page Page) error {
	for _, item := range page.Items {
		if err := a.does(fmt.Sprintf("apply %d at %d", item.ID, item.Position), func() { p.apply(c, at, item) }); err != nil {
			return err
		}
	}
	return nil
}

func (p parts) saveAt(a *actor, c *consumer, at place, page Page) error {
	return a.does("save "+page.Cursor.String(), func() { p.save(c, at, page) })
}
