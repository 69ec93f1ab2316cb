package delivery

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// follow gives the indexes that are built what was published since, a part of it at once. more says that there is more.
func (s *SearchIndexes) follow(ctx context.Context) (more bool, err error) {
	epoch, head := s.head()
	switch {
	case epoch == 0:
		return false, nil // nothing is known yet
	case epoch != s.epochNow():
		return true, s.begin(ctx, epoch)
	}
	from, ok := s.hindmost()
	if !ok || from.Tickets >= head.Tickets && from.Comments >= head.Comments {
		return false, nil
	}
	var found searchChanges
	var feeds []db.SequencesRow
	err = s.db.ReadTx(ctx, func(tx *db.Tx) (err error) { // a server that is behind lacks rows
		if found, err = changesBetween(ctx, tx.Queries, from, head); err != nil {
			return err
		}
		feeds, err = db.Read(tx.Sequences(ctx))
		return err
	})
	if err != nil {
		return false, err
	}
	s.discardLost(feeds)
	for company := range found.of {
		s.of(company)
	}
	for _, c := range s.all() {
		if err := s.update(ctx, c, found); err != nil {
			return false, err
		}
	}
	s.moved.Wake()
	return found.to != head, nil
}

func (s *SearchIndexes) epochNow() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch
}

// hindmost returns the position from which the feeds must be read for all indexes that are built; ok is false if none is.
func (s *SearchIndexes) hindmost() (at search.Position, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.list {
		switch {
		case !c.at.Whole:
		case !ok:
			at, ok = c.at, true
		default:
			at.Tickets, at.Comments = min(at.Tickets, c.at.Tickets), min(at.Comments, c.at.Comments)
		}
	}
	return search.Position{Tickets: at.Tickets, Comments: at.Comments}, ok
}

// searchChanges are the tickets that changed between two positions, each with its last one.
type searchChanges struct {
	to search.Position
	of map[id.Company]map[id.Ticket]search.Position
}

func (c *searchChanges) add(company id.Company, ticket id.Ticket, at search.Position) {
	if c.of[company] == nil {
		c.of[company] = map[id.Ticket]search.Position{}
	}
	before := c.of[company][ticket]
	c.of[company][ticket] = search.Position{Tickets: max(before.Tickets, at.Tickets), Comments: max(before.Comments, at.Comments)}
}

// changesBetween reads which tickets changed behind a position, up to another or before it.
func changesBetween(ctx context.Context, q *db.Queries, from, head search.Position) (searchChanges, error) {
	found := searchChanges{to: head, of: map[id.Company]map[id.Ticket]search.Position{}}
	tickets, err := db.Read(q.SearchChangedTickets(ctx, db.SearchChangedTicketsParams{
		After: &from.Tickets, To: &head.Tickets, Limit: searchRows,
	}))
	if err != nil {
		return found, fmt.Errorf("read changed tickets to search: %w", err)
	}
	for _, row := range tickets {
		found.add(row.CompanyID, row.TicketID, search.Position{Tickets: *row.FeedSyncID})
	}
	if len(tickets) == searchRows {
		found.to.Tickets = *tickets[len(tickets)-1].FeedSyncID
	}
	comments, err := db.Read(q.SearchChangedComments(ctx, db.SearchChangedCommentsParams{
		After: &from.Comments, To: &head.Comments, Limit: searchRows,
	}))
	if err != nil {
		return found, fmt.Errorf("read changed comments to search: %w", err)
	}
	for _, row := range comments {
		found.add(row.CompanyID, row.TicketID, search.Position{Comments: *row.FeedSyncID})
	}
	if len(comments) == searchRows {
		found.to.Comments = *comments[len(comments)-1].FeedSyncID
	}
	return found, nil
}

// discardLost has those indexes built anew that cannot be followed any more.
func (s *SearchIndexes) discardLost(feeds []db.SequencesRow) {
	for _, c := range s.all() {
		if at := s.positionOf(c); at.Whole {
			if why := lost(at, feeds); why != nil {
				s.discard(c, why)
			}
		}
	}
}

// lost is why an index cannot be followed from a position; nil if it can.
func lost(at search.Position, feeds []db.SequencesRow) error {
	for _, feed := range feeds {
		position, ok := map[string]uint64{"tickets": at.Tickets, "comments": at.Comments}[feed.Name]
		switch {
		case !ok:
		case position < feed.Horizon:
			return fmt.Errorf("it is behind the deletions that the feed %s remembers", feed.Name)
		case position > feed.Value:
			return fmt.Errorf("it is ahead of the feed %s", feed.Name)
		}
	}
	return nil
}

// update gives an index the changes that it has not yet.
func (s *SearchIndexes) update(ctx context.Context, c *companyIndex, found searchChanges) error {
	at := s.positionOf(c)
	if !at.Whole {
		return nil
	}
	to := at
	to.Tickets, to.Comments = max(at.Tickets, found.to.Tickets), max(at.Comments, found.to.Comments)
	var changed []id.Ticket
	for ticket, last := range found.of[c.company] {
		if last.Tickets > at.Tickets || last.Comments > at.Comments {
			changed = append(changed, ticket)
		}
	}
	slices.Sort(changed)
	for len(changed) > 0 {
		some := changed[:min(len(changed), sourceTickets)]
		if changed = changed[len(some):]; len(changed) > 0 {
			if err := s.replace(ctx, c, some, at, at); err != nil {
				return err
			}
			continue
		}
		return s.replace(ctx, c, some, at, to)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.at == at {
		c.at = to // and is stored now and then
	}
	return nil
}

// replace gives an index at a position tickets as they are now, and is at another then.
func (s *SearchIndexes) replace(ctx context.Context, c *companyIndex, tickets []id.Ticket, from, to search.Position) error {
	change := search.Change{At: to}
	err := s.db.ReadTx(ctx, func(tx *db.Tx) (err error) {
		change.Put, err = searchTickets(ctx, tx.Queries, tickets)
		return err
	})
	if err != nil {
		return err
	}
	there := map[id.Ticket]bool{}
	for _, d := range change.Put {
		there[d.Ticket] = true
	}
	for _, ticket := range tickets {
		if !there[ticket] {
			change.Remove = append(change.Remove, ticket)
		}
	}
	if err := s.apply(c, from, change); !errors.Is(err, errReplaced) {
		return err
	}
	return nil
}

// buildAll opens and builds indexes, one after another, until ctx ends.
func (s *SearchIndexes) buildAll(ctx context.Context) {
	for wait.For(ctx, s.wanted) == nil {
		for _, c := range s.unbuilt() {
			err := s.build(ctx, c)
			if ctx.Err() != nil {
				return
			}
			if err != nil && !errors.Is(err, errReplaced) {
				s.log.Warn("a search index could not be built; it is tried again", "company", c.company, "error", err)
				_ = wait.Sleep(ctx, searchRetry)
				s.wanted.Wake()
			}
		}
	}
}

// unbuilt returns the indexes that are not whole, by company.
func (s *SearchIndexes) unbuilt() (list []*companyIndex) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, company := range slices.Sorted(maps.Keys(s.list)) {
		if c := s.list[company]; !c.at.Whole {
			list = append(list, c)
		}
	}
	return list
}

// build opens an index, and reads all boards of its company, or those that it has not yet. What changes meanwhile is
// published behind the position from which it then follows.
func (s *SearchIndexes) build(ctx context.Context, c *companyIndex) error {
	at, err := s.open(ctx, c)
	if err != nil || at.Whole {
		s.built.Wake()
		return err
	}
	boards, err := s.boards(ctx, c.company)
	if err != nil {
		return err
	}
	defer collectLess()()
	began, read := time.Now(), 0
	for _, board := range boards {
		if board < at.Board {
			continue
		}
		n, err := s.buildBoard(ctx, c, board)
		if err != nil {
			return err
		}
		read += n
	}
	at = s.positionOf(c)
	whole := search.Position{Tickets: at.Tickets, Comments: at.Comments, Whole: true}
	if err := s.apply(c, at, search.Change{At: whole}); err != nil {
		return err
	}
	s.built.Wake()
	if read > 0 {
		s.log.Info("a search index is built", "company", c.company, "tickets", read, "took", time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// How much garbage there may be while an index is built, in percent of what is in use, and as a rule: building leaves so much
// that requests wait for its collection, and more memory is used in place of that.
const (
	buildGarbage = 300
	usualGarbage = 100
)

// collectLess collects garbage less often until the returned function is called, unless GOGC says how often.
func collectLess() (restore func()) {
	before := debug.SetGCPercent(buildGarbage)
	if before == usualGarbage {
		return func() { debug.SetGCPercent(usualGarbage) }
	}
	debug.SetGCPercent(before)
	return func() {}
}

// buildBoard gives an index the tickets of a board that it has not yet, and returns how many they are.
func (s *SearchIndexes) buildBoard(ctx context.Context, c *companyIndex, board id.Board) (read int, err error) {
	for {
		began := time.Now()
		n, err := s.readBoard(ctx, c, board)
		if err != nil || n == 0 {
			return read, err
		}
		read += n
		if err := wait.Sleep(ctx, rest*time.Since(began)); err != nil {
			return read, err
		}
	}
}

// readBoard gives an index the next tickets of a board, and returns how many they are: 0 at the end.
func (s *SearchIndexes) readBoard(ctx context.Context, c *companyIndex, board id.Board) (n int, err error) {
	from := s.positionOf(c)
	change := search.Change{At: from}
	if change.At.Board != board {
		change.At.Board, change.At.Number = board, 0
	}
	err = s.db.ReadTx(ctx, func(tx *db.Tx) error {
		rows, err := db.Read(tx.SearchTicketsOnBoard(ctx, db.SearchTicketsOnBoardParams{
			BoardID: board, After: change.At.Number, Limit: buildTickets,
		}))
		if err != nil || len(rows) == 0 {
			return err
		}
		n = len(rows)
		change.At.Number = rows[n-1].LocalID
		list := make([]db.SearchTicketsRow, n)
		for i, row := range rows {
			list[i] = db.SearchTicketsRow(row)
		}
		change.Put, err = documents(ctx, tx.Queries, list)
		return err
	})
	if err != nil || n == 0 {
		return 0, err
	}
	return n, s.apply(c, from, change)
}

// boards returns the boards of a company, ascending.
func (s *SearchIndexes) boards(ctx context.Context, company id.Company) (all []id.Board, err error) {
	for after := ""; ; {
		list, err := db.Read(s.db.SearchBoards(ctx, db.SearchBoardsParams{CompanyID: company, After: after, Limit: searchRows}))
		if err != nil {
			return nil, err
		}
		for _, row := range list {
			all = append(all, row.ID)
		}
		if len(list) < searchRows {
			slices.Sort(all)
			return all, nil
		}
		after = list[len(list)-1].Slug
	}
}

// open opens an index, and returns its position. One that is damaged, or cannot be followed from where it is, is made
// anew.
func (s *SearchIndexes) open(ctx context.Context, c *companyIndex) (at search.Position, err error) {
	_, head := s.head()
	feeds, err := db.Read(s.db.Sequences(ctx))
	if err != nil {
		return at, err
	}
	c.use.Lock()
	defer c.use.Unlock()
	if c.gone {
		return at, errReplaced
	}
	if at, err = c.read(feeds); err != nil {
		if err := s.remove(c, err); err != nil {
			return at, err
		}
		if at, err = c.read(feeds); err != nil {
			return at, err
		}
	}
	if at == (search.Position{}) {
		at = head
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.at, c.stored = at, at
	return at, nil
}

// read opens the index, if it is not open, and returns its position, from which it can be followed.
func (c *companyIndex) read(feeds []db.SequencesRow) (at search.Position, err error) {
	if c.index == nil {
		if c.index, err = search.Open(c.path); err != nil {
			return at, err
		}
	}
	if at, err = c.index.Position(); err != nil || at == (search.Position{}) {
		return at, err
	}
	return at, lost(at, feeds)
}
