package seed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

const day = 24 * time.Hour

// plan is the future content of a company. Tickets are in the order of their opening.
type plan struct {
	*rand.Rand
	size    Size
	begin   time.Time
	people  []Person
	members []Member
	boards  []*board
	labels  []id.Label
	tickets []*ticket
}

// board has tickets from its opening until closes, which is zero unless it is archived then.
type board struct {
	boards.Board
	draft          boards.Draft
	opens, closes  time.Time
	weight         float64
	team           []int // of plan.members
	review         bool  // it has a fourth column
	numbers, purge uint64
}

// ticket is the final state of a ticket. The column is one of its board's; a deleted ticket has left it.
type ticket struct {
	board                   *board
	number                  uint64
	alias                   *alias
	column                  int
	rank                    int64
	by                      int
	assignees               []int
	opened, moved           time.Time
	entered, closed, erased *time.Time
	title, was              string // was is the first title of an edited ticket
	edited                  time.Time
	history                 []entry
	comments                int

	// after is how many numbers its board, and that of its alias, had handed out, and how many of them were purged.
	after, afterAlias counts
}

type counts struct{ numbers, purged uint64 }

// alias is the key that a ticket had on another board.
type alias struct {
	board  *board
	number uint64
	moved  time.Time
}

type entry struct {
	kind   string
	at     time.Time
	by     int
	detail tickets.Detail
}

func newPlan(size Size) *plan {
	p := &plan{Rand: rand.New(rand.NewPCG(1, 2)), size: size}
	p.begin = size.Until.AddDate(-size.Years, 0, 0)
	for i := range size.People {
		joined := p.begin
		if i > size.People/4 {
			joined = p.between(p.begin, p.begin.Add(p.span()*3/5))
		}
		name := firstNames[i%len(firstNames)] + " " + lastNames[(i*7+i/len(firstNames))%len(lastNames)]
		p.people = append(p.people, Person{Name: name, Role: role(i, size.People), Joined: joined})
	}
	return p
}

func (p *plan) span() time.Duration { return p.size.Until.Sub(p.begin) }

// role makes the first an owner, the next few admins, and a tenth viewers.
func role(i, of int) string {
	switch {
	case i == 0:
		return accounts.Owner
	case i <= of/12:
		return accounts.Admin
	case i >= of-of/10:
		return accounts.Viewer
	}
	return accounts.Member
}

func (p *plan) between(from, to time.Time) time.Time {
	if !to.After(from) {
		return from
	}
	return from.Add(time.Duration(p.Int64N(int64(to.Sub(from))))).Truncate(time.Microsecond)
}

// draftBoards gives a third of the boards from the start, and archives every twelfth.
func (p *plan) draftBoards() {
	for i := range p.size.Boards {
		area, region := areas[i%len(areas)], regions[i/len(areas)%len(regions)]
		b := &board{draft: boards.Draft{Slug: area.slug + region.slug, Title: area.title + region.title}, opens: p.begin,
			weight: 1 / math.Sqrt(float64(i+1)), review: i%2 == 1}
		if round := i / len(areas) / len(regions); round > 0 {
			b.draft.Slug += fmt.Sprint(round)
			b.draft.Title += fmt.Sprint(" ", round)
		}
		if i > p.size.Boards/3 {
			b.opens = p.between(p.begin, p.begin.Add(p.span()*4/5))
		}
		if i%12 == 11 {
			b.closes = p.between(b.opens.Add(p.size.Until.Sub(b.opens)/2), p.size.Until)
		}
		p.boards = append(p.boards, b)
	}
}

// draftTickets plans every ticket; it needs the members and the boards with their columns.
func (p *plan) draftTickets() {
	writers := slices.IndexFunc(p.members, func(m Member) bool { return m.Role == accounts.Viewer })
	if writers < 0 {
		writers = len(p.members)
	}
	for _, b := range p.boards {
		b.team = p.Perm(writers)[:min(writers, 8)]
	}
	times := make([]time.Time, p.size.Tickets)
	for i := range times {
		times[i] = p.openingTime()
	}
	slices.SortFunc(times, time.Time.Compare)
	for _, t := range times {
		p.tickets = append(p.tickets, p.draftTicket(t))
	}
	p.rank()
	p.spreadComments()
}

// openingTime is in working hours mostly, and later ones are more likely: the company grew fourfold.
func (p *plan) openingTime() time.Time {
	share := (math.Sqrt(0.16+2.4*p.Float64()) - 0.4) / 1.2
	t := p.begin.Add(time.Duration(share * float64(p.span())))
	if weekday := t.Weekday(); (weekday == time.Saturday || weekday == time.Sunday) && p.IntN(10) > 0 {
		t = t.Add(-2 * day)
	}
	if hour := t.Hour(); (hour < 7 || hour > 18) && p.IntN(8) > 0 {
		t = t.Truncate(day).Add(8*time.Hour + time.Duration(p.Int64N(int64(10*time.Hour))))
	}
	latest := p.size.Until.Add(-time.Minute)
	if t.After(latest) {
		t = latest
	}
	if t.Before(p.begin) {
		t = p.begin
	}
	return t.Truncate(time.Microsecond)
}

func (p *plan) draftTicket(opened time.Time) *ticket {
	b := p.boardAt(opened)
	t := &ticket{board: b, opened: opened, moved: opened, by: p.memberAt(b, opened), title: heading(p.Rand)}
	if p.IntN(100) == 0 && opened.Before(p.size.Until.Add(-2*tickets.KeepDeleted)) { // the one before it was deleted, and purged since
		b.numbers++
		b.purge++
	}
	b.numbers++
	t.number = b.numbers
	t.record(tickets.KindOpened, opened, t.by, tickets.Detail{})
	p.carry(t)
	p.assign(t)
	p.live(t)
	p.edit(t)
	t.after = counts{b.numbers, b.purge}
	slices.SortStableFunc(t.history, func(a, b entry) int { return a.at.Compare(b.at) })
	return t
}

func (p *plan) boardAt(t time.Time) *board {
	live := func(b *board) bool { return !t.Before(b.opens) && (b.closes.IsZero() || t.Before(b.closes)) }
	var all float64
	for _, b := range p.boards {
		if live(b) {
			all += b.weight
		}
	}
	left := p.Float64() * all
	for _, b := range p.boards {
		if !live(b) {
			continue
		}
		if left -= b.weight; left <= 0 {
			return b
		}
	}
	return p.boards[0]
}

// memberAt is one of the board's team, or another writing member, who had joined by then.
func (p *plan) memberAt(b *board, t time.Time) int {
	if p.IntN(7) > 0 {
		if m := pick(p.Rand, b.team); !p.members[m].Joined.After(t) {
			return m
		}
	}
	for range 10 {
		if m := p.IntN(len(p.members)); p.members[m].Role != accounts.Viewer && !p.members[m].Joined.After(t) {
			return m
		}
	}
	return 0
}

func (t *ticket) record(kind string, at time.Time, by int, detail tickets.Detail) {
	t.history = append(t.history, entry{kind, at, by, detail})
}

// end is the end of the ticket's board, or of the company's time.
func (p *plan) end(t *ticket) time.Time {
	if !t.board.closes.IsZero() {
		return t.board.closes
	}
	return p.size.Until
}

// carry gives one in 250 a key of another board, from which it was moved.
func (p *plan) carry(t *ticket) {
	from := p.boardAt(t.opened)
	if from == t.board || p.IntN(250) > 0 {
		return
	}
	from.numbers++
	t.alias = &alias{board: from, number: from.numbers,
		moved: p.between(t.opened, earlier(p.end(t), t.opened.Add(time.Hour)))}
	t.afterAlias = counts{from.numbers, from.purge}
	t.entered, t.moved = &t.alias.moved, t.alias.moved
	t.record(tickets.KindMoved, t.alias.moved, t.by, tickets.Detail{
		Column: &tickets.Change{Old: from.Columns[0].Name, New: t.board.Columns[0].Name},
		Board:  &tickets.Change{Old: from.Title, New: t.board.Title},
		Key:    &tickets.Change{Old: fmt.Sprint(from.Slug, "-", from.numbers), New: fmt.Sprint(t.board.Slug, "-", t.number)},
	})
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func (p *plan) assign(t *ticket) {
	names := ""
	for range []int{0, 1, 1, 1, 1, 1, 1, 2, 2, 3}[p.IntN(10)] {
		m := p.memberAt(t.board, t.opened)
		if slices.Contains(t.assignees, m) {
			continue
		}
		t.assignees = append(t.assignees, m)
		if names != "" {
			names += ", "
		}
		names += p.members[m].Name
	}
	if names != "" {
		t.record(tickets.KindAssigned, p.between(t.opened, earlier(p.end(t), t.opened.Add(day))), t.by,
			tickets.Detail{Assignees: &tickets.Change{New: names}})
	}
}

// live moves the ticket from column to column for its lifetime: six days in the median, months for some, and for ever
// for one in thirty.
func (p *plan) live(t *ticket) {
	lasts := time.Duration(math.Exp(math.Log(6)+1.4*p.NormFloat64()) * float64(day))
	if p.IntN(30) == 0 {
		lasts = 100 * 365 * day
	}
	end := p.end(t)
	closes := t.opened.Add(min(max(lasts, 10*time.Minute), 100*365*day))
	if !t.board.closes.IsZero() { // archiving a board closes its open tickets
		closes = earlier(closes, end)
	}
	last := len(t.board.Columns) - 1
	for column := 1; column < last; column++ {
		share := 0.9 * float64(column) / float64(last)
		p.moveTo(t, column, t.opened.Add(time.Duration(share*float64(closes.Sub(t.opened)))), end)
	}
	if !closes.After(end) && (closes.Before(p.size.Until) || !t.board.closes.IsZero()) {
		p.close(t, last, closes.Truncate(time.Microsecond))
	}
	p.erase(t)
}

func (p *plan) moveTo(t *ticket, column int, at, end time.Time) {
	if !at.Before(end) || at.Before(t.moved) || p.IntN(6) == 0 {
		return
	}
	at = at.Truncate(time.Microsecond)
	t.record(tickets.KindMoved, at, p.worker(t),
		tickets.Detail{Column: &tickets.Change{Old: t.board.Columns[t.column].Name, New: t.board.Columns[column].Name}})
	t.column, t.moved, t.entered = column, at, &at
}

// close moves the ticket to the done column; one in thirty is closed in its column.
func (p *plan) close(t *ticket, done int, at time.Time) {
	if at.Before(t.moved) {
		at = t.moved
	}
	t.closed, t.entered = &at, &at
	if p.IntN(30) == 0 {
		t.record(tickets.KindClosed, at, p.worker(t), tickets.Detail{})
		return
	}
	t.record(tickets.KindMoved, at, p.worker(t),
		tickets.Detail{Column: &tickets.Change{Old: t.board.Columns[t.column].Name, New: t.board.Columns[done].Name}})
	t.column, t.moved = done, at
}

func (p *plan) worker(t *ticket) int {
	if len(t.assignees) == 0 {
		return t.by
	}
	return pick(p.Rand, t.assignees)
}

// erase deletes some tickets so lately that they can be restored.
func (p *plan) erase(t *ticket) {
	kept := p.size.Until.Add(-tickets.KeepDeleted + day)
	recent := t.opened.After(kept)
	if !t.board.closes.IsZero() || recent && p.IntN(50) > 0 || !recent && p.IntN(500) > 0 {
		return
	}
	from := kept
	for _, e := range t.history {
		if e.at.After(from) {
			from = e.at
		}
	}
	at := p.between(from, p.size.Until)
	t.erased = &at
	where := tickets.Location{Board: t.board.ID, Column: t.board.Columns[t.column].ID, ClosedAt: t.closed}
	t.record(tickets.KindDeleted, at, p.worker(t), tickets.Detail{From: &where})
}

func (p *plan) edit(t *ticket) {
	if p.IntN(7) > 0 {
		return
	}
	end := p.end(t)
	if t.erased != nil {
		end = *t.erased
	}
	better := heading(p.Rand)
	if better == t.title {
		return
	}
	t.was, t.title = t.title, better
	t.edited = p.between(t.opened, earlier(end, t.opened.Add(5*day)))
	t.record(tickets.KindEdited, t.edited, t.by, tickets.Detail{Title: &tickets.Change{Old: t.was, New: t.title},
		Version: 2})
}

// rank orders the tickets of each column by when they entered it.
func (p *plan) rank() {
	columns := map[id.Column][]*ticket{}
	for _, t := range p.tickets {
		if t.erased == nil {
			column := t.board.Columns[t.column].ID
			columns[column] = append(columns[column], t)
		}
	}
	for _, list := range columns {
		slices.SortStableFunc(list, func(a, b *ticket) int { return a.moved.Compare(b.moved) })
		for i, t := range list {
			t.rank = int64(i+1) * tickets.Gap
		}
	}
}

// spreadComments gives many tickets a few and a few tickets many, as many in all as were asked for.
func (p *plan) spreadComments() {
	weights := make([]float64, len(p.tickets))
	var all, upto float64
	for i := range weights {
		weights[i] = math.Pow(p.ExpFloat64(), 1.5)
		all += weights[i]
	}
	given := 0
	for i, t := range p.tickets {
		upto += weights[i]
		next := int(math.Round(float64(p.size.Comments) * upto / all))
		t.comments, given = next-given, next
	}
}
