package admin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// ImportProps is the page on which an operator maps the columns of a file.
type ImportProps struct {
	NewRunProps
	Run      migrations.Run // the file's run
	Jira     bool
	Columns  []ImportColumn // none if the file cannot be read
	Roles    []ImportRole
	Kept     []string
	Statuses []ImportStatus
	Board    string   // its title
	Places   []string // the board's columns
	Rows     int      // in the sample
	Whole    bool     // the sample is the whole file
	Rejected []string // rows of the sample that cannot be read
}

// Tried reports whether the file can be read and its run was a dry run to its end: the next is for real.
func (p ImportProps) Tried() bool {
	return p.Run.Dry && p.Run.State == migrations.Complete && len(p.Columns) > 0
}

// ImportColumn is a column of a file with its first values.
type ImportColumn struct {
	Name    string
	Times   int
	Samples []string
}

// ImportRole is a use of a column. Column is ImportNone if no column has it.
type ImportRole struct{ Param, Label, Help, Column string }

// ImportStatus is a status in a file and the board's column for it, "" for none yet.
type ImportStatus struct {
	Name   string
	Times  int
	Column string
}

// ImportNone is the choice of no column.
const ImportNone = "-"

// The names of fields beyond the parameters.
const (
	ImportKeep         = "keep-column"
	ImportStatusName   = "status-name"   // the statuses of the sample
	ImportStatusColumn = "status-column" // and the column for each
	ImportAgain        = "again"         // reads the sample again, and opens nothing
)

// named are the columns to choose from: those with a value in the sampled rows.
func (p ImportProps) named() (list []ImportColumn) {
	for _, c := range p.Columns {
		if len(c.Samples) > 0 || p.isRole(c.Name) {
			list = append(list, c)
		}
	}
	return list
}

func (p ImportProps) isRole(column string) bool {
	return slices.ContainsFunc(p.Roles, func(r ImportRole) bool { return r.Column == column })
}

func (p ImportProps) empty() int { return len(p.Columns) - len(p.named()) }

// shown are the parameters with a field of their own.
func (p ImportProps) shown(names ...string) (list []migrations.ParamInfo) {
	for _, param := range p.Migration.Params {
		if slices.Contains(names, param.Name) {
			list = append(list, param)
		}
	}
	return list
}

func samples(c ImportColumn) string { return strings.Join(c.Samples, " · ") }

func (p ImportProps) looked() string {
	if p.Whole {
		return fmt.Sprintf("All %s rows were read.", views.Thousands(int64(p.Rows)))
	}
	return fmt.Sprintf("The first %s rows were read.", views.Thousands(int64(p.Rows)))
}

func (p ImportProps) mappingFields() []string {
	names := []string{}
	for _, param := range p.Migration.Params {
		names = append(names, paramName(param.Name))
	}
	return names
}

func (p ImportProps) keeps(column string) bool { return slices.Contains(p.Kept, column) }

// importWords is the button that imports, tryWords the one of a dry run. A number is of the whole file.
func (p ImportProps) importWords() string {
	if !p.Whole {
		return "Import into " + p.Board
	}
	return "Import " + views.Counted(int64(p.Rows), "ticket", "tickets") + " into " + p.Board
}

func (p ImportProps) tryWords() string {
	if !p.Whole {
		return "Try the file"
	}
	return "Try " + views.Counted(int64(p.Rows), "row", "rows")
}

// RunBoard is the board that an import's tickets go to. Path is "" if the user is no member of its company.
type RunBoard struct{ Title, Path string }
