package tickets

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// editsBack is how many edits back a text is looked for.
const editsBack = 50

// LaterEdits says what others did to a ticket's texts since a version.
type LaterEdits struct {
	Title, Description string // as they were at the version
	By                 []string
	At                 time.Time // of the last edit
}

// EditsSince returns what others did to the texts of a ticket, as it was read, since a version. ok is
// false where the history does not say so, as for a version that never was.
func EditsSince(ctx context.Context, q *db.Queries, current Ticket, version uint64) (since LaterEdits, ok bool, err error) {
	if version == 0 || version >= current.Version || current.Version-version > editsBack {
		return LaterEdits{}, false, nil
	}
	since = LaterEdits{Title: current.Title, Description: current.Description, At: current.UpdatedAt}
	// A few more than there were: someone may save while this is read.
	rows, err := db.Read(q.LastEdits(ctx, current.ID, int32(current.Version-version)+5))
	if err != nil {
		return LaterEdits{}, false, fmt.Errorf("read edits: %w", err)
	}
	want := current.Version
	for _, row := range rows {
		entry, err := activityFrom(db.LastActivityRow(row))
		if err != nil {
			return LaterEdits{}, false, err
		}
		if entry.Detail.Version > want {
			continue
		}
		if want == version || entry.Detail.Version != want {
			break
		}
		if c := entry.Detail.Title; c != nil {
			since.Title = c.Old
		}
		if c := entry.Detail.Description; c != nil {
			since.Description = c.Old
		}
		if !slices.Contains(since.By, entry.By.Name) {
			since.By = append(since.By, entry.By.Name)
		}
		want--
	}
	slices.Reverse(since.By)
	return since, want == version, nil
}

// Conflict is an edit that another was faster than, and what can be made of both.
type Conflict struct {
	Current Ticket // as the others left it
	// Known says that it is known what the others changed; Since and all below are set then.
	Known       bool
	Since       LaterEdits
	Title       *Change // by the others; nil where they left it
	Lines       []Line  // of the description; none where they left it
	MergedTitle string
	Merged      string // the description
	// TitleClash and LinesClash say that both changed the title, or the same lines.
	TitleClash, LinesClash bool
}

// Resolve returns what can be made of a title and a description that are based on what since says,
// and of what the ticket is by now.
func (c *Conflict) Resolve(title, description string) {
	c.Title = change(c.Since.Title, c.Current.Title)
	if c.Since.Description != c.Current.Description {
		c.Lines = Diff(c.Since.Description, c.Current.Description)
	}
	c.MergedTitle = title
	switch {
	case title == c.Since.Title:
		c.MergedTitle = c.Current.Title
	case c.Title != nil && title != c.Current.Title:
		c.TitleClash = true
	}
	merged, clean := Merge(c.Since.Description, description, c.Current.Description)
	c.Merged, c.LinesClash = merged, !clean
}
