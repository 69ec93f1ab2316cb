package pages

import (
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

// shownReaction is a reaction to a comment, as its page shows it.
type shownReaction struct {
	reaction tickets.Reaction
	kind     tickets.ReactionKind
	count    int
	mine     bool
	names    string // of those who reacted so
	chosen   bool   // by the last action: it gets the focus
}

// value is what its button sends: the opposite of what is.
func (r shownReaction) value() string {
	if r.mine {
		return r.kind.Name + " off"
	}
	return r.kind.Name + " on"
}

// says is what its button says to those who do not see it.
func (r shownReaction) says() string { return fmt.Sprintf("%s, %d: %s", r.kind.Word, r.count, r.names) }

// reactions are all kinds of reactions, with those to the comment.
func (p CommentProps) reactions() []shownReaction {
	all := make([]shownReaction, len(tickets.Reactions))
	for i, kind := range tickets.Reactions {
		r := tickets.Reaction(i + 1)
		all[i] = shownReaction{reaction: r, kind: kind, count: p.Comment.Reactions[i], chosen: r == p.Chosen}
		for _, of := range p.Comment.Reacted {
			if of.Reaction != r {
				continue
			}
			all[i].mine = slices.ContainsFunc(of.By, func(u tickets.User) bool { return u.ID == p.Page.Actor.Account.ID })
			all[i].names = reactedNames(of.By, all[i].count)
		}
	}
	return all
}

// reacted are the reactions that there are.
func (p CommentProps) reacted() []shownReaction {
	return slices.DeleteFunc(p.reactions(), func(r shownReaction) bool { return r.count == 0 })
}

// namesShown is how many names a reaction shows.
const namesShown = 10

func reactedNames(by []tickets.User, count int) (names string) {
	for i, user := range by[:min(len(by), namesShown)] {
		if i > 0 {
			names += ", "
		}
		names += user.Name
	}
	if more := count - namesShown; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return names
}
