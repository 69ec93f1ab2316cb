// Package bulkedit has the migration bulk-edit: it changes the tickets of a board that match a query, or takes back what
// another bulk edit did. Its invariant: a ticket is changed once, in the transaction that completes its task and stores the
// outcome (domain/bulkedits), with the rights that the maker has then. A use case opens the run (workflows.OpenBulkEdit),
// and workflows.BulkEditor does a block. Start at bulkedit.go.
package bulkedit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

const (
	// ticketsAtOnce is how many tickets are changed in one transaction: others wait for its locks.
	ticketsAtOnce = 100
	// listedAtOnce is how many are listed in one read.
	listedAtOnce = 500
)

// task is a task of bulk-edit: a ticket, and of an undo the entry of its history.
type task struct {
	Ticket   id.Ticket   `json:"ticket"`
	Activity id.Activity `json:"activity,omitempty"`
}

// Lister lists the tickets of a board, or of workflows.AllBoards, that match a query, as the caller of ctx sees them:
// workflows.Workflows.TicketsOf without the board.
type Lister func(ctx context.Context, slug string, of workflows.TicketList) ([]tickets.Ticket, *tickets.Cursor, error)

// BulkEdits is the migration bulk-edit.
type BulkEdits struct {
	db   *db.DB
	most int
	list Lister
}

// New returns the migration on a database. most is how many tickets a run changes.
func New(d *db.DB, most int, list Lister) *BulkEdits { return &BulkEdits{d, most, list} }

// Migration changes the tickets of a bulk edit.
func (m *BulkEdits) Migration() *migrations.Migration {
	return &migrations.Migration{
		Name: migrations.BulkEdits, Title: "Change many tickets",
		Description: "Changes the tickets of a board, or of all boards, that match a query, or takes such a change back, with the rights of the member who asked for it. It starts automatically when a member asks for it; the member can pause, slow down and stop it, too.",
		Params: []migrations.Param{
			kinds.CompanyParam(true),
			{Name: "board", Label: "Board", Kind: migrations.Text, Max: 10, Help: "Its ticket prefix: NINJA. Empty for all boards that the member sees.",
				Refers: migrations.ToBoard},
			{Name: "change", Label: "Change", Kind: migrations.Text, Required: true, Max: 20, Help: "What is done with each ticket: close."},
		},
		Check: m.check, Fill: m.fill, Write: m.write, Preview: m.preview, Label: labelOf,
		Knobs:       migrations.Knobs{Concurrency: 2, Block: ticketsAtOnce, Attempts: 3},
		AdjustKnobs: adjustKnobs,
		Unattended:  true, Several: true,
	}
}

// adjustKnobs has one block after the other where the order of tickets matters.
func adjustKnobs(values migrations.Values, knobs *migrations.Knobs) {
	if edit := (bulkedits.Edit{Kind: bulkedits.Kind(values["change"])}); edit.InOrder() || edit.Kind == bulkedits.Undo {
		knobs.Concurrency = 1
	}
}

// check refuses a run that no member asked for.
func (m *BulkEdits) check(context.Context, migrations.Values) error {
	return migrations.BadParam("board", "This starts automatically when a member changes many tickets. Select them on the board's list.")
}

// fill lists the tickets to change in the order in which they are changed.
func (m *BulkEdits) fill(ctx context.Context, into migrations.Filler) error {
	edit, _, err := bulkedits.OfRun(ctx, m.db.Queries, into.Run())
	if errors.Is(err, fault.NotFound) {
		return migrations.Permanent{Err: err}
	}
	if err != nil {
		return err
	}
	list, err := m.tasks(ctx, into.Values(), edit)
	if err != nil {
		return err
	}
	reached, _ := strconv.ParseUint(into.Cursor(), 10, 64) // 0 at first
	for i, one := range list {
		cursor := uint64(i + 1)
		if edit.Undoes == 0 && !edit.Edit.InOrder() {
			cursor = uint64(one.Ticket) // other tickets may match when filling goes on
		}
		if cursor <= reached {
			continue
		}
		payload, err := json.Marshal(one)
		if err != nil {
			return fmt.Errorf("write payload: %w", err)
		}
		next := migrations.NewTask{Payload: string(payload), Cursor: strconv.FormatUint(cursor, 10)}
		if err := into.Add(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// tasks are all tasks of a bulk edit. An error about the request ends the run with it.
func (m *BulkEdits) tasks(ctx context.Context, values migrations.Values, edit bulkedits.BulkEdit) (list []task, err error) {
	if edit.Undoes != 0 {
		changes, err := bulkedits.Changes(ctx, m.db.Queries, edit.Undoes)
		for _, one := range changes {
			list = append(list, task{one.Ticket, one.Activity})
		}
		return list, err
	}
	actor, err := accounts.InCompany(ctx, m.db.Queries, values["company"], edit.Maker.ID)
	if err == nil {
		list, err = m.matching(accounts.WithActor(ctx, actor), values["board"], edit)
	}
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Forbidden) || errors.Is(err, fault.Conflict) || errors.Is(err, fault.Invalid) {
		return nil, migrations.Permanent{Err: err}
	}
	return list, err
}

// matching are the tickets that match the query: of a move in the order of the list, or to the top the last first, else by
// id. It returns bulkedits.TooManyTickets.
func (m *BulkEdits) matching(ctx context.Context, slug string, edit bulkedits.BulkEdit) (list []task, err error) {
	seen := map[id.Ticket]bool{} // one that is moved meanwhile may be listed twice
	of := workflows.TicketList{Query: edit.Query, Limit: listedAtOnce}
	if edit.Board == 0 {
		of.Sort = query.Sort{By: query.Created} // the same all the while
	}
	for {
		page, next, err := m.list(ctx, slug, of)
		if err != nil {
			return nil, err
		}
		for _, ticket := range page {
			if !seen[ticket.ID] {
				seen[ticket.ID], list = true, append(list, task{Ticket: ticket.ID})
			}
		}
		if len(list) > m.most {
			return nil, bulkedits.TooManyTickets(m.most)
		}
		if next == nil {
			break
		}
		of.After = next
	}
	switch {
	case !edit.Edit.InOrder():
		slices.SortFunc(list, func(a, b task) int { return cmp.Compare(a.Ticket, b.Ticket) })
	case edit.Edit.Kind == bulkedits.Move && !edit.Edit.Bottom:
		slices.Reverse(list)
	}
	return list, nil
}

func labelOf(payload string) string {
	if ticket := migrations.PayloadFields(payload)["ticket"]; ticket != "" {
		return "Ticket with the id " + ticket
	}
	return ""
}

// write changes the tickets of a block.
func (m *BulkEdits) write(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	edit, err := m.editOf(ctx, tx.Queries, works[0])
	if err != nil {
		return err
	}
	list, err := ticketsOf(works)
	if err != nil {
		return err
	}
	ids := make([]id.Ticket, len(list))
	for i, one := range list {
		ids[i] = one.ID
	}
	missing, err := bulkedits.Missing(ctx, tx.Queries, edit.ID, ids)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(one workflows.BulkTicket) bool { return !slices.Contains(missing, one.ID) })
	items, err := edit.Apply(ctx, tx, list)
	if err != nil {
		return err
	}
	for i, item := range items {
		for _, work := range works {
			if t, err := taskOf(work); err == nil && t.Ticket == item.Ticket {
				work.Note(noteOf(items[i]))
			}
		}
	}
	return bulkedits.AddItems(ctx, tx, edit.ID, items)
}

func (m *BulkEdits) editOf(ctx context.Context, q *db.Queries, work *migrations.Work) (workflows.BulkEditor, error) {
	edit, _, err := bulkedits.OfRun(ctx, q, work.Task.Run)
	if errors.Is(err, fault.NotFound) {
		err = migrations.Permanent{Err: err}
	}
	if err != nil {
		return workflows.BulkEditor{}, err
	}
	return workflows.NewBulkEditor(ctx, q, work.Values["company"], edit)
}

func taskOf(work *migrations.Work) (t task, err error) {
	if err := json.Unmarshal([]byte(work.Task.Payload), &t); err != nil {
		return t, migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return t, nil
}

func ticketsOf(works []*migrations.Work) (list []workflows.BulkTicket, err error) {
	for _, work := range works {
		t, err := taskOf(work)
		if err != nil {
			return nil, err
		}
		list = append(list, workflows.BulkTicket{ID: t.Ticket, Activity: t.Activity})
	}
	return list, nil
}

// noteOf is an outcome for operators, who may not see the ticket.
func noteOf(item bulkedits.Item) string { return string(item.Outcome) }

// preview stores what would become of a ticket.
func (m *BulkEdits) preview(ctx context.Context, work *migrations.Work) (string, error) {
	edit, err := m.editOf(ctx, m.db.Queries, work)
	if err != nil {
		return "", err
	}
	t, err := taskOf(work)
	if err != nil {
		return "", err
	}
	item, err := edit.Preview(ctx, m.db, workflows.BulkTicket{ID: t.Ticket, Activity: t.Activity})
	if err != nil {
		return "", err
	}
	err = m.db.InTx(ctx, func(tx *db.Tx) error {
		missing, err := bulkedits.Missing(ctx, tx.Queries, edit.ID, []id.Ticket{t.Ticket})
		if err != nil || len(missing) == 0 {
			return err
		}
		return bulkedits.AddItems(ctx, tx, edit.ID, []bulkedits.Item{item})
	})
	return noteOf(item), err
}
