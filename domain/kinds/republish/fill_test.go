package republish_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// fillResult is what a filling adds, from some cursor on.
type fillResult struct {
	values migrations.Values
	cursor string
	tasks  []migrations.NewTask
}

func (l *fillResult) Run() id.Run                                   { return 0 }
func (l *fillResult) Values() migrations.Values                     { return l.values }
func (l *fillResult) Cursor() string                                { return l.cursor }
func (l *fillResult) Upload(context.Context) (io.ReadCloser, error) { return nil, io.EOF }
func (l *fillResult) Reject(_ context.Context, r migrations.Rejection) error {
	return fmt.Errorf("%+v", r)
}
func (l *fillResult) Add(_ context.Context, task migrations.NewTask) error {
	l.tasks = append(l.tasks, task)
	return nil
}

// fills is what a filling of republish adds behind a cursor.
func (e *env) fills(t *testing.T, values migrations.Values, cursor string) []migrations.NewTask {
	t.Helper()
	l := &fillResult{values: values, cursor: cursor}
	domaintest.Must(t, e.Migration(t, "republish").Fill(e.Ctx, l))
	return l.tasks
}

func TestRepublishedComments(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	board := e.Board(t, "NINJA")
	keys := e.Open(t, "NINJA", board.Columns[0].ID, 205)
	all := 0
	for number, n := range map[int]int{1: 250, 2: 60, 3: 60, 4: 40, 100: 100, 101: 101, 205: 3} {
		all += n
		row := fmt.Sprintf("(%d, %d, 'x', NOW(6), NOW(6))", e.Ticket(t, keys[number-1].String()).ID, e.Actor.Account.ID)
		e.Exec(t, "INSERT INTO comment (ticket_id, account_id, body, created_at, updated_at) VALUES "+strings.Join(
			slices.Repeat([]string{row}, n), ", "))
	}

	t.Run("the fill resumes behind any task", func(t *testing.T) {
		for _, values := range []migrations.Values{{}, {"feed": "comments"}, {"feed": "tickets"},
			{"company": "acme", "board": "NINJA"}} {
			tasks := e.fills(t, values, "")
			for i, task := range tasks {
				if rest := e.fills(t, values, task.Cursor); !slices.Equal(rest, tasks[i+1:]) {
					t.Fatalf("%v: behind %s come %v, not %v", values, task.Cursor, rest, tasks[i+1:])
				}
			}
		}
	})

	t.Run("no task is of more than a hundred, and each comment is in one", func(t *testing.T) {
		_, at := e.FeedItems(t, "comments", "")
		_, run, err := e.Workflows.RepublishRows(e.Ctx, "comments", feeds.Selection{Board: "NINJA"})
		domaintest.Must(t, err)
		e.WorkAll(t, "republish")
		if items, _ := e.FeedItems(t, "comments", at); len(items) != all {
			t.Errorf("%d of %d came again", len(items), all)
		}
		var got string
		row := e.DB.SQL.QueryRow(
			"SELECT GROUP_CONCAT(SUBSTRING_INDEX(note, ' ', 1) ORDER BY id SEPARATOR ' ') FROM migration_task WHERE run_id = ?",
			run.ID)
		if err := row.Scan(&got); err != nil || got != "100 100 50 60 100 100 100 1 3" {
			t.Errorf("tasks of %s comments (%v)", got, err)
		}
	})
}
