// Package access says what an actor may do on a board.
//
// What an actor may see is decided by statements: each that shows rows of boards takes a db.Sight and joins
// board_access. The rows carry a db.Grant, and On says what it comes to. The order is that of docs/access.md: the level
// that the board gives the actor, by name or by a group; else, on an open board, that of the actor's role in the company;
// else none. A viewer of the company is never more than a viewer.
package access

import (
	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
)

// Level is what an actor may do on a board. Each includes those before it.
type Level int

const (
	None   Level = iota
	View         // reads
	Write        // changes tickets
	Manage       // changes the board, and who is on it
)

// On returns the level of an actor on a board.
func On(actor accounts.Actor, grant db.Grant) Level {
	level := Level(grant.Level)
	if level == None && !grant.Private {
		level = inCompany(actor.Role)
	}
	if actor.Role == accounts.Viewer {
		return min(level, View)
	}
	return level
}

// inCompany is the level of a role on an open board.
func inCompany(role string) Level {
	switch role {
	case accounts.Owner, accounts.Admin:
		return Manage
	case accounts.Member:
		return Write
	case accounts.Viewer:
		return View
	}
	return None
}
