package tickets

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Bounds of what is read of several boards.
const (
	MaxBoards     = db.LongestIn // of a company, by slug
	firstBoards   = 16           // are read at once, or more if there are few entries of each; twice as many the next time
	mostBoards    = 128
	firstEntries  = 16  // of each, or more if there are few boards; twice as many the next time
	firstMatching = 100 // entries are looked at for the filter, twice as many the next time
	mostMatching  = 800
)

// BoardsInSight are the tickets of the boards that a reader sees: of the first MaxBoards that are not archived, or of those
// alone that the filter names.
type BoardsInSight struct{ By db.Sight }

func (b BoardsInSight) inRange(
	ctx context.Context, q *db.Queries, r db.OrderRange, filter Filter, limit int,
) (places []db.TicketPlace, end *db.TicketPlace, err error) {
	boards, err := b.boards(ctx, q, filter.Narrow.Boards)
	if err != nil {
		return nil, nil, err
	}
	some, few, err := filter.Narrow.tickets(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if few {
		places, err = db.Read(q.PlacesAmong(ctx, r, boards, some, filter.Where))
		return places[:min(len(places), limit)], nil, err
	}
	first, err := db.Read(q.FirstInOrder(ctx, r, boards))
	if err != nil {
		return nil, nil, err
	}
	wanted := limit
	if !filter.All() {
		wanted = Reach
	}
	m := newMerge(q, r, first, wanted)
	for left, some := Reach, max(limit, firstMatching); left > 0; some = min(2*some, mostMatching) {
		if filter.All() {
			some = limit - len(places)
		}
		entries, err := m.take(ctx, min(some, left))
		if err != nil || len(entries) == 0 {
			return places, nil, err
		}
		matching, err := b.matching(ctx, q, entries, filter)
		if err != nil {
			return nil, nil, err
		}
		if places = append(places, matching...); len(places) >= limit {
			return places[:limit], nil, nil
		}
		left -= len(entries)
		end = &entries[len(entries)-1]
	}
	return places, end, nil
}

// matching returns those of some places whose tickets are in sight, match and are not deleted.
func (b BoardsInSight) matching(
	ctx context.Context, q *db.Queries, all []db.TicketPlace, filter Filter,
) (places []db.TicketPlace, err error) {
	found, err := db.Read(q.FoundTickets(ctx, b.By, idsAt(all), filter.Where))
	matching := make(map[ID]bool, len(found))
	for _, t := range found {
		matching[t.ID] = true
	}
	for _, place := range all {
		if matching[place.ID] {
			places = append(places, place)
		}
	}
	return places, err
}

// tickets are those that the filter may let through; ok is false if they are more than Reach, or not known.
func (n Narrow) tickets(ctx context.Context, q *db.Queries) (list []id.Ticket, ok bool, err error) {
	if n.Assignee != 0 {
		list, err = db.Read(q.TicketsAssignedTo(ctx, n.Assignee, Reach+1))
		if err != nil || len(list) <= Reach {
			return list, true, err
		}
	}
	if len(n.Labels) > 0 {
		list, err = db.Read(q.TicketsWithLabels(ctx, n.Labels, Reach+1))
		return list, len(list) <= Reach, err
	}
	return nil, false, nil
}

// boards are those that tickets are listed of: all, or some.
func (b BoardsInSight) boards(ctx context.Context, q *db.Queries, some []id.Board) ([]id.Board, error) {
	if len(some) > 0 {
		return db.Read(q.BoardsInSight(ctx, db.BoardsInSightParams{Reader: b.By.Reader, Ids: some, CompanyID: b.By.Company,
			Reach: b.By.Reach}))
	}
	rows, err := db.Read(q.BoardsToSearch(ctx, db.BoardsToSearchParams{Reader: b.By.Reader, CompanyID: b.By.Company, Reach: b.By.Reach,
		Limit: MaxBoards}))
	list := make([]id.Board, len(rows))
	for i, row := range rows {
		list[i] = row.ID
	}
	return list, err
}

func (b BoardsInSight) byID(ctx context.Context, q *db.Queries, ids []ID) (list []Ticket, err error) {
	found, err := ByIDs(ctx, q, b.By, ids)
	for _, one := range ids {
		if t, ok := found[one]; ok && !t.Deleted() {
			list = append(list, t)
		}
	}
	return list, err
}

// merge are the entries of a range on several boards as one list. As much of a board is read as is needed.
type merge struct {
	q      *db.Queries
	r      db.OrderRange
	unread []db.BoardEntry // boards of which nothing was read, in the order of their first entries
	read   []*boardEntries
	known  []db.TicketPlace // that come next, for certain
	past   *db.TicketPlace  // all entries up to there were known

	boards, entries int // that are read next
}

// boardEntries are those of a board that were read, and are not known to come next.
type boardEntries struct {
	board id.Board
	list  []db.TicketPlace
	last  db.TicketPlace // that was read
	whole bool           // there are no more
}

// newMerge returns the entries of a range on some boards, of which so many will probably be taken.
func newMerge(q *db.Queries, r db.OrderRange, boards []db.BoardEntry, wanted int) *merge {
	slices.SortFunc(boards, func(a, b db.BoardEntry) int { return r.Order.Compare(a.TicketPlace, b.TicketPlace) })
	entries := max(firstEntries, min(wanted, 2*wanted/max(len(boards), 1)))
	return &merge{q: q, r: r, unread: boards, boards: max(firstBoards, min(wanted/entries, mostBoards)), entries: entries}
}

// take returns the next n entries; fewer at the end.
func (m *merge) take(ctx context.Context, n int) (list []db.TicketPlace, err error) {
	for m.settle(); len(m.known) < n && !m.ended(); m.settle() {
		if err := m.readOn(ctx); err != nil {
			return nil, err
		}
	}
	n = min(n, len(m.known))
	list, m.known = m.known[:n], m.known[n:]
	return list, nil
}

func (m *merge) ended() bool {
	return len(m.unread) == 0 && !slices.ContainsFunc(m.read, func(b *boardEntries) bool { return !b.whole })
}

// settle makes those entries known before which no others can come.
func (m *merge) settle() {
	var bound *db.TicketPlace
	until := func(place db.TicketPlace) {
		if bound == nil || m.r.Order.Compare(place, *bound) < 0 {
			bound = &place
		}
	}
	if len(m.unread) > 0 {
		until(m.unread[0].TicketPlace)
	}
	for _, b := range m.read {
		if !b.whole {
			until(b.last)
		}
	}
	from := len(m.known)
	for _, b := range m.read {
		n := len(b.list)
		if bound != nil {
			n = m.upTo(b.list, *bound)
		}
		m.known, b.list = append(m.known, b.list[:n]...), b.list[n:]
	}
	slices.SortFunc(m.known[from:], m.r.Order.Compare)
	if bound != nil {
		m.past = bound
	}
}

// upTo is how many of some entries come before a place, or are there.
func (m *merge) upTo(list []db.TicketPlace, place db.TicketPlace) int {
	n, there := slices.BinarySearchFunc(list, place, m.r.Order.Compare)
	if there {
		n++
	}
	return n
}

// readOn reads more of the boards that need it, and the next boards of which nothing was read.
func (m *merge) readOn(ctx context.Context) error {
	of := map[id.Board]*boardEntries{}
	for _, b := range m.read {
		if !b.whole && len(b.list) < m.entries/2 {
			of[b.board] = b
		}
	}
	some := m.unread[:min(len(m.unread), m.boards)]
	m.unread = m.unread[len(some):]
	for _, first := range some {
		b := &boardEntries{board: first.Board}
		of[b.board], m.read = b, append(m.read, b)
	}
	boards := make([]id.Board, 0, len(of))
	for board := range of {
		boards = append(boards, board)
	}
	slices.Sort(boards)
	entries, err := db.Read(m.q.EntriesInOrder(ctx, m.r, boards, m.entries))
	if err != nil {
		return fmt.Errorf("read tickets of %d boards: %w", len(boards), err)
	}
	count := map[id.Board]int{}
	for _, b := range of {
		b.list = nil
	}
	for _, e := range entries {
		b := of[e.Board]
		count[e.Board]++
		b.last = e.TicketPlace
		if m.past == nil || m.r.Order.Compare(e.TicketPlace, *m.past) > 0 {
			b.list = append(b.list, e.TicketPlace)
		}
	}
	for board, b := range of {
		b.whole = count[board] < m.entries
	}
	m.boards, m.entries = min(2*m.boards, mostBoards), min(2*m.entries, 2*Reach)
	return nil
}
