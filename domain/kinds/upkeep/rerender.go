package upkeep

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// textsPart is how many numbers of a board a task reads.
const textsPart = 100

// textsTask is a task that reads texts: those of the tickets of a board with numbers in (after, to].
type textsTask struct {
	Company string   `json:"company"`
	Board   id.Board `json:"board"`
	Slug    string   `json:"slug"`
	After   uint64   `json:"after"`
	To      uint64   `json:"upto"`
}

// reRenderMarkdown renders every text, and reports those that fail or exceed the limits. It stores nothing, because
// pages render texts when they are shown (docs/performance.md).
func (m *Upkeep) reRenderMarkdown() *migrations.Migration {
	return &migrations.Migration{
		Name: "re-render-markdown", Title: "Re-render Markdown",
		Description: "Renders every description and comment once more, with the renderer of this version, and reports texts that fail, and those that are shown as they were typed because they would take too long. It changes nothing. Run it after an upgrade, or when a text looks wrong.",
		Params:      []migrations.Param{kinds.CompanyParam(false)},
		Check: func(ctx context.Context, values migrations.Values) error {
			_, err := kinds.CompanyOf(ctx, m.db.Queries, values)
			return err
		},
		Fill:    m.fillTexts,
		Process: m.rerender,
		Preview: previewRerender,
		Label:   textsLabel,
		Knobs:   migrations.Knobs{Concurrency: 2, Block: 10},
	}
}

func (m *Upkeep) fillTexts(ctx context.Context, into migrations.Filler) error {
	company, err := kinds.CompanyOf(ctx, m.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	var from id.Board
	var behind uint64
	_, _ = fmt.Sscanf(into.Cursor(), "%d %d", &from, &behind)
	return kinds.EachBoard(ctx, m.bulk.Queries, company, from, func(board db.BoardsAfterRow) error {
		first := uint64(0)
		if board.ID == from {
			first = behind
		}
		for after := first; after < board.MaxTicketID; after += textsPart {
			to := min(after+textsPart, board.MaxTicketID)
			payload, err := json.Marshal(textsTask{board.Company, board.ID, board.Slug, after, to})
			if err != nil {
				return fmt.Errorf("write payload: %w", err)
			}
			if err := into.Add(ctx,
				migrations.NewTask{Payload: string(payload), Cursor: fmt.Sprintf("%d %d", board.ID, to)}); err != nil {
				return err
			}
		}
		return nil
	})
}

func textsLabel(payload string) string {
	var r textsTask
	if json.Unmarshal([]byte(payload), &r) != nil {
		return ""
	}
	return fmt.Sprintf("%s-%d to %s-%d of %s", r.Slug, r.After+1, r.Slug, r.To, r.Company)
}

func textsOf(work *migrations.Work) (r textsTask, err error) {
	if err := json.Unmarshal([]byte(work.Task.Payload), &r); err != nil {
		return r, migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return r, nil
}

func (m *Upkeep) rerender(ctx context.Context, work *migrations.Work) error {
	r, err := textsOf(work)
	if err != nil {
		return err
	}
	texts := 0
	var typed, failed []string
	err = tickets.EachText(ctx, m.bulk.Queries, r.Board, r.Slug, r.After, r.To, func(key tickets.Key, comment id.Comment, text string) error {
		texts++
		as, err := markup.AsTyped(text)
		switch {
		case err != nil:
			failed = append(failed, textOf(key, comment)+": "+err.Error())
		case as:
			typed = append(typed, textOf(key, comment))
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		return migrations.Permanent{Err: fmt.Errorf("of %d texts of %s/%s, %d cannot be rendered: %s", texts, r.Company,
			r.Slug, len(failed), strings.Join(failed, "; "))}
	}
	note := fmt.Sprintf("%d texts of %s/%s", texts, r.Company, r.Slug)
	if len(typed) > 0 {
		note += fmt.Sprintf("; %d shown as typed, for they would take too long: %s", len(typed), strings.Join(typed, ", "))
	}
	work.Note(note)
	return nil
}

func textOf(key tickets.Key, comment id.Comment) string {
	if comment == 0 {
		return key.String()
	}
	return fmt.Sprintf("%s#comment-%d", key, comment)
}

func previewRerender(_ context.Context, work *migrations.Work) (string, error) {
	r, err := textsOf(work)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Would render the texts of %[1]s/%[2]s-%[3]d to %[2]s-%[4]d.", r.Company, r.Slug, r.After+1, r.To),
		nil
}
