package upkeep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

const (
	spreadPart = 200 // tickets of a task
	// spreadMore is how many more tickets a task may respace: some are inserted during the run.
	spreadMore = 20
)

// spreadTask is a task of rebalance-ranks: the next so many tickets of a column, from its end up. Tasks of a column are
// alike, and each begins where the one before ended.
type spreadTask struct {
	Column id.Column `json:"column"`
	Name   string    `json:"name"`
	Part   int       `json:"part"`
	Of     int       `json:"of"`
}

// rebalanceRanks gives the tickets of a board ranks a full gap apart, in their order, while users keep moving them. It
// changes nothing else: no version, no history.
func (m *Upkeep) rebalanceRanks() *migrations.Migration {
	return &migrations.Migration{
		Name: "rebalance-ranks", Title: "Rebalance ranks of a board",
		Description: "Gives the tickets of each column ranks a full gap apart again, in the order that they have. Moves then find room without moving other tickets. Users can keep working, and see no change.",
		Params: []migrations.Param{
			kinds.CompanyParam(true),
			{Name: "board", Label: "Board", Kind: migrations.Text, Required: true, Max: 10, Help: "Its ticket prefix: NINJA.",
				Refers: migrations.ToBoard},
		},
		Check: func(ctx context.Context, values migrations.Values) error {
			_, err := kinds.BoardOf(ctx, m.db.Queries, values)
			return err
		},
		Fill:    m.fillRebalance,
		Write:   writeRebalance,
		Preview: previewRebalance,
		Label:   rebalanceLabel,
		// A column's tasks wait for one another: more at a time would only wait.
		Knobs: migrations.Knobs{Concurrency: 1, Block: 1},
	}
}

func (m *Upkeep) fillRebalance(ctx context.Context, into migrations.Filler) error {
	board, err := kinds.BoardOf(ctx, m.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	var from spreadTask
	_, _ = fmt.Sscanf(into.Cursor(), "%d %d", &from.Column, &from.Part)
	columns := slices.SortedFunc(slices.Values(board.Columns),
		func(a, b boards.Column) int { return cmp.Compare(a.ID, b.ID) })
	for _, column := range columns {
		parts := int((column.Count + spreadPart - 1) / spreadPart)
		for part := 1; part <= parts; part++ {
			if column.ID < from.Column || column.ID == from.Column && part <= from.Part {
				continue
			}
			payload, err := json.Marshal(spreadTask{column.ID, column.Name, part, parts})
			if err != nil {
				return fmt.Errorf("write payload: %w", err)
			}
			err = into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: fmt.Sprintf("%d %d", column.ID, part)})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func rebalanceLabel(payload string) string {
	var s spreadTask
	if json.Unmarshal([]byte(payload), &s) != nil {
		return ""
	}
	return fmt.Sprintf("%s, part %d of %d", s.Name, s.Part, s.Of)
}

func spreadingOf(work *migrations.Work) (s spreadTask, err error) {
	if err := json.Unmarshal([]byte(work.Task.Payload), &s); err != nil {
		return s, migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return s, nil
}

func writeRebalance(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	type one struct {
		spreadTask
		work *migrations.Work
	}
	var list []one
	for _, work := range works {
		s, err := spreadingOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		list = append(list, one{s, work})
	}
	slices.SortStableFunc(list, func(a, b one) int { return cmp.Compare(a.Column, b.Column) }) // the order of locks
	for _, next := range list {
		moved, err := spreadNext(ctx, tx, next.Column, next.work.Task.Run, spreadPart+spreadMore)
		switch {
		case errors.Is(err, fault.NotFound):
			next.work.Note("The column is gone.")
		case errors.Is(err, boards.CodeRanksUsedUp):
			next.work.Fail(migrations.Permanent{Err: err})
		case err != nil:
			return err
		case moved == 0:
			next.work.Note("Nothing was left to spread.")
		default:
			next.work.Note(fmt.Sprintf("%d tickets of “%s”", moved, next.Name))
		}
	}
	return nil
}

// spreadNext respaces the next n tickets of a column that a run has not reached, and returns how many.
func spreadNext(ctx context.Context, tx *db.Tx, column id.Column, run id.Run, n int) (int, error) {
	from, err := boards.LockSpread(ctx, tx, column, run, tickets.Gap)
	if err != nil {
		return 0, err
	}
	highest, moved, err := tickets.SpreadAbove(ctx, tx, column, from, n)
	if err != nil || moved == 0 {
		return 0, err
	}
	return moved, boards.SaveSpread(ctx, tx, column, highest)
}

func previewRebalance(_ context.Context, work *migrations.Work) (string, error) {
	s, err := spreadingOf(work)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Would spread up to %d tickets of “%s” (part %d of %d).", spreadPart, s.Name, s.Part, s.Of), nil
}
