package verify

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
)

// Findings are the checks that have some.
type Findings []Check

// Tears returns what a view that holds a later commit without an earlier one may break: the checks that hold rows
// against one another. It needs the newest schema, and finds nothing in another.
func Tears(ctx context.Context, conn *sql.Conn) (found Findings, err error) {
	l := &checkRun{ctx: ctx, conn: conn}
	there, err := hasSchema(l)
	if err != nil || !there {
		return nil, err
	}
	status, err := schemaStatus(l)
	if err != nil || status.Dirty || status.Version != db.LatestSchema() {
		return nil, err
	}
	for _, c := range checks("") {
		l := &checkRun{ctx: ctx, conn: conn, Check: Check{Name: c.name}}
		switch {
		case c.query != "":
			err = l.sentences(c.query)
		case c.name == last.name:
			err = orphans(l)
		}
		if err != nil {
			return nil, fmt.Errorf("check %q: %w", c.name, err)
		}
		if l.Total > 0 {
			found = append(found, l.Check)
		}
	}
	return found, nil
}

// Among reports whether the other findings have all of these. Of more than are listed only their number is known.
func (f Findings) Among(others Findings) bool {
	return !slices.ContainsFunc(f, func(c Check) bool {
		return !slices.ContainsFunc(others, func(o Check) bool { return o.Name == c.Name && c.among(o) })
	})
}

func (c Check) among(o Check) bool {
	if c.Total > MaxFindings {
		return c.Total == o.Total
	}
	return !slices.ContainsFunc(c.Findings, func(finding string) bool { return !slices.Contains(o.Findings, finding) })
}

// One is a finding, "" if there is none.
func (f Findings) One() string {
	if len(f) == 0 {
		return ""
	}
	return f[0].Name + ": " + f[0].Findings[0]
}
