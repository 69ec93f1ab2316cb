package feeds

// Invariants between any two committed states of the table papers, and at the end. The names I1 to I12 are those of
// the tests' documentation, proof_test.go.

import (
	"database/sql"
	"fmt"
	"maps"
	"strings"
)

// violation is a rule that does not hold.
type violation struct{ rule, why string }

func (v violation) String() string { return v.rule + ": " + v.why }

// picture is what is committed.
type picture struct {
	value, version, epoch, horizon uint64
	head                           uint64 // what readers may read
	rows                           map[uint64]row
	batches                        map[uint64]uint64 // how many rows, by the last position
}

type row struct {
	state
	position uint64 // 0: not published
}

// state is what readers are shown of a row, and what decides who is.
type state struct {
	board, seenOn uint32
	content       uint64
	deleted       bool
}

// takePicture reads the committed state: nothing may run.
func takePicture(d *sql.DB) (p picture, err error) {
	p.rows, p.batches = map[uint64]row{}, map[uint64]uint64{}
	rows, err := d.Query(`SELECT 0, value, version, epoch, horizon, LEAST(value, COALESCE(head, 0)), 0 FROM sequences LEFT JOIN feed_durable ON feed = name WHERE name = 'papers'
UNION ALL SELECT 1, id, board, seen_on, content, deleted, COALESCE(feed_sync_id, 0) FROM paper
UNION ALL SELECT 2, hi, k, 0, 0, 0, 0 FROM feed_batch WHERE feed = 'papers'`)
	if err != nil {
		return p, err
	}
	defer rows.Close()
	for rows.Next() {
		var n [7]uint64
		if err := rows.Scan(&n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6]); err != nil {
			return p, err
		}
		switch n[0] {
		case 0:
			p.value, p.version, p.epoch, p.horizon, p.head = n[1], n[2], n[3], n[4], n[5]
		case 1:
			p.rows[n[1]] = row{state{uint32(n[2]), uint32(n[3]), n[4], n[5] == 1}, n[6]}
		case 2:
			p.batches[n[1]] = n[2]
		}
	}
	return p, rows.Err()
}

// statements put the database back to it.
func (p picture) statements() []string {
	list := []string{"SELECT id FROM paper ORDER BY id FOR UPDATE", "DELETE FROM paper",
		"DELETE FROM feed_batch WHERE feed = 'papers'",
		fmt.Sprintf("UPDATE sequences SET value = %d, version = %d, epoch = %d, horizon = %d WHERE name = 'papers'", p.value,
			p.version, p.epoch, p.horizon),
		fmt.Sprintf("REPLACE INTO feed_durable (feed, head) VALUES ('papers', %d)", p.head)}
	var rows, batches []string
	for n, r := range p.rows {
		rows = append(rows, fmt.Sprintf("(%d, %d, %d, %d, %t, NULLIF(%d, 0))", n, r.board, r.seenOn, r.content, r.deleted,
			r.position))
	}
	for hi, k := range p.batches {
		batches = append(batches, fmt.Sprintf("('papers', %d, %d, NOW(6))", hi, k))
	}
	if len(rows) > 0 {
		list = append(list, "INSERT INTO paper (id, board, seen_on, content, deleted, feed_sync_id) VALUES "+strings.Join(
			rows, ", "))
	}
	if len(batches) > 0 {
		list = append(list, "INSERT INTO feed_batch (feed, hi, k, committed_at) VALUES "+strings.Join(batches, ", "))
	}
	return list
}

// between returns what is wrong with two states, of which one was committed after the other.
func between(before, after picture) (wrong []violation) {
	found := func(rule, format string, args ...any) {
		wrong = append(wrong, violation{rule, fmt.Sprintf(format, args...)})
	}
	positions := map[uint64]uint64{}
	for n, r := range after.rows {
		if other, twice := positions[r.position]; twice && r.position != 0 {
			found("I1", "%d and %d are both at %d", n, other, r.position)
		}
		positions[r.position] = n
	}
	if before.epoch != after.epoch { // earlier cursors do not count
		return wrong
	}
	if after.value < before.value {
		found("I2", "the sequence fell from %d to %d", before.value, after.value)
	}
	if after.head < before.head {
		found("I2", "the head fell from %d to %d", before.head, after.head)
	}
	if want := before.version + min(1, after.value-before.value); after.value >= before.value && after.version != want {
		found("I2", "the sequence went from %d to %d, its version from %d to %d", before.value, after.value, before.version,
			after.version)
	}
	for n, r := range after.rows {
		was, known := before.rows[n]
		if r.position != 0 && r.position <= before.value && was.position != r.position {
			found("I3", "%d came to %d, which readers have passed at %d", n, r.position, before.value)
		}
		if known && was.state != r.state && r.position != 0 && r.position <= was.position {
			found("I4", "%d has changed and stands at %d, before at %d", n, r.position, was.position)
		}
	}
	for at := before.value + 1; at <= after.value; at++ {
		if _, taken := positions[at]; !taken {
			found("I9", "%d was given out up to %d, and no row has %d", before.value, after.value, at)
		}
	}
	if after.value > before.value && after.batches[after.value] != after.value-before.value {
		found("I9", "the batch from %d to %d is recorded as %d rows", before.value, after.value, after.batches[after.value])
	}
	return wrong
}

// missedBefore returns what a consumer that saves a cursor has missed before it. I7: its copy has the rows before the
// cursor, so that resuming there loses nothing. I8: behind the horizon it has no rows that are gone; while it reads
// from the start it may.
func missedBefore(c *consumer, at Cursor, now picture) (wrong []violation) {
	if at.Epoch != now.epoch {
		return nil
	}
	board := uint32(c.scope.Board)
	for n, r := range now.rows {
		mine := board == 0 || r.seenOn&(1<<board) != 0
		if had := c.copies[n].position; mine && r.position != 0 && r.position <= at.Position && had != r.position {
			wrong = append(wrong,
				violation{"I7", fmt.Sprintf("%s is saved, and %d at %d is not done (%d is)", at, n, r.position, had)})
		}
	}
	if c.shown != nil || at.Position < now.horizon {
		return wrong
	}
	for n, had := range c.copies {
		if _, there := now.rows[n]; !there && !had.deleted {
			wrong = append(wrong,
				violation{"I8", fmt.Sprintf("%s is saved, the horizon is %d, and %d, which is no more, is still there", at,
					now.horizon, n)})
		}
	}
	return wrong
}

// withThird returns the picture with the third row published, which is not noted as durable.
func (p picture) withThird() picture {
	third := p.rows[3]
	third.position = p.value + 1
	p.rows, p.batches = maps.Clone(p.rows), maps.Clone(p.batches)
	p.rows[3], p.batches[third.position] = third, 1
	p.value, p.version = third.position, p.version+1
	return p
}

// takenBack returns what a consumer has that a crash takes back: I13.
func takenBack(c *consumer, left picture) (wrong []violation) {
	at, err := ParseCursor(theFeed, c.cursor)
	if err == nil && at.Epoch == left.epoch && at.Position > left.value {
		wrong = append(wrong, violation{"I13", fmt.Sprintf("a consumer is at %s, and %d is left", at, left.value)})
	}
	for n, had := range c.copies {
		if had.position > left.value && (err != nil || at.Epoch == left.epoch) {
			wrong = append(wrong, violation{"I13", fmt.Sprintf("a consumer has %d at %d, and %d is left", n, had.position, left.value)})
		}
	}
	return wrong
}

// misses returns the differences of a consumer's copy from its due state: I5.
func misses(c *consumer, now picture) (wrong []violation) {
	board := uint32(c.scope.Board)
	for n, r := range now.rows {
		had, known := c.copies[n]
		mine := !r.deleted && (board == 0 || r.board == board)
		switch {
		case mine && (!known || had.deleted):
			wrong = append(wrong, violation{"I5", fmt.Sprintf("the consumer of board %d never saw %d (%+v)", board, n, r)})
		case mine && had.paper != (paper{r.board, r.content}):
			wrong = append(wrong,
				violation{"I5", fmt.Sprintf("the consumer of board %d has %+v of %d, which is %+v", board, had, n, r)})
		case !mine && known && !had.deleted:
			wrong = append(wrong, violation{"I5", fmt.Sprintf("the consumer of board %d still has %d (%+v)", board, n, r)})
		}
	}
	for n, had := range c.copies {
		if _, there := now.rows[n]; !there && !had.deleted {
			wrong = append(wrong,
				violation{"I5", fmt.Sprintf("the consumer of board %d still has %d, which is no more", board, n)})
		}
	}
	return wrong
}
