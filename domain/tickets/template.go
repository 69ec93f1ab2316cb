package tickets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/markup"
)

const (
	// MaxTemplates is how many templates a board has.
	MaxTemplates = 50
	// MaxTemplateName is how many characters the name of a template has.
	MaxTemplateName = 60
	// RestoreTemplateFor is how long a template can be restored after it was deleted.
	RestoreTemplateFor = 30 * 24 * time.Hour
)

// Template is what new tickets of a board can begin with: a draft without dates, whose title may be empty.
type Template struct {
	ID      id.Template
	Name    string
	Public  bool // the board's public form offers it
	Version uint64

	// These are not read in a list.
	Draft     Draft          // its Assignees are empty where members are not read
	Labels    []labels.Label // live ones
	Assignees []id.Account   // whatever became of them
}

// Parse returns the template as it is stored, or all its errors: BadTemplateName and those of Draft.Parse.
func (t Template) Parse() (Template, error) {
	name, length, ok := markup.Line(t.Name)
	var badName error
	if !ok || length == 0 || length > MaxTemplateName {
		badName = BadTemplateName(ok, length)
	}
	t.Name = name
	var badDraft error
	untitled := false
	if _, err := ParseTitle(t.Draft.Title); errors.Is(err, CodeEmptyTitle) {
		t.Draft.Title, untitled = "-", true
	}
	if t.Draft, badDraft = t.Draft.Parse(); untitled {
		t.Draft.Title = ""
	}
	return t, fault.Join(badName, badDraft)
}

// Or returns the draft with what it leaves out from another: texts that are empty, the zero column, no priority, and nil
// lists. Its dates stay.
func (d Draft) Or(other Draft) Draft {
	d.Title = cmp.Or(d.Title, other.Title)
	d.Description = cmp.Or(d.Description, other.Description)
	d.Column = cmp.Or(d.Column, other.Column)
	d.Priority = cmp.Or(d.Priority, other.Priority)
	if d.Labels == nil {
		d.Labels = other.Labels
	}
	if d.Assignees == nil {
		d.Assignees = other.Assignees
	}
	return d
}

// TemplatesOf returns the templates of a board by name, without their drafts.
func TemplatesOf(ctx context.Context, q *db.Queries, board id.Board) ([]Template, error) {
	rows, err := db.Read(q.Templates(ctx, board, MaxTemplates))
	if err != nil {
		return nil, fmt.Errorf("read templates: %w", err)
	}
	list := make([]Template, len(rows))
	for i, row := range rows {
		list[i] = Template{ID: row.ID, Name: row.Name, Public: row.Public, Version: row.Version}
	}
	return list, nil
}

// TemplateByID returns a template of a board, or TemplateNotFound.
func TemplateByID(ctx context.Context, q *db.Queries, board id.Board, template id.Template) (t Template, err error) {
	row, err := db.Read(q.TemplateByID(ctx, template, board))
	if db.IsNotFound(err) {
		return t, TemplateNotFound()
	}
	if err != nil {
		return t, fmt.Errorf("read template: %w", err)
	}
	t = Template{ID: row.ID, Name: row.Name, Public: row.Public, Version: row.Version,
		Draft: Draft{Title: row.Title, Description: row.Description, Column: row.ColumnID}}
	t.Draft.Priority = PriorityFrom(row.Priority)
	rows, err := db.Read(q.LabelsOfTemplate(ctx, template))
	if err != nil {
		return t, fmt.Errorf("read the labels of a template: %w", err)
	}
	for _, row := range rows {
		t.Labels = append(t.Labels, labels.Label{ID: row.ID, Name: row.Name, Color: labels.Color(row.Color)})
	}
	t.Labels = labels.Sorted(t.Labels)
	for _, label := range t.Labels {
		t.Draft.Labels = append(t.Draft.Labels, label.Name)
	}
	if t.Assignees, err = db.Read(q.AssigneesOfTemplate(ctx, template)); err != nil {
		return t, fmt.Errorf("read the assignees of a template: %w", err)
	}
	return t, nil
}

// SaveTemplate creates a template of a board if it has no ID, else it changes the Version that its user saw. The caller
// parsed it, and holds the lock of the company. It returns TooManyTemplates, TemplateNameTaken, TemplateNotFound or
// TemplateStale.
func SaveTemplate(
	ctx context.Context, tx *db.Tx, board id.Board, t Template, labels []id.Label, assignees []id.Account,
) (Template, error) {
	save := changeTemplate
	if t.ID == 0 {
		save = createTemplate
	}
	t, err := save(ctx, tx, board, t)
	if db.IsDuplicate(err, "uq_ticket_template_live") {
		return t, TemplateNameTaken(t.Name)
	}
	if err != nil {
		return t, err
	}
	if err := clearTemplate(ctx, tx, t.ID); err != nil {
		return t, err
	}
	for _, label := range labels {
		if err := tx.LabelTemplate(ctx, t.ID, label); err != nil {
			return t, fmt.Errorf("label template: %w", err)
		}
	}
	for _, account := range assignees {
		if err := tx.AssignTemplate(ctx, t.ID, account); err != nil {
			return t, fmt.Errorf("assign template: %w", err)
		}
	}
	return t, nil
}

func createTemplate(ctx context.Context, tx *db.Tx, board id.Board, t Template) (Template, error) {
	if err := roomForTemplate(ctx, tx, board); err != nil {
		return t, err
	}
	n, err := tx.CreateTemplate(ctx, db.CreateTemplateParams{BoardID: board, Name: t.Name, Title: t.Draft.Title,
		Description: t.Draft.Description, ColumnID: t.Draft.Column, Priority: uint8(t.Draft.Priority), Public: t.Public,
		Now: tx.Now})
	if err != nil {
		return t, fmt.Errorf("create template: %w", err)
	}
	t.ID, t.Version = id.Template(n), 1
	return t, nil
}

func changeTemplate(ctx context.Context, tx *db.Tx, board id.Board, t Template) (Template, error) {
	n, err := tx.SaveTemplate(ctx, db.SaveTemplateParams{Name: t.Name, Title: t.Draft.Title,
		Description: t.Draft.Description, ColumnID: t.Draft.Column, Priority: uint8(t.Draft.Priority), Public: t.Public,
		Now: tx.Now, ID: t.ID, BoardID: board, Version: t.Version})
	if err != nil {
		return t, fmt.Errorf("save template: %w", err)
	}
	if n == 0 {
		current, err := TemplateByID(ctx, tx.Queries, board, t.ID)
		if err == nil {
			err = TemplateStale{Current: current}
		}
		return t, err
	}
	t.Version++
	return t, nil
}

func clearTemplate(ctx context.Context, tx *db.Tx, template id.Template) error {
	if err := tx.UnlabelTemplate(ctx, template); err != nil {
		return fmt.Errorf("unlabel template: %w", err)
	}
	if err := tx.UnassignTemplate(ctx, template); err != nil {
		return fmt.Errorf("unassign template: %w", err)
	}
	return nil
}

// DeleteTemplate deletes a template of a board, which can be restored for RestoreTemplateFor: tickets that began with it
// stay as they are. It forgets those that cannot be restored any more. It returns TemplateNotFound.
func DeleteTemplate(ctx context.Context, tx *db.Tx, board id.Board, template id.Template) error {
	n, err := tx.DeleteTemplate(ctx, db.DeleteTemplateParams{Now: &tx.Now, ID: template, BoardID: board})
	if err != nil {
		return fmt.Errorf("delete template: %w", err)
	}
	if n == 0 {
		return TemplateNotFound()
	}
	return forgetTemplates(ctx, tx, board)
}

func forgetTemplates(ctx context.Context, tx *db.Tx, board id.Board) error {
	until := tx.Now.Add(-RestoreTemplateFor)
	past, err := tx.PastTemplates(ctx, db.PastTemplatesParams{BoardID: board, UpTo: &until, Limit: MaxTemplates})
	if err != nil {
		return fmt.Errorf("read past templates: %w", err)
	}
	for _, template := range past {
		if err := clearTemplate(ctx, tx, template); err != nil {
			return err
		}
		if err := tx.ForgetTemplate(ctx, template); err != nil {
			return fmt.Errorf("forget template: %w", err)
		}
	}
	return nil
}

// DeletedTemplate is a template that can be restored.
type DeletedTemplate struct {
	ID   id.Template
	Name string
	At   time.Time // of its deletion
}

// DeletedTemplatesOf returns the templates of a board that can be restored, the last deleted first, MaxTemplates at most.
func DeletedTemplatesOf(ctx context.Context, q *db.Queries, board id.Board, now time.Time) ([]DeletedTemplate, error) {
	since := now.Add(-RestoreTemplateFor)
	rows, err := db.Read(q.DeletedTemplates(ctx, db.DeletedTemplatesParams{BoardID: board, Since: &since, Limit: MaxTemplates}))
	if err != nil {
		return nil, fmt.Errorf("read deleted templates: %w", err)
	}
	list := make([]DeletedTemplate, len(rows))
	for i, row := range rows {
		list[i] = DeletedTemplate{ID: row.ID, Name: row.Name, At: *row.DeletedAt}
	}
	return list, nil
}

// RestoreTemplate reverts the deletion of a template. The caller holds the lock of the company. It returns
// TooManyTemplates, TemplateNameTaken, or TemplateNotFound, also if it was deleted too long ago.
func RestoreTemplate(ctx context.Context, tx *db.Tx, board id.Board, template id.Template) (t Template, err error) {
	deleted, err := tx.DeletedTemplate(ctx, template, board)
	if db.IsNotFound(err) {
		return t, TemplateNotFound()
	}
	if err != nil {
		return t, fmt.Errorf("read deleted template: %w", err)
	}
	if err := roomForTemplate(ctx, tx, board); err != nil {
		return t, err
	}
	since := tx.Now.Add(-RestoreTemplateFor)
	n, err := tx.RestoreTemplate(ctx, db.RestoreTemplateParams{ID: template, BoardID: board, Since: &since})
	if db.IsDuplicate(err, "uq_ticket_template_live") {
		return t, TemplateNameTaken(deleted.Name)
	}
	if err != nil {
		return t, fmt.Errorf("restore template: %w", err)
	}
	if n == 0 {
		return t, TemplateNotFound()
	}
	return TemplateByID(ctx, tx.Queries, board, template)
}

// roomForTemplate returns TooManyTemplates if a board has as many as it may.
func roomForTemplate(ctx context.Context, tx *db.Tx, board id.Board) error {
	there, err := TemplatesOf(ctx, tx.Queries, board)
	if err == nil && len(there) >= MaxTemplates {
		err = TooManyTemplates()
	}
	return err
}
