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

// Which says what to publish again: some rows, what is on a board, or all. One of them is set.
type Which struct {
	IDs   []uint64 // of rows
	Keys  []string // of tickets, beside the ids
	Board string   // the slug
	All   bool
}

// Named reports whether rows are named, each by itself.
func (w Which) Named() bool { return len(w.IDs)+len(w.Keys) > 0 }

// Check returns BadWhich where not one of them is set, or too much.
func (w Which) Check() error {
	said := 0
	for _, set := range []bool{w.Named(), w.Board != "", w.All} {
		if set {
			said++
		}
	}
	if said != 1 || len(w.IDs)+len(w.Keys) > MaxRepublish {
		return BadWhich{}
	}
	return nil
}

var keyForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*-[0-9]+$`)

// Name adds rows, each by its id or, of a ticket, its key. It returns BadIDs.
func (w *Which) Name(rows ...string) error {
	for _, row := range rows {
		n, err := strconv.ParseUint(row, 10, 63)
		switch {
		case err == nil && n > 0:
			w.IDs = append(w.IDs, n)
		case keyForm.MatchString(row):
			w.Keys = append(w.Keys, row)
		default:
			return BadIDs{Text: row}
		}
	}
	return nil
}

// SplitIDs parts ids and keys that have commas or spaces between.
func SplitIDs(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// BadIDs reports what is no list of ids.
type BadIDs struct{ Text string }

func (e BadIDs) Error() string {
	return fmt.Sprintf("%.40q is neither the id of a row nor the key of a ticket. Name rows such as 17 or NINJA-42.", e.Text)
}

func (BadIDs) Unwrap() error { return fault.Invalid }
func (BadIDs) Field() string { return "ids" }

// NoKeys reports keys for a feed whose rows have none.
type NoKeys struct{ Feed string }

func (e NoKeys) Error() string {
	return fmt.Sprintf("Only tickets have keys. Name rows of %s by their ids.", e.Feed)
}

func (NoKeys) Unwrap() error { return fault.Invalid }
func (NoKeys) Field() string { return "ids" }

// BadWhich reports a request that does not say what to publish again.
type BadWhich struct{}

func (BadWhich) Error() string {
	return fmt.Sprintf("Say what to publish again: up to %d ids of rows or keys of tickets, or the slug of a board, or all.", MaxRepublish)
}

func (BadWhich) Unwrap() error { return fault.Invalid }
func (BadWhich) Field() string { return "ids" }
