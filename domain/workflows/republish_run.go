package workflows

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// republish publishes rows again as they are, for those who read the feeds: what is shown of them has changed
// without them, or a reader has lost them.
func (w *Workflows) republish() *migrations.Migration {
	return &migrations.Migration{
		Name: republishing, Title: "Publish rows again",
		Description: "Sends rows through the feeds once more, as they are, to whoever follows them: consumers, webhooks and open boards. Nothing else about them changes. It starts by itself; a board whose slug changes is published so, for the keys of its tickets change.",
		Params: []migrations.Param{
			{Name: "feed", Label: "Feed", Kind: migrations.Choice, Choices: w.feedChoices, Help: "Leave it empty for all."},
			companyParam(false),
			{Name: "board", Label: "Board", Kind: migrations.Text, Max: 10, Help: "Its slug, such as NINJA, of the company above. Leave it empty for all."},
			{Name: "rate", Label: "Rows per second", Kind: migrations.Number, Required: true, Default: "1000", Min: republishPart, Max: 1_000_000, Help: "Those who follow the feed get all of them: not faster than they can take it."},
		},
		Check: func(ctx context.Context, values migrations.Values) error {
			if values["board"] != "" && values["company"] == "" {
				return migrations.BadParam{Name: "company", Why: "Say which company's board it is."}
			}
			_, _, err := toRepublish(ctx, w.db.Queries, values)
			return err
		},
		Turn: func(values migrations.Values, knobs *migrations.Knobs) {
			if rate, err := strconv.ParseFloat(values["rate"], 64); err == nil {
				knobs.Rate = rate / republishPart
			}
		},
		Fill: w.fillRepublishing, Write: writeRepublishing, Preview: previewRepublishing,
		Knobs:   migrations.Knobs{Concurrency: 1, Block: 1},
		Behind: true, Unattended: true,
	}
}

func (w *Workflows) feedChoices(context.Context) ([]migrations.Option, error) {
	var list []migrations.Option
	for _, name := range w.feeds.Names() {
		list = append(list, migrations.Option{Value: name, Label: name})
	}
	return list, nil
}

// toRepublish returns the company and the board that a run is for, each the zero one where it is for all.
func toRepublish(ctx context.Context, q *db.Queries, values migrations.Values) (accounts.Company, boards.Board, error) {
	company, err := companyOf(ctx, q, values)
	if err != nil || values["board"] == "" {
		return company, boards.Board{}, err
	}
	board, err := boardOf(ctx, q, values)
	return company, board, err
}

// again is a task of republish: a board, or of the tickets of a board those with the numbers from after + 1 to
// upto, or their comments.
type again struct {
	Feed  string   `json:"feed"`
	Board id.Board `json:"board"`
	Slug  string   `json:"slug"`
	After uint64   `json:"after"`
	Upto  uint64   `json:"upto"`
}

// The cursor is a board, and how many of its tasks were added: they are always the same, but for numbers that
// were given out meanwhile, and tickets that have these are published anyway.
func (w *Workflows) fillRepublishing(ctx context.Context, into migrations.Filler) error {
	company, only, err := toRepublish(ctx, w.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	var from id.Board
	var behind uint64
	if _, err := fmt.Sscanf(into.Cursor(), "%d %d", &from, &behind); err != nil {
		from = only.ID
	}
	return w.eachBoard(ctx, company, from, func(board db.BoardsAfterRow) error {
		if only.ID != 0 && board.ID != only.ID {
			return nil
		}
		skip := uint64(0)
		if board.ID == from {
			skip = behind
		}
		return addAgain(ctx, into, board, skip)
	})
}

// addAgain adds the tasks of a board but the first few. Those of all feeds go on together through its numbers.
func addAgain(ctx context.Context, into migrations.Filler, board db.BoardsAfterRow, skip uint64) error {
	n := uint64(0)
	add := func(task again) error {
		if feed := into.Values()["feed"]; feed != "" && feed != task.Feed {
			return nil
		}
		if n++; n <= skip {
			return nil
		}
		payload, err := json.Marshal(task)
		if err != nil {
			return fmt.Errorf("write payload: %w", err)
		}
		return into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: fmt.Sprintf("%d %d", board.ID, n)})
	}
	each := func(numbered bool, after, upto uint64) error {
		for _, feed := range everyFeed {
			if feed.numbered == numbered {
				if err := add(again{feed.Name, board.ID, board.Slug, after, upto}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := each(false, 0, 0); err != nil {
		return err
	}
	for after := uint64(0); after < board.MaxTicketID; after += republishPart {
		if err := each(true, after, min(after+republishPart, board.MaxTicketID)); err != nil {
			return err
		}
	}
	return nil
}

func againOf(work *migrations.Work) (task again, feed fed, err error) {
	if err = json.Unmarshal([]byte(work.Task.Payload), &task); err == nil {
		feed, err = fedBy(task.Feed)
	}
	if err != nil {
		err = migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return task, feed, err
}

func writeRepublishing(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	for _, work := range works {
		task, feed, err := againOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		n, err := feed.again(ctx, tx, task.Board, task.After, task.Upto)
		if err != nil {
			return err
		}
		work.Note(fmt.Sprintf("%d %s of %s", n, task.Feed, task.Slug))
	}
	return nil
}

func previewRepublishing(_ context.Context, work *migrations.Work) (string, error) {
	task, feed, err := againOf(work)
	if err != nil {
		return "", err
	}
	if !feed.numbered {
		return "Would publish the board " + task.Slug + " again.", nil
	}
	return fmt.Sprintf("Would publish the %[1]s of %[2]s-%[3]d to %[2]s-%[4]d again.", task.Feed, task.Slug, task.After+1, task.Upto), nil
}
