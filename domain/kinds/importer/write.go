package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// arrival is a row with its ticket.
type arrival struct {
	work    *migrations.Work
	row     importRow
	opening tickets.NewTicket
	rest    tickets.Import
	plan    *recurrence.Plan // nil if it does not repeat
	column  boards.Column
	notes   []string
}

// writeImport opens the tickets of a block of rows, in the transaction that completes them.
//
// All columns of the board are locked first. So two imports to a board are serialised, and the second sees the keys of
// the first; for two boards, the unique key of origins decides.
func (m *Importer) writeImport(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	plan, err := m.importPlan(ctx, tx.Queries, works[0].Values)
	if errors.Is(err, migrations.CodeBadParam) {
		return migrations.Permanent{Err: err}
	}
	if err != nil {
		return err
	}
	columns := make([]id.Column, len(plan.board.Columns))
	for i, c := range plan.board.Columns {
		columns[i] = c.ID
	}
	locked, err := boards.LockColumns(ctx, tx, columns...)
	if err != nil {
		return err
	}
	for i, c := range plan.board.Columns {
		now, ok := locked[c.ID]
		if !ok {
			return boards.ErrOutdated
		}
		plan.board.Columns[i] = now
	}
	run, err := tx.RunByID(ctx, works[0].Task.Run)
	if err != nil {
		return err
	}
	plan.mark = &tickets.Imported{Run: run.ID, By: run.Actor}
	arrivals, there, err := plan.arrive(ctx, tx, works)
	if err != nil || len(arrivals) == 0 {
		return err
	}
	opened, err := plan.open(ctx, tx, arrivals, there)
	if err != nil {
		return err
	}
	taken, err := boards.ImportSlugs(ctx, tx, plan.board, slugsOf(arrivals))
	if err != nil {
		return err
	}
	for i, a := range arrivals {
		a.notes = append(a.notes, keyNotes(a.row.Key, func(slug string) bool { return taken[slug] })...)
		a.work.Note(openedNote(opened[i], a))
	}
	return nil
}

// arrive returns the rows to open tickets for, each once, and the tickets that were imported before of all keys in the
// rows. It notes why the other rows are skipped.
func (p *importPlan) arrive(
	ctx context.Context, tx *db.Tx, works []*migrations.Work,
) (arrivals []*arrival, there map[string]tickets.Origin, err error) {
	rows := make([]importRow, len(works))
	for i, work := range works {
		if err := json.Unmarshal([]byte(work.Task.Payload), &rows[i]); err != nil {
			work.Fail(migrations.Permanent{Err: fmt.Errorf("the task is no row of an import: %w", err)})
			rows[i] = importRow{}
		}
	}
	if there, err = tickets.ByOrigins(ctx, tx.Queries, p.company.ID, originsOf(rows)); err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(rows, func(row importRow) bool { return row.Recurrence != "" }) {
		author, err := accounts.InCompany(ctx, tx.Queries, p.company.Slug, p.author.Account.ID)
		if err != nil {
			return nil, nil, err
		}
		p.zone = cmp.Or(author.Account.Display.TimeZone, "UTC")
	}
	room := map[id.Column]int64{}
	for i, work := range works {
		row := rows[i]
		if row.Title == "" {
			continue // it has failed
		}
		if origin, ok := there[row.Key]; ok && row.Key != "" {
			work.Note(thereNote(row.Key, origin))
			continue
		}
		a, ok := p.arrival(row, there, tx.Now)
		if !ok {
			work.Note(leftOut(row))
			continue
		}
		if err := a.column.Admit(room[a.column.ID] + 1); err != nil {
			work.Fail(migrations.Permanent{Err: err})
			continue
		}
		room[a.column.ID]++
		a.work = work
		arrivals = append(arrivals, a)
	}
	return arrivals, there, nil
}

// arrival is a row as a ticket; ok is false if its status leaves it out. there are the tickets that were imported before.
func (p *importPlan) arrival(row importRow, there map[string]tickets.Origin, now time.Time) (a *arrival, ok bool) {
	a = &arrival{row: row, notes: append(slices.Clone(row.Notes), row.keepUnknown(there)...)}
	if a.column, ok = p.columnOf(row.Status); !ok {
		return nil, false
	}
	by := tickets.User{ID: p.author.Account.ID, Name: p.author.Account.Name}
	a.rest = tickets.Import{Origin: row.Key, By: by, Run: p.mark}
	created := firstOf(row.Created, row.Updated, row.Resolved)
	var notes []string
	a.rest.Assignees, notes = p.assignable(row.Assignees)
	if a.notes = append(a.notes, notes...); len(notes) > 0 {
		row.keep("Assignee", strings.Join(row.Assignees, ", "))
	}
	author, known := p.member(row.Reporter)
	if !known && row.Reporter != "" {
		row.keep("Reporter", row.Reporter)
	}
	if row.Status != "" && !strings.EqualFold(row.Status, a.column.Name) {
		row.keep("Status", row.Status)
	}
	properties, note := row.properties()
	if note != "" {
		a.notes = append(a.notes, note)
	}
	var why string
	if a.plan, why = p.planOf(row, properties, a.column.Done); why != "" {
		row.keep("Repeats", row.Recurrence)
		a.notes = append(a.notes, "it does not repeat: "+why)
	}
	description, more := divide(withKept(row), tickets.MaxDescription)
	for _, part := range more {
		a.rest.Comments = append(a.rest.Comments, tickets.ImportedComment{Author: author, Body: part, At: created})
	}
	if len(more) > 0 {
		a.notes = append(a.notes, "the description is long, and goes on in comments")
	}
	for _, comment := range row.Comments {
		a.rest.Comments = append(a.rest.Comments, p.remarks(comment)...)
	}
	a.opening = tickets.NewTicket{
		Draft:  tickets.Draft{Title: row.Title, Description: description, Column: a.column.ID, Properties: properties},
		Author: author, CreatedAt: created, UpdatedAt: later(created, row.Updated),
	}
	if a.column.Done {
		at := later(created, row.Resolved)
		if row.Resolved.IsZero() {
			at = now
		}
		a.opening.ClosedAt = &at
	}
	return a, true
}

// properties are those of the ticket. A start after the due date is left out, which the note says.
func (row importRow) properties() (p tickets.Properties, note string) {
	p.Priority, _ = tickets.ParsePriority(row.Priority) // they were written by String
	p.Start, _ = tickets.ParseDate("start", row.Start)
	p.Due, _ = tickets.ParseDate("due", row.Due)
	if p.Check() != nil {
		note = "the start " + row.Start + " is after the due date, and left out"
		p.Start = tickets.Date{}
	}
	return p, note
}

// planOf returns the plan of a row's rule, in the time zone of the import's author, or why the ticket cannot have it;
// neither if it has no rule.
func (p *importPlan) planOf(row importRow, properties tickets.Properties, closed bool) (_ *recurrence.Plan, why string) {
	switch {
	case row.Recurrence == "":
		return nil, ""
	case closed:
		return nil, "it is closed"
	}
	plan, err := recurrence.ParsePlan(row.Recurrence, "", p.zone)
	if err == nil {
		_, err = tickets.NewRecurrence(tickets.Ticket{Properties: properties}, plan, tickets.User{})
	}
	if err != nil {
		return nil, strings.TrimSuffix(fault.Message(err), ".")
	}
	return &plan, ""
}

// firstOf is the first time or, if that is zero, the earliest of the others.
func firstOf(at time.Time, others ...time.Time) time.Time {
	if !at.IsZero() {
		return at
	}
	for _, other := range others {
		if !other.IsZero() && (at.IsZero() || other.Before(at)) {
			at = other
		}
	}
	return at
}

// later is the second time, unless it is before the first.
func later(first, second time.Time) time.Time {
	if second.Before(first) {
		return first
	}
	return second
}

// member is the member with a name, or else the import's author.
func (p *importPlan) member(name string) (tickets.User, bool) {
	if found, ok := p.directory.find(name, p.names); ok {
		return tickets.User{ID: found.Account.ID, Name: found.Account.Name}, true
	}
	return tickets.User{ID: p.author.Account.ID, Name: p.author.Account.Name}, false
}

// remarks are the comments made of a comment in the file: its author's, or the import's author's with a line that
// names the author.
func (p *importPlan) remarks(c importComment) (list []tickets.ImportedComment) {
	author, known := p.member(c.Author)
	if !known && c.Author != "" {
		c.Text = "*" + c.Author + ":*\n\n" + c.Text
	}
	first, more := divide(c.Text, tickets.MaxComment)
	for _, part := range append([]string{first}, more...) {
		if body, err := tickets.ParseComment(part); err == nil {
			list = append(list, tickets.ImportedComment{Author: author, Body: body, At: c.At})
		}
	}
	return list
}

// withKept is a description with the row's kept columns below it.
func withKept(row importRow) string {
	if len(row.Kept) == 0 {
		return row.Description
	}
	var b strings.Builder
	if row.Description != "" {
		b.WriteString(row.Description + "\n\n---\n\n")
	}
	for i, field := range row.Kept {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- **" + field.Name + ":** " + field.Value)
	}
	return b.String()
}

// divide cuts a text into parts of at most so many bytes, at the ends of lines if possible.
func divide(text string, most int) (first string, more []string) {
	var parts []string
	for len(text) > most {
		end := most
		if at := strings.LastIndexByte(text[:most], '\n'); at > most/2 {
			end = at
		}
		for !utf8.RuneStart(text[end]) {
			end--
		}
		parts, text = append(parts, text[:end]), text[end:]
	}
	parts = append(parts, text)
	return parts[0], parts[1:]
}

// open opens the tickets, and keeps their assignees members until the transaction ends.
func (p *importPlan) open(
	ctx context.Context, tx *db.Tx, arrivals []*arrival, there map[string]tickets.Origin,
) ([]tickets.Ticket, error) {
	openings := make([]tickets.NewTicket, len(arrivals))
	for i, a := range arrivals {
		openings[i] = a.opening
	}
	add := func(ctx context.Context, tx *db.Tx, board id.Board, rows []tickets.Row) ([]tickets.Ticket, error) {
		others, err := p.lockRelatives(ctx, tx, arrivals, there)
		if err != nil {
			return nil, err
		}
		named, err := p.labels(ctx, tx, arrivals)
		if err != nil {
			return nil, err
		}
		imports, err := p.imports(ctx, tx, arrivals)
		if err != nil {
			return nil, err
		}
		opened, err := tickets.ImportAll(ctx, tx, p.company.ID, board, rows, imports)
		if err != nil {
			return nil, err
		}
		of := make(map[tickets.ID][]labels.Label, len(opened))
		for i, ticket := range opened {
			of[ticket.ID] = named[i]
		}
		if err := tickets.AddLabels(ctx, tx, of); err != nil {
			return nil, err
		}
		if err := p.relate(ctx, tx, arrivals, opened, others); err != nil {
			return nil, err
		}
		for i, a := range arrivals {
			if a.plan == nil {
				continue
			}
			if err := tickets.ImportRecurrence(ctx, tx, opened[i], *a.plan, a.rest.By); err != nil {
				return nil, err
			}
		}
		return opened, boards.Live(ctx, tx, board)
	}
	return workflows.OpenTickets(ctx, tx, p.board, openings, add)
}

// labels returns the labels of each ticket, with their locks, and makes those that are missing while the company can have
// more.
func (p *importPlan) labels(ctx context.Context, tx *db.Tx, arrivals []*arrival) ([][]labels.Label, error) {
	actor := p.actor()
	byName := map[string]id.Label{} // 0 if the company has too many
	for _, a := range arrivals {
		for _, name := range a.row.Labels {
			if _, known := byName[name]; known {
				continue
			}
			found, err := workflows.LabelsNamed(ctx, tx, actor, p.board, []string{name})
			switch {
			case errors.Is(err, labels.CodeTooMany):
				byName[name] = 0
			case err != nil:
				return nil, err
			default:
				byName[name] = found[0]
			}
		}
	}
	all := slices.Compact(slices.Sorted(maps.Values(byName)))
	locked, err := labels.Lock(ctx, tx, p.company.ID, all...)
	if err != nil {
		return nil, err
	}
	of := make([][]labels.Label, len(arrivals))
	for i, a := range arrivals {
		for _, name := range a.row.Labels {
			at := slices.IndexFunc(locked, func(l labels.Label) bool { return l.ID == byName[name] })
			if at < 0 {
				a.notes = append(a.notes, "the label “"+name+"” is left out: the company has as many as it can")
			} else if !slices.Contains(of[i], locked[at]) {
				of[i] = append(of[i], locked[at])
			}
		}
	}
	return of, nil
}

// imports returns what the tickets have beyond their rows. A member who left meanwhile, or who does not see the board, is
// no assignee.
func (p *importPlan) imports(ctx context.Context, tx *db.Tx, arrivals []*arrival) ([]tickets.Import, error) {
	var members []accounts.ID
	for _, a := range arrivals {
		for _, one := range a.rest.Assignees {
			members = append(members, one.ID)
		}
	}
	slices.Sort(members)
	members = slices.Compact(members)
	roles, err := accounts.LockMembership(ctx, tx, p.company.ID, members)
	if err != nil {
		return nil, err
	}
	seeing, err := tickets.Seeing(ctx, tx.Queries, p.board.ID, members)
	if err != nil {
		return nil, err
	}
	imports := make([]tickets.Import, len(arrivals))
	for i, a := range arrivals {
		imports[i] = a.rest
		imports[i].Assignees = slices.DeleteFunc(slices.Clone(a.rest.Assignees), func(one tickets.Assignee) bool {
			if roles[one.ID] != "" && !seeing[one.ID] {
				a.notes = append(a.notes, one.Name+" does not see the board, and is not assigned")
			}
			return !seeing[one.ID] || roles[one.ID] == accounts.Viewer
		})
	}
	return imports, nil
}

// slugsOf are the slugs of the keys that the tickets had.
func slugsOf(arrivals []*arrival) (slugs []string) {
	for _, a := range arrivals {
		if slug, ok := slugOf(a.row.Key); ok && !slices.Contains(slugs, slug) {
			slugs = append(slugs, slug)
		}
	}
	slices.Sort(slugs)
	return slugs
}

// slugOf is the slug of a name in the form of a key.
func slugOf(name string) (slug string, ok bool) {
	key, err := tickets.ParseKey(name)
	return key.Board, err == nil && key.String() == name
}

// keyNotes say why a row's key does not open its ticket.
func keyNotes(key string, isBoard func(slug string) bool) []string {
	parsed, err := tickets.ParseKey(key)
	switch {
	case key == "":
		return []string{"it has no key: imported again it would be there twice"}
	case err != nil:
		return nil
	case isBoard(parsed.Board):
		return []string{fmt.Sprintf("%s is a board here, so %s does not open it", parsed.Board, key)}
	}
	return nil
}

func openedNote(ticket tickets.Ticket, a *arrival) string {
	note := fmt.Sprintf("opened as %s in “%s”", ticket.Key, a.column.Name)
	return note + noteEnd(ticket.Assignees, a.notes)
}

func noteEnd(assignees []tickets.Assignee, notes []string) (end string) {
	if len(assignees) > 0 {
		names := make([]string, len(assignees))
		for i, one := range assignees {
			names[i] = one.Name
		}
		end = ", assigned to " + strings.Join(names, ", ")
	}
	for _, note := range notes {
		end += "; " + note
	}
	return end
}

func thereNote(key string, origin tickets.Origin) string {
	if origin.Deleted {
		return fmt.Sprintf("%s was imported as %s, which is deleted", key, origin.Key)
	}
	return fmt.Sprintf("%s is there already as %s", key, origin.Key)
}

func leftOut(row importRow) string {
	return fmt.Sprintf("left out: its status is “%s”", row.Status)
}

// previewImport says what writeImport would do with a row.
func (m *Importer) previewImport(ctx context.Context, work *migrations.Work) (string, error) {
	plan, err := m.importPlan(ctx, m.bulk.Queries, work.Values)
	if errors.Is(err, migrations.CodeBadParam) {
		return "", migrations.Permanent{Err: err}
	}
	if err != nil {
		return "", err
	}
	var row importRow
	if err := json.Unmarshal([]byte(work.Task.Payload), &row); err != nil {
		return "", migrations.Permanent{Err: fmt.Errorf("the task is no row of an import: %w", err)}
	}
	there, err := tickets.ByOrigins(ctx, m.bulk.Queries, plan.company.ID, originsOf([]importRow{row}))
	if err != nil {
		return "", err
	}
	if origin, ok := there[row.Key]; ok {
		return thereNote(row.Key, origin), nil
	}
	a, ok := plan.arrival(row, there, m.bulk.Now())
	if !ok {
		return leftOut(row), nil
	}
	if err := a.column.Admit(1); err != nil {
		return "", migrations.Permanent{Err: err}
	}
	kept, err := boards.ReservedSlugs(ctx, m.bulk.Queries, plan.company.ID, slugsOf([]*arrival{a}))
	if err != nil {
		return "", err
	}
	a.notes = append(a.notes, keyNotes(row.Key, func(slug string) bool {
		imported, ok := kept[slug]
		return ok && !imported
	})...)
	if c := a.column; c.Hard && c.Limit != nil {
		a.notes = append(a.notes, fmt.Sprintf("“%s” has room for %d more: which rows get it shows when they are imported",
			c.Name, int64(*c.Limit)-c.Count-c.Incoming))
	}
	return fmt.Sprintf("would open as %s-… in “%s”", plan.board.Slug, a.column.Name) + noteEnd(a.rest.Assignees, a.notes),
		nil
}
