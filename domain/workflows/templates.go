package workflows

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Templates returns the templates of a board by name, without their drafts.
func (w *Workflows) Templates(ctx context.Context, board boards.Board) ([]tickets.Template, error) {
	if _, err := MayRead(ctx, "boards:read"); err != nil {
		return nil, err
	}
	return tickets.TemplatesOf(ctx, w.db.Queries, board.ID)
}

// Template returns a template of a board as a ticket can begin with it now: without a column that was removed, labels
// that were deleted, and assignees who cannot be assigned any more. It returns tickets.TemplateNotFound.
func (w *Workflows) Template(
	ctx context.Context, board boards.Board, template id.Template,
) (tickets.Template, error) {
	actor, err := MayRead(ctx, "boards:read")
	if err != nil {
		return tickets.Template{}, err
	}
	return templateNow(ctx, w.db.Queries, actor.Sight(), board, template)
}

func templateNow(
	ctx context.Context, q *db.Queries, by db.Sight, board boards.Board, template id.Template,
) (tickets.Template, error) {
	t, err := tickets.TemplateByID(ctx, q, board.ID, template)
	if err != nil {
		return t, err
	}
	if column, ok := board.Column(t.Draft.Column); !ok || column.Leaving() {
		t.Draft.Column = 0
	}
	t.Draft.Assignees, err = stillAssignable(ctx, q, by, board.ID, t.Assignees)
	return t, err
}

// fromTemplate returns a draft with what it leaves out from its template, if it names one.
func (w *Workflows) fromTemplate(
	ctx context.Context, actor accounts.Actor, slug string, draft tickets.Draft,
) (tickets.Draft, error) {
	if draft.Template == 0 {
		return draft, nil
	}
	board, err := boards.BySlug(ctx, w.db.Queries, actor.Sight(), slug)
	if err != nil {
		return draft, err
	}
	t, err := templateNow(ctx, w.db.Queries, actor.Sight(), board, draft.Template)
	return draft.Or(t.Draft), err
}

// SaveTemplate adds a template to a board, or changes it if it has an ID: Version is then the one that the caller saw.
// Labels that there are not are made. It returns boards.NotFound, Archived or ColumnNotFound,
// tickets.TooManyTemplates, TemplateNameTaken, TemplateNotFound, TemplateStale, NotAssignable or NotOnBoard, all that is
// wrong with the template, and with once Replay or KeyReused.
func (w *Workflows) SaveTemplate(
	ctx context.Context, slug string, template tickets.Template, once *Once[tickets.Template],
) (saved tickets.Template, err error) {
	actor, err := mayChange(ctx, "boards")
	if err != nil {
		return saved, err
	}
	if template, err = template.Parse(); err != nil {
		return saved, err
	}
	saved, err = DoOnce(ctx, w, once, func() (saved tickets.Template, err error) {
		err = w.onTemplates(ctx, actor, slug, func(tx *db.Tx, board boards.Board) error {
			if saved, err = saveTemplate(ctx, tx, actor, board, template); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, saved))
		})
		return saved, err
	})
	if err != nil {
		return saved, fmt.Errorf("save template: %w", err)
	}
	return saved, nil
}

func saveTemplate(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, board boards.Board, t tickets.Template,
) (tickets.Template, error) {
	if column, ok := board.Column(t.Draft.Column); t.Draft.Column != 0 && (!ok || column.Leaving()) {
		return t, boards.ColumnNotFound{Column: uint64(t.Draft.Column)}
	}
	named, err := LabelsNamed(ctx, tx, actor, board, t.Draft.Labels)
	if err != nil {
		return t, err
	}
	slices.Sort(named)
	assignees, err := assignable(ctx, tx, actor.Sight(), t.Draft.Assignees)
	if err != nil {
		return t, err
	}
	if err := allSee(ctx, tx, board.ID, assignees); err != nil {
		return t, err
	}
	return tickets.SaveTemplate(ctx, tx, board.ID, t, slices.Compact(named), tickets.AccountsOf(assignees))
}

// PublicTemplates returns the templates that the public form of a board offers, by name and without their drafts.
func (w *Workflows) PublicTemplates(ctx context.Context, form requests.OpenForm) ([]tickets.Template, error) {
	list, err := tickets.TemplatesOf(ctx, w.db.Queries, form.Board)
	return slices.DeleteFunc(list, func(t tickets.Template) bool { return !t.Public }), err
}

// PublicTemplate returns a template that the public form of a board offers, or tickets.TemplateNotFound.
func (w *Workflows) PublicTemplate(
	ctx context.Context, form requests.OpenForm, template id.Template,
) (tickets.Template, error) {
	t, err := tickets.TemplateByID(ctx, w.db.Queries, form.Board, template)
	if err == nil && !t.Public {
		err = tickets.TemplateNotFound()
	}
	return t, err
}

// fillRequest gives the new ticket of a requester what its template has, if it has one: labels that are live, and assignees who can be
// assigned still.
func fillRequest(
	ctx context.Context, tx *db.Tx, company id.Company, ticket *tickets.Ticket, t tickets.Template,
) error {
	if t.ID == 0 {
		return nil
	}
	ids := make([]id.Label, len(t.Labels))
	for i, label := range t.Labels {
		ids[i] = label.ID
	}
	live, err := labels.Lock(ctx, tx, company, ids...)
	if err != nil {
		return err
	}
	if err := tickets.AddLabels(ctx, tx, map[tickets.ID][]labels.Label{ticket.ID: live}); err != nil {
		return err
	}
	roles, err := accounts.LockMembership(ctx, tx, company, t.Assignees)
	if err != nil {
		return err
	}
	seeing, err := tickets.Seeing(ctx, tx.Queries, ticket.Board, t.Assignees)
	if err != nil {
		return err
	}
	for _, account := range t.Assignees {
		if role := roles[account]; role != "" && role != accounts.Viewer && seeing[account] {
			ticket.Assignees = append(ticket.Assignees, tickets.Assignee{ID: account})
		}
	}
	return tickets.AssignNew(ctx, tx, *ticket, ticket.Assignees)
}

// copyTemplates gives a new board the templates of another; columns are its own, by those of the other.
func copyTemplates(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, from, to boards.Board, columns map[id.Column]id.Column,
) error {
	list, err := tickets.TemplatesOf(ctx, tx.Queries, from.ID)
	if err != nil {
		return err
	}
	for _, listed := range list {
		t, err := tickets.TemplateByID(ctx, tx.Queries, from.ID, listed.ID)
		if err != nil {
			return err
		}
		t.ID, t.Draft.Column = 0, columns[t.Draft.Column]
		named, err := LabelsNamed(ctx, tx, actor, to, t.Draft.Labels)
		if err != nil {
			return err
		}
		slices.Sort(named)
		if _, err := tickets.SaveTemplate(ctx, tx, to.ID, t, slices.Compact(named), t.Assignees); err != nil {
			return err
		}
	}
	return nil
}

// DeleteTemplate deletes a template of a board, which can be restored for tickets.RestoreTemplateFor. It returns boards.NotFound or Archived, or tickets.TemplateNotFound.
func (w *Workflows) DeleteTemplate(ctx context.Context, slug string, template id.Template) error {
	actor, err := mayChange(ctx, "boards")
	if err != nil {
		return err
	}
	err = w.onTemplates(ctx, actor, slug, func(tx *db.Tx, board boards.Board) error {
		return tickets.DeleteTemplate(ctx, tx, board.ID, template)
	})
	if err != nil {
		return fmt.Errorf("delete template: %w", err)
	}
	return nil
}

// DeletedTemplates returns the templates of a board that can be restored, the last deleted first.
func (w *Workflows) DeletedTemplates(ctx context.Context, board boards.Board) ([]tickets.DeletedTemplate, error) {
	if _, err := MayRead(ctx, "boards:read"); err != nil {
		return nil, err
	}
	return tickets.DeletedTemplatesOf(ctx, w.db.Queries, board.ID, w.db.Now())
}

// RestoreTemplate reverts the deletion of a template of a board. It returns boards.NotFound or Archived, or
// tickets.TemplateNotFound, TemplateNameTaken or TooManyTemplates.
func (w *Workflows) RestoreTemplate(
	ctx context.Context, slug string, template id.Template,
) (restored tickets.Template, err error) {
	actor, err := mayChange(ctx, "boards")
	if err != nil {
		return restored, err
	}
	err = w.onTemplates(ctx, actor, slug, func(tx *db.Tx, board boards.Board) (err error) {
		restored, err = tickets.RestoreTemplate(ctx, tx, board.ID, template)
		return err
	})
	if err != nil {
		return restored, fmt.Errorf("restore template: %w", err)
	}
	return restored, nil
}

// onTemplates runs change on a board that is not archived, under the lock of the company.
func (w *Workflows) onTemplates(
	ctx context.Context, actor accounts.Actor, slug string, change func(tx *db.Tx, board boards.Board) error,
) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error {
		board, err := boards.BySlug(ctx, tx.Queries, actor.Sight(), slug)
		if err != nil {
			return err
		}
		if err := mayWriteOn(actor, board.Grant); err != nil {
			return err
		}
		if err := boards.Live(ctx, tx, board.ID); err != nil {
			return err
		}
		if err := accounts.LockMembers(ctx, tx, actor.Company.ID); err != nil {
			return err
		}
		return change(tx, board)
	})
}
