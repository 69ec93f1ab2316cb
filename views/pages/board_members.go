package pages

import (
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/webhooks"
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

	Receivers []webhooks.Receiver // the webhooks of the company, for admins of the board
}

// receivers returns the webhooks that the board is added to, or those that it can be added to.
func (props BoardMembersProps) receivers(added bool) (list []webhooks.Receiver) {
	for _, r := range props.Receivers {
		if r.Added == added {
			list = append(list, r)
		}
	}
	return list
}

// receiverLabel is a webhook in a list to choose from.
func receiverLabel(r webhooks.Receiver) string {
	if r.Note == "" {
		return r.Host
	}
	return r.Host + " · " + r.Note
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
