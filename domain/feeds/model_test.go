package feeds

// The parts of the actors of a stage, on a table of their own, papers, and its feed: each once as it is, and
// replaceable by a wrong one.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
)

const theFeed = "papers"

// A paper has been on the boards whose bits are set in seen_on, as aliases of keys have it for tickets.
var paperTables = []string{
	`CREATE TABLE paper (
		id BIGINT UNSIGNED PRIMARY KEY, board INT UNSIGNED NOT NULL, seen_on INT UNSIGNED NOT NULL, content BIGINT UNSIGNED NOT NULL,
		deleted BOOLEAN NOT NULL DEFAULT FALSE, feed_sync_id BIGINT UNSIGNED NULL, UNIQUE KEY uq_paper_feed (feed_sync_id)
	) ENGINE=InnoDB`,
	`CREATE TABLE paper_note (paper_id BIGINT UNSIGNED PRIMARY KEY, content BIGINT UNSIGNED NOT NULL) ENGINE=InnoDB`,
	`INSERT INTO sequences (name, epoch) VALUES ('papers', 1)`,
}

const papers = 3

// The owner of the consumer that is registered.
const (
	theCompany  = id.Company(1)
	theAccount  = id.Account(1)
	theConsumer = "the-copy"
)

var ownerTables = []string{
	`INSERT INTO company (id, slug, name, created_at) VALUES (1, 'acme', 'Acme', NOW(6))`,
	`INSERT INTO account (id, email, name, password_hash, created_at) VALUES (1, 'ana@example.com', 'Ana', '', NOW(6))`,
}

// newPaperEnv returns a stage in a database with the tables.
func newPaperEnv(t testing.TB, names ...string) *env {
	t.Helper()
	s := newEnv(t, dbtest.URL(t), names...)
	for _, statement := range append(slices.Clone(paperTables), ownerTables...) {
		domaintest.OK(s.watch.Exec(statement))(t)
	}
	return s
}

// parts are what a system is made of.
type parts struct {
	edit    func(ctx context.Context, d *db.DB, paper uint64) error
	remove  func(ctx context.Context, d *db.DB, paper uint64) error
	move    func(ctx context.Context, d *db.DB, paper uint64, board uint32) error
	publish func(ctx context.Context, e *Engine) error
	// insist publishes a row that others have locked.
	insist  func(ctx context.Context, e *Engine, paper uint64) error
	load    Load
	read    func(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error)
	purge   func(ctx context.Context, d *db.DB) error
	restore func(ctx context.Context, d *db.DB, old picture) error
	// early has a consumer save its cursor before it does the work.
	early bool
	save  func(c *consumer, at progress, page Page)
	apply func(c *consumer, at progress, item Item)
	// next reads for a registered consumer.
	next func(e *Engine, ctx context.Context, registered Consumer, limit int, scope Scope) (Page, error)
	// shared has the two consumers be one that runs twice.
	shared bool
}

// right is the system as it is.
func right() parts {
	return parts{
		edit:   editPaper("content = content + 1, feed_sync_id = NULL"),
		remove: removePaper, move: movePaper,
		publish: func(ctx context.Context, e *Engine) error { _, err := e.RunOnce(ctx, theFeed); return err },
		insist: func(ctx context.Context, e *Engine, paper uint64) error {
			return e.waitFor(ctx, e.feeds[0], e.feeds[0].Table, paper)
		},
		load: loadPapers,
		read: func(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
			return e.Read(ctx, c, limit, scope)
		},
		purge: purgePapers(true), restore: restorePapers(true),
		save: (*consumer).save, apply: (*consumer).apply, next: (*Engine).Next,
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
	return change(ctx, d, "UPDATE paper SET board = ?, seen_on = seen_on | (1 << ?), feed_sync_id = NULL WHERE id = ?",
		board, board, paper)
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
			ids, horizon, err := lockTombstones(ctx, tx)
			if err != nil || len(ids) == 0 {
				return err
			}
			if _, err := tx.SQL.ExecContext(ctx, "DELETE FROM paper WHERE id IN ("+strings.Join(ids, ", ")+")"); err != nil ||
				!raise {
				return err
			}
			_, err = tx.RaiseHorizon(ctx, int64(horizon), theFeed)
			return err
		})
	}
}

// lockTombstones locks by the primary key: through the index of positions it would lock in the other order
// than writers do.
func lockTombstones(ctx context.Context, tx *db.Tx) (ids []string, horizon uint64, err error) {
	rows, err := tx.SQL.QueryContext(ctx,
		"SELECT id, feed_sync_id FROM paper FORCE INDEX (PRIMARY) WHERE deleted AND feed_sync_id IS NOT NULL ORDER BY id FOR UPDATE")
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
		ids, horizon = append(ids, id), max(horizon, position)
	}
	return ids, horizon, rows.Err()
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
			if _, err := tx.SQL.ExecContext(ctx,
				"UPDATE paper_note n JOIN paper p ON p.id = n.paper_id SET n.content = p.content"); err != nil || !epoch {
				return err
			}
			_, err := tx.NewEpoch(ctx)
			return err
		})
	}
}

const pageOfPapers = `SELECT id, board, seen_on, content, deleted, feed_sync_id, s.epoch, LEAST(s.value, COALESCE(d.head, 0)), s.horizon
FROM paper FORCE INDEX (uq_paper_feed) STRAIGHT_JOIN sequences s ON s.name = 'papers' LEFT JOIN feed_durable d ON d.feed = 'papers'
WHERE feed_sync_id > ? AND feed_sync_id <= ? ORDER BY feed_sync_id LIMIT ?`

// paper is what a reader is shown.
type paper struct {
	Board   uint32
	Content uint64
}

func loadPapers(ctx context.Context, tx *db.Tx, look Span) ([]Row, error) {
	return pageOf(ctx, tx, look, true)
}

// pageOf includes papers that left the board, as gone, unless tell is false.
func pageOf(ctx context.Context, tx *db.Tx, look Span, tell bool) ([]Row, error) {
	rows, err := tx.SQL.QueryContext(ctx, pageOfPapers, look.After, look.To, look.Limit)
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
		if err := rows.Scan(&r.ID, &p.Board, &seenOn, &p.Content, &r.Deleted, &r.Position, &r.Feed.Epoch,
			&r.Feed.Head, &r.Feed.Horizon); err != nil {
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

// consumer keeps a copy of a feed. All of it outlives its process, but for the page that it reads. A registered one
// has its cursor in the database, and progress is its last read of it.
type consumer struct {
	scope      Scope
	limit      int
	registered bool
	progress
	// now is what is committed.
	now    func() picture
	copies map[uint64]rowCopy
	// While it reads from the start, the rows it was shown; nil otherwise.
	shown map[uint64]bool
	// wrong is what it found wrong with what it was given.
	wrong []violation
}

// progress is its cursor, "" before the first, and how often it has begun anew.
type progress struct {
	cursor string
	round  int
}

type rowCopy struct {
	position uint64
	deleted  bool
	paper    paper
}

func newConsumer(limit int, board uint32, now func() picture) *consumer {
	return &consumer{limit: limit, now: now, scope: Scope{Board: id.Board(board)}, copies: map[uint64]rowCopy{},
		shown: map[uint64]bool{}}
}

// poll reads a page and applies it.
func (c *consumer) poll(ctx context.Context, a *actor, e *Engine, p parts) (more bool, err error) {
	if c.registered {
		return c.pollRegistered(ctx, a, e, p)
	}
	if c.cursor == "" {
		c.again() // its rows of an earlier try may be of another database
	}
	at := c.progress
	from, err := c.from(ctx, e, at)
	if err != nil {
		return false, err
	}
	before := c.now()
	a.read = nil
	page, err := p.read(ctx, e, from, c.limit, c.scope)
	if c.refused(before, from, err) {
		if at == c.progress {
			c.again()
		}
		return true, nil
	}
	if errors.Is(err, CodeCursorAhead) {
		return false, nil // it tries again later
	}
	if err != nil {
		return false, err
	}
	c.check(a, before, from, page)
	return page.More, p.consume(a, c, at, page, func() error { return p.saveAt(a, c, at, page) })
}

func (c *consumer) from(ctx context.Context, e *Engine, at progress) (Cursor, error) {
	if at.cursor == "" {
		return e.Start(ctx, theFeed)
	}
	return ParseCursor(theFeed, at.cursor)
}

// pollRegistered is poll with the cursor in the database.
func (c *consumer) pollRegistered(ctx context.Context, a *actor, e *Engine, p parts) (more bool, err error) {
	registered, err := e.Consumer(ctx, theCompany, theFeed, theConsumer)
	if err != nil {
		return false, err
	}
	if registered.Cursor.Position == 0 && !p.shared {
		c.again() // it reads from the start, also if it died there; two that share a copy would disturb each other
	}
	c.cursor = registered.Cursor.String()
	at, before := c.progress, c.now()
	a.read = nil
	page, err := p.next(e, ctx, registered, c.limit, c.scope)
	if c.refused(before, registered.Cursor, err) {
		c.again() // before the cursor is saved: a death in between repeats it
		start, err := e.Start(ctx, theFeed)
		if err != nil {
			return false, err
		}
		return true, Seek(ctx, e.db.Queries, registered.ID, start)
	}
	if errors.Is(err, CodeCursorAhead) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.check(a, before, registered.Cursor, page)
	return page.More, p.consume(a, c, at, page, func() error { return c.advance(ctx, e, registered, page) })
}

// advance saves its progress in the database, by the texts of the cursors that clients get. If another has advanced
// it, that one's work counts.
func (c *consumer) advance(ctx context.Context, e *Engine, registered Consumer, page Page) error {
	c.sweep(page)
	from, err := ParseCursor(theFeed, page.From.String())
	if err != nil {
		return err
	}
	to, err := ParseCursor(theFeed, page.Cursor.String())
	if err != nil {
		return err
	}
	err = e.Advance(ctx, registered, from, to)
	var moved ConsumerMoved
	if errors.As(err, &moved) {
		return nil
	}
	if err == nil {
		c.checkSaved(page)
	}
	return err
}

// refused reports whether a page was refused, so that it has to begin anew. I8: not behind the horizon alone.
func (c *consumer) refused(before picture, from Cursor, err error) bool {
	if errors.Is(err, CodeCursorExpired) {
		knows := max(from.Position, from.Began)
		if from.Position == 0 {
			knows = max(knows, before.head) // it begins now
		}
		if now := c.now(); from.Epoch == now.epoch && knows >= now.horizon {
			c.found("I8", "%s was refused, with the horizon at %d", from, now.horizon)
		}
		return true
	}
	return errors.Is(err, CodeCursorOfOldEpoch)
}

func (c *consumer) found(rule, format string, args ...any) {
	c.wrong = append(c.wrong, violation{rule, fmt.Sprintf(format, args...)})
}

// again has it read from the start: it drops the rows that it is not shown then. Earlier positions mean nothing.
func (c *consumer) again() {
	c.progress, c.shown = progress{round: c.round + 1}, map[uint64]bool{}
	for row, had := range c.copies {
		had.position = 0
		c.copies[row] = had
	}
}

// check compares a page that was read from a cursor with the states committed then and now. I8: it was not behind the
// horizon. I10: a page ascends, is behind the cursor, ends at its own cursor, which is not behind the allocated
// positions, and without more it reaches the head.
func (c *consumer) check(a *actor, before picture, from Cursor, page Page) {
	now, last := c.now(), from.Position
	read := now
	if a.read != nil {
		read, a.read = *a.read, nil
	}
	for _, item := range page.Items {
		if item.Position <= last {
			c.found("I10", "%d comes behind %d", item.Position, last)
		}
		last = item.Position
	}
	end := page.Cursor.Position
	if end < last || len(page.Items) > c.limit {
		c.found("I10", "a page of %d up to %d ends at %d", len(page.Items), last, end)
	}
	if from.Epoch != now.epoch || before.epoch != now.epoch {
		return
	}
	if end > now.head {
		c.found("I10", "a page ends at %d, and the feed at %d", end, now.head)
	}
	if !page.More && end < before.head {
		c.found("I10", "a page without more ends at %d, and the feed had come to %d", end, before.head)
	}
	if page.More && end >= now.head {
		c.found("I10", "a page with more ends at %d, where the feed does", end)
	}
	if from.Position != 0 && max(from.Position, from.Began) < read.horizon {
		c.found("I8", "%s was read from, with the horizon at %d", from, read.horizon)
	}
}

func (c *consumer) apply(at progress, item Item) {
	if c.round != at.round { // another of it has begun anew, and may have dropped the row
		return
	}
	if c.shown != nil {
		c.shown[item.ID] = true
	}
	if had, ok := c.copies[item.ID]; ok && had.position >= item.Position {
		return // an older one, or the same again
	}
	p, _ := item.Data.(paper)
	c.copies[item.ID] = rowCopy{position: item.Position, deleted: item.Deleted, paper: p}
}

// save advances from the page's start, unless another has advanced meanwhile.
func (c *consumer) save(at progress, page Page) {
	if c.progress != at {
		return
	}
	c.sweep(page)
	c.cursor = page.Cursor.String()
	c.checkSaved(page)
}

// sweep drops what it was not shown in a reading from the start, when that is over.
func (c *consumer) sweep(page Page) {
	if c.shown != nil && !page.More {
		maps.DeleteFunc(c.copies, func(row uint64, _ rowCopy) bool { return !c.shown[row] })
	}
}

// checkSaved follows a save of the page's end. I7: everything before it is done.
func (c *consumer) checkSaved(page Page) {
	if !page.More {
		c.shown = nil
	}
	c.wrong = append(c.wrong, missedBefore(c, page.Cursor, c.now())...)
}

func (p parts) consume(a *actor, c *consumer, at progress, page Page, save func() error) error {
	apply := func() error { return p.applyAll(a, c, at, page) }
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

func (p parts) applyAll(a *actor, c *consumer, at progress, page Page) error {
	for _, item := range page.Items {
		err := a.does(fmt.Sprintf("apply %d at %d", item.ID, item.Position), func() {
			had := c.copies[item.ID].position
			if p.apply(c, at, item); c.copies[item.ID].position < had {
				c.found("I6", "what it had of %d at %d was replaced by what was at %d", item.ID, had, item.Position)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p parts) saveAt(a *actor, c *consumer, at progress, page Page) error {
	return a.does("save "+page.Cursor.String(), func() { p.save(c, at, page) })
}
