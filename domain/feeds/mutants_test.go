package feeds

// Feeds that are wrong, each in one part: the same harness that finds nothing wrong with the right one must
// catch each of them, else it proves nothing.

import (
	"context"
	"database/sql"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
)

// mutant is a feed with a wrong part. It is caught when each of its rules was found violated, I5 if none is named: a
// consumer has lost something. The rule "duplicate" is that the database refused to allocate a position twice; no
// other error is a catch. It is searched for in schedules drawn at random, of which focus makes such in which it can
// show; or in those in which one actor of a scene is stopped.
type mutant struct {
	name  string
	wrong func(*parts)
	focus func(*plan)
	scene string
	rules []string
}

var mutants = []mutant{
	{name: "the largest position and one", wrong: func(p *parts) { p.publish = publishMax }},
	{name: "positions are reserved outside the transaction", wrong: func(p *parts) { p.publish = publishReserved }},
	// The unique index, not a consumer, finds most of these.
	{name: "the sequence is read without a lock", wrong: func(p *parts) { p.publish = publishUnlocked },
		rules: []string{"duplicate"}},
	{name: "a row at a time, in steps of their own", wrong: func(p *parts) { p.publish = publishSteps },
		rules: []string{"duplicate"}},
	{name: "how far the feed has come is read after the page", wrong: func(p *parts) { p.read = readHeadLast }},
	{name: "a full page leads to the head", wrong: func(p *parts) { p.read = readToHead }},
	{name: "what is not committed is read", wrong: func(p *parts) { p.read = readUncommitted },
		scene: "a crash beside a writer"},
	{name: "what is not durable is read", wrong: func(p *parts) { p.read = readToValue },
		scene: "a crash beside a publisher", rules: []string{"I13"}},
	{name: "a publisher notes its batch in it", wrong: func(p *parts) { p.publish = publishNoted },
		scene: "a crash beside a publisher", rules: []string{"I13"}},
	{name: "another's batch is noted without a commit before", wrong: func(p *parts) { p.publish = publishHasty },
		scene: "a crash after another's batch", rules: []string{"I13"}},
	{name: "a row may be missing for what is not durable", wrong: func(p *parts) { p.read = readAtOnce },
		scene: "a crash beside a writer"},
	{name: "an old position is written back", wrong: func(p *parts) { p.edit = editWriteBack }},
	{name: "a change keeps the position", wrong: func(p *parts) { p.edit = editPaper("content = content + 1") }},
	{name: "deleted rows are gone", wrong: func(p *parts) { p.remove = removeHard }},
	{name: "the cursor is saved before the work", wrong: func(p *parts) { p.early = true }, rules: []string{"I5", "I7"}},
	{name: "the horizon is ignored", wrong: func(p *parts) { p.read = readHorizon(false) },
		scene: "a purge of what a reader waits for", rules: []string{"I5", "I8"}},
	{name: "the horizon is looked at before the page alone", wrong: func(p *parts) { p.read = readHorizon(true) },
		scene: "a purge of what a reader waits for", rules: []string{"I5", "I8"}},
	{name: "a purge does not raise the horizon", wrong: func(p *parts) { p.purge = purgePapers(false) },
		scene: "a purge of what a reader waits for", rules: []string{"I5", "I8"}},
	{name: "rows leave a filter silently", wrong: func(p *parts) { p.load = loadSilently }, focus: withMoves},
	{name: "a restored database keeps its epoch", wrong: func(p *parts) { p.restore = restorePapers(false) },
		focus: func(plan *plan) { plan.Operator = []string{"restore"} }},
	{name: "details are read before it is known how far the feed has come",
		wrong: func(p *parts) { p.read = readNotesFirst }, focus: withEdits},
	{name: "a first reading is refused for what was purged before it", wrong: func(p *parts) { p.read = readNow },
		rules: []string{"I8"}},
	{name: "who waits for a row has its position already", wrong: func(p *parts) { p.insist = insistReserved },
		focus: func(plan *plan) { plan.Insist = 1 }},
	{name: "a page without more ends at its last item", wrong: func(p *parts) { p.read = readShort },
		rules: []string{"I10"}},
	{name: "a registered consumer is to be advanced from where it began to read", wrong: func(p *parts) {
		p.next = func(e *Engine, ctx context.Context, registered Consumer, limit int, scope Scope) (Page, error) {
			return e.Read(ctx, registered.Cursor, limit, scope)
		}
	}, focus: register},
	{name: "two of one consumer apply whatever comes", scene: "two readers", rules: []string{"I5", "I6"}, wrong: func(p *parts) {
		p.shared = true
		p.apply = func(c *consumer, at progress, item Item) { delete(c.copies, item.ID); c.apply(at, item) }
	}},
}

// variants are right as well.
var variants = []mutant{
	{name: "details are read behind the page", wrong: func(p *parts) { p.load = loadNotes(false) }},
	{name: "details are read before the page, and behind the head", wrong: func(p *parts) { p.load = loadNotes(true) }},
	{name: "two of one consumer", wrong: func(p *parts) { p.shared = true }, focus: unregister},
	{name: "two of one registered consumer", wrong: func(p *parts) { p.shared = true }, focus: func(plan *plan) {
		plan.Kept, plan.Operator = true, nil // a consumer that begins anew does so alone
	}},
	{name: "two of one consumer save wherever they are", focus: unregister, wrong: func(p *parts) {
		p.shared = true
		p.save = func(c *consumer, at progress, page Page) {
			if c.round == at.round {
				c.save(c.progress, page)
			}
		}
	}},
}

func register(plan *plan)   { plan.Kept = true }
func unregister(plan *plan) { plan.Kept = false }

func withMoves(plan *plan) {
	plan.Writers[0] = []writerTx{{Action: "move", Paper: 1, Board: 2}, {Action: "move", Paper: 2, Board: 1}}
	plan.Board = 1
}

func withEdits(plan *plan) {
	plan.Writers = [2][]writerTx{{{Action: "edit", Paper: 1}, {Action: "edit", Paper: 1}}, nil}
	plan.Operator, plan.Passes, plan.Polls = nil, [2]int{3, 0}, [2]int{3, 3}
}

func TestTheWrongOnesAreCaught(t *testing.T) {
	t.Parallel()
	const lanes, schedules = 3, 400
	for lane := range lanes {
		t.Run("lane", func(t *testing.T) {
			t.Parallel()
			s := newPaperEnv(t, cast...)
			for n := lane; n < len(mutants); n += lanes {
				t.Run(mutants[n].name, func(t *testing.T) { mutants[n].mustBeCaught(t, s, schedules) })
			}
		})
	}
}

// mustBeCaught performs always the same plans.
func (m mutant) mustBeCaught(t *testing.T, s *env, schedules int) {
	p := right()
	m.wrong(&p)
	open := m.rules
	if open == nil {
		open = []string{"I5"}
	}
	n := 0
	for plan := range m.plans(schedules) {
		n++
		wrong, err := perform(s, p, plan)
		found := rules(wrong)
		if err != nil || slices.Contains(found, "error") {
			t.Fatalf("schedule %d could not be performed: %v %v\n%s", n, err, wrong, strings.Join(s.log, "\n"))
		}
		open = slices.DeleteFunc(slices.Clone(open), func(rule string) bool { return slices.Contains(found, rule) })
		if len(open) == 0 {
			t.Logf("caught in schedule %d: %v", n, found)
			return
		}
	}
	t.Errorf("%v was not found violated in %d schedules", open, n)
}

func (m mutant) plans(limit int) iter.Seq[plan] {
	if m.scene != "" {
		return scenes[m.scene].stops()
	}
	return func(yield func(plan) bool) {
		drawn := rapid.Custom(drawPlan)
		for n := range limit {
			plan := drawn.Example(n)
			if m.focus != nil {
				m.focus(&plan)
			}
			if !yield(plan) {
				return
			}
		}
	}
}

func TestRightVariants(t *testing.T) {
	t.Parallel()
	s := newPaperEnv(t, cast...)
	for _, m := range variants {
		t.Run(m.name, func(t *testing.T) {
			p := right()
			m.wrong(&p)
			for plan := range m.plans(20) {
				if wrong, err := perform(s, p, plan); err != nil || len(wrong) > 0 {
					t.Fatalf("%v %v\n%s", err, wrong, strings.Join(s.log, "\n"))
				}
			}
		})
	}
}

func unpublished(ctx context.Context, e *Engine) ([]uint64, error) {
	found, err := e.db.Unpublished(ctx, []string{"paper"}, Batch)
	return found["paper"], err
}

// batch is the frame of publishers: give gets locked rows and returns the last position it gave.
func batch(ctx context.Context, e *Engine, give func(tx *db.Tx, rows []uint64) (last uint64, err error)) error {
	candidates, err := unpublished(ctx, e)
	if err != nil || len(candidates) == 0 {
		return err
	}
	var last uint64
	err = e.db.InTx(ctx, func(tx *db.Tx) error {
		rows, err := tx.LockUnpublished(ctx, "paper", candidates)
		if err != nil || len(rows) == 0 {
			return err
		}
		if last, err = give(tx, rows); err != nil {
			return err
		}
		if _, err := tx.Publish(ctx, "paper", rows, last-uint64(len(rows))); err != nil {
			return err
		}
		return tx.RecordBatch(ctx, db.RecordBatchParams{Feed: theFeed, Hi: last, K: uint32(len(rows))})
	})
	if err != nil || last == 0 {
		return err
	}
	return e.noteDurable(ctx, theFeed, last)
}

func publishMax(ctx context.Context, e *Engine) error {
	return batch(ctx, e, func(tx *db.Tx, rows []uint64) (last uint64, err error) {
		if err := tx.SQL.QueryRowContext(ctx, "SELECT COALESCE(MAX(feed_sync_id), 0) FROM paper").Scan(&last); err != nil {
			return 0, err
		}
		last += uint64(len(rows))
		_, err = tx.SQL.ExecContext(ctx,
			"UPDATE sequences SET version = version + 1, value = GREATEST(value, ?) WHERE name = ?", last, theFeed)
		if err != nil {
			return 0, err
		}
		_, err = tx.SQL.ExecContext(ctx, "DELETE FROM feed_batch WHERE feed = ? AND hi = ?", theFeed, last)
		return last, err
	})
}

func publishReserved(ctx context.Context, e *Engine) error {
	candidates, err := unpublished(ctx, e)
	if err != nil || len(candidates) == 0 {
		return err
	}
	result, err := e.db.AllocatePositions(ctx, uint64(len(candidates)), theFeed)
	if err != nil {
		return err
	}
	reserved, err := result.LastInsertId()
	if err != nil {
		return err
	}
	err = e.db.InTx(ctx, func(tx *db.Tx) error {
		rows, err := tx.LockUnpublished(ctx, "paper", candidates)
		if err != nil || len(rows) == 0 {
			return err
		}
		_, err = tx.Publish(ctx, "paper", rows, uint64(reserved)-uint64(len(rows)))
		return err
	})
	if err != nil {
		return err
	}
	return e.noteDurable(ctx, theFeed, uint64(reserved))
}

func publishNoted(ctx context.Context, e *Engine) error {
	return batch(ctx, e, func(tx *db.Tx, rows []uint64) (uint64, error) {
		last, err := take(ctx, tx, theFeed, len(rows))
		if err != nil {
			return 0, err
		}
		return last, tx.NoteDurable(ctx, theFeed, last)
	})
}

// publishHasty notes what it sees.
func publishHasty(ctx context.Context, e *Engine) error {
	now, err := e.db.Sequence(ctx, theFeed)
	if err != nil {
		return err
	}
	if uint64(now.Head) < now.Value {
		return e.noteDurable(ctx, theFeed, now.Value)
	}
	_, err = e.RunOnce(ctx, theFeed)
	return err
}

func publishUnlocked(ctx context.Context, e *Engine) error {
	return batch(ctx, e, func(tx *db.Tx, rows []uint64) (uint64, error) {
		now, err := tx.Sequence(ctx, theFeed)
		if err != nil {
			return 0, err
		}
		last := now.Value + uint64(len(rows))
		_, err = tx.SQL.ExecContext(ctx, "UPDATE sequences SET version = version + 1, value = ? WHERE name = ?", last,
			theFeed)
		return last, err
	})
}

func insistReserved(ctx context.Context, e *Engine, paper uint64) error {
	result, err := e.db.AllocatePositions(ctx, 1, theFeed)
	if err != nil {
		return err
	}
	reserved, err := result.LastInsertId()
	if err != nil {
		return err
	}
	err = e.db.InTx(ctx, func(tx *db.Tx) error {
		rows, err := tx.WaitForUnpublished(ctx, "paper", paper)
		if err != nil || len(rows) == 0 {
			return err
		}
		_, err = tx.Publish(ctx, "paper", rows, uint64(reserved)-1)
		return err
	})
	if err != nil {
		return err
	}
	return e.noteDurable(ctx, theFeed, uint64(reserved))
}

// publishSteps is what a first program would do.
func publishSteps(ctx context.Context, e *Engine) error {
	rows, err := unpublished(ctx, e)
	if err != nil {
		return err
	}
	for _, n := range rows {
		now, err := e.db.Sequence(ctx, theFeed)
		if err != nil {
			return err
		}
		if _, err := e.db.SQL.ExecContext(ctx, "UPDATE paper SET feed_sync_id = ? WHERE id = ?", now.Value+1, n); err != nil {
			return err
		}
		if _, err := e.db.SQL.ExecContext(ctx, "UPDATE sequences SET version = version + 1, value = ? WHERE name = ?",
			now.Value+1, theFeed); err != nil {
			return err
		}
		if err := e.noteDurable(ctx, theFeed, now.Value+1); err != nil {
			return err
		}
	}
	return nil
}

// loadOutside loads in a transaction of its own.
func loadOutside(ctx context.Context, e *Engine, look Span) (rows []Row, err error) {
	err = e.db.ReadTx(ctx, func(tx *db.Tx) error {
		rows, err = e.feeds[0].Load(ctx, tx, look)
		return err
	})
	return rows, err
}

// readToValue reads what is committed.
func readToValue(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
	now, err := e.db.Sequence(ctx, c.Feed)
	if err != nil {
		return Page{}, err
	}
	if err := c.check(db.FeedHead{Epoch: now.Epoch, Head: now.Value, Horizon: now.Horizon}); err != nil {
		return Page{}, err
	}
	rows, err := loadOutside(ctx, e, Span{After: c.Position, To: now.Value, Limit: limit, Scope: scope})
	if err != nil {
		return Page{}, err
	}
	return page(c, now.Value, limit, rows)
}

// readAtOnce waits for nothing to be durable.
func readAtOnce(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (p Page, err error) {
	err = e.db.ReadTx(ctx, func(tx *db.Tx) error {
		p, _, err = read(ctx, tx, e.feeds[0], c, limit, scope)
		return err
	})
	return p, err
}

func readHeadLast(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
	now, err := e.sequence(ctx, c.Feed)
	if err != nil {
		return Page{}, err
	}
	if err := c.check(now); err != nil {
		return Page{}, err
	}
	rows, err := loadOutside(ctx, e, Span{After: c.Position, To: 1 << 62, Limit: limit, Scope: scope})
	if err != nil {
		return Page{}, err
	}
	if now, err = e.sequence(ctx, c.Feed); err != nil {
		return Page{}, err
	}
	return page(c, now.Head, limit, rows)
}

func readToHead(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
	page, err := e.Read(ctx, c, limit, scope)
	if err != nil {
		return Page{}, err
	}
	now, err := e.sequence(ctx, c.Feed)
	page.Cursor.Position, page.More = max(now.Head, page.Cursor.Position), false
	return page, err
}

// readNow forgets when the reader began.
func readNow(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
	c.Began = 0
	return e.Read(ctx, c, limit, scope)
}

func readShort(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
	page, err := e.Read(ctx, c, limit, scope)
	if n := len(page.Items); n > 0 {
		page.Cursor = c.to(page.Items[n-1].Position)
	}
	return page, err
}

func readUncommitted(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
	const level = "SET SESSION TRANSACTION ISOLATION LEVEL READ "
	if _, err := e.db.SQL.ExecContext(ctx, level+"UNCOMMITTED"); err != nil {
		return Page{}, err
	}
	return e.Read(ctx, c, limit, scope)
}

// readHorizon looks at the horizon before the page, or never.
func readHorizon(before bool) func(context.Context, *Engine, Cursor, int, Scope) (Page, error) {
	return func(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
		now, err := e.sequence(ctx, c.Feed)
		if err != nil {
			return Page{}, err
		}
		if !before {
			now.Horizon = 0
		}
		if err := c.check(now); err != nil {
			return Page{}, err
		}
		rows, err := loadOutside(ctx, e, Span{After: c.Position, To: now.Head, Limit: limit, Scope: scope})
		if err != nil {
			return Page{}, err
		}
		return page(c, now.Head, limit, rows)
	}
}

func editWriteBack(ctx context.Context, d *db.DB, paper uint64) error {
	return d.InTx(ctx, func(tx *db.Tx) error {
		var position sql.NullInt64
		if err := tx.SQL.QueryRowContext(ctx, "SELECT feed_sync_id FROM paper WHERE id = ?",
			paper).Scan(&position); err != nil {
			return err
		}
		_, err := tx.SQL.ExecContext(ctx, "UPDATE paper SET content = content + 1, feed_sync_id = ? WHERE id = ?", position,
			paper)
		return err
	})
}

func removeHard(ctx context.Context, d *db.DB, paper uint64) error {
	return change(ctx, d, "DELETE FROM paper WHERE id = ?", paper)
}

func loadSilently(ctx context.Context, tx *db.Tx, look Span) ([]Row, error) {
	return pageOf(ctx, tx, look, false)
}

// loadNotes takes the contents from the papers' notes, which change with them.
func loadNotes(before bool) Load {
	return func(ctx context.Context, tx *db.Tx, look Span) (list []Row, err error) {
		if !before {
			if list, err = pageOf(ctx, tx, look, true); err != nil {
				return nil, err
			}
		}
		notes, err := readNotes(ctx, tx.SQL)
		if err != nil {
			return nil, err
		}
		if before {
			if list, err = pageOf(ctx, tx, look, true); err != nil {
				return nil, err
			}
		}
		for n, r := range list {
			if p, ok := r.Data.(paper); ok {
				p.Content = notes[r.ID]
				list[n].Data = p
			}
		}
		return list, nil
	}
}

// readNotesFirst puts what it reads now into a page of later.
func readNotesFirst(ctx context.Context, e *Engine, c Cursor, limit int, scope Scope) (Page, error) {
	notes, err := readNotes(ctx, e.db.SQL)
	if err != nil {
		return Page{}, err
	}
	page, err := e.Read(ctx, c, limit, scope)
	for n, item := range page.Items {
		if p, ok := item.Data.(paper); ok {
			p.Content = notes[item.ID]
			page.Items[n].Data = p
		}
	}
	return page, err
}

func readNotes(ctx context.Context, d db.DBTX) (map[uint64]uint64, error) {
	rows, err := d.QueryContext(ctx, "SELECT paper_id, content FROM paper_note")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	notes := map[uint64]uint64{}
	for rows.Next() {
		var n, content uint64
		if err := rows.Scan(&n, &content); err != nil {
			return nil, err
		}
		notes[n] = content
	}
	return notes, rows.Err()
}
