package pages

import (
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/views"
)

// BoardMembersProps is the page that says who sees a board. Names are suggestions for the form; NewLink is the address
// of a public link that was just made, with its Secret.
type BoardMembersProps struct {
	Page    views.Page
	Board   boards.Board
	Members []boards.Member
	Level   access.Level // of the user
	Names   []NameChoice
	Link    boards.PublicLink
	Secret  string
	NewLink string
	Form    NameForm
	Errors  views.Errors // about the page as a whole
}

// NameForm is the input of the form that names a member or a group.
type NameForm struct {
	Name, Role string
	Errors     views.Errors
}

// NameChoice is a suggestion: the value to enter, and its label.
type NameChoice struct{ Value, Label string }

// NameChoices are suggestions of members and groups.
func NameChoices(members []accounts.NamedMember, groups []accounts.Group) []NameChoice {
	var list []NameChoice
	for _, group := range groups {
		list = append(list, NameChoice{group.Name, "Group of " + views.Count(int64(group.Members), "member", "members")})
	}
	for _, member := range members {
		list = append(list, NameChoice{"@" + member.Handle, member.Name})
	}
	return list
}

// mayManage reports whether the user may change who sees the board.
func (props BoardMembersProps) mayManage() bool {
	return props.Level >= access.Manage && !props.Board.Archived()
}
