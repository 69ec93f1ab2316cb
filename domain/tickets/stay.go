package tickets

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Stay is the time of a ticket in a column; Until is nil for the present one. The stays of a ticket follow one another
// without a gap, but for the time in which it was deleted.
type Stay struct {
	Board    id.Board
	Column   id.Column
	Since    time.Time
	Until    *time.Time
	By       id.Account // who put it there
	Inferred bool       // found in a history that does not say all
}

// enter begins the stays of locked tickets where they are now; the stays before have ended.
func enter(ctx context.Context, tx *db.Tx, ids []ID, by User) error {
	if _, err := tx.BeginStays(ctx, db.BeginStaysParams{Now: tx.Now, AccountID: by.ID, Tickets: ids}); err != nil {
		return fmt.Errorf("begin stays: %w", err)
	}
	return nil
}

// ChangeStays ends the stays of locked tickets that left their columns, and begins those of tickets that are in another one, or
// are restored, by a user.
func ChangeStays(ctx context.Context, tx *db.Tx, left, entered []ID, by User) error {
	if len(left) > 0 {
		if _, err := tx.EndStays(ctx, tx.Now, left); err != nil {
			return fmt.Errorf("end stays: %w", err)
		}
	}
	if len(entered) == 0 {
		return nil
	}
	return enter(ctx, tx, entered, by)
}

// leave ends the present stay of a locked ticket.
func leave(ctx context.Context, tx *db.Tx, ticket ID) error {
	if _, err := tx.EndStay(ctx, tx.Now, ticket); err != nil {
		return fmt.Errorf("end stay: %w", err)
	}
	return nil
}

// Stays returns a ticket's stays, the oldest first. A ticket from before there were stays has none until FillStays.
func Stays(ctx context.Context, q *db.Queries, ticket ID) ([]Stay, error) {
	rows, err := db.Read(q.StaysOf(ctx, ticket))
	if err != nil {
		return nil, fmt.Errorf("read stays: %w", err)
	}
	list := make([]Stay, len(rows))
	for i, row := range rows {
		list[i] = Stay{Board: row.BoardID, Column: row.ColumnID, Since: row.SinceAt, Until: row.UntilAt, By: row.AccountID,
			Inferred: row.Inferred}
	}
	return list, nil
}

// FillStays adds the stays of a board's tickets with numbers in (after, to] that are older than the first ones known, as
// their histories tell them, and finds all anew of those that a server of a version without stays has moved since. It
// returns how many tickets got some.
func FillStays(ctx context.Context, tx *db.Tx, board id.Board, after, to uint64) (filled int, err error) {
	if err := forgetMisplaced(ctx, tx, db.MisplacedParams{BoardID: board, After: after, To: to}); err != nil {
		return 0, err
	}
	rows, err := tx.Unfilled(ctx, db.UnfilledParams{BoardID: board, After: after, To: to})
	if err != nil {
		return 0, fmt.Errorf("read tickets: %w", err)
	}
	if len(rows) == 0 {
		return 0, nil
	}
	lives := make([]life, len(rows))
	for i, row := range rows {
		lives[i] = life{UnfilledRow: row}
	}
	if err := readLives(ctx, tx, lives); err != nil {
		return 0, err
	}
	var stays []db.TicketStay
	for _, l := range lives {
		for _, s := range l.stays() {
			stays = append(stays, db.TicketStay{TicketID: l.ID, SinceAt: s.Since, UntilAt: s.Until, BoardID: s.Board,
				ColumnID: s.Column, AccountID: s.By, Inferred: s.Inferred})
		}
	}
	if err := tx.AddStays(ctx, stays); err != nil {
		return 0, fmt.Errorf("add stays: %w", err)
	}
	return len(rows), nil
}

// forgetMisplaced locks the tickets of a range whose stays are to be filled in, and removes those of tickets whose present
// one is not where they are.
func forgetMisplaced(ctx context.Context, tx *db.Tx, among db.MisplacedParams) error {
	seen, err := tx.Misplaced(ctx, among)
	if err != nil {
		return fmt.Errorf("read tickets: %w", err)
	}
	if len(seen) > 0 {
		if _, err := tx.UnmarkStays(ctx, seen); err != nil {
			return fmt.Errorf("lock tickets: %w", err)
		}
	}
	if _, err := tx.MarkStaysKnown(ctx, db.MarkStaysKnownParams(among)); err != nil {
		return fmt.Errorf("lock tickets: %w", err)
	}
	now, err := tx.Misplaced(ctx, among)
	if err != nil {
		return fmt.Errorf("read tickets: %w", err)
	}
	locked := slices.DeleteFunc(now, func(ticket ID) bool { return !slices.Contains(seen, ticket) })
	if len(locked) == 0 {
		return nil
	}
	if err := tx.PurgeStays(ctx, locked); err != nil {
		return fmt.Errorf("remove stays: %w", err)
	}
	return nil
}

// life is a ticket with what its history says about its columns, in its order, and with the names of columns.
type life struct {
	db.UnfilledRow
	events []event
	named  map[id.Board]map[string]id.Column
}

// event is an entry of a history. A location is nil if the entry does not have it.
type event struct {
	kind     string
	at       time.Time
	by       id.Account
	from, to *Location
	column   Change // names of the columns that the ticket left and went to
}

func readLives(ctx context.Context, tx *db.Tx, lives []life) error {
	ids := make([]ID, len(lives))
	of := make(map[ID]*life, len(lives))
	boards := make(map[id.Board]bool)
	for i := range lives {
		ids[i], of[lives[i].ID] = lives[i].ID, &lives[i]
		boards[lives[i].BoardID] = true
	}
	rows, err := tx.Whereabouts(ctx, ids)
	if err != nil {
		return fmt.Errorf("read activity: %w", err)
	}
	for _, row := range rows {
		var detail Detail
		if err := json.Unmarshal([]byte(row.Detail), &detail); err != nil {
			return fmt.Errorf("read detail: %w", err)
		}
		one := event{kind: row.Kind, at: row.CreatedAt, by: row.AccountID, from: detail.From, to: detail.To}
		if detail.Column != nil {
			one.column = *detail.Column
		}
		for _, there := range []*Location{one.from, one.to} {
			if there != nil {
				boards[there.Board] = true
			}
		}
		of[row.TicketID].events = append(of[row.TicketID].events, one)
	}
	list := make([]id.Board, 0, len(boards))
	for board := range boards {
		list = append(list, board)
	}
	slices.Sort(list)
	columns, err := tx.ColumnsNamed(ctx, list)
	if err != nil {
		return fmt.Errorf("read columns: %w", err)
	}
	named := map[id.Board]map[string]id.Column{}
	for _, c := range columns {
		if named[c.BoardID] == nil {
			named[c.BoardID] = map[string]id.Column{}
		}
		named[c.BoardID][c.Name] = c.ID
	}
	for i := range lives {
		lives[i].named = named
	}
	return nil
}

// stays are the stays before the first one known. The first column is that which the first entry left, or else the
// present one; where an entry has a name alone, the column with that name now, or else the one of the next entry.
func (l *life) stays() (list []Stay) {
	here := l.first()
	at := l.CreatedAt
	for i, e := range l.events {
		if !e.at.Before(l.First) {
			break
		}
		there, known := l.after(i, here)
		if here != nil && there != nil && there.Board == here.Board && there.Column == here.Column {
			continue
		}
		if e.at.After(at) { // the clocks of servers differ
			at = e.at
		}
		list = appendStay(list, here, at)
		here = there
		if here != nil {
			here.Since, here.By, here.Inferred = at, e.by, !known
		}
	}
	switch {
	case here == nil:
		return list
	case l.First.Year() < 9999: // the first known stay follows
		list = appendStay(list, here, l.First)
	case l.ColumnID != nil:
		if here.Column != *l.ColumnID || here.Board != l.BoardID {
			here.Board, here.Column, here.Inferred = l.BoardID, *l.ColumnID, true
		}
		return append(list, *here)
	default:
		list = appendStay(list, here, *l.DeletedAt)
	}
	return list
}

// first is the stay that a ticket was opened with.
func (l *life) first() *Stay {
	stay := &Stay{Board: l.BoardID, Since: l.CreatedAt, By: l.CreatedBy, Inferred: true}
	for _, e := range l.events {
		if e.from != nil && e.from.Column != 0 {
			stay.Board, stay.Column, stay.Inferred = e.from.Board, e.from.Column, false
			return stay
		}
		if column, ok := l.named[l.BoardID][e.column.Old]; ok {
			stay.Column = column
			return stay
		}
		if e.kind == KindMoved || e.kind == KindDeleted { // it went away without a word from where
			break
		}
	}
	if l.ColumnID != nil {
		stay.Column = *l.ColumnID
		stay.Inferred = len(l.events) > 0
	}
	return stay
}

// after is where a ticket was after an event, nil if it was deleted; known reports whether the event says so.
func (l *life) after(i int, here *Stay) (there *Stay, known bool) {
	e := l.events[i]
	switch {
	case e.kind == KindDeleted:
		return nil, true
	case e.to != nil && e.to.Column != 0:
		return &Stay{Board: e.to.Board, Column: e.to.Column}, true
	case e.column.New == "":
		return here, true
	}
	board := l.BoardID
	if here != nil {
		board = here.Board
	}
	if column, ok := l.named[board][e.column.New]; ok {
		return &Stay{Board: board, Column: column}, false
	}
	for _, next := range l.events[i+1:] {
		if next.from != nil && next.from.Column != 0 {
			return &Stay{Board: next.from.Board, Column: next.from.Column}, false
		}
	}
	if l.ColumnID != nil {
		return &Stay{Board: l.BoardID, Column: *l.ColumnID}, false
	}
	return here, true
}

// appendStay adds a stay that ended, unless it ended as it began.
func appendStay(list []Stay, stay *Stay, until time.Time) []Stay {
	if stay == nil || !stay.Since.Before(until) {
		return list
	}
	ended := *stay
	ended.Until = &until
	return append(list, ended)
}
