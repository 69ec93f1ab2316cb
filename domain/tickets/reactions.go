package tickets

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Reaction is how a member reacts to a comment: its place in Reactions, from 1.
type Reaction uint8

// ReactionKind is a reaction as programs name it, and as pages show and say it.
type ReactionKind struct{ Name, Sign, Word string }

// Reactions are the kinds of reactions.
var Reactions = [...]ReactionKind{
	{"thumbs-up", "👍", "Thumbs up"},
	{"thumbs-down", "👎", "Thumbs down"},
	{"laugh", "😄", "Laugh"},
	{"hooray", "🎉", "Hooray"},
	{"confused", "😕", "Confused"},
	{"heart", "❤️", "Heart"},
}

// Kind returns what the reaction is.
func (r Reaction) Kind() ReactionKind { return Reactions[r-1] }

// CodeBadReaction: the reaction is none of the six. Send thumbs-up, thumbs-down, laugh, hooray, confused or heart.
const CodeBadReaction fault.Code = "Comment.BadReaction"

// ParseReaction reads the name of a reaction. It returns BadReaction.
func ParseReaction(name string) (Reaction, error) {
	n := slices.IndexFunc(Reactions[:], func(k ReactionKind) bool { return k.Name == name })
	if n < 0 {
		return 0, fault.Invalid.New(CodeBadReaction, "reaction",
			fmt.Sprintf("“%.40s” is no reaction. Choose thumbs-up, thumbs-down, laugh, hooray, confused or heart.", name))
	}
	return Reaction(n + 1), nil
}

// ReactionCounts is how many members reacted to a comment in each way.
type ReactionCounts [len(Reactions)]int

// None reports whether nobody reacted.
func (c ReactionCounts) None() bool { return c == ReactionCounts{} }

// String returns the counts as they are stored, such as 2,0,0,1,0,0; "" for none.
func (c ReactionCounts) String() string {
	if c.None() {
		return ""
	}
	parts := make([]string, len(c))
	for i, n := range c {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ",")
}

// reactionCounts reads what String returns. What it is not is no reaction; ops/verify reports it.
func reactionCounts(text string) (c ReactionCounts) {
	for i, part := range strings.SplitN(text, ",", len(c)) {
		c[i], _ = strconv.Atoi(part)
	}
	return c
}

// React has by react to a comment of a locked ticket, or takes the reaction back if on is false; again it changes
// nothing. It returns CommentNotFound.
func React(
	ctx context.Context, tx *db.Tx, ticket Ticket, comment id.Comment, reaction Reaction, on bool, by User,
) (Comment, error) {
	c, err := lockComment(ctx, tx, ticket.ID, comment, by)
	if err != nil {
		return c, err
	}
	if c.Deleted() {
		return c, CommentNotFound()
	}
	if on {
		err = tx.React(ctx, db.ReactParams{CommentID: comment, Kind: uint8(reaction), AccountID: by.ID, Now: tx.Now})
	} else {
		err = tx.Unreact(ctx, db.UnreactParams{CommentID: comment, Kind: uint8(reaction), AccountID: by.ID})
	}
	if err != nil {
		return c, fmt.Errorf("react: %w", err)
	}
	was := c.Reactions
	if c.Reactions, err = countReactions(ctx, tx, comment); err != nil || c.Reactions == was {
		return c, err
	}
	if err := tx.SetReactions(ctx, c.Reactions.String(), comment); err != nil {
		return c, fmt.Errorf("count reactions: %w", err)
	}
	return c, nil
}

func countReactions(ctx context.Context, tx *db.Tx, comment id.Comment) (c ReactionCounts, err error) {
	rows, err := tx.CountReactions(ctx, comment)
	if err != nil {
		return c, fmt.Errorf("count reactions: %w", err)
	}
	for _, row := range rows {
		if k := int(row.Kind); k >= 1 && k <= len(c) {
			c[k-1] = int(row.Reactions)
		}
	}
	return c, nil
}

// Reacted are those who reacted to a comment in one way: the first of them, by account.
type Reacted struct {
	Reaction Reaction
	By       []User
}

// maxReacted is how many reactions of a page of comments are read with their names.
const maxReacted = 2000

// ReactedTo returns who reacted to those of some comments that have reactions. Without any it reads nothing.
func ReactedTo(ctx context.Context, q *db.Queries, comments []Comment) (map[id.Comment][]Reacted, error) {
	var ids []id.Comment
	for _, c := range comments {
		if !c.Reactions.None() && !c.Deleted() {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.ReactionsTo(ctx, ids, maxReacted))
	if err != nil {
		return nil, fmt.Errorf("read reactions: %w", err)
	}
	found := map[id.Comment][]Reacted{}
	for _, row := range rows {
		if row.Kind < 1 || int(row.Kind) > len(Reactions) {
			continue
		}
		list := found[row.CommentID]
		if n := len(list); n == 0 || list[n-1].Reaction != Reaction(row.Kind) {
			list = append(list, Reacted{Reaction: Reaction(row.Kind)})
		}
		last := &list[len(list)-1]
		last.By = append(last.By, User{ID: row.AccountID, Name: row.Name})
		found[row.CommentID] = list
	}
	return found, nil
}
