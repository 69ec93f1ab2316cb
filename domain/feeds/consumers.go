package feeds

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Consumer is a reader of a feed whose cursor is stored here.
type Consumer struct {
	ID          id.Consumer
	Company     id.Company
	CompanySlug string
	Feed        string
	Name        string
	Cursor      Cursor
	Paused      bool
	CreatedAt   time.Time
	SeenAt      time.Time // when it last read, to five seconds, or advanced
	Lag
}

// States of a consumer.
const (
	StateOK      = "ok"
	StatePaused  = "paused"
	StateExpired = "behind the horizon"
	StateBefore  = "of an earlier epoch"
	StateAhead   = "ahead of the feed"
)

// Lag is how far a reader is behind.
type Lag struct {
	LagRows    uint64  // positions behind the head, all of an earlier epoch's reader: the rows are no more than these
	LagSeconds float64 // age of the oldest batch that it has not read, 0 if it has read all
	State      string
}

var consumerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)

// MaxConsumers is how many consumers a company may have: deletions are kept for each.
const MaxConsumers = 100

// CheckName returns BadName for an invalid name of a consumer.
func CheckName(name string) error {
	if !consumerName.MatchString(name) {
		return BadName()
	}
	return nil
}

// Register keeps a cursor for a new consumer of a company, which is locked. It returns BadName, ConsumerConflict
// or TooManyConsumers.
func Register(
	ctx context.Context, tx *db.Tx, company id.Company, author id.Account, name string, cursor Cursor,
) (id.Consumer, error) {
	if err := CheckName(name); err != nil {
		return 0, err
	}
	there, err := tx.ConsumersOf(ctx, db.ConsumersOfParams{CompanyID: company, Limit: MaxConsumers})
	if err != nil {
		return 0, fmt.Errorf("read consumers: %w", err)
	}
	if len(there) >= MaxConsumers {
		return 0, TooManyConsumers()
	}
	created, err := tx.CreateConsumer(ctx, db.CreateConsumerParams{
		CompanyID: company, Feed: cursor.Feed, Name: name, Epoch: cursor.Epoch, Position: cursor.Position,
		Began: cursor.kept(), CreatedBy: author,
	})
	if db.IsDuplicate(err, "uq_feed_consumer_name") {
		return 0, ConsumerConflict(cursor.Feed, name)
	}
	if err != nil {
		return 0, fmt.Errorf("create consumer: %w", err)
	}
	return id.Consumer(created), nil
}

// kept is Began as it is stored: 0 if it says no more than Position.
func (c Cursor) kept() uint64 {
	if c.Began > c.Position {
		return c.Began
	}
	return 0
}

// Consumer returns a company's consumer, or ConsumerNotFound.
func (e *Engine) Consumer(ctx context.Context, company id.Company, feed, name string) (Consumer, error) {
	if !consumerName.MatchString(name) {
		return Consumer{}, ConsumerNotFound(name)
	}
	row, err := db.Read(e.db.ConsumerByName(ctx, db.ConsumerByNameParams{CompanyID: company, Feed: feed, Name: name}))
	return e.one(ctx, db.AllConsumersRow(row), err, name)
}

// ConsumerByID returns a consumer of any company, or ConsumerNotFound.
func (e *Engine) ConsumerByID(ctx context.Context, consumer id.Consumer) (Consumer, error) {
	row, err := db.Read(e.db.ConsumerByID(ctx, consumer))
	return e.one(ctx, db.AllConsumersRow(row), err, fmt.Sprint(consumer))
}

func (e *Engine) one(ctx context.Context, row db.AllConsumersRow, err error, name string) (Consumer, error) {
	if db.IsNotFound(err) {
		return Consumer{}, ConsumerNotFound(name)
	}
	if err != nil {
		return Consumer{}, fmt.Errorf("read consumer: %w", err)
	}
	list, err := e.consumers(ctx, []db.AllConsumersRow{row})
	if err != nil {
		return Consumer{}, err
	}
	return list[0], nil
}

// Consumers returns at most limit consumers of a company with an id above after, by id; of all companies if company is
// 0.
func (e *Engine) Consumers(ctx context.Context, company id.Company, after id.Consumer, limit int) ([]Consumer, error) {
	var list []db.AllConsumersRow
	if company == 0 {
		rows, err := db.Read(e.db.AllConsumers(ctx, after, int32(limit)))
		if err != nil {
			return nil, fmt.Errorf("read consumers: %w", err)
		}
		list = rows
	} else {
		rows, err := db.Read(e.db.ConsumersOf(ctx, db.ConsumersOfParams{CompanyID: company, After: after,
			Limit: int32(limit)}))
		if err != nil {
			return nil, fmt.Errorf("read consumers: %w", err)
		}
		for _, row := range rows {
			list = append(list, db.AllConsumersRow(row))
		}
	}
	return e.consumers(ctx, list)
}

func (e *Engine) consumers(ctx context.Context, rows []db.AllConsumersRow) ([]Consumer, error) {
	list := make([]Consumer, len(rows))
	cursors := make([]Cursor, len(rows))
	for i, row := range rows {
		f := row.FeedConsumer
		cursors[i] = Cursor{Epoch: f.Epoch, Feed: f.Feed, Position: f.Position, Began: f.Began}
		list[i] = Consumer{
			ID: f.ID, Company: f.CompanyID, CompanySlug: row.CompanySlug, Feed: f.Feed, Name: f.Name, Cursor: cursors[i],
			Paused: f.Paused, CreatedAt: f.CreatedAt, SeenAt: f.SeenAt,
		}
	}
	lags, err := e.Lags(ctx, cursors)
	if err != nil {
		return nil, err
	}
	for i, lag := range lags {
		if list[i].Lag = lag; list[i].Paused && lag.State == StateOK {
			list[i].State = StatePaused
		}
	}
	return list, nil
}

// Lags returns how far behind each of some cursors is, all in two statements.
func (e *Engine) Lags(ctx context.Context, cursors []Cursor) ([]Lag, error) {
	sequences, err := db.Read(e.db.Sequences(ctx))
	if err != nil {
		return nil, fmt.Errorf("read sequences: %w", err)
	}
	now := map[string]db.FeedHead{}
	for _, row := range sequences {
		now[row.Name] = db.FeedHead{Epoch: row.Epoch, Head: uint64(row.Head), Horizon: row.Horizon}
	}
	places := make([]db.FeedPosition, len(cursors))
	for i, c := range cursors {
		places[i] = db.FeedPosition{Feed: c.Feed, Position: c.Position}
		if before(c, now[c.Feed]) {
			places[i].Position = 0
		}
	}
	ages, err := db.Read(e.db.BatchAges(ctx, places))
	if err != nil {
		return nil, fmt.Errorf("read batches: %w", err)
	}
	lags := make([]Lag, len(cursors))
	for i, c := range cursors {
		lags[i] = lag(c, now[c.Feed], ages[i])
	}
	return lags, nil
}

// before reports a cursor of an earlier epoch: its reader must begin at the start.
func before(c Cursor, now db.FeedHead) bool { return errors.Is(c.check(now), CodeCursorOfOldEpoch) }

func lag(c Cursor, now db.FeedHead, microseconds int64) Lag {
	l := Lag{State: StateOK, LagRows: now.Head - min(c.Position, now.Head), LagSeconds: max(0, float64(microseconds)/1e6)}
	switch err := c.check(now); {
	case errors.Is(err, CodeCursorOfOldEpoch):
		l.State, l.LagRows = StateBefore, now.Head
	case errors.Is(err, CodeCursorAhead):
		l.State = StateAhead
	case err != nil:
		l.State = StateExpired
	}
	return l
}

// Next returns the page behind a consumer's cursor, none while it is paused, and records the read. From is the stored
// cursor, to advance from. It returns the errors of Read.
func (e *Engine) Next(ctx context.Context, consumer Consumer, limit int, scope Scope) (Page, error) {
	if err := e.MarkRead(ctx, consumer.ID); err != nil {
		return Page{}, err
	}
	if consumer.Paused {
		return Page{From: consumer.Cursor, Cursor: consumer.Cursor}, nil
	}
	page, err := e.Read(ctx, consumer.Cursor, limit, scope)
	page.From = consumer.Cursor // a consumer that has read nothing begins now, which is not stored yet
	return page, err
}

// Advance moves a consumer's cursor. It returns BackwardCursor, or ConsumerMoved if the cursor is not at from: another
// process works for it, or an earlier answer was lost.
func (e *Engine) Advance(ctx context.Context, consumer Consumer, from, to Cursor) error {
	if to.Epoch == from.Epoch && to.Position < from.Position {
		return BackwardCursor()
	}
	n, err := db.Read(e.db.AdvanceConsumer(ctx, db.AdvanceConsumerParams{
		Epoch: to.Epoch, Position: to.Position, Began: to.kept(), ID: consumer.ID,
		FromEpoch: from.Epoch, FromPosition: from.Position, FromBegan: from.kept(),
	}))
	if err != nil {
		return fmt.Errorf("advance consumer: %w", err)
	}
	if n == 0 {
		current, err := e.ConsumerByID(ctx, consumer.ID)
		if err != nil {
			return err
		}
		return ConsumerMoved{Current: current}
	}
	return nil
}

// Seek sets a consumer's cursor. It returns ConsumerNotFound.
func Seek(ctx context.Context, q *db.Queries, consumer id.Consumer, to Cursor) error {
	return found(q.SeekConsumer(ctx, db.SeekConsumerParams{Epoch: to.Epoch, Position: to.Position, Began: to.kept(),
		ID: consumer}))
}

// Pause stops pages to a consumer, or resumes them. It returns ConsumerNotFound.
func Pause(ctx context.Context, q *db.Queries, consumer id.Consumer, paused bool) error {
	return found(q.PauseConsumer(ctx, paused, consumer))
}

// Drop removes a consumer. It returns ConsumerNotFound.
func Drop(ctx context.Context, q *db.Queries, consumer id.Consumer) error {
	return found(q.DeleteConsumer(ctx, consumer))
}

func found(n int64, err error) error {
	if _, err := db.Read(n, err); err != nil {
		return fmt.Errorf("change consumer: %w", err)
	}
	if n == 0 {
		return ConsumerNotFound("")
	}
	return nil
}

// MarkRead records that a consumer reads.
func (e *Engine) MarkRead(ctx context.Context, consumer id.Consumer) error {
	_, err := db.Read(0, e.db.TouchConsumer(ctx, consumer))
	return err
}
