package importer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Migration is the migration that opens a ticket for each row of a CSV file. It skips a row whose key was imported
// before, so it can be repeated. It sends no notifications.
func (m *Importer) Migration() *migrations.Migration {
	params := []migrations.Param{
		{Name: "company", Label: "Company", Help: "Its short name, as in its URLs: acme.", Kind: migrations.Text, Required: true,
			Max: 40, Refers: migrations.ToCompany},
		{Name: "board", Label: "Board", Help: "Its ticket prefix: DEMO.", Kind: migrations.Text, Required: true, Max: 10,
			Refers: migrations.ToBoard},
		{Name: "author", Label: "Imported by",
			Help: "The email of a member. They become the author of tickets and comments whose author is not found here.",
			Kind: migrations.Text, Required: true, Max: 254, Refers: migrations.ToMember},
		kinds.EncodingParam("Encoding"),
	}
	for _, c := range importColumns {
		help := strings.TrimSpace(c.help +
			" The name of its column in the file; - for none. Empty: found by its usual names.")
		params = append(params, migrations.Param{Name: c.param, Label: c.label, Help: help, Kind: migrations.Text, Max: 1000})
	}
	params = append(params,
		migrations.Param{Name: "relations", Label: "Relations",
			Help: "Columns of keys, one per line: Depends on = blocked-by. Empty: columns named Parent, Blocks, Blocked by, Duplicates, Relates to or as in a Jira export; - for none.",
			Kind: migrations.Text, Max: 20_000},
		migrations.Param{Name: "keep", Label: "Columns to keep",
			Help: "Names of more columns, one per line; - for none. Empty: the usual ones of a Jira export.",
			Kind: migrations.Text, Max: 20_000},
		migrations.Param{Name: "statuses", Label: "Columns of statuses",
			Help: "One per line: In Progress = Doing. Other statuses go to the column with their name; = - skips the tickets.", Kind: migrations.Text, Max: 20_000},
		migrations.Param{Name: "other", Label: "Column for other statuses", Help: "Empty: the first one.",
			Kind: migrations.Text, Max: 80},
		migrations.Param{Name: "names", Label: "Match people by name, too",
			Help: "If there is no email: a member with exactly the same name, if there is only one.",
			Kind: migrations.Flag},
		migrations.Param{Name: "dates", Label: "Dates such as 3/12/2026", Kind: migrations.Choice, Required: true,
			Default: "dmy", Choices: kinds.Choices("dmy", "day first: 3 December", "mdy", "month first: 12 March")},
		migrations.Param{Name: "markup", Label: "Texts are in", Kind: migrations.Choice, Required: true, Default: "auto",
			Choices: kinds.Choices("auto", "Jira markup in a Jira export, otherwise Markdown", "jira", "Jira markup",
				"markdown", "Markdown, or plain text")},
	)
	return &migrations.Migration{
		Name: workflows.ImportName, Title: "Import tickets",
		Description: "Creates a ticket for each row of a CSV file, such as a Jira export. Repeat it as often as you like: tickets that were imported are left as they are.",
		Params:      params,
		Upload:      "a CSV file with a header",
		First:       []string{"company", "board", "author", "encoding"},
		Check:       m.checkImport,
		Fill:        m.fillImport,
		Write:       m.writeImport,
		Preview:     m.previewImport,
		Label:       labelOf,
		Knobs:       migrations.Knobs{Concurrency: 2, Block: 200, Attempts: 3},
	}
}

// importPlan is the parsed parameters of an import.
type importPlan struct {
	company   accounts.Company
	board     boards.Board
	author    accounts.CompanyMember
	zone      string            // of the author, if rows have recurrences
	statuses  map[string]string // in lower case, to a column's name, "-" for none
	other     string
	names     bool
	directory *directory
	mark      *tickets.Imported // of the tickets that are opened
}

// importPlan parses the parameters. It returns migrations.BadParam.
func (m *Importer) importPlan(
	ctx context.Context, q *db.Queries, values migrations.Values,
) (plan importPlan, err error) {
	plan.company, err = accounts.CompanyBySlug(ctx, q, values["company"])
	if errors.Is(err, fault.NotFound) {
		return plan, migrations.BadParam("company", "This company does not exist. Enter its short name, as in its URLs: acme.")
	}
	if err != nil {
		return plan, err
	}
	wrongBoard := plan.readBoard(ctx, q, values)
	if wrongBoard == nil {
		wrongBoard = plan.readStatuses(values)
	}
	if plan.directory, err = m.directories.Get(plan.company.ID,
		func() (*directory, error) { return readDirectory(ctx, q, plan.company.ID) }); err != nil {
		return plan, err
	}
	plan.names = values["names"] == "true"
	return plan, fault.Join(wrongBoard, plan.readAuthor(values))
}

// actor is the member that imports.
func (p *importPlan) actor() accounts.Actor {
	return accounts.Actor{Account: p.author.Account, Company: p.company, Role: p.author.Role}
}

func (p *importPlan) readBoard(ctx context.Context, q *db.Queries, values migrations.Values) (err error) {
	p.board, err = boards.BySlug(ctx, q, db.SightOfAll(p.company.ID), values["board"])
	switch {
	case errors.Is(err, fault.NotFound):
		return migrations.BadParam("board", "This board does not exist in that company. Enter its ticket prefix, such as DEMO.")
	case err == nil && p.board.Archived():
		return migrations.BadParam("board", "The board is archived. Restore it first, or choose another one.")
	}
	return err
}

func (p *importPlan) readAuthor(values migrations.Values) error {
	author, found := p.directory.byEmail[strings.ToLower(strings.TrimSpace(values["author"]))]
	if !found || !author.Writes() {
		return migrations.BadParam("author", "No member of that company has this email and may edit.")
	}
	p.author = author
	return nil
}

func (p *importPlan) readStatuses(values migrations.Values) error {
	p.statuses, p.other = map[string]string{}, p.board.Entry().Name
	known := func(param, name string) error {
		if _, ok := p.column(name); !ok {
			return migrations.BadParam(param, fmt.Sprintf("The board has no column “%s”. It has: %s.", name, p.columnNames()))
		}
		return nil
	}
	var wrongOther error
	if other := values["other"]; other != "" {
		if p.other = other; other != noColumn {
			wrongOther = known("other", other)
		}
	}
	for _, line := range listOf(values["statuses"]) {
		at := strings.LastIndex(line, "=")
		if at < 0 {
			return fault.Join(wrongOther, migrations.BadParam("statuses",
				fmt.Sprintf("“%s” names no column: write it as In Progress = Doing.", line)))
		}
		status, column := strings.TrimSpace(line[:at]), strings.TrimSpace(line[at+1:])
		if column != noColumn {
			if err := known("statuses", column); err != nil {
				return fault.Join(wrongOther, err)
			}
		}
		p.statuses[strings.ToLower(markup.Flat(status))] = column
	}
	return wrongOther
}

func (p *importPlan) column(name string) (boards.Column, bool) {
	for _, c := range p.board.Columns {
		if strings.EqualFold(c.Name, name) {
			return c, true
		}
	}
	return boards.Column{}, false
}

func (p *importPlan) columnNames() string {
	names := make([]string, len(p.board.Columns))
	for i, c := range p.board.Columns {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// columnOf is the column for a status; ok is false if its tickets are left out.
func (p *importPlan) columnOf(status string) (column boards.Column, ok bool) {
	name, chosen := p.statuses[strings.ToLower(status)]
	if !chosen {
		if column, ok = p.column(status); ok {
			return column, true
		}
		name = p.other
	}
	if name == noColumn {
		return boards.Column{}, false
	}
	return p.column(name)
}

func (m *Importer) checkImport(ctx context.Context, values migrations.Values) error {
	_, err := m.importPlan(ctx, m.db.Queries, values)
	_, wrong := namedRelations(values["relations"])
	return fault.Join(err, wrong)
}

func (m *Importer) fillImport(ctx context.Context, into migrations.Filler) error {
	return migrations.FillCSV(ctx, into, kinds.CSVOptions(into.Values()),
		func(file *csvfile.File) (func(csvfile.Row) (string, error), error) {
			mapping, err := mapColumns(into.Values(), file.Columns, m.bulk.Now())
			if err == nil {
				err = mapping.readRelations(ctx, into)
			}
			if err == nil && into.Cursor() != "" {
				err = mapping.catchUp(ctx, into)
			}
			return mapping.payload, err
		})
}

// assignable are the members of some names who can be assigned, and notes about the others.
func (p *importPlan) assignable(names []string) (list []tickets.Assignee, notes []string) {
	for _, name := range names {
		member, ok := p.directory.find(name, p.names)
		switch {
		case !ok:
			notes = append(notes, fmt.Sprintf("no member is named “%s”", name))
		case member.Role == accounts.Viewer:
			notes = append(notes, fmt.Sprintf("%s is a viewer, and is not assigned", member.Account.Name))
		case len(list) == tickets.MaxAssignees:
			notes = append(notes, fmt.Sprintf("%s is one assignee too many", member.Account.Name))
		default:
			list = append(list, tickets.Assignee{ID: member.Account.ID, Name: member.Account.Name, Handle: member.Handle})
		}
	}
	return unique(list), notes
}

func unique(list []tickets.Assignee) (once []tickets.Assignee) {
	seen := map[accounts.ID]bool{}
	for _, one := range list {
		if !seen[one.ID] {
			seen[one.ID] = true
			once = append(once, one)
		}
	}
	return once
}

// labelOf is the key and the title of a row.
func labelOf(payload string) string {
	fields := migrations.PayloadFields(payload)
	return strings.TrimSpace(fields["key"] + " " + fields["title"])
}
