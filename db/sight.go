package db

import "github.com/counterfoil/counterfoil/domain/id"

// What a reader sees besides the boards that name the reader: board.privacy up to it.
const (
	ReachNamed int8 = iota - 1 // no other boards
	ReachOpen                  // open boards
	ReachAll                   // private boards, too
)

// Sight is what a statement may show: the rows of a company's boards whose privacy is at most Reach, and of those that
// name Reader in board_access. Statements of feeds also show a webhook the boards that were added to it.
type Sight struct {
	Company id.Company
	Reader  id.Account // 0 for none
	Webhook id.Webhook // 0 for none
	Reach   int8
}

// PublicSight is the sight of whoever reads a board by its public link: the hash of the link's secret. A statement
// shows by it rows of the board that has such a link, while the board is not archived.
type PublicSight []byte

// SightOfAll is the sight of work that belongs to no reader: bulk work, checks, what the server does by itself.
func SightOfAll(company id.Company) Sight { return Sight{Company: company, Reach: ReachAll} }

// Grant is what a row says about rights on its board.
type Grant struct {
	Private bool
	Level   int // of the reader in board_access: 1 viewer, 2 member, 3 admin; 0 if it is not named
}
