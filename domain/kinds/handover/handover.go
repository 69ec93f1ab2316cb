// Package handover has the migration hand-over: the open tickets of a deactivated account go to another member of their
// company, or to nobody. Its invariant: a task writes the tickets of one company, at most ticketsAtOnce. Start at
// handover.go. A use case opens the run in the transaction that deactivates the account (console.DeactivateAccount).
package handover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// ticketsAtOnce is how many tickets a task has.
const ticketsAtOnce = 50

// maxID is the largest id that a parameter takes.
const maxID = 1<<53 - 1

// task is a task of hand-over: tickets of a company, by id.
type task struct {
	Company id.Company   `json:"company"`
	Tickets []tickets.ID `json:"tickets"`
}

// Handover is the migration hand-over.
type Handover struct {
	db   *db.DB
	bulk *db.DB
}

// New returns the migration on a database. Bulk is the same database with connections of its own.
func New(d, bulk *db.DB) *Handover { return &Handover{db: d, bulk: bulk} }

// Migration assigns the open tickets of an account to another one.
func (m *Handover) Migration() *migrations.Migration {
	return &migrations.Migration{
		Name: workflows.HandOverName, Title: "Hand over the tickets of an account",
		Description: "Assigns the open tickets of a deactivated account to another member of their company who sees them, or to nobody. It starts automatically when an operator deactivates the account.",
		Params: []migrations.Param{
			{Name: "account", Label: "Account", Kind: migrations.Number, Required: true, Min: 1, Max: maxID,
				Help: "Its number, as in the address of its page."},
			{Name: "to", Label: "Successor", Kind: migrations.Number, Min: 1, Max: maxID,
				Help: "The number of the account that the tickets go to. Leave it empty for nobody."},
			{Name: "by", Label: "By", Kind: migrations.Number, Required: true, Min: 1, Max: maxID,
				Help: "The number of the account that the history names."},
		},
		Check:      m.check,
		Fill:       m.fill,
		Write:      write,
		Label:      labelOf,
		Knobs:      migrations.Knobs{Concurrency: 1, Block: 1},
		Unattended: true,
	}
}

// check refuses a run for an account that is not deactivated, and for accounts that do not exist.
func (m *Handover) check(ctx context.Context, values migrations.Values) error {
	for _, name := range []string{"account", "to", "by"} {
		if values[name] == "" {
			continue
		}
		account, err := accounts.ByID(ctx, m.db.Queries, number(values, name))
		switch {
		case errors.Is(err, fault.NotFound):
			return migrations.BadParam(name, "There is no such account.")
		case err != nil:
			return err
		case name == "account" && !account.Deactivated:
			return migrations.BadParam(name, account.Name+" is active: deactivate the account, which hands its tickets over.")
		}
	}
	return nil
}

// number is an account of a run, 0 for none.
func number(values migrations.Values, name string) id.Account {
	n, _ := strconv.ParseUint(values[name], 10, 64)
	return id.Account(n)
}

func (m *Handover) fill(ctx context.Context, into migrations.Filler) error {
	last, _ := strconv.ParseUint(into.Cursor(), 10, 64) // 0 at first
	for after := tickets.ID(last); ; {
		rows, err := db.Read(m.bulk.AssignmentsOf(ctx, db.AssignmentsOfParams{
			AccountID: number(into.Values(), "account"), After: after, Limit: ticketsAtOnce}))
		if err != nil {
			return fmt.Errorf("read assignments: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		next := task{Company: rows[0].CompanyID}
		for _, row := range rows {
			if row.CompanyID != next.Company {
				break
			}
			next.Tickets, after = append(next.Tickets, row.TicketID), row.TicketID
		}
		payload, err := json.Marshal(next)
		if err != nil {
			return fmt.Errorf("write payload: %w", err)
		}
		cursor := strconv.FormatUint(uint64(after), 10)
		if err := into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: cursor}); err != nil {
			return err
		}
	}
}

func labelOf(payload string) string {
	var t task
	if json.Unmarshal([]byte(payload), &t) != nil || len(t.Tickets) == 0 {
		return "Tickets"
	}
	return fmt.Sprintf("%d tickets of a company", len(t.Tickets))
}

// write does the tasks of a block one after the other.
func write(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	for _, work := range works {
		var t task
		if err := json.Unmarshal([]byte(work.Task.Payload), &t); err != nil {
			work.Fail(migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)})
			continue
		}
		given, freed := 0, 0
		for _, ticket := range t.Tickets {
			to, done, err := handOver(ctx, tx, t.Company, ticket, work.Values)
			switch {
			case err != nil:
				return err
			case done && len(to) > 0:
				given++
			case done:
				freed++
			}
		}
		work.Note(fmt.Sprintf("%d handed over, %d unassigned, %d no longer theirs", given, freed, len(t.Tickets)-given-freed))
	}
	return nil
}

// handOver takes a ticket from the account of a run and gives it to its successor, if any. It returns the successor, and
// whether the ticket was the account's and open.
func handOver(
	ctx context.Context, tx *db.Tx, company id.Company, ticket tickets.ID, values migrations.Values,
) (to []tickets.Assignee, done bool, err error) {
	locked, err := tickets.LockOpen(ctx, tx, ticket)
	if errors.Is(err, fault.NotFound) {
		return nil, false, nil // closed or deleted meanwhile
	}
	if err != nil {
		return nil, false, err
	}
	if to, err = successor(ctx, tx, company, locked.Board, number(values, "to")); err != nil {
		return nil, false, err
	}
	from := number(values, "account")
	done, err = tickets.HandOver(ctx, tx, company, locked, from, to, tickets.User{ID: number(values, "by")})
	return to, done, err
}

// successor returns the assignee in place of a deactivated account on a ticket of a board: none unless the account to is
// a member of the company who sees the board and may be assigned.
func successor(
	ctx context.Context, tx *db.Tx, company id.Company, board id.Board, to id.Account,
) ([]tickets.Assignee, error) {
	if to == 0 {
		return nil, nil
	}
	roles, err := accounts.LockMembership(ctx, tx, company, []id.Account{to})
	if err != nil || roles[to] == "" || roles[to] == accounts.Viewer {
		return nil, err
	}
	seeing, err := tickets.Seeing(ctx, tx.Queries, board, []id.Account{to})
	if err != nil || !seeing[to] {
		return nil, err
	}
	named, err := accounts.ByAccount(ctx, tx.Queries, db.SightOfAll(company), []id.Account{to})
	if err != nil {
		return nil, err
	}
	return []tickets.Assignee{{ID: to, Name: named[to].Name, Handle: named[to].Handle}}, nil
}
