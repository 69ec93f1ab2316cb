// Package labels has the migration publish-label: the tickets of a label that was renamed, merged, deleted or restored
// are published again. Its invariant: only feed_sync_id changes, and no task writes more than ticketsAtOnce tickets.
// A use case opens the run in the transaction that changes the label (workflows.EditLabel, MergeLabel, DeleteLabel,
// RestoreLabel) if it has many; a few are published there.
package labels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// ticketsAtOnce is how many tickets a task has.
const ticketsAtOnce = 100

// task is a task of publish-label: tickets by id.
type task struct {
	Tickets []tickets.ID `json:"tickets"`
}

// Labels is the migration publish-label.
type Labels struct {
	db   *db.DB
	bulk *db.DB
}

// New returns the migration on a database. Bulk is the same database with connections of its own.
func New(d, bulk *db.DB) *Labels { return &Labels{db: d, bulk: bulk} }

// Migration publishes the tickets of a label again.
func (m *Labels) Migration() *migrations.Migration {
	return &migrations.Migration{
		Name: workflows.PublishLabelName, Title: "Resend the tickets of a label",
		Description: "Sends the tickets of a label through the feed again, to consumers, webhooks and open boards. It starts automatically when a label of more than 100 tickets is renamed, merged, deleted or restored.",
		Params: []migrations.Param{
			kinds.CompanyParam(true),
			{Name: "label", Label: "Label", Kind: migrations.Number, Required: true, Min: 1, Max: 1<<53 - 1,
				Help: "Its number, as in the address of its page."},
		},
		Check: func(ctx context.Context, values migrations.Values) error {
			_, err := m.label(ctx, m.db.Queries, values)
			return err
		},
		Fill: m.fill, Write: write, Preview: preview, Label: labelOf,
		Knobs:  migrations.Knobs{Concurrency: 1, Block: 1, Rate: 10},
		Behind: true, Unattended: true,
	}
}

// label returns the label of a run, live or not.
func (m *Labels) label(ctx context.Context, q *db.Queries, values migrations.Values) (labels.Label, error) {
	company, err := kinds.CompanyOf(ctx, q, values)
	if err != nil {
		return labels.Label{}, err
	}
	n, _ := strconv.ParseUint(values["label"], 10, 64)
	label, err := labels.ByID(ctx, q, db.SightOfAll(company.ID), id.Label(n))
	if errors.Is(err, fault.NotFound) {
		return label, migrations.BadParam("label", company.Name+" has no such label.")
	}
	return label, err
}

// cursor is how far a run is filled: behind a ticket of a label.
type cursor struct {
	label  id.Label
	ticket tickets.ID
}

func (c cursor) String() string { return fmt.Sprintf("%d %d", c.label, c.ticket) }

func parseCursor(text string) (c cursor) {
	if _, err := fmt.Sscanf(text, "%d %d", &c.label, &c.ticket); err != nil {
		return cursor{}
	}
	return c
}

// fill adds the tickets of the label, and of those that were merged into it: one that has several comes several times.
func (m *Labels) fill(ctx context.Context, into migrations.Filler) error {
	label, err := m.label(ctx, m.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	all, err := labels.Together(ctx, m.bulk.Queries, label)
	if err != nil {
		return err
	}
	slices.Sort(all)
	reached := parseCursor(into.Cursor())
	for _, one := range all {
		if one < reached.label {
			continue
		}
		at := cursor{label: one}
		if one == reached.label {
			at = reached
		}
		if err := m.fillLabel(ctx, into, at); err != nil {
			return err
		}
	}
	return nil
}

func (m *Labels) fillLabel(ctx context.Context, into migrations.Filler, at cursor) error {
	for {
		list, err := labels.After(ctx, m.bulk.Queries, at.label, at.ticket, ticketsAtOnce)
		if err != nil || len(list) == 0 {
			return err
		}
		at.ticket = list[len(list)-1]
		payload, err := json.Marshal(task{Tickets: list})
		if err != nil {
			return fmt.Errorf("write payload: %w", err)
		}
		if err := into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: at.String()}); err != nil {
			return err
		}
	}
}

func labelOf(payload string) string {
	var t task
	if json.Unmarshal([]byte(payload), &t) != nil || len(t.Tickets) == 0 {
		return "Tickets"
	}
	return kinds.Count(len(t.Tickets), "ticket", "tickets")
}

func write(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	for _, work := range works {
		var t task
		if err := json.Unmarshal([]byte(work.Task.Payload), &t); err != nil {
			work.Fail(migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)})
			continue
		}
		if len(t.Tickets) == 0 {
			continue
		}
		n, err := tx.RepublishTickets(ctx, t.Tickets)
		if err != nil {
			return fmt.Errorf("publish tickets: %w", err)
		}
		work.Note(kinds.Count(int(n), "ticket", "tickets") + " published")
	}
	return nil
}

func preview(_ context.Context, work *migrations.Work) (string, error) {
	return "Would publish " + labelOf(work.Task.Payload) + " again.", nil
}
