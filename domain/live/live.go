package live

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Position has the heads of the feeds at some time. The zero value is none.
type Position struct{ Epoch, Tickets, Comments, Boards uint64 }

// String returns what ParsePosition reads.
func (a Position) String() string {
	if a == (Position{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d", a.Epoch, a.Tickets, a.Comments, a.Boards)
}

// ParsePosition reads what String wrote. Anything else is the zero Position.
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

// Covers reports whether a is not before b.
func (a Position) Covers(b Position) bool {
	return a.Epoch == b.Epoch && a.Tickets >= b.Tickets && a.Comments >= b.Comments && a.Boards >= b.Boards
}

// Reader is an account in a company that reads changes.
type Reader struct {
	Company id.Company
	Account id.Account
	Guest   bool
}

// Audience is for whom of a company a change is.
type Audience int8

// The audiences.
const (
	Members Audience = iota // all but guests
	Named                   // Change.Readers
	Guests                  // all guests
)

// Change is what changed in a company up to Position, since the change before it. What changed on a private board is a
// change of its own, for those who see the board; what changed on an open one is another for the guests that it names.
type Change struct {
	Company   id.Company
	For       Audience
	Readers   []id.Account // if it is for Named, ascending
	Position  Position
	Boards    []Board     // that changed, or whose tickets did
	Commented []id.Ticket // tickets whose comments changed

	encoded *sharedEncoding // of a change that a hub keeps
}

// sharedEncoding is shared by all readers of a change.
type sharedEncoding struct {
	once sync.Once
	text []byte
}

// isFor reports whether a reader may be told of the change.
func (c Change) isFor(reader Reader) bool {
	if c.Company != reader.Company {
		return false
	}
	switch c.For {
	case Members:
		return !reader.Guest
	case Guests:
		return reader.Guest
	}
	_, found := slices.BinarySearch(c.Readers, reader.Account)
	return found
}

// Encoded returns the result of write, which is called once for all readers of a change. It must not be changed.
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
	All     bool // too many tickets to list
	Tickets []Ticket
}

// Ticket is a ticket that changed. Column is its column on the board now, 0 if it left; Stamp is then 0, else that of
// its card (tickets.Card.Stamp).
type Ticket struct {
	ID     id.Ticket
	Column id.Column
	Stamp  uint32
}

// weight is about the size of a change, in tickets.
func (c Change) weight() int {
	n := 4 + len(c.Commented) + len(c.Readers)
	for _, b := range c.Boards {
		n += 4 + len(b.Tickets)
	}
	return n
}
