package migrations

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Info is what is shown of a migration.
type Info struct {
	Name, Title, Description string
	Upload                   string // the file that a run is filled from, "" if it takes none
	UploadOptional           bool   // a run can do without
	Params                   []ParamInfo
	First                    []string // as in Migration
	Knobs                    Knobs    // a run's to begin with
	Dry                      bool     // can run without changing anything
}

// ParamInfo is a parameter with what a Choice can be now.
type ParamInfo struct {
	Param
	Options []Option
}

// CodeUnknownMigration: there is no migration of this name. The message names those that exist.
const CodeUnknownMigration fault.Code = "Migration.NotFound"

func UnknownMigration(name string, known []string) error {
	return fault.NotFound.New(CodeUnknownMigration, "", unknownMigrationMessage(name, known))
}

func unknownMigrationMessage(name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("There is no migration “%s” here, nor any other.", name)
	}
	return fmt.Sprintf("There is no migration “%s” here. There are: %s.", name, strings.Join(known, ", "))
}

// CodeRemoved: this version of the program does not have the run's migration. Pause or cancel the run.
const CodeRemoved fault.Code = "Migration.Removed"

func Removed(run id.Run, name string) error {
	return fault.Conflict.New(CodeRemoved, "",
		fmt.Sprintf("This version of Counterfoil has no migration “%s”, so run %d cannot go on. It can be paused and cancelled.", name, run))
}

var (
	migrationName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	paramName     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
)

// register adds a migration. It panics for mistakes in the program.
func (e *Engine) register(m *Migration) {
	wrong := func(why string) { panic(fmt.Sprintf("migrations: %q %s", m.Name, why)) }
	switch {
	case !migrationName.MatchString(m.Name) || len(m.Name) > 60:
		wrong("is no name: lower-case letters, digits and hyphens, at most 60")
	case e.registry[m.Name] != nil:
		wrong("is registered twice")
	case m.Fill == nil:
		wrong("does not say how to fill a run")
	case (m.Process == nil) == (m.Write == nil):
		wrong("must have either Process or Write")
	}
	seen := map[string]bool{}
	for _, p := range m.Params {
		if why := p.mistake(); why != "" {
			wrong(fmt.Sprintf("has a parameter %q that %s", p.Name, why))
		}
		if seen[p.Name] {
			wrong(fmt.Sprintf("has two parameters %q", p.Name))
		}
		seen[p.Name] = true
	}
	e.registry[m.Name] = m
}

// mistake says what is wrong with the declaration of a parameter.
func (p Param) mistake() string {
	switch {
	case !paramName.MatchString(p.Name):
		return "is no name: lower-case letters, digits and underscores, at most 40"
	case p.Label == "":
		return "has no label"
	case !slices.Contains([]Kind{Text, Number, Choice, Flag, Secret}, p.Kind):
		return "has no kind"
	case (p.Kind == Choice) != (p.Choices != nil):
		return "must have Choices where it is a Choice, and only then"
	case p.Kind == Number && p.Max < p.Min:
		return "has a Max below its Min"
	case p.Kind == Secret && p.Default != "":
		return "is secret and has a default"
	}
	return ""
}

// Migration returns a registered migration, or UnknownMigration.
func (e *Engine) Migration(name string) (*Migration, error) {
	if m, ok := e.registry[name]; ok {
		return m, nil
	}
	return nil, UnknownMigration(name, e.Names())
}

// Names are the registered migrations in order.
func (e *Engine) Names() []string {
	var names []string
	for name := range e.registry {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Infos returns what is shown of all registered migrations, by title.
func (e *Engine) Infos(ctx context.Context) ([]Info, error) {
	list := make([]Info, 0, len(e.registry))
	for _, name := range e.Names() {
		info, err := e.Info(ctx, name)
		if err != nil {
			return nil, err
		}
		list = append(list, info)
	}
	slices.SortStableFunc(list, func(a, b Info) int { return cmp.Compare(a.Title, b.Title) })
	return list, nil
}

// Info returns what is shown of a migration, or UnknownMigration.
func (e *Engine) Info(ctx context.Context, name string) (Info, error) {
	m, err := e.Migration(name)
	if err != nil {
		return Info{}, err
	}
	info := Info{
		Name: m.Name, Title: cmp.Or(m.Title, m.Name), Description: m.Description, Upload: m.Upload,
		UploadOptional: m.UploadOptional, Knobs: m.Knobs.OrDefaults(), Dry: m.Preview != nil, First: m.First,
		Params: make([]ParamInfo, len(m.Params)),
	}
	for i, p := range m.Params {
		info.Params[i] = ParamInfo{Param: p}
		if p.Choices == nil {
			continue
		}
		if info.Params[i].Options, err = p.Choices(ctx); err != nil {
			return Info{}, fmt.Errorf("read what %s can be: %w", p.Name, err)
		}
	}
	return info, nil
}
