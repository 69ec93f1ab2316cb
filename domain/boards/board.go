package boards

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// ID is the id of a board.
type ID = id.Board

// MaxTitle is how many characters a title may have.
const MaxTitle = 255

// DefaultColumns are the columns of a new board; the last is for finished work.
var DefaultColumns = []string{"To do", "Doing", "Done"}

// Board is a board of a company with its columns from left to right.
type Board struct {
	ID        ID
	Company   id.Company
	Slug      string // upper case, the first half of its tickets' keys
	Title     string
	Version   uint64 // counts the edits of slug and title
	CreatedAt time.Time
	UpdatedAt time.Time
	// ArchivedAt is when the board was archived: it is read, not written, since. It is nil for a live board.
	ArchivedAt *time.Time
	Columns    []Column
	Grant      db.Grant // of the reader
	Public     bool     // it has a public link; false in lists of boards
	Form       bool     // it has, or had, a public form; false in lists of boards
}

// Column is a column of a board.
type Column struct {
	ID    id.Column
	Board ID
	Name  string
	Done  bool  // tickets in it are closed
	Count int64 // tickets in it
	Limit *int  // how many may be in it; nil for any number
	Hard  bool  // the limit refuses; otherwise it warns
	// StaleDays is how many days a ticket may be in it before its card says that it is stale; 0 for any number.
	StaleDays int
	Color     *color.Color // nil for none
	// LastRank is at least the highest rank in the column.
	LastRank int64
	// Incoming is how many tickets a run may still bring from columns that are being emptied.
	Incoming int64
	Change   *Change // nil if no run is changing all its tickets
	Folded   bool    // the reader sees it folded
	position int32
}

// Tickets is how many tickets are on the board.
func (b Board) Tickets() int64 {
	var n int64
	for _, c := range b.Columns {
		n += c.Count
	}
	return n
}

// Archived reports whether the board is read only.
func (b Board) Archived() bool { return b.ArchivedAt != nil }

// Over reports whether the column has more tickets than its limit.
func (c Column) Over() bool { return c.Limit != nil && c.Count > int64(*c.Limit) }

// Admit returns ColumnLeaving if the column is being removed, or ColumnFull if a hard limit keeps n more tickets out. It
// can be relied on under the column's lock.
func (c Column) Admit(n int64) error {
	if c.Leaving() {
		return ColumnLeaving(c.Name)
	}
	if c.Hard && c.Limit != nil && c.Count+c.Incoming+n > int64(*c.Limit) {
		return ColumnFull(c.Name, *c.Limit)
	}
	return nil
}

// Column returns the board's column with that id.
func (b Board) Column(column id.Column) (Column, bool) {
	for _, c := range b.Columns {
		if c.ID == column {
			return c, true
		}
	}
	return Column{}, false
}

// ColumnNamed returns the first of the board's columns with a name, in any case, that tickets can come to.
func (b Board) ColumnNamed(name string) (Column, bool) {
	for _, c := range b.Columns {
		if strings.EqualFold(c.Name, name) && !c.Leaving() {
			return c, true
		}
	}
	return Column{}, false
}

// With returns the board with some of its columns replaced.
func (b Board) With(columns ...Column) Board {
	b.Columns = slices.Clone(b.Columns)
	for i, old := range b.Columns {
		for _, c := range columns {
			if c.ID == old.ID {
				b.Columns[i] = c
			}
		}
	}
	return b
}

// FirstColumn returns the board's first column that is done, or that is not, and that tickets can come to.
func (b Board) FirstColumn(done bool) (Column, bool) {
	for _, c := range b.Columns {
		if c.Done == done && !c.Leaving() {
			return c, true
		}
	}
	return Column{}, false
}

// slugForm is of both cases, for there are other letters that upper case makes A to Z.
var slugForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{1,9}$`)

// ParseSlug returns s as a slug: trimmed, upper-cased, a letter and one to nine letters or digits.
// It returns EmptySlug or BadSlug.
func ParseSlug(s string) (string, error) {
	slug := strings.TrimSpace(s)
	if slug == "" {
		return "", EmptySlug()
	}
	if !slugForm.MatchString(slug) {
		return "", BadSlug()
	}
	return strings.ToUpper(slug), nil
}

// ParseTitle returns s as a title: trimmed, one line, 1 to 255 characters. It returns EmptyTitle,
// LongTitle or BadTitle.
func ParseTitle(s string) (string, error) {
	title, length, ok := markup.Line(s)
	switch {
	case !ok:
		return "", BadTitle()
	case length == 0:
		return "", EmptyTitle()
	case length > MaxTitle:
		return "", LongTitle(length)
	}
	return title, nil
}
