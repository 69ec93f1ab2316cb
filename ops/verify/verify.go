// Package verify proves the stored data: the promises of the schema, the workflows and the entities are checked row
// by row. It only reads. Start at checks.go, the list of promises.
package verify

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// MaxFindings is the number of findings of a check that are listed; Total counts all.
const MaxFindings = 100

// Report is the result of a run.
type Report struct {
	Engine string
	Checks []Check
}

// Check is one invariant: Description states it, Rows is the number of checked rows, and each finding describes a
// violation.
type Check struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Rows        int64    `json:"rows"`
	Findings    []string `json:"findings"`
	Total       int64    `json:"total"`
	Notes       []string `json:"notes,omitempty"` // what is no violation, but should be known
}

// OK reports whether there are no findings.
func (r Report) OK() bool { return r.Total() == 0 }

// Total is the number of findings, listed or not.
func (r Report) Total() (n int64) {
	for _, c := range r.Checks {
		n += c.Total
	}
	return n
}

// Run checks the data as of one moment, so it may run beside writes. A schema that is not the newest is the only
// finding then, because the other checks need the newest. keys open the secrets. place is the folder or bucket of stored files; "" skips their
// check. progress may be nil, and is called before each check.
func Run(
	ctx context.Context, d *db.DB, keys *secrets.Keys, place string, progress func(step string, done, total int64),
) (Report, error) {
	server, err := d.Check(ctx)
	if err != nil {
		return Report{}, err
	}
	report := Report{Engine: server.String()}
	err = Snapshot(ctx, d.SQL, func(conn *sql.Conn) error {
		seen := make(map[string]int64)
		all := append([]check{schema}, checks(place)...)
		for i, c := range all {
			if progress != nil {
				progress("verify", int64(i), int64(len(all)))
			}
			l := &checkRun{ctx: ctx, conn: conn, keys: keys, seen: seen,
				Check: Check{Name: c.name, Description: c.says, Findings: []string{}}}
			if err := l.at(c); err != nil {
				return fmt.Errorf("verify: check %q: %w", c.name, err)
			}
			report.Checks = append(report.Checks, l.Check)
			if c.name == schema.name && l.Total > 0 {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		_, err = db.Read(report, err)
		return Report{}, err
	}
	return report, nil
}

// JSON writes the report in one line.
func (r Report) JSON(w io.Writer) error {
	return json.NewEncoder(w).Encode(struct {
		OK     bool    `json:"ok"`
		Engine string  `json:"engine"`
		Checks []Check `json:"checks"`
	}{r.OK(), r.Engine, r.Checks})
}

// Text writes the report as text.
func (r Report) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range r.Checks {
		mark := "ok"
		if c.Total > 0 {
			mark = "BROKEN"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", mark, c.Name, rows(c.Rows), c.Description)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range r.Checks {
		for _, note := range c.Notes {
			fmt.Fprintf(w, "note: %s\n", note)
		}
		c.tell(w)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.Verdict())
	return err
}

func (c Check) tell(w io.Writer) {
	if c.Total == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: %d found\n", c.Name, c.Total)
	for _, finding := range c.Findings {
		fmt.Fprintf(w, "  %s\n", finding)
	}
	if more := c.Total - int64(len(c.Findings)); more > 0 {
		fmt.Fprintf(w, "  … and %d more\n", more)
	}
}

func rows(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// Verdict is the report in a sentence.
func (r Report) Verdict() string {
	if r.OK() {
		return "The stored data is as it should be (" + r.Engine + ")."
	}
	return "The stored data is not as it should be (" + r.Engine +
		"). Nothing was changed. Make a copy of the database before you repair anything."
}
