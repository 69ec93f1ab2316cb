package republish

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// republishPart is how many numbers of a board a task goes over, and at most how many comments.
const republishPart = 100

// feedRepublish is how a run republishes a feed.
type feedRepublish struct {
	// again republishes the rows of a task, and returns how many they are.
	again func(ctx context.Context, tx *db.Tx, task task) (int64, error)
	// parts adds the tasks for the rows of the tickets of a board with numbers in (after, to]; nil if a board
	// is one task. Later feeds come first, so that the tickets' own task ends a range of numbers.
	parts func(f *taskFiller, ctx context.Context, q *db.Queries, after, to uint64) error
}

// feedRepublishes has the feeds that can be republished, by name.
var feedRepublishes = map[string]feedRepublish{
	"tickets": {
		parts: (*taskFiller).tickets,
		again: func(ctx context.Context, tx *db.Tx, task task) (int64, error) {
			return tickets.RepublishNumbers(ctx, tx, task.Board, task.After, task.To)
		},
	},
	"comments": {
		parts: (*taskFiller).comments,
		again: func(ctx context.Context, tx *db.Tx, task task) (int64, error) {
			return tickets.RepublishCommentRange(ctx, tx, task.Board, task.comments())
		},
	},
	"boards": {
		again: func(ctx context.Context, tx *db.Tx, task task) (int64, error) {
			return boards.RepublishOne(ctx, tx, task.Board)
		},
	},
}

// feedNamed returns how a feed is republished, or feeds.NotFound.
func (m *Republish) feedNamed(name string) (feedRepublish, error) {
	if _, err := m.feeds.Feed(name); err != nil {
		return feedRepublish{}, err
	}
	return feedRepublishes[name], nil
}

// Migration republishes rows for the readers of feeds: their published form changed without them, or a reader lost
// them. It panics if a registered feed is missing here, which is a mistake in the program.
func (m *Republish) Migration() *migrations.Migration {
	for _, name := range m.feeds.Names() {
		if feedRepublishes[name].again == nil {
			panic("republish: no way to publish the rows of the feed " + name + " again")
		}
	}
	return &migrations.Migration{
		Name: workflows.RepublishName, Title: "Resend changes",
		Description: "Sends rows through the feeds again, unchanged, to consumers, webhooks and open boards. It starts automatically; a board whose slug changes is published so, for the keys of its tickets change.",
		Params: []migrations.Param{
			{Name: "feed", Label: "Feed", Kind: migrations.Choice, Choices: m.feedChoices, Help: "Leave it empty for all."},
			kinds.CompanyParam(false),
			{Name: "board", Label: "Board", Kind: migrations.Text, Max: 10, Refers: migrations.ToBoard,
				Help: "Its ticket prefix, such as NINJA, of the company above. Leave it empty for all."},
			{Name: "rate", Label: "Rows per second", Kind: migrations.Number, Required: true, Default: "1000",
				Min: republishPart, Max: 1_000_000,
				Help: "Every reader of the feed gets all rows: not faster than they can take."},
		},
		Check: func(ctx context.Context, values migrations.Values) error {
			_, _, err := toRepublish(ctx, m.db.Queries, values)
			return err
		},
		AdjustKnobs: func(values migrations.Values, knobs *migrations.Knobs) {
			if rate, err := strconv.ParseFloat(values["rate"], 64); err == nil {
				knobs.Rate = rate / republishPart
			}
		},
		Fill: m.fillRepublish, Write: m.writeRepublish, Preview: m.previewRepublish, Label: labelOf,
		Knobs:  migrations.Knobs{Concurrency: 1, Block: 1},
		Behind: true, Unattended: true,
	}
}

func (m *Republish) feedChoices(context.Context) ([]migrations.Option, error) {
	var list []migrations.Option
	for _, name := range m.feeds.Names() {
		list = append(list, migrations.Option{Value: name, Label: name})
	}
	return list, nil
}

// toRepublish returns the company and the board of a run, each the zero one for all.
func toRepublish(ctx context.Context, q *db.Queries, values migrations.Values) (accounts.Company, boards.Board, error) {
	company, err := kinds.CompanyOf(ctx, q, values)
	if err != nil || values["board"] == "" {
		return company, boards.Board{}, err
	}
	board, err := kinds.BoardOf(ctx, q, values)
	return company, board, err
}

// task is a task of republish: a board, or the tickets of a board with numbers in (after, to], or some of
// their comments. It has about as many rows as the rate counts for it.
type task struct {
	Feed         string     `json:"feed"`
	Board        id.Board   `json:"board"`
	Slug         string     `json:"slug"`
	After        uint64     `json:"after"`
	To           uint64     `json:"upto"`
	AfterComment id.Comment `json:"after_comment,omitempty"`
	ToComment    id.Comment `json:"upto_comment,omitempty"` // then of ticket to those from after_comment + 1 to upto_comment
}

func (a task) comments() tickets.CommentRange {
	return tickets.CommentRange{After: a.After, To: a.To, AfterComment: a.AfterComment, ToComment: a.ToComment}
}

// fillCursor is the cursor of filling: the board itself is added, its tickets before a number, its comments before
// another, and of that ticket up to a comment. It is no count, because tickets and comments are opened and purged
// meanwhile; new ones are published anyway.
type fillCursor struct {
	board           id.Board
	tickets, number uint64
	comment         id.Comment
}

func (r fillCursor) String() string {
	return fmt.Sprintf("%d %d %d %d", r.board, r.tickets, r.number, r.comment)
}

func parseFillCursor(cursor string) (r fillCursor) {
	if _, err := fmt.Sscanf(cursor, "%d %d %d %d", &r.board, &r.tickets, &r.number, &r.comment); err != nil {
		return fillCursor{}
	}
	return r
}

func (m *Republish) fillRepublish(ctx context.Context, into migrations.Filler) error {
	company, only, err := toRepublish(ctx, m.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	begun := parseFillCursor(into.Cursor())
	from := max(begun.board, only.ID)
	return kinds.EachBoard(ctx, m.bulk.Queries, company, from, func(board db.BoardsAfterRow) error {
		if only.ID != 0 && board.ID != only.ID {
			return nil
		}
		f := &taskFiller{Filler: into, feeds: m.feeds.Names(), board: board, feed: into.Values()["feed"]}
		if board.ID != begun.board {
			return f.all(ctx, m.bulk.Queries)
		}
		f.reached = begun
		return f.rest(ctx, m.bulk.Queries)
	})
}

// taskFiller adds the tasks of a board, for all feeds together along its numbers.
type taskFiller struct {
	migrations.Filler
	feeds   []string // of all, in their order
	board   db.BoardsAfterRow
	feed    string // "" for all
	reached fillCursor
}

func (f *taskFiller) wants(feed string) bool { return f.feed == "" || f.feed == feed }

// add adds a task, if its feed is wanted, with the cursor after it.
func (f *taskFiller) add(ctx context.Context, task task, to fillCursor) error {
	f.reached = to
	if !f.wants(task.Feed) {
		return nil
	}
	task.Board, task.Slug = f.board.ID, f.board.Slug
	payload, err := json.Marshal(task)
	if err != nil {
		return fmt.Errorf("write payload: %w", err)
	}
	return f.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: to.String()})
}

func (f *taskFiller) all(ctx context.Context, q *db.Queries) error {
	for _, feed := range f.feeds {
		if feedRepublishes[feed].parts != nil {
			continue
		}
		if err := f.add(ctx, task{Feed: feed}, fillCursor{board: f.board.ID}); err != nil {
			return err
		}
	}
	return f.rest(ctx, q)
}

// rest adds everything after the board itself.
func (f *taskFiller) rest(ctx context.Context, q *db.Queries) error {
	for after := f.reached.tickets; after < f.board.MaxTicketID; after += republishPart {
		to := min(after+republishPart, f.board.MaxTicketID)
		for _, feed := range slices.Backward(f.feeds) {
			parts := feedRepublishes[feed].parts
			if parts == nil {
				continue
			}
			if err := parts(f, ctx, q, after, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *taskFiller) tickets(ctx context.Context, _ *db.Queries, after, to uint64) error {
	return f.add(ctx, task{Feed: "tickets", After: after, To: to}, fillCursor{f.board.ID, to, to, 0})
}

func (f *taskFiller) comments(ctx context.Context, q *db.Queries, after, to uint64) error {
	if !f.wants("comments") {
		return nil
	}
	todo := tickets.CommentRange{After: after, To: to}
	if f.reached.number >= after {
		todo.After, todo.AfterComment = f.reached.number, f.reached.comment
	}
	return tickets.CommentRanges(ctx, q, f.board.ID, todo, republishPart, func(part tickets.CommentRange) error {
		at := fillCursor{f.board.ID, after, part.To, 0}
		if part.ToComment != 0 {
			at.number, at.comment = part.After, part.ToComment
		}
		return f.add(ctx, task{Feed: "comments", After: part.After, To: part.To, AfterComment: part.AfterComment,
			ToComment: part.ToComment}, at)
	})
}

// labelOf names the rows of a task.
func labelOf(payload string) string {
	var t task
	if json.Unmarshal([]byte(payload), &t) != nil || t.Slug == "" {
		return ""
	}
	switch {
	case t.To == 0:
		return t.Slug + " (" + t.Feed + ")"
	case t.ToComment != 0:
		return fmt.Sprintf("%s-%d (%s)", t.Slug, t.To, t.Feed)
	}
	return fmt.Sprintf("%s-%d to %s-%d (%s)", t.Slug, t.After+1, t.Slug, t.To, t.Feed)
}

func (m *Republish) againOf(work *migrations.Work) (task task, feed feedRepublish, err error) {
	if err = json.Unmarshal([]byte(work.Task.Payload), &task); err == nil {
		feed, err = m.feedNamed(task.Feed)
	}
	if err != nil {
		err = migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return task, feed, err
}

func (m *Republish) writeRepublish(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	for _, work := range works {
		task, feed, err := m.againOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		n, err := feed.again(ctx, tx, task)
		if err != nil {
			return err
		}
		work.Note(fmt.Sprintf("%d %s of %s", n, task.Feed, task.Slug))
	}
	return nil
}

func (m *Republish) previewRepublish(_ context.Context, work *migrations.Work) (string, error) {
	task, feed, err := m.againOf(work)
	if err != nil {
		return "", err
	}
	if feed.parts == nil {
		return "Would publish the board " + task.Slug + " again.", nil
	}
	if task.ToComment != 0 {
		return fmt.Sprintf("Would publish comments of %s-%d again, at most %d.", task.Slug, task.To, republishPart), nil
	}
	return fmt.Sprintf("Would publish the %[1]s of %[2]s-%[3]d to %[2]s-%[4]d again.", task.Feed, task.Slug, task.After+1,
		task.To), nil
}
