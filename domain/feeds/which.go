package feeds

import (
	"fmt"

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

// BadWhich reports a request that does not say what to publish again.
type BadWhich struct{}

func (BadWhich) Error() string {
	return fmt.Sprintf("Say what to publish again: up to %d ids, or the slug of a board, or all.", MaxRepublish)
}

func (BadWhich) Unwrap() error { return fault.Invalid }
func (BadWhich) Field() string { return "ids" }
