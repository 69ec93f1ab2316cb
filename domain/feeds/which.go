package feeds

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// MaxRepublish is how many rows can be named at once to be published again.
const MaxRepublish = 1000

// Which says what to publish again: some rows, what is on a board, or all. One of them is set.
type Which struct {
	IDs   []uint64
	Board string // the slug
	All   bool
}

// Check returns BadWhich where not one of them is set, or too much.
func (w Which) Check() error {
	said := 0
	for _, set := range []bool{len(w.IDs) > 0, w.Board != "", w.All} {
		if set {
			said++
		}
	}
	if said != 1 || len(w.IDs) > MaxRepublish {
		return BadWhich{}
	}
	return nil
}

// ParseIDs reads ids of rows, with commas or spaces between. It returns BadIDs.
func ParseIDs(text string) (ids []uint64, err error) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		n, err := strconv.ParseUint(part, 10, 63)
		if err != nil || n == 0 {
			return nil, BadIDs{Text: part}
		}
		ids = append(ids, n)
	}
	return ids, nil
}

// BadIDs reports what is no list of ids.
type BadIDs struct{ Text string }

func (e BadIDs) Error() string {
	return fmt.Sprintf("%.40q is no id of a row. Write numbers, with commas or spaces between.", e.Text)
}

func (BadIDs) Unwrap() error { return fault.Invalid }
func (BadIDs) Field() string { return "ids" }

// BadWhich reports a request that does not say what to publish again.
type BadWhich struct{}

func (BadWhich) Error() string {
	return fmt.Sprintf("Say what to publish again: up to %d ids, or the slug of a board, or all.", MaxRepublish)
}

func (BadWhich) Unwrap() error { return fault.Invalid }
func (BadWhich) Field() string { return "ids" }
