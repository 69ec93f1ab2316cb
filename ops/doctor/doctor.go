// Package doctor examines the server, its settings and its state for what costs safety or speed. It only reads, and
// needs no rights beyond those on Counterfoil's own database. Start at Run.
package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// Marks of a check. Only a problem needs action.
const (
	OK      = "ok"
	Note    = "note"
	Problem = "problem"
)

// Report is the result of a run.
type Report struct {
	Engine string
	Checks []Check
}

// Check is the state of one thing. Why and Fix are set unless it is ok.
type Check struct {
	Name  string `json:"name"`
	Mark  string `json:"mark"`
	Value string `json:"value"`
	Why   string `json:"why,omitempty"`
	Fix   string `json:"fix,omitempty"`
}

// OK reports whether there is no problem.
func (r Report) OK() bool { return r.count(Problem) == 0 }

func (r Report) count(mark string) (n int) {
	for _, c := range r.Checks {
		if c.Mark == mark {
			n++
		}
	}
	return n
}

// Run examines a database's server, whether keys has the key of its secrets, and the disks of some folders of this
// machine. It returns Unavailable if the server does not answer.
func Run(ctx context.Context, d *db.DB, keys *secrets.Keys, folders ...string) (Report, error) {
	server, err := d.Check(ctx)
	if err != nil && !errors.Is(err, db.CodeUnfit) {
		return Report{}, err
	}
	unfit := fault.Message(err)
	f, err := ask(ctx, d, folders)
	if err != nil {
		_, err = db.Read(f, err)
		return Report{}, fmt.Errorf("doctor: %w", err)
	}
	f.askClaims(ctx, d)
	if f.schema.Version >= firstWithSecrets && !f.schema.Dirty {
		if f.key, err = keys.State(ctx, d.Queries); err != nil {
			return Report{}, fmt.Errorf("doctor: %w", err)
		}
	}
	f.server, f.unfit = server, unfit
	return Report{Engine: server.String(), Checks: diagnose(f)}, nil
}

// JSON writes the report in one line.
func (r Report) JSON(w io.Writer) error {
	return json.NewEncoder(w).Encode(struct {
		OK     bool    `json:"ok"`
		Engine string  `json:"engine"`
		Checks []Check `json:"checks"`
	}{r.OK(), r.Engine, r.Checks})
}

// Text writes the report as text: a line for each check, then what to do.
func (r Report) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range r.Checks {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Mark, c.Name, c.Value)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range r.Checks {
		if c.Mark != OK {
			fmt.Fprintf(w, "\n%s: %s\n  %s\n  %s\n", c.Mark, c.Name, c.Why, c.Fix)
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.verdict())
	return err
}

func (r Report) verdict() string {
	problems, notes := r.count(Problem), r.count(Note)
	switch {
	case problems+notes == 0:
		return "All is well."
	case problems == 0:
		return fmt.Sprintf("No problem, %s.", plural(notes, "note"))
	}
	return fmt.Sprintf("%s, %s.", plural(problems, "problem"), plural(notes, "note"))
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
