package admin

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/views"
)

// Finding is the state of one thing that “counterfoil doctor” examines. Mark is ok, note or problem; Why and Fix are set
// unless it is ok.
type Finding struct{ Name, Mark, Value, Why, Fix string }

// DoctorProps are the findings of an examination.
type DoctorProps struct {
	Page     views.Page
	Findings []Finding
	At       time.Time
}

// sorted are the findings, problems first.
func (p DoctorProps) sorted() []Finding {
	list := slices.Clone(p.Findings)
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(urgency(a), urgency(b)) })
	return list
}

func urgency(f Finding) int { return slices.Index([]string{"problem", "note", "ok"}, f.Mark) }

func findingLook(f Finding) stateLook {
	switch f.Mark {
	case "problem":
		return bad("Problem")
	case "note":
		return held("Note")
	}
	return well("Good")
}

// doctorPart is the row of the overview.
func doctorPart(findings []Finding) part {
	row := part{name: "Doctor", path: views.DoctorPath, look: well("No problem")}
	notes := 0
	for _, f := range findings {
		switch f.Mark {
		case "problem":
			row.look = bad("Problem")
			row.facts = append(row.facts, f.Name+": "+f.Value)
		case "note":
			notes++
		}
	}
	if notes > 0 {
		row.facts = append(row.facts, views.Counted(int64(notes), "note", "notes"))
	}
	return row
}

// diskPart is the row of the overview for the disks of the server that answers; false if it has none.
func diskPart(findings []Finding) (row part, ok bool) {
	row = part{name: "Disk", path: views.StoragePath, look: well("Enough")}
	for _, f := range findings {
		if f.Name != "disk" {
			continue
		}
		ok = true
		row.facts = append(row.facts, f.Value)
		if f.Mark != "ok" && row.look.class != "failed" {
			row.look = stateLook{"Little left", "triangle-alert", map[string]string{"note": "held", "problem": "failed"}[f.Mark]}
		}
	}
	return row, ok
}

// sentences are the reason and the remedy of a finding.
func (f Finding) sentences() string { return strings.TrimSpace(f.Why + " " + f.Fix) }
