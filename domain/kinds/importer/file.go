package importer

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/csvfile"
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
	plan, err := m.importPlan(ctx, m.db.Queries, values)
	if err != nil {
		return workflows.ImportFile{}, err
	}
	file := workflows.ImportFile{Board: plan.board.Title}
	for _, c := range plan.board.Columns {
		file.BoardColumns = append(file.BoardColumns, c.Name)
	}
	upload, err := open()
	if err != nil {
		return file, err
	}
	defer func() { _ = upload.Close() }()
	i := inspection{ImportFile: &file, plan: &plan}
	err = i.look(upload, values)
	return file, err
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

func (f *inspection) column(param string) string {
	for _, role := range f.Roles {
		if role.Param == param {
			return role.Column
		}
	}
	return noColumn
}
