package live

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Position is how far the feeds had come at some time. The zero value is nowhere.
type Position struct{ Epoch, Tickets, Comments, Boards uint64 }

// String returns what ParseAt reads.
func (a Position) String() string {
	if a == (Position{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d", a.Epoch, a.Tickets, a.Comments, a.Boards)
}

// ParsePosition reads what String wrote. Anything else is nowhere.
func ParsePosition(text string) Position {
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return Position{}
	}
	var numbers [4]uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 63)
		if err != nil {
			return Position{}
		}
		numbers[i] = n
	}
	return Position{numbers[0], numbers[1], numbers[2], numbers[3]}
}

// Covers reports whether whoever has seen all up to a has seen all up to b.
func (a Position) Covers(b Position) bool {
	return a.Epoch == b.Epoch && a.Tickets >= b.Tickets && a.Comments >= b.Comments && a.Boards >= b.Boards
}

// Change is what changed in a company up to At, since the change before it.
type Change struct {
	Company   id.Company
	Position  Position
	Boards    []Board     // that changed, or have tickets that did
	Commented []id.Ticket // tickets whose comments changed

	encoded *encoding // of a change that a hub keeps
}

// encoding is what those who are told of a change share.
type encoding struct {
	once sync.Once
	text []byte
}

// Encoded returns what write makes of a change, written once for all who are told of it. It must not be changed.
func (c Change) Encoded(write func(Change) []byte) []byte {
	if c.encoded == nil {
		return write(c)
	}
	c.encoded.once.Do(func() { c.encoded.text = write(c) })
	return c.encoded.text
}

// Board is a board on which something changed: the tickets that are there now, or were there once.
type Board struct {
	ID      id.Board
	Own     bool // its title, columns, limits or state
	All     bool // more tickets than can be told
	Tickets []Ticket
}

// Ticket is a ticket that changed. Column is where it is on the board by now; 0 if it is not there any
// more. Stamp is that of its card, tickets.Card.Stamp, where it has a column.
type Ticket struct {
	ID     id.Ticket
	Column id.Column
	Stamp  uint32
}

// weight is about how much room a change takes, in tickets.
func (c Change) weight() int {
	n := 4 + len(c.Commented)
	for _, b := range c.Boards {
		n += 4 + len(b.Tickets)
	}
	return n
}
