package migrations

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Sheet is a CSV file of rows. It is read in parts, however long it is.
type Sheet struct {
	Name string // of the file
	head []string
	// part writes some rows and reports whether there are more.
	part func(ctx context.Context, write func(cells ...string)) (more bool, err error)
}

// NewSheet returns a file with a row of names. part writes some rows and reports whether there are more.
func NewSheet(
	name string, head []string, part func(ctx context.Context, write func(cells ...string)) (more bool, err error),
) *Sheet {
	return &Sheet{Name: name, head: head, part: part}
}

// WriteSome writes some rows, the first time below their names, and reports whether there are more. A field that a
// spreadsheet would take for a formula is led by an apostrophe. ctx is for the reads alone: a slow receiver takes none
// of its time.
func (s *Sheet) WriteSome(ctx context.Context, out *csv.Writer) (more bool, err error) {
	var rows [][]string
	write := func(cells ...string) {
		for i, cell := range cells {
			cells[i] = Inert(cell)
		}
		rows = append(rows, cells)
	}
	if s.head != nil {
		write(s.head...)
		s.head = nil
	}
	more, err = s.part(ctx, write)
	return more, cmp.Or(err, out.WriteAll(rows))
}

// Inert returns a field that no spreadsheet calculates: https://owasp.org/www-community/attacks/CSV_Injection
func Inert(field string) string {
	if field != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(field)[0]) {
		return "'" + field
	}
	return field
}

// FailureSheet has the failed tasks of a run, of a group, or all if the fingerprint is "", each as FailedTasks returns
// it. It returns RunNotFound or BadFingerprint.
func (e *Engine) FailureSheet(ctx context.Context, by db.Sight, run id.Run, fingerprint string) (*Sheet, error) {
	page, err := e.FailedTasks(ctx, by, run, fingerprint, 0)
	if err != nil {
		return nil, err
	}
	head := []string{"task", "line", "iteration", "attempts", "finished_at", "fingerprint", "error", "payload"}
	return &Sheet{Name: fmt.Sprintf("run-%d-failures.csv", run), head: head,
		part: func(ctx context.Context, write func(...string)) (bool, error) {
			for _, t := range page.Tasks {
				write(digits(t.ID), digits(t.Line), strconv.Itoa(t.Iteration), strconv.Itoa(t.Attempt), stamp(t.FinishedAt),
					t.Fingerprint, t.Error, t.Payload)
			}
			if page.Next == 0 {
				return false, nil
			}
			page, err = e.FailedTasks(ctx, by, run, fingerprint, page.Next)
			return err == nil, err
		}}, nil
}

func digits[T ~uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }

func stamp(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// RejectionSheet has what no task was made of, as Rejections returns it. It returns RunNotFound.
func (e *Engine) RejectionSheet(ctx context.Context, by db.Sight, run id.Run) (*Sheet, error) {
	r, err := e.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	list, more, err := e.Rejections(ctx, by, run, 0)
	if err != nil {
		return nil, err
	}
	head := []string{"line", "reason", "content"}
	return &Sheet{Name: fmt.Sprintf("run-%d-rejections.csv", run), head: head,
		part: func(ctx context.Context, write func(...string)) (bool, error) {
			for _, one := range list {
				write(digits(one.Line), one.Reason, one.Content)
			}
			if !more {
				if r.Unlisted() > 0 {
					write("", unlistedNote(r), "")
				}
				return false, nil
			}
			list, more, err = e.Rejections(ctx, by, run, list[len(list)-1].Number)
			return err == nil, err
		}}, nil
}

// unlistedNote says of how many rejected lines the list knows nothing.
func unlistedNote(r Run) string {
	first := fmt.Sprintf("Only the first %d,%03d are listed: ", MaxRejections/1000, MaxRejections%1000)
	if r.Unlisted() == 1 {
		return first + "1 more line was rejected."
	}
	return first + digits(r.Unlisted()) + " more lines were rejected."
}

// ReportSheet has the result of each row of a run's file, or for a dry run what it would be, by line. It returns
// RunNotFound.
func (e *Engine) ReportSheet(ctx context.Context, by db.Sight, run id.Run) (*Sheet, error) {
	r, err := e.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	rejected := rejectedLines{Engine: e, by: by, run: run, more: true}
	if err := rejected.read(ctx); err != nil {
		return nil, err
	}
	page, err := e.Tasks(ctx, by, run, TaskFilter{})
	if err != nil {
		return nil, err
	}
	head := []string{"line", "state", "note", "content"}
	return &Sheet{Name: fmt.Sprintf("run-%d-report.csv", run), head: head,
		part: func(ctx context.Context, write func(...string)) (more bool, err error) {
			for _, task := range page.Tasks {
				if more, err := rejected.upTo(ctx, task.Line, write); more || err != nil {
					return more, err
				}
				note, err := e.outcome(ctx, by, task)
				if err != nil {
					return false, err
				}
				write(digits(task.Line), task.State, note, Cut(task.Payload, 200))
				page.Tasks = page.Tasks[1:]
			}
			if page.Next == 0 {
				more, err := rejected.upTo(ctx, 1<<63, write)
				if err == nil && !more && r.Unlisted() > 0 {
					write("", "rejected", unlistedNote(r), "")
				}
				return more, err
			}
			page, err = e.Tasks(ctx, by, run, TaskFilter{After: page.Next})
			return err == nil, err
		}}, nil
}

// outcome is a task's note or, of a failed one, its last error.
func (e *Engine) outcome(ctx context.Context, by db.Sight, task Task) (string, error) {
	if task.State != TaskFailed {
		return task.Note, nil
	}
	_, attempts, err := e.Task(ctx, by, task.Run, task.ID)
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

// rejectedLines are the lines of a run that no task was made of, page by page.
type rejectedLines struct {
	*Engine
	by   db.Sight
	run  id.Run
	list []Rejection
	last uint64
	more bool
}

func (r *rejectedLines) read(ctx context.Context) (err error) {
	r.list, r.more, err = r.Rejections(ctx, r.by, r.run, r.last)
	if len(r.list) > 0 {
		r.last = r.list[len(r.list)-1].Number
	}
	return err
}

// upTo writes those above a line of the file, a page at most, and reports whether there may be more.
func (r *rejectedLines) upTo(ctx context.Context, line uint64, write func(...string)) (more bool, err error) {
	for len(r.list) > 0 && r.list[0].Line < line {
		write(digits(r.list[0].Line), "rejected", r.list[0].Reason, r.list[0].Content)
		r.list = r.list[1:]
	}
	if len(r.list) > 0 || !r.more {
		return false, nil
	}
	err = r.read(ctx)
	return err == nil, err
}
