package tickets

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// editsBack is how many edits back the text of a version is looked for.
const editsBack = 50

// LaterEdits are the changes that others made to a ticket's texts since a version.
type LaterEdits struct {
	Title, Description string // of the version
	By                 []string
	At                 time.Time // of the last edit
}

// EditsSince returns what others changed in the texts of a ticket since a version. ok is false if the history does not
// have that version.
func EditsSince(
	ctx context.Context, q *db.Queries, current Ticket, version uint64,
) (since LaterEdits, ok bool, err error) {
	if version == 0 || version >= current.Version || current.Version-version > editsBack {
		return LaterEdits{}, false, nil
	}
	since = LaterEdits{Title: current.Title, Description: current.Description, At: current.UpdatedAt}
	// A few more than there were: another edit may be saved meanwhile.
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

// FirstTexts are the texts of a ticket as it was created.
type FirstTexts struct{ Title, Description string }

// editsOn is how many edits on the first texts are looked for.
const editsOn = 100

// ReadFirstTexts returns the texts that a ticket was created with, given those of now. ok is false if it was edited
// too often to find them.
func ReadFirstTexts(ctx context.Context, q *db.Queries, ticket id.Ticket, now FirstTexts) (
	first FirstTexts, ok bool, err error) {
	rows, err := db.Read(q.FirstEdits(ctx, ticket, editsOn))
	if err != nil {
		return FirstTexts{}, false, fmt.Errorf("read first edits: %w", err)
	}
	var title, description *string
	for _, row := range rows {
		var detail Detail
		if err := json.Unmarshal([]byte(row), &detail); err != nil {
			return FirstTexts{}, false, fmt.Errorf("read detail of an edit: %w", err)
		}
		if c := detail.Title; c != nil && title == nil {
			title = &c.Old
		}
		if c := detail.Description; c != nil && description == nil {
			description = &c.Old
		}
	}
	if (title == nil || description == nil) && len(rows) == editsOn {
		return FirstTexts{}, false, nil
	}
	if title != nil {
		now.Title = *title
	}
	if description != nil {
		now.Description = *description
	}
	return now, true, nil
}

// Conflict is an edit of an old version, with what can be made of it and the edits since.
type Conflict struct {
	Current Ticket // the ticket now
	// Known says that the history has the others' changes; LaterEdits and all below are set then.
	Known       bool
	Since       LaterEdits
	Title       *Change // by the others; nil if unchanged
	Lines       []Line  // of the description; none if unchanged
	MergedTitle string
	TitleClash  bool   // both changed the title
	Merged      Merged // the description
}

// Resolve compares the title and description that were sent with the edits since their version.
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
	c.Merged = Merge(c.Since.Description, description, c.Current.Description)
}
