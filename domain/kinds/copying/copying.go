// Package copying has the migration copy-tickets: it copies the tickets of a board to a duplicate of it. Its invariant:
// a ticket is copied once, in the transaction that completes its task, with the rights that the account which made the
// duplicate has then. A use case opens the run in the transaction that opens the duplicate (workflows.OpenBoard), and
// workflows.TicketCopy says what a copy has. Start at copying.go.
package copying

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// ticketsAtOnce is how many tickets are listed in one read, and copied in one transaction.
const ticketsAtOnce = 50

// task is a task of copy-tickets: the number of a ticket.
type task struct {
	Number uint64 `json:"number"`
}

// Copying is the migration copy-tickets.
type Copying struct {
	db    *db.DB
	bulk  *db.DB
	media workflows.Media
}

// New returns the migration on a database. Bulk is the same database with connections of its own; media finds what
// descriptions show.
func New(d, bulk *db.DB, media workflows.Media) *Copying { return &Copying{d, bulk, media} }

// Migration copies the tickets of a board.
func (m *Copying) Migration() *migrations.Migration {
	return &migrations.Migration{
		Name: workflows.CopyTicketsName, Title: "Copy the tickets of a board",
		Description: "Copies the tickets of a board to a duplicate of it: title, description with its files, column, priority, dates, labels, assignees, and whether it is closed. Nobody is notified. It starts automatically when a board is duplicated with its tickets.",
		Params: []migrations.Param{
			kinds.CompanyParam(true),
			{Name: "board", Label: "Board", Kind: migrations.Text, Required: true, Max: 10, Help: "Its ticket prefix: NINJA.",
				Refers: migrations.ToBoard},
			{Name: "to", Label: "Duplicate", Kind: migrations.Text, Required: true, Max: 10, Help: "The ticket prefix of the new board.",
				Refers: migrations.ToBoard},
			{Name: "tickets", Label: "Tickets", Kind: migrations.Choice, Required: true,
				Choices: kinds.Choices(boards.CopyOpen, "open ones", boards.CopyAll, "all")},
			{Name: "columns", Label: "Columns", Kind: migrations.Text, Required: true, Max: 2000,
				Help: "The numbers of the columns of both boards, as in the API: 12=40 13=41."},
			{Name: "account", Label: "Account", Kind: migrations.Number, Required: true, Min: 1, Max: 1<<53 - 1,
				Help: "The number of the account that made the duplicate, with whose rights tickets are copied."},
		},
		Check: m.check, Fill: m.fill, Write: m.write, Label: labelOf,
		// Copies come in the order of their columns, so one block is written after the other.
		Knobs:      migrations.Knobs{Concurrency: 1, Block: ticketsAtOnce, Attempts: 3},
		Unattended: true,
	}
}

// check refuses a run that no duplicate asked for.
func (m *Copying) check(context.Context, migrations.Values) error {
	return migrations.BadParam("board", "This starts automatically when a board is duplicated with its tickets. Duplicate it in its settings.")
}

func (m *Copying) copyOf(ctx context.Context, q *db.Queries, values migrations.Values) (workflows.TicketCopy, error) {
	account, _ := strconv.ParseUint(values["account"], 10, 64)
	c, err := workflows.NewTicketCopy(ctx, q, values["company"], accounts.ID(account), values["board"], values["to"])
	c.Columns, c.Media = workflows.ParseColumnPairs(values["columns"]), m.media
	return c, err
}

// fill lists the tickets of the columns that have one in the duplicate, from the top of each, by the cursor of the last.
func (m *Copying) fill(ctx context.Context, into migrations.Filler) error {
	values := into.Values()
	c, err := m.copyOf(ctx, m.bulk.Queries, values)
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Forbidden) {
		return migrations.Permanent{Err: err}
	}
	if err != nil {
		return err
	}
	reached, err := tickets.ParseCursor(into.Cursor())
	if err != nil {
		return err
	}
	for _, column := range c.From.Columns {
		if _, ok := c.Columns[column.ID]; !ok {
			continue
		}
		if reached != nil && reached.Column != column.ID {
			continue // it is listed already
		}
		if err := m.fillColumn(ctx, into, c.From, column, reached, values["tickets"] == boards.CopyOpen); err != nil {
			return err
		}
		reached = nil
	}
	return nil
}

func (m *Copying) fillColumn(
	ctx context.Context, into migrations.Filler, board boards.Board, column boards.Column, below *tickets.Cursor, open bool,
) error {
	for {
		list, err := tickets.Below(ctx, m.bulk.Queries, board.ID, board.Slug, column.ID, below, ticketsAtOnce)
		if err != nil {
			return err
		}
		for _, ticket := range list {
			cursor := ticket.Cursor()
			below = &cursor
			if open && ticket.Closed() {
				continue
			}
			payload, err := json.Marshal(task{ticket.Key.Number})
			if err != nil {
				return fmt.Errorf("write payload: %w", err)
			}
			if err := into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: cursor.String()}); err != nil {
				return err
			}
		}
		if len(list) < ticketsAtOnce {
			return nil
		}
	}
}

func labelOf(payload string) string {
	if number := migrations.PayloadFields(payload)["number"]; number != "" {
		return "Ticket " + number
	}
	return ""
}

// write copies the tickets of a block.
func (m *Copying) write(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	c, err := m.copyOf(ctx, tx.Queries, works[0].Values)
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Forbidden) {
		return migrations.Permanent{Err: err}
	}
	if err != nil {
		return err
	}
	var of []*migrations.Work
	var list []tickets.Ticket
	for _, work := range works {
		ticket, ok, err := m.read(ctx, tx, c, work)
		if err != nil {
			return err
		}
		if ok {
			of, list = append(of, work), append(list, ticket)
		}
	}
	if len(list) == 0 {
		return nil
	}
	opened, err := c.Open(ctx, tx, list)
	if errors.Is(err, boards.CodeColumnFull) || errors.Is(err, boards.CodeArchived) {
		return migrations.Permanent{Err: err}
	}
	if err != nil {
		return err
	}
	for i, work := range of {
		work.Note(fmt.Sprintf("%s is copied to %s.", list[i].Key, opened[i].Key))
	}
	return nil
}

// read returns the ticket of a task, with copies of its files; ok is false if it is not on the board any more.
func (m *Copying) read(
	ctx context.Context, tx *db.Tx, c workflows.TicketCopy, work *migrations.Work,
) (ticket tickets.Ticket, ok bool, err error) {
	var t task
	if err := json.Unmarshal([]byte(work.Task.Payload), &t); err != nil {
		work.Fail(migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)})
		return ticket, false, nil
	}
	ticket, err = c.Read(ctx, tx.Queries, t.Number)
	if errors.Is(err, tickets.CodeNotFound) {
		work.Note(fmt.Sprintf("%s-%d is not on the board any more. It was left out.", c.From.Slug, t.Number))
		return ticket, false, nil
	}
	if err != nil {
		return ticket, false, err
	}
	// In a transaction of its own, as an upload is: copies that no ticket gets are removed as such uploads are.
	ticket, err = c.WithFiles(ctx, m.db, ticket)
	return ticket, err == nil, err
}
