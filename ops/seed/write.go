package seed

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Size is the content of a company, and the time in which it grew.
type Size struct {
	People, Boards, Tickets, Comments int

	Years int
	Until time.Time
}

// Large is five years of a company until a time.
func Large(until time.Time) Size {
	return Size{People: 40, Boards: 60, Tickets: 200_000, Comments: 1_000_000, Years: 5, Until: until}
}

const (
	perTransaction = 2000 // tickets, with all their rows
	perStatement   = 1000 // rows
)

// Fill makes a company of a size, whose members have the password, and calls done with the number of tickets after each
// of its transactions. The content depends on the size alone. Rows are left for the app to publish. After an error,
// what was made so far is consistent. The errors are those of Create. Each count of the size is at least one.
func Fill(ctx context.Context, d *db.DB, c Company, size Size, done func(tickets int)) ([]Member, error) {
	size.Until = size.Until.UTC().Truncate(time.Microsecond)
	p := newPlan(size)
	c.People = p.people
	company, members, err := Create(ctx, d, c)
	if err != nil {
		return nil, err
	}
	p.members = members
	p.draftBoards()
	if err := p.openBoards(ctx, d, company.ID); err != nil {
		return nil, err
	}
	if err := p.makeLabels(ctx, d, company.ID); err != nil {
		return nil, err
	}
	p.draftTickets()
	written := 0
	for list := range slices.Chunk(p.tickets, perTransaction) {
		if err := p.write(ctx, d, company.ID, list); err != nil {
			return nil, fmt.Errorf("write tickets: %w", err)
		}
		written += len(list)
		done(written)
	}
	return members, p.finish(ctx, d)
}

func (p *plan) openBoards(ctx context.Context, d *db.DB, company id.Company) error {
	return d.InTx(ctx, func(tx *db.Tx) error {
		for _, b := range p.boards {
			var err error
			then := at(tx, b.opens)
			if b.Board, err = boards.Open(ctx, then, company, b.draft); err != nil {
				return fmt.Errorf("open board: %w", err)
			}
			if !b.review {
				continue
			}
			name, third := "Review", 3
			if _, _, err = boards.OpenColumn(ctx, then, b.Board, boards.ColumnEdit{Name: &name, Position: &third}); err != nil {
				return fmt.Errorf("open column: %w", err)
			}
			if b.Board, err = boards.ByID(ctx, tx.Queries, db.SightOfAll(company), b.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// finish archives boards, and updates the server's statistics, so that its plans are those of a grown database.
func (p *plan) finish(ctx context.Context, d *db.DB) error {
	err := d.InTx(ctx, func(tx *db.Tx) error {
		for _, b := range p.boards {
			if b.closes.IsZero() {
				continue
			}
			if err := boards.Archive(ctx, at(tx, b.closes), b.Board, &b.closes); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("archive boards: %w", err)
	}
	_, err = d.SQL.ExecContext(ctx,
		"ANALYZE TABLE ticket, comment, activity, assignee, ticket_label, watcher, notification, board_column")
	return err
}

// table is rows for a table. Each begins with the index of its ticket in the transaction, or with a ticket's columns.
type table struct {
	into    string
	columns int
	rows    [][]any
}

func (t *table) add(row ...any) { t.rows = append(t.rows, row) }

// insert adds the rows, in as many statements as they need.
func (t *table) insert(ctx context.Context, tx *db.Tx, first func(any) any) error {
	for rows := range slices.Chunk(t.rows, perStatement) {
		args := make([]any, 0, len(rows)*t.columns)
		for _, row := range rows {
			args = append(append(args, first(row[0])), row[1:]...)
		}
		one := "(" + strings.Repeat("?,", t.columns-1) + "?)"
		if _, err := tx.SQL.ExecContext(ctx, "INSERT INTO "+t.into+" VALUES "+strings.Repeat(one+",", len(rows)-1)+one,
			args...); err != nil {
			return err
		}
	}
	return nil
}

// batch is the rows of one transaction.
type batch struct {
	tickets, aliases, history, assignees, labels, watchers, comments, inbox table

	numbers map[id.Board]counts
	columns map[id.Column]*column
}

type column struct{ tickets, last int64 }

func newBatch() *batch {
	return &batch{
		tickets:   table{into: "ticket (board_id, local_id, column_id, rank_in_column, title, description, version, created_by, created_at, updated_at, moved_at, deleted_at, closed_at, entered_at, priority, due_at, items, items_checked, comments)", columns: 19},
		aliases:   table{into: "ticket_alias (ticket_id, board_id, local_id, created_at)", columns: 4},
		history:   table{into: "activity (ticket_id, account_id, kind, detail, created_at)", columns: 5},
		assignees: table{into: "assignee (ticket_id, account_id, current, created_at)", columns: 4},
		labels:    table{into: "ticket_label (ticket_id, label_id)", columns: 2},
		watchers:  table{into: "watcher (ticket_id, account_id)", columns: 2},
		comments: table{into: "comment (ticket_id, account_id, body, version, created_at, updated_at, deleted_at)",
			columns: 7},
		inbox: table{into: "notification (ticket_id, company_id, account_id, actor_id, kind, unread, created_at)",
			columns: 7},
		numbers: map[id.Board]counts{},
		columns: map[id.Column]*column{},
	}
}

// labelNames are the labels of the company. Tickets have none, one or two.
var labelNames = []string{"bug", "idea", "question", "design", "security", "speed", "docs", "customer", "mobile", "billing"}

// makeLabels adds the labels of the company.
func (p *plan) makeLabels(ctx context.Context, d *db.DB, company id.Company) error {
	return d.InTx(ctx, func(tx *db.Tx) error {
		p.labels = nil
		for i, name := range labelNames {
			label, err := labels.Make(ctx, tx, company, 0, name, labels.Color(i%len(color.All())))
			if err != nil {
				return fmt.Errorf("make label: %w", err)
			}
			p.labels = append(p.labels, label.ID)
		}
		return nil
	})
}

func (p *plan) labelsOf(t *ticket) (list []id.Label) {
	n := uint64(len(p.labels))
	if t.number%3 > 0 {
		list = append(list, p.labels[t.number%n])
	}
	if t.number%6 == 1 {
		list = append(list, p.labels[(t.number+1+t.number/n%(n-1))%n])
	}
	return list
}

// due is a day for one of four tickets, in the first two months of its life.
func (t *ticket) due() *time.Time {
	if t.number%4 != 0 {
		return nil
	}
	at := t.opened.Truncate(24*time.Hour).AddDate(0, 0, int(t.number%60)+1)
	return &at
}

// write adds some tickets with all their rows, and counts them, in one transaction.
func (p *plan) write(ctx context.Context, d *db.DB, company id.Company, list []*ticket) error {
	b := newBatch()
	for i, t := range list {
		if err := p.addTicket(b, company, i, t); err != nil {
			return err
		}
	}
	byTime(&b.history, 4)
	byTime(&b.comments, 4)
	return d.InTx(ctx, func(tx *db.Tx) error {
		if err := b.count(ctx, tx); err != nil {
			return err
		}
		if err := b.tickets.insert(ctx, tx, func(board any) any { return board }); err != nil {
			return err
		}
		ids, err := idsOf(ctx, tx, list)
		if err != nil {
			return err
		}
		for _, t := range []*table{&b.aliases, &b.history, &b.assignees, &b.labels, &b.watchers, &b.comments, &b.inbox} {
			if err := t.insert(ctx, tx, func(i any) any { return ids[i.(int)] }); err != nil {
				return err
			}
		}
		return nil
	})
}

// byTime orders rows by the time in a column: ids grow with time.
func byTime(t *table, column int) {
	slices.SortStableFunc(t.rows, func(a, b []any) int { return a[column].(time.Time).Compare(b[column].(time.Time)) })
}

// count raises the boards' counters and those of their columns, in the order in which the app locks them.
func (b *batch) count(ctx context.Context, tx *db.Tx) error {
	for _, column := range sorted(b.columns) {
		n := b.columns[column]
		_, err := tx.SQL.ExecContext(ctx,
			"UPDATE board_column SET ticket_count = ticket_count + ?, last_rank = GREATEST(last_rank, ?) WHERE id = ?",
			n.tickets, n.last, uint64(column))
		if err != nil {
			return err
		}
	}
	for _, board := range sorted(b.numbers) {
		n := b.numbers[board]
		if _, err := tx.SQL.ExecContext(ctx,
			"UPDATE board_ticket_incrementer SET max_ticket_id = ?, purged = ? WHERE board_id = ?", n.numbers, n.purged,
			uint64(board)); err != nil {
			return err
		}
	}
	return nil
}

func sorted[K ~uint64, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// idsOf reads back the ids of tickets that were just inserted, in their order: ids of one statement need not be
// next to one another.
func idsOf(ctx context.Context, tx *db.Tx, list []*ticket) ([]uint64, error) {
	type key struct{ board, number uint64 }
	first := map[uint64]uint64{}
	for _, t := range list {
		board := uint64(t.board.ID)
		if first[board] == 0 || t.number < first[board] {
			first[board] = t.number
		}
	}
	found := make(map[key]uint64, len(list))
	for board, number := range first {
		err := each(ctx, tx, "SELECT local_id, id FROM ticket WHERE board_id = ? AND local_id >= ?", []any{board, number}, func(number, id uint64) {
			found[key{board, number}] = id
		})
		if err != nil {
			return nil, err
		}
	}
	ids := make([]uint64, len(list))
	for i, t := range list {
		if ids[i] = found[key{uint64(t.board.ID), t.number}]; ids[i] == 0 {
			return nil, fmt.Errorf("ticket %d of board %s was not inserted", t.number, t.board.Slug)
		}
	}
	return ids, nil
}

func each(ctx context.Context, tx *db.Tx, query string, args []any, found func(a, b uint64)) error {
	rows, err := tx.SQL.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var a, b uint64
		if err := rows.Scan(&a, &b); err != nil {
			return err
		}
		found(a, b)
	}
	return rows.Err()
}

func (p *plan) addTicket(b *batch, company id.Company, i int, t *ticket) error {
	b.handOut(t.board, t.after)
	version, updated := 1, t.opened
	if t.was != "" {
		version, updated = 2, t.edited
	}
	var in, rank any
	if t.erased == nil {
		at := t.board.Columns[t.column].ID
		in, rank = uint64(at), t.rank
		if b.columns[at] == nil {
			b.columns[at] = &column{}
		}
		b.columns[at].tickets++
		b.columns[at].last = max(b.columns[at].last, t.rank)
	}
	text := description(p.Rand)
	checked, items := markup.CountItems(text)
	b.tickets.add(uint64(t.board.ID), t.number, in, rank, t.title, text, version, p.account(t.by), t.opened,
		updated, t.moved, t.erased, t.closed, t.entered, t.number%5, t.due(), items, checked, 0)
	row := b.tickets.rows[len(b.tickets.rows)-1]
	if t.alias != nil {
		b.handOut(t.alias.board, t.afterAlias)
		b.aliases.add(i, uint64(t.alias.board.ID), t.alias.number, t.alias.moved)
	}
	for _, label := range p.labelsOf(t) {
		b.labels.add(i, uint64(label))
	}
	for _, e := range t.history {
		detail, err := json.Marshal(e.detail)
		if err != nil {
			return err
		}
		b.history.add(i, p.account(e.by), e.kind, string(detail), e.at)
		if e.kind == tickets.KindAssigned {
			p.addAssignees(b, company, i, t, e)
		}
	}
	watching, comments := p.addComments(b, i, t)
	row[len(row)-1] = comments
	for _, m := range append(watching, t.assignees...) {
		b.watch(i, p.account(m))
	}
	return nil
}

// handOut records what a board has handed out after a ticket; tickets come in the order of their numbers.
func (b *batch) handOut(board *board, after counts) {
	b.numbers[board.ID] = counts{max(b.numbers[board.ID].numbers, after.numbers),
		max(b.numbers[board.ID].purged, after.purged)}
}

func (p *plan) account(member int) uint64 { return uint64(p.members[member].ID) }

// addAssignees adds notifications for recent assignments.
func (p *plan) addAssignees(b *batch, company id.Company, i int, t *ticket, e entry) {
	for _, m := range t.assignees {
		b.assignees.add(i, p.account(m), t.closed == nil && t.erased == nil, e.at)
		if age := p.size.Until.Sub(e.at); age < 60*day && m != e.by {
			b.inbox.add(i, uint64(company), p.account(m), p.account(e.by), tickets.ReasonAssigned, age < 5*day, e.at)
		}
	}
}

// addComments adds the ticket's comments and returns their authors, and how many were not deleted.
func (p *plan) addComments(b *batch, i int, t *ticket) (authors []int, count int) {
	end := p.end(t)
	if t.closed != nil {
		end = earlier(end, t.closed.Add(2*day))
	}
	if t.erased != nil {
		end = *t.erased
	}
	for range t.comments {
		at := p.between(t.opened, end)
		by := p.memberAt(t.board, at)
		if p.IntN(2) == 0 {
			by = p.worker(t)
		}
		version, updated, body := 1, at, remark(p.Rand, p.members[t.by].Handle)
		var erased any
		switch p.IntN(60) {
		case 0:
			version, updated = 2, p.between(at, end)
		case 1:
			at := p.between(at, end)
			updated, erased, body = at, at, ""
		}
		b.comments.add(i, p.account(by), body, version, at, updated, erased)
		if erased == nil {
			count++
		}
		authors = append(authors, by)
	}
	return authors, count
}

// watch makes an account a watcher, once.
func (b *batch) watch(i int, account uint64) {
	for n := len(b.watchers.rows) - 1; n >= 0 && b.watchers.rows[n][0] == i; n-- {
		if b.watchers.rows[n][1] == account {
			return
		}
	}
	b.watchers.add(i, account)
}
