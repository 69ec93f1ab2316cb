package live

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/counterfoil/counterfoil/domain/id"
)

// At is how far the feeds had come at some time. The zero value is nowhere.
type At struct{ Epoch, Tickets, Comments, Boards uint64 }

// String returns what ParseAt reads.
func (a At) String() string {
	if a == (At{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d", a.Epoch, a.Tickets, a.Comments, a.Boards)
}

// ParseAt reads what String wrote. Anything else is nowhere.
func ParseAt(text string) At {
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return At{}
	}
	var numbers [4]uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 63)
		if err != nil {
			return At{}
		}
		numbers[i] = n
	}
	return At{numbers[0], numbers[1], numbers[2], numbers[3]}
}

// Has reports whether whoever has seen all up to a has seen all up to b.
func (a At) Has(b At) bool {
	return a.Epoch == b.Epoch && a.Tickets >= b.Tickets && a.Comments >= b.Comments && a.Boards >= b.Boards
}

// Change is what changed in a company up to At, since the change before it.
type Change struct {
	Company id.Company
	At      At
	Boards  []Board     // that changed, or have tickets that did
	Talk    []id.Ticket // tickets whose comments changed

	told *told // of a change that a hub keeps
}

// told is what those who are told of a change share.
type told struct {
	once sync.Once
	text []byte
}

// Told returns what write makes of a change, written once for all who are told of it. It must not be changed.
func (c Change) Told(write func(Change) []byte) []byte {
	if c.told == nil {
		return write(c)
	}
	c.told.once.Do(func() { c.told.text = write(c) })
	return c.told.text
}

// Board is a board on which something changed: the tickets that are there now, or were there once.
type Board struct {
	ID      id.Board
	Own     bool // its title, columns, limits or state
	All     bool // more tickets than can be told
	Tickets []Ticket
}

// Ticket is a ticket that changed. Column is where it is on the board by now; 0 where it is not there any
// more. Stamp is that of its card, tickets.Card.Stamp, where it has a column.
type Ticket struct {
	ID     id.Ticket
	Column id.Column
	Stamp  uint32
}

// weight is about how much room a change takes, in tickets.
func (c Change) weight() int {
	n := 4 + len(c.Talk)
	for _, b := range c.Boards {
		n += 4 + len(b.Tickets)
	}
	return n
}
