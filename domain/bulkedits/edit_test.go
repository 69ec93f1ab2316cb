package bulkedits

import (
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestEditString(t *testing.T) {
	t.Parallel()
	ana, jo := Person{ID: 1, Handle: "ana"}, Person{ID: 2, Handle: "jo"}
	for want, edit := range map[string]Edit{
		"Assign @ana, @jo":          {Kind: Assign, Add: []Person{ana, jo}},
		"Assign @ana, unassign @jo": {Kind: Assign, Add: []Person{ana}, Remove: []Person{jo}},
		"Unassign @jo":              {Kind: Assign, Remove: []Person{jo}},
		"Change nothing":            {Kind: Assign},
		"Add the label “bug”":       {Kind: Label, Labels: []string{"bug"}},
		"Add the labels “a”, “b”, remove the label “c”": {Kind: Label, Labels: []string{"a", "b"}, Unlabel: []NamedLabel{{Name: "c"}}},
		"Set the priority to high":                      {Kind: Priority, Priority: "high"},
		"Set the due date to 2030-01-02":                {Kind: Due, Due: "2030-01-02"},
		"Remove the due date":                           {Kind: Due},
		"Set the start date to 2030-01-02":              {Kind: Start, Start: "2030-01-02"},
		"Remove the start date":                         {Kind: Start},
		"Remove the parent":                             {Kind: Parent},
		"Make them children of NINJA-4":                 {Kind: Parent, Parent: &NamedTicket{Key: tickets.Key{Board: "NINJA", Number: 4}}},
		"Move to the board “Other”":                     {Kind: Board, Board: &NamedBoard{Title: "Other"}},
		"Move to the top of “Doing”":                    {Kind: Move, Column: &NamedColumn{Name: "Doing"}},
		"Move to the bottom of the column":              {Kind: Move, Bottom: true},
		"Move to the top of “Review”":                   {Kind: Move, ColumnNamed: "Review"},
		"Close":                                         {Kind: Close},
		"Take back":                                     {Kind: Undo},
	} {
		if got := edit.String(); got != want {
			t.Errorf("%+v says %q, not %q", edit, got, want)
		}
	}
	for _, edit := range []Edit{{}, {Kind: "paint"}, {Kind: Assign}, {Kind: Label}, {Kind: Board}} {
		if !edit.Empty() {
			t.Errorf("%+v is not empty", edit)
		}
	}
	for _, kind := range append(Kinds, Undo) {
		if (Edit{Kind: kind}).Short() == "" {
			t.Errorf("%s has no name", kind)
		}
	}
}

func TestUndoable(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 31, 0, 0, 0, 0, time.UTC)
	for name, one := range map[string]struct {
		edit BulkEdit
		code fault.Code
	}{
		"under way":      {BulkEdit{State: migrations.Running, Changed: 1, At: now}, CodeNotOver},
		"nothing":        {BulkEdit{State: migrations.Complete, Refused: 1, At: now}, CodeNothingChanged},
		"a dry run":      {BulkEdit{State: migrations.Complete, Changed: 1, Dry: true, At: now}, CodeNothingChanged},
		"31 days ago":    {BulkEdit{State: migrations.Complete, Changed: 1, At: now.Add(-31 * 24 * time.Hour)}, CodeTooLate},
		"30 days ago":    {BulkEdit{State: migrations.Complete, Changed: 1, At: now.Add(-KeepFor)}, ""},
		"stopped midway": {BulkEdit{State: migrations.Cancelled, Changed: 1, At: now}, ""},
	} {
		if got := fault.CodeOf(one.edit.Undoable(now)); got != one.code {
			t.Errorf("%s: %q, not %q", name, got, one.code)
		}
	}
}
