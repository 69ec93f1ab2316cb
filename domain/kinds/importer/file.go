package importer

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Limits of an inspection.
const (
	inspectRows     = 2000
	inspectBytes    = 8 << 20
	inspectStatuses = 60
	inspectSamples  = 3
)

// ReadImport inspects the file of a run of import-tickets: see workflows.ImportReader.
func (m *Importer) ReadImport(
	ctx context.Context, open func() (io.ReadCloser, error), values migrations.Values,
) (workflows.ImportFile, error) {
	plan, wrong := m.importPlan(ctx, m.db.Queries, values)
	if wrong != nil && (plan.board.ID == 0 || fault.KindOf(wrong) != fault.Invalid) {
		return workflows.ImportFile{}, wrong
	}
	file := workflows.ImportFile{Board: plan.board.Title}
	for _, c := range plan.board.Columns {
		file.BoardColumns = append(file.BoardColumns, c.Name)
	}
	upload, err := open()
	if err != nil {
		return file, fault.Join(wrong, err)
	}
	defer func() { _ = upload.Close() }()
	i := inspection{ImportFile: &file, plan: &plan}
	if err := i.look(upload, values); err != nil {
		return file, err
	}
	return file, fault.Join(wrong, i.relate(values["relations"]))
}

// inspection reads the first rows of a file for a plan.
type inspection struct {
	*workflows.ImportFile
	plan *importPlan
}

func (f *inspection) look(upload io.Reader, values migrations.Values) error {
	limited := &io.LimitedReader{R: upload, N: inspectBytes}
	c, err := csvfile.Open(limited, kinds.CSVOptions(values))
	if err != nil {
		return err
	}
	f.Jira = isJira(c.Columns)
	f.suggest(values, c.Columns)
	at := map[string]int{}
	for _, name := range c.Columns {
		if i, ok := at[name]; ok {
			f.Columns[i].Times++
			continue
		}
		at[name] = len(f.Columns)
		f.Columns = append(f.Columns, workflows.ImportColumn{Name: name, Times: 1})
	}
	statuses := columnsNamed(c.Columns, f.column("status"))
	for f.Rows < inspectRows {
		row, err := c.Next()
		var bad csvfile.BadRow
		switch {
		case errors.Is(err, io.EOF):
			f.Whole = limited.N > 0
			return nil
		case errors.As(err, &bad):
			if limited.N > 0 && len(f.Rejected) < 10 { // otherwise the limit cut it
				f.Rejected = append(f.Rejected, bad.Error())
			}
			continue
		case err != nil:
			return err
		}
		f.Rows++
		for i, value := range row.Fields {
			sample(&f.Columns[at[c.Columns[i]]], value)
		}
		f.status(row.Fields, statuses)
	}
	return nil
}

// sample keeps a value if it is one of the first.
func sample(c *workflows.ImportColumn, value string) {
	if len(c.Samples) >= inspectSamples || strings.TrimSpace(value) == "" {
		return
	}
	if value = kinds.Truncate(markup.Flat(kinds.Truncate(value, 500)), 60); !slices.Contains(c.Samples, value) {
		c.Samples = append(c.Samples, value)
	}
}

// status counts the status of a row.
func (f *inspection) status(fields []string, at []int) {
	for _, i := range at {
		name := markup.Flat(fields[i])
		if name == "" {
			continue
		}
		known := slices.IndexFunc(f.Statuses, func(s workflows.ImportStatus) bool { return strings.EqualFold(s.Name, name) })
		if known >= 0 {
			f.Statuses[known].Times++
		} else if len(f.Statuses) < inspectStatuses {
			f.Statuses = append(f.Statuses, workflows.ImportStatus{Name: name, Times: 1, Column: f.plan.columnFor(name)})
		}
		return
	}
}

// columnFor is the column for a status, chosen or suggested, "" for none.
func (p *importPlan) columnFor(status string) string {
	if column, ok := p.statuses[strings.ToLower(status)]; ok {
		return column
	}
	if column, ok := p.column(status); ok {
		return column.Name
	}
	meaning := map[string]bool{"done": true, "closed": true, "resolved": true, "complete": true, "completed": true,
		"fixed": true, "won't do": true, "wontfix": true}
	if meaning[strings.ToLower(status)] {
		if column, ok := p.board.FirstColumn(true); ok {
			return column.Name
		}
	}
	return ""
}

// suggest sets the chosen columns, or those that names of columns suggest.
func (f *inspection) suggest(values migrations.Values, columns []string) {
	for _, c := range importColumns {
		name := values[c.param]
		if name == "" {
			if name = suggestColumn(columns, c.known); name == "" {
				name = noColumn
			}
		}
		f.Roles = append(f.Roles, workflows.ImportRole{Param: c.param, Label: c.label, Help: c.help, Column: name})
	}
	f.Kept = listOf(values["keep"])
	if len(f.Kept) == 0 && f.Jira {
		f.Kept = jiraKept
	}
}

// relate suggests the relations of the columns, or returns migrations.BadParam for those that were typed.
func (f *inspection) relate(typed string) error {
	m := importMapping{of: map[string][]int{}}
	for i, column := range f.Columns {
		m.names = append(m.names, column.Name)
		if slices.ContainsFunc(f.Roles, func(r workflows.ImportRole) bool { return r.Column == column.Name }) {
			m.of[column.Name] = []int{i}
		}
	}
	err := m.mapRelations(typed)
	if errors.Is(err, csvfile.CodeBadFile) {
		return migrations.BadParam("relations", fault.Message(err))
	}
	for _, c := range m.related {
		f.Relations = append(f.Relations, m.names[c.at]+" = "+c.kind.String())
	}
	return err
}

func (f *inspection) column(param string) string {
	for _, role := range f.Roles {
		if role.Param == param {
			return role.Column
		}
	}
	return noColumn
}
