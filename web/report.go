package web

import (
	"context"
	"fmt"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// reportFile is what came of each row of a run's file, or for a dry run would come of it, by line.
func (s *server) reportFile(c echo.Context) error {
	ctx := c.Request().Context()
	of, err := s.runOfPath(c)
	if err != nil {
		return err
	}
	run := of.ID
	rejected := rejectedLines{server: s, run: run, more: true}
	if err := rejected.read(ctx); err != nil {
		return err
	}
	page, err := s.RunTasks(ctx, run, migrations.TaskFilter{})
	if err != nil {
		return err
	}
	return csvFile(c, fmt.Sprintf("run-%d-report.csv", run), []string{"line", "state", "note", "content"}, func(ctx context.Context, write func(...string)) (more bool, err error) {
		for _, task := range page.Tasks {
			if more, err := rejected.upTo(ctx, task.Line, write); more || err != nil {
				return more, err
			}
			note, err := s.outcome(ctx, task)
			if err != nil {
				return false, err
			}
			write(strconv.FormatUint(task.Line, 10), task.State, note, beginning(task.Payload))
			page.Tasks = page.Tasks[1:]
		}
		if page.Next == 0 {
			more, err := rejected.upTo(ctx, 1<<63, write)
			if unlisted := views.UnlistedRejections(of); err == nil && !more && unlisted != "" {
				write("", "rejected", unlisted, "")
			}
			return more, err
		}
		page, err = s.RunTasks(ctx, run, migrations.TaskFilter{After: page.Next})
		return err == nil, err
	})
}

// outcome is a task's note or, of a failed one, its last error.
func (s *server) outcome(ctx context.Context, task migrations.Task) (string, error) {
	if task.State != migrations.TaskFailed {
		return task.Note, nil
	}
	_, attempts, err := s.RunTask(ctx, task.Run, task.ID)
	if err != nil || len(attempts) == 0 {
		return task.Note, err
	}
	last := attempts[0]
	for _, a := range attempts {
		if a.StartedAt.After(last.StartedAt) {
			last = a
		}
	}
	return last.Message, nil
}

func beginning(text string) string {
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

// rejectedLines are the lines of a run that no task was made of, page by page.
type rejectedLines struct {
	*server
	run  id.Run
	list []migrations.Rejection
	last uint64
	more bool
}

func (r *rejectedLines) read(ctx context.Context) (err error) {
	r.list, r.more, err = r.RunRejections(ctx, r.run, r.last)
	if len(r.list) > 0 {
		r.last = r.list[len(r.list)-1].Number
	}
	return err
}

// upTo writes those above a line of the file, a page at most, and reports whether there may be more.
func (r *rejectedLines) upTo(ctx context.Context, line uint64, write func(...string)) (more bool, err error) {
	for len(r.list) > 0 && r.list[0].Line < line {
		write(strconv.FormatUint(r.list[0].Line, 10), "rejected", r.list[0].Reason, r.list[0].Content)
		r.list = r.list[1:]
	}
	if len(r.list) > 0 || !r.more {
		return false, nil
	}
	err = r.read(ctx)
	return err == nil, err
}
