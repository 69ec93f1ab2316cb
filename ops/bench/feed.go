package bench

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// FeedLoad is the size of the table (Rows; several sizes are measured one after the other), the rows that are published
// and read in one round (Changed), and the Rounds. A row of a larger table may cost at most Flat times what it costs in
// the first, or the report is Uneven. With Start, which starts a server in a process of its own, the time from a change
// to its readers is measured too: for Seconds at Rate changes a second, and with so many Streams.
type FeedLoad struct {
	Rows                   []int
	Changed, Rounds        int
	Flat                   float64
	Rate, Seconds, Streams int
	Start                  func(ctx context.Context) (Server, error)
}

// Server is a running `counterfoil serve`.
type Server struct {
	URL     string
	Metrics string // the URL of its metrics
	Stop    func() error
}

// The measures of a feed.
const (
	publishing = "publish"
	reading    = "read"
	latency    = "latency"
	fanOut     = "streams"
)

// page is the rows in a batch, and in a page.
const page = feeds.Batch

// feedBench is the tickets that strategies publish and read: those with the ids above first up to last.
type feedBench struct {
	d           *db.DB
	w           *app.App
	load        FeedLoad
	token       string
	board       boards.Board
	first, last uint64
}

// Feed measures publishing and reading the feed of tickets on an empty scratch database, each strategy with the same
// rows of the same table, in turns. Duplicates are rows published or read twice, Gaps rows that were left out.
func Feed(ctx context.Context, d *db.DB, load FeedLoad) (Report, error) {
	report, err := newReport(ctx, d)
	if err != nil {
		return Report{}, err
	}
	report.unit = "rows"
	w := app.New(d)
	defer w.Close(ctx)
	actor, _, token, err := w.Workflows.SetUp(ctx, workflows.Setup{Company: "Bench", Name: "Bench",
		Email: "bench@example.com", Password: "not a secret at all", Token: true})
	if err != nil {
		return Report{}, err
	}
	ctx = accounts.WithActor(ctx, actor)
	b := &feedBench{d: d, w: w, load: load, token: token}
	for i, rows := range load.Rows {
		if b.board, err = w.Workflows.OpenBoard(ctx, boards.Draft{Slug: fmt.Sprintf("FEED%d", i+1), Title: "Feed"},
			nil); err != nil {
			return Report{}, err
		}
		if err := b.fill(ctx, rows, actor.Account.ID); err != nil {
			return Report{}, fmt.Errorf("fill: %w", err)
		}
		if err := b.atSize(ctx, rows, &report); err != nil {
			return Report{}, err
		}
	}
	for _, rows := range load.Rows[1:] {
		report.flat("Publishing", load.measure(publishing, load.Rows[0]), load.measure(publishing, rows), load.Flat)
		report.flat("Reading", load.measure(reading, load.Rows[0]), load.measure(reading, rows), load.Flat)
	}
	if load.Start != nil {
		err = b.live(ctx, &report)
	}
	return report, err
}

// measure is the name of a measure in a table of a size.
func (l FeedLoad) measure(name string, rows int) string {
	if len(l.Rows) == 1 {
		return name
	}
	return fmt.Sprintf("%s of %d", name, rows)
}

// atSize measures publishing and reading in the table at its present size.
func (b *feedBench) atSize(ctx context.Context, rows int, report *Report) error {
	publish, reads := b.load.measure(publishing, rows), b.load.measure(reading, rows)
	published, err := b.inTurns(ctx, publish, []feedStrategy{
		{"one row at a time",
			"a transaction for each row: read the row, read the sequence, update the row, update the sequence", b.unpublish,
			b.publishOneByOne},
		{"floor", "UPDATE … WHERE id IN (500 ids), which position is whose known before, one process alone", b.unpublish,
			b.publishFloor},
		{"ours", "whole publisher: candidates, locks, sequence, positions, the batch's record", b.unpublish, b.publishOurs},
	})
	if err != nil {
		return err
	}
	read, err := b.inTurns(ctx, reads, []feedStrategy{
		{"floor", "the same rows by a range of the primary key, nothing joined", nothing, b.readFloor},
		{"ours", "whole reader: bound, page, board and company, assignees, resources", nothing, b.readOurs},
		{"ours, shuffled", "the same where the rows were published in no order of their ids", b.shuffle, b.readOurs},
	})
	if err != nil {
		return err
	}
	report.Rows = slices.Concat(report.Rows, published, read)
	report.remarks = append(report.remarks,
		fmt.Sprintf("A table of %d tickets, of which %d were published and read in each of %d rounds, %d at a time.", rows,
			b.changed(), b.load.Rounds, page))
	report.ratio(publish, "Publishing: ours at %.2f × the floor.")
	report.ratio(reads, "Reading a page: ours at %.2f × the floor's speed.")
	return nil
}

// ratio compares our row of a measure with the floor's.
func (r *Report) ratio(measure, says string) {
	for _, row := range r.Rows {
		if row.Measure == measure && row.Strategy == "ours" {
			r.remarks = append(r.remarks, fmt.Sprintf(says, row.PerSecond/r.floor(row)))
		}
	}
}

// flat compares our cost of a row in two measures, which is uneven above a factor of most.
func (r *Report) flat(what, small, large string, most float64) {
	speed := map[string]float64{}
	for _, row := range r.Rows {
		if row.Strategy == "ours" {
			speed[row.Measure] = row.PerSecond
		}
	}
	cost := speed[small] / speed[large]
	said := fmt.Sprintf("%s: a row costs %.2f × as much in “%s” as in “%s”", what, cost, large, small)
	r.remarks = append(r.remarks, said+".")
	if !(cost <= most) {
		r.uneven = append(r.uneven, fmt.Errorf("%s, which is more than %g ×", said, most))
	}
}

// feedStrategy publishes or reads the rows. It returns the duration of each batch or page, and the faults of the
// outcome. prepare is not measured.
type feedStrategy struct {
	name, note string
	prepare    func(ctx context.Context) error
	run        func(ctx context.Context, o *outcome) error
}

func nothing(context.Context) error { return nil }

// outcome is the sum of a strategy's rounds.
type outcome struct {
	rows             int
	took             time.Duration
	batches          durations
	duplicates, gaps uint64
}

// batch records one more batch.
func (o *outcome) batch(rows int, began time.Time) {
	took := time.Since(began)
	o.rows += rows
	o.took += took
	o.batches.add(took)
}

// inTurns runs the strategies one after the other in each round: the machine's other load is shared between them.
func (b *feedBench) inTurns(ctx context.Context, measure string, list []feedStrategy) ([]Row, error) {
	outcomes := make([]outcome, len(list))
	had := make([]*uint64, len(list)) // deadlocks
	for round := range b.load.Rounds {
		for i, s := range list {
			if err := s.prepare(ctx); err != nil {
				return nil, fmt.Errorf("%s before %s: %w", measure, s.name, err)
			}
			before, err := b.d.Load(ctx)
			if err != nil {
				return nil, err
			}
			if err := s.run(ctx, &outcomes[i]); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", measure, s.name, err)
			}
			after, err := b.d.Load(ctx)
			if err != nil {
				return nil, err
			}
			if now := deadlocks(before, after); round == 0 || now == nil {
				had[i] = now
			} else if had[i] != nil {
				*had[i] += *now
			}
		}
	}
	rows := make([]Row, len(list))
	for i, s := range list {
		o := &outcomes[i]
		rows[i] = Row{
			Measure: measure, Strategy: s.name, Note: s.note, PerSecond: float64(o.rows) / o.took.Seconds(),
			Duplicates: o.duplicates, Gaps: o.gaps, Deadlocks: had[i],
		}
		rows[i].P50, rows[i].P99 = o.batches.quantiles()
	}
	return rows, nil
}

func (b *feedBench) changed() uint64 { return b.last - b.first }

// fill adds so many tickets, published in the order of their ids, and has the strategies work on the last of them.
func (b *feedBench) fill(ctx context.Context, size int, author accounts.ID) error {
	for { // the tickets of the practice board
		n, err := b.w.Feeds.RunOnce(ctx, "tickets")
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	rows := uint64(size)
	id, position, err := b.room(ctx, rows)
	if err != nil {
		return err
	}
	const text = "A description as tickets have it: what was seen, what was expected, and how to see it again. "
	const seed, chunk = 1000, 10_000
	now := time.Now().UTC()
	var values []string
	var args []any
	for n := uint64(1); n <= min(seed, rows); n++ {
		values = append(values, "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
		args = append(args, id+n, uint64(b.board.ID), n, uint64(b.board.Columns[0].ID), int64(n)*tickets.Gap,
			fmt.Sprintf("Ticket %d of the feed", n), strings.Repeat(text, 1+int(n%4)), uint64(author), now, now, now, position+n)
	}
	const into = "INSERT INTO ticket (id, board_id, local_id, column_id, rank_in_column, title, description, created_by, created_at, updated_at, moved_at, feed_sync_id) "
	if _, err := b.d.SQL.ExecContext(ctx, into+"VALUES "+strings.Join(values, ", "), args...); err != nil {
		return err
	}
	for done := min(seed, rows); done < rows; {
		n := min(done, chunk, rows-done)
		_, err := b.d.SQL.ExecContext(ctx, into+`SELECT id + ?, board_id, local_id + ?, column_id, rank_in_column + ?, title, description, created_by, created_at, updated_at, moved_at, feed_sync_id + ?
			FROM ticket WHERE id > ? AND id <= ?`, done, done, int64(done)*tickets.Gap, done, id, id+n)
		if err != nil {
			return err
		}
		done += n
	}
	if _, err := b.d.SQL.ExecContext(ctx, "UPDATE board_ticket_incrementer SET max_ticket_id = ? WHERE board_id = ?", rows,
		uint64(b.board.ID)); err != nil {
		return err
	}
	b.last = id + rows
	b.first = b.last - min(rows, uint64(b.load.Changed))
	_, err = b.d.SQL.ExecContext(ctx, "ANALYZE TABLE ticket")
	return err
}

// room reserves n positions as if they were published, and returns the highest id of a ticket and of the positions
// before them.
func (b *feedBench) room(ctx context.Context, n uint64) (id, position uint64, err error) {
	if position, err = b.position(ctx); err != nil {
		return 0, 0, err
	}
	if err := b.d.SQL.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM ticket").Scan(&id); err != nil {
		return 0, 0, err
	}
	if _, err = b.d.SQL.ExecContext(ctx,
		"UPDATE sequences SET value = value + ?, version = version + 1 WHERE name = 'tickets'", n); err != nil {
		return 0, 0, err
	}
	return id, position, b.d.NoteAllDurable(ctx)
}

func (b *feedBench) position(ctx context.Context) (value uint64, err error) {
	err = b.d.SQL.QueryRowContext(ctx, "SELECT value FROM sequences WHERE name = 'tickets'").Scan(&value)
	return value, err
}

// spans calls do for each page of the rows.
func (b *feedBench) spans(do func(after, upto uint64) error) error {
	for after := b.first; after < b.last; after += page {
		if err := do(after, min(after+page, b.last)); err != nil {
			return err
		}
	}
	return nil
}

// unpublish makes all rows changed ones, and gives the server time to purge their old versions.
func (b *feedBench) unpublish(ctx context.Context) error {
	err := b.spans(func(after, upto uint64) error {
		_, err := b.d.SQL.ExecContext(ctx, "UPDATE ticket SET feed_sync_id = NULL WHERE id > ? AND id <= ?", after, upto)
		return err
	})
	if err != nil {
		return err
	}
	for range 50 {
		now, err := b.d.Load(ctx)
		if err != nil || !now.History.Known || now.History.Value < 100 {
			return err
		}
		if err := wait.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// settled counts the faults of the rows' positions, which must all be above before.
func (b *feedBench) settled(ctx context.Context, o *outcome, before uint64) error {
	var rows, positions, different uint64
	err := b.d.SQL.QueryRowContext(ctx,
		`SELECT COUNT(*), COUNT(CASE WHEN feed_sync_id > ? THEN 1 END), COUNT(DISTINCT feed_sync_id) FROM ticket WHERE id > ? AND id <= ?`,
		before, b.first, b.last).Scan(&rows, &positions, &different)
	o.gaps += rows - positions
	o.duplicates += positions - min(positions, different)
	return err
}

func (b *feedBench) publishOurs(ctx context.Context, o *outcome) error {
	before, err := b.position(ctx)
	if err != nil {
		return err
	}
	for n := -1; n != 0; {
		began := time.Now()
		if n, err = b.w.Feeds.RunOnce(ctx, "tickets"); err != nil {
			return err
		}
		if n > 0 {
			o.batch(n, began)
		}
	}
	after, err := b.position(ctx)
	if err != nil {
		return err
	}
	o.duplicates += after - before - b.changed()
	return b.settled(ctx, o, before)
}

// readOurs reads the pages of the rows, the last of the feed.
func (b *feedBench) readOurs(ctx context.Context, o *outcome) error {
	cursor, err := b.w.Feeds.End(ctx, "tickets")
	if err != nil {
		return err
	}
	cursor.Position -= b.changed()
	seen := map[uint64]bool{}
	for more := true; more; {
		began := time.Now()
		found, err := b.w.Workflows.FeedPage(ctx, "https://bench.example.com",
			workflows.FeedQuery{Feed: "tickets", Cursor: cursor.String(), Limit: page})
		if err != nil {
			return err
		}
		o.batch(len(found.Items), began)
		for _, item := range found.Items {
			if seen[item.ID] || item.Data == nil {
				o.duplicates++
			}
			seen[item.ID] = true
		}
		cursor, more = found.Cursor, found.More
	}
	o.gaps += b.changed() - uint64(len(seen))
	return nil
}

func (b *feedBench) readFloor(ctx context.Context, o *outcome) error {
	return b.spans(func(after, upto uint64) error {
		began := time.Now()
		rows, err := b.d.SQL.QueryContext(ctx, `SELECT id, board_id, local_id, column_id, rank_in_column, title, description, version, created_by, created_at, updated_at, moved_at, deleted_at, closed_at, feed_sync_id
			FROM ticket WHERE id > ? ORDER BY id LIMIT ?`, after, page)
		if err != nil {
			return err
		}
		defer rows.Close()
		list, err := scanned(rows)
		if err != nil {
			return err
		}
		o.batch(len(list), began)
		o.gaps += upto - after - uint64(len(list))
		return nil
	})
}

func scanned(rows *sql.Rows) (list []db.Ticket, err error) {
	for rows.Next() {
		var t db.Ticket
		if err := rows.Scan(&t.ID, &t.BoardID, &t.LocalID, &t.ColumnID, &t.RankInColumn, &t.Title, &t.Description, &t.Version,
			&t.CreatedBy,
			&t.CreatedAt, &t.UpdatedAt, &t.MovedAt, &t.DeletedAt, &t.ClosedAt, &t.FeedSyncID); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// shuffle publishes the rows in an order that has nothing to do with their ids.
func (b *feedBench) shuffle(ctx context.Context) error {
	n := b.changed()
	_, position, err := b.room(ctx, n)
	if err != nil {
		return err
	}
	stride := n*5/8 | 1
	for common(stride, n) != 1 {
		stride += 2
	}
	return b.spans(func(after, upto uint64) error {
		_, err := b.d.SQL.ExecContext(ctx,
			"UPDATE ticket SET feed_sync_id = ? + 1 + MOD((id - ?) * ?, ?) WHERE id > ? AND id <= ?", position, b.first, stride,
			n, after, upto)
		return err
	})
}

// common is the greatest common divisor.
func common(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// idsUpTo lists the ids above after up to upto.
func idsUpTo(after, upto uint64) claimedIDs {
	return slices.Collect(func(yield func(uint64) bool) {
		for id := after + 1; id <= upto && yield(id); id++ {
		}
	})
}
