package feeds

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// MaxRepublish is how many rows can be named at once to be published again.
const MaxRepublish = 1000

// Selection says which rows to publish again: some rows, those of a board, or all. Exactly one is set.
type Selection struct {
	IDs   []uint64 // of rows
	Keys  []string // of tickets, beside the ids
	Board string   // the slug
	All   bool
}

// HasRows reports whether rows are named individually.
func (w Selection) HasRows() bool { return len(w.IDs)+len(w.Keys) > 0 }

// Check returns BadSelection if not exactly one is set.
func (w Selection) Check() error {
	said := 0
	for _, set := range []bool{w.HasRows(), w.Board != "", w.All} {
		if set {
			said++
		}
	}
	if said != 1 || len(w.IDs)+len(w.Keys) > MaxRepublish {
		return BadSelection()
	}
	return nil
}

var keyForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*-[0-9]+$`)

// Add adds rows, each by its id or, of a ticket, its key. It returns BadIDs.
func (w *Selection) Add(rows ...string) error {
	for _, row := range rows {
		n, err := strconv.ParseUint(row, 10, 63)
		switch {
		case err == nil && n > 0:
			w.IDs = append(w.IDs, n)
		case keyForm.MatchString(row):
			w.Keys = append(w.Keys, row)
		default:
			return BadIDs(row)
		}
	}
	return nil
}

// SplitIDs splits ids and keys at commas and spaces.
func SplitIDs(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// CodeBadIDs: a row was named by what is neither an id nor a key. Send ids such as 17 or keys such as NINJA-42.
const CodeBadIDs fault.Code = "Feed.BadIDs"

func BadIDs(text string) error {
	return fault.Invalid.New(CodeBadIDs, "ids",
		fmt.Sprintf("%.40q is neither the id of a row nor the key of a ticket. Name rows such as 17 or NINJA-42.", text))
}

// CodeNoKeys: a row of this feed was named by a key, and only tickets have keys. Send ids.
const CodeNoKeys fault.Code = "Feed.NoKeys"

func NoKeys(feed string) error {
	return fault.Invalid.New(CodeNoKeys, "ids",
		fmt.Sprintf("Only tickets have keys. Name rows of %s by their ids.", feed))
}

// CodeBadSelection: the request does not say which rows to publish again. Send ids, board or all.
const CodeBadSelection fault.Code = "Feed.BadSelection"

func BadSelection() error {
	return fault.Invalid.New(CodeBadSelection, "ids",
		fmt.Sprintf("Say what to publish again: up to %d ids of rows or keys of tickets, or the slug of a board, or all.",
			MaxRepublish))
}
