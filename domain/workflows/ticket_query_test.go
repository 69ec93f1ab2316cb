package workflows_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// queried is a board with tickets that have all that a query can ask for, and what the database and the model know.
type queried struct {
	e     *env
	board boards.Board
	names query.Names
	all   []query.Ticket
}

// titles that a query finds in many ways.
var queriedTitles = []string{"Paint the door", "paint the DOOR", "Café for the dojo", "100% cotton", "100 cotton", "snake_case",
	"snakeXcase", `back\slash`, "Order 3 masks", "or else", "blocked pipe"}

var queriedTerms = []string{"paint", "DOOR", "cafe", `"the do"`, "100%", "_", `"\\"`, "3", "#3", "QQ-3", `"or"`, `"blocked"`, "zzz",
	"assignee:me", "assignee:none", "assignee:any", "assignee:ann", "author:me", "author:ann", "label:bug", "label:Idea", "label:none",
	"label:any", "label:gone", "board:QQ", "board:SS", "column:doing", `column:"To do"`, "parent:QQ-1", "parent:none", "parent:any", "status:open",
	"status:done", "blocked", "overdue", "is:request", "priority:none", "priority:>low", "priority:<=medium", "priority:low..high",
	"has:attachment", "has:checklist", "has:comment", "has:description", "has:due", "has:start", "due:today", "due:<today", "due:>=2d",
	"due:-3d..3d", "due:1w", "due:none", "start:<1w", "created:<3d", "created:>=3d", "updated:today", "updated:2d..4d", "closed:<=2d",
	"closed:any", "closed:none"}

func newQueried(t *testing.T) *queried {
	t.Helper()
	e := newEnv(t)
	q := &queried{e: e, board: e.Board(t, "QQ")}
	zone := domaintest.OK(time.LoadLocation("Pacific/Auckland"))(t)
	e.Exec(t, "UPDATE account SET time_zone = ? WHERE id = ?", zone.String(), uint64(e.Actor.Account.ID))
	actor := domaintest.OK(e.Workflows.Enter(e.Ctx, e.Actor.Company.Slug, e.Actor.Account.ID, e.Actor.Account.Epoch))(t)
	e.Ctx = accounts.WithActor(e.Ctx, actor)
	ann := accounts.ActorFrom(e.As(t, "Ann", accounts.Member)).Account.ID
	hidden := e.Board(t, "HH")
	e.Exec(t, "UPDATE board SET privacy = 1 WHERE id = ?", uint64(hidden.ID))
	e.Exec(t, "DELETE FROM board_access WHERE board_id = ?", uint64(hidden.ID))
	other := e.Board(t, "SS")
	e.Fill(t, hidden, hidden.Columns[0].ID, 1)
	e.Fill(t, other, other.Columns[0].ID, 1)
	for _, column := range q.board.Columns {
		e.Fill(t, q.board, column.ID, 20)
	}
	now := time.Now().In(zone)
	label := map[string]id.Label{}
	for _, name := range []string{"bug", "Idea", "gone"} {
		e.Exec(t, "INSERT INTO label (company_id, name, color, created_at) VALUES (?, ?, 0, NOW(6))", uint64(e.Actor.Company.ID), name)
		label[name] = id.Label(e.Count(t, "SELECT MAX(id) FROM label"))
	}
	q.names = query.Names{Me: e.Actor.Account.ID, Now: now, Slug: "QQ", Handles: map[string]id.Account{"ann": ann},
		Labels: map[string][]id.Label{"bug": {label["bug"]}, "Idea": {label["Idea"]}, "gone": {label["gone"]}},
		Boards: map[string]id.Board{"QQ": q.board.ID, "SS": other.ID}, Keys: map[string]id.Ticket{"QQ-1": e.Ticket(t, "QQ-1").ID},
		Columns: map[string][]id.Column{"To do": {q.board.Columns[0].ID}, "doing": {q.board.Columns[1].ID}}}
	relatives := map[string]uint64{}
	for _, slug := range []string{"HH", "SS"} {
		relatives[slug] = uint64(e.Count(t, "SELECT t.id FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = ?", slug))
	}
	rows := domaintest.OK(e.DB.SQL.Query("SELECT id, local_id, column_id FROM ticket WHERE board_id = ? ORDER BY local_id", uint64(q.board.ID)))(t)
	var ids []uint64
	for rows.Next() {
		var one uint64
		ticket := query.Ticket{Board: q.board.ID}
		domaintest.Must(t, rows.Scan(&one, &ticket.Number, (*uint64)(&ticket.Column)))
		ids, q.all = append(ids, one), append(q.all, ticket)
	}
	domaintest.Must(t, rows.Close())
	for i := range q.all {
		q.vary(t, ids[i], &q.all[i], i, now, [2]id.Account{e.Actor.Account.ID, ann}, label, relatives, ids[0])
	}
	return q
}

// vary gives a ticket all that a query can ask for, in the database and in the model. The divisors are prime, so that
// all combinations come.
func (q *queried) vary(
	t *testing.T, row uint64, ticket *query.Ticket, i int, now time.Time, people [2]id.Account, label map[string]id.Label,
	relatives map[string]uint64, first uint64,
) {
	t.Helper()
	at := func(days, hours int) time.Time {
		return now.AddDate(0, 0, days).Add(time.Duration(hours) * time.Hour).UTC().Truncate(time.Microsecond)
	}
	ticket.Title, ticket.Described = queriedTitles[i%len(queriedTitles)], i%3 == 1
	ticket.Author, ticket.Request = people[i%2], i%7 == 3
	ticket.Priority = uint8(i % 5)
	ticket.Attachments, ticket.Comments, ticket.Items = i%3/2, i%5/3, i%7/4
	ticket.CreatedAt, ticket.UpdatedAt = at(-i%7, 7*i%24), at(-i%5, 5*i%24)
	date := func(n int) (d query.Date, stored any) {
		switch n % 3 {
		case 0:
			return query.Date{}, nil
		case 1:
			day := now.AddDate(0, 0, n%11-5)
			d.At = time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
		default:
			d = query.Date{At: at(n%11-5, 7*n%24).Truncate(time.Second), Timed: true}
		}
		return d, d.At
	}
	var start, due any
	ticket.Start, start = date(i + 1)
	ticket.Due, due = date(i)
	if i%2 == 1 {
		closed := at(-i%6, 3*i%24)
		ticket.ClosedAt = &closed
	}
	description := ""
	if ticket.Described {
		description = "Some text"
	}
	q.e.Exec(t, `UPDATE ticket SET title = ?, description = ?, created_by = ?, from_requester = ?, priority = ?, attachments = ?, comments = ?,
		items = ?, created_at = ?, updated_at = ?, start_at = ?, start_timed = ?, due_at = ?, due_timed = ?, closed_at = ? WHERE id = ?`,
		ticket.Title, description, uint64(ticket.Author), ticket.Request, ticket.Priority, ticket.Attachments, ticket.Comments, ticket.Items,
		ticket.CreatedAt, ticket.UpdatedAt, start, ticket.Start.Timed, due, ticket.Due.Timed, ticket.ClosedAt, row)
	for n, who := range people {
		if i%(n+3) == 0 {
			ticket.Assignees = append(ticket.Assignees, who)
			q.e.Exec(t, "INSERT INTO assignee (ticket_id, account_id, current, created_at) VALUES (?, ?, TRUE, NOW(6))", row, uint64(who))
		}
	}
	for n, name := range []string{"bug", "Idea"} {
		if i%(n+4) == 1 {
			ticket.Labels = append(ticket.Labels, label[name])
			q.e.Exec(t, "INSERT INTO ticket_label (ticket_id, label_id) VALUES (?, ?)", row, uint64(label[name]))
		}
	}
	relate := func(kind int, other uint64) {
		q.e.Exec(t, "INSERT INTO ticket_relation (ticket_id, kind, other_id) VALUES (?, ?, ?)", row, kind, other)
	}
	switch i % 5 {
	case 1:
		relate(1, first)
		ticket.Parent = id.Ticket(first)
	case 2:
		relate(1, relatives["HH"]) // the reader does not see it
	case 3:
		relate(1, relatives["SS"])
		ticket.Parent = id.Ticket(relatives["SS"])
	}
	switch i % 3 {
	case 1:
		relate(3, relatives["HH"])
	case 2:
		relate(3, relatives["SS"])
		ticket.Blocked = true
	}
}

func plainLetters(text string) string { return strings.ReplaceAll(strings.ToLower(text), "é", "e") }

// wants are the numbers of the tickets that the model finds.
func (q *queried) wants(t *testing.T, text string) (numbers []uint64) {
	c := domaintest.OK(domaintest.OK(query.Parse(text))(t).Resolve(q.names))(t)
	for _, ticket := range q.all {
		if c.Match(ticket, plainLetters) {
			numbers = append(numbers, ticket.Number)
		}
	}
	return numbers
}

func (q *queried) finds(t *testing.T, text string) (numbers []uint64) {
	view := domaintest.OK(q.e.Workflows.ViewBoard(q.e.Ctx, "QQ", workflows.BoardFilter{Query: text}))(t)
	if view.BadQuery != nil {
		t.Fatalf("%s: %v", text, view.BadQuery)
	}
	for _, cards := range view.Cards {
		for _, card := range cards.List {
			numbers = append(numbers, card.Key.Number)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// lists returns what finds does, from the pages of a list.
func (q *queried) lists(t *testing.T, text string, limit int) []uint64 {
	numbers := q.pages(t, text, limit)
	slices.Sort(numbers)
	return numbers
}

// pages returns the numbers of a list in its order.
func (q *queried) pages(t *testing.T, text string, limit int) (numbers []uint64) {
	of := workflows.TicketList{Query: text, Limit: limit}
	for {
		_, page, next, err := q.e.Workflows.TicketsOf(q.e.Ctx, "QQ", of)
		if domaintest.Must(t, err); len(page) > limit {
			t.Fatalf("%s: %d tickets on a page of %d", text, len(page), limit)
		}
		for _, ticket := range page {
			numbers = append(numbers, ticket.Key.Number)
		}
		if of.After = next; next == nil {
			return numbers
		}
	}
}

// TestQuery_finds_what_the_model_finds: whatever the query, the database returns the tickets that match in memory.
func TestQuery_finds_what_the_model_finds(t *testing.T) {
	t.Parallel()
	q := newQueried(t)
	same := func(t *testing.T, text string) {
		t.Helper()
		if got, want := q.finds(t, text), q.wants(t, text); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, not %v", text, got, want)
		}
		if got, want := q.lists(t, text, 9), q.wants(t, text); !slices.Equal(got, want) {
			t.Errorf("%s lists %v, not %v", text, got, want)
		}
	}
	found := 0
	for _, term := range queriedTerms {
		same(t, term)
		same(t, "-"+term)
		if n := len(q.wants(t, term)); n > 0 && n < len(q.all) {
			found++
		}
	}
	if found < len(queriedTerms)*4/5 {
		t.Errorf("only %d of %d conditions divide the tickets", found, len(queriedTerms))
	}
	term := rapid.SampledFrom(queriedTerms)
	rapid.Check(t, func(r *rapid.T) {
		var text strings.Builder
		for i := range rapid.IntRange(1, 5).Draw(r, "terms") {
			if i > 0 {
				text.WriteString(rapid.SampledFrom([]string{" ", " or ", " (", " -("}).Draw(r, "between"))
			}
			text.WriteString(rapid.SampledFrom([]string{"", "-"}).Draw(r, "not") + term.Draw(r, "term"))
		}
		written := text.String() + strings.Repeat(")", strings.Count(text.String(), "("))
		if got, want := q.finds(t, written), q.wants(t, written); !slices.Equal(got, want) {
			r.Fatalf("%s finds %v, not %v", written, got, want)
		}
		if got, want := q.lists(t, written, rapid.IntRange(1, 70).Draw(r, "limit")), q.wants(t, written); !slices.Equal(got, want) {
			r.Fatalf("%s lists %v, not %v", written, got, want)
		}
	})
}

// keyOf is what tickets are sorted by, and whether there is something.
func keyOf(ticket query.Ticket, by query.Field) (key int64, known bool) {
	of := map[query.Field]*time.Time{query.Start: &ticket.Start.At, query.Due: &ticket.Due.At, query.Created: &ticket.CreatedAt,
		query.Updated: &ticket.UpdatedAt, query.Closed: ticket.ClosedAt}
	if by == query.Priority {
		return int64(ticket.Priority), ticket.Priority > 0
	}
	if at := of[by]; at != nil && !at.IsZero() {
		return at.UnixMicro(), true
	}
	return 0, false
}

// sorts are the numbers of the tickets that match, as the model sorts them.
func (q *queried) sorts(t *testing.T, text string, by query.Field, descending bool) []uint64 {
	numbers := q.wants(t, text)
	of := map[uint64]query.Ticket{}
	for _, ticket := range q.all {
		of[ticket.Number] = ticket
	}
	slices.SortFunc(numbers, func(a, b uint64) int {
		first, known := keyOf(of[a], by)
		second, alsoKnown := keyOf(of[b], by)
		if known != alsoKnown {
			return map[bool]int{true: -1, false: 1}[known]
		}
		order := cmp.Or(cmp.Compare(first, second), cmp.Compare(a, b))
		if descending {
			return -order
		}
		return order
	})
	return numbers
}

// TestQuery_sorts_as_the_model_does: whatever the query, its order, and the size of a page.
func TestQuery_sorts_as_the_model_does(t *testing.T) {
	t.Parallel()
	q := newQueried(t)
	term := rapid.SampledFrom(append([]string{""}, queriedTerms...))
	field := rapid.SampledFrom([]query.Field{query.Priority, query.Start, query.Due, query.Created, query.Updated, query.Closed})
	rapid.Check(t, func(r *rapid.T) {
		text, by, descending := term.Draw(r, "term"), field.Draw(r, "by"), rapid.Bool().Draw(r, "descending")
		limit := rapid.IntRange(1, 70).Draw(r, "limit")
		text += " sort:" + map[bool]string{true: "-"}[descending] + string(by)
		if got, want := q.pages(t, text, limit), q.sorts(t, text, by, descending); !slices.Equal(got, want) {
			r.Fatalf("%s, pages of %d: %v, not %v", text, limit, got, want)
		}
	})
	columns := q.board.Columns
	of := workflows.TicketList{Column: columns[1].ID, Query: "sort:-updated", Limit: 100}
	_, inColumn, _, err := q.e.Workflows.TicketsOf(q.e.Ctx, "QQ", of)
	if domaintest.Must(t, err); len(inColumn) != 20 || slices.ContainsFunc(inColumn, func(t tickets.Ticket) bool { return t.Column != columns[1].ID }) {
		t.Errorf("a column has %d tickets in another order", len(inColumn))
	}
	_, _, next, err := q.e.Workflows.TicketsOf(q.e.Ctx, "QQ", workflows.TicketList{Query: "sort:due", Limit: 3})
	domaintest.Must(t, err)
	for _, other := range []string{"", "paint", "sort:-due", "sort:updated"} {
		if _, _, _, err := q.e.Workflows.TicketsOf(q.e.Ctx, "QQ", workflows.TicketList{Query: other, After: next, Limit: 3}); fault.CodeOf(err) != tickets.CodeBadCursor {
			t.Errorf("%q goes on after a place of another order: %v", other, err)
		}
	}
}

func TestQuery_of_a_board(t *testing.T) {
	t.Parallel()
	q := newQueried(t)
	for text, want := range map[string]string{"label:bgu": "no label “bgu” here. Did you mean “bug”?", "assignee:bob": "no member “bob”", "column:Dong": "Did you mean “Doing”?",
		"board:HH": "no board “HH”", "parent:HH-1": "no ticket “HH-1”", "asignee:me": "Did you mean “assignee”?", `"`: "quote is not closed"} {
		view := domaintest.OK(q.e.Workflows.ViewBoard(q.e.Ctx, "QQ", workflows.BoardFilter{Query: text}))(t)
		if view.BadQuery == nil || !strings.Contains(view.BadQuery.Error(), want) {
			t.Errorf("%s: %v", text, view.BadQuery)
		}
		for _, cards := range view.Cards {
			if len(cards.List) > 0 {
				t.Errorf("%s finds %d cards", text, len(cards.List))
			}
		}
		if shows, err := q.e.Workflows.Shows(q.e.Ctx, workflows.BoardFilter{Query: text}, q.e.Ticket(t, "QQ-1")); shows || err != nil {
			t.Errorf("%s shows QQ-1: %v", text, err)
		}
	}
	for _, ticket := range q.all[:10] {
		key := fmt.Sprintf("QQ-%d", ticket.Number)
		for _, text := range []string{"", "paint", "assignee:me or blocked", "-status:open"} {
			want := text == "" || slices.Contains(q.wants(t, text), ticket.Number)
			if shows, err := q.e.Workflows.Shows(q.e.Ctx, workflows.BoardFilter{Query: text}, q.e.Ticket(t, key)); shows != want || err != nil {
				t.Errorf("%s shows %s: %v, %v", text, key, shows, err)
			}
		}
	}
}
