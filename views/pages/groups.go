package pages

import (
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// GroupsProps is a company's groups. Name and Errors are of the form for another.
type GroupsProps struct {
	Page   views.Page
	Groups []accounts.Group
	Name   string
	Errors views.Errors
}

// GroupForms is the input of the forms on a group's page: each has its errors.
type GroupForms struct {
	Name, Handle             string
	NameErrors, HandleErrors views.Errors
}

// GroupProps is a group with its members. Others are members of the company, to choose from.
type GroupProps struct {
	Page    views.Page
	Group   accounts.Group
	Members []accounts.CompanyMember
	Others  []accounts.CompanyMember
	Forms   GroupForms
}

// GroupRemovalProps is the question whether to delete a group.
type GroupRemovalProps struct {
	Page  views.Page
	Group accounts.Group
}

// PrivateBoardsProps is the private boards of a company.
type PrivateBoardsProps struct {
	Page   views.Page
	Boards []boards.PrivateBoard
}

// PrivateBoardProps is a private board with its members and groups.
type PrivateBoardProps struct {
	Page    views.Page
	Board   boards.PrivateBoard
	Members []boards.Member
	Errors  views.Errors
}

// groupID is the id of a group that a board names.
func groupID(m boards.Member) id.Group { return id.Group(m.ID) }
