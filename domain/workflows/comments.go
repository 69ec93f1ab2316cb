package workflows

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// CommentsPerPage is how many comments a ticket shows at once.
const CommentsPerPage = 25

// Comments returns the last page of a ticket's comments before one; 0 means the newest.
func (w *Workflows) Comments(ctx context.Context, ticket tickets.Ticket, before id.Comment) (tickets.Comments, error) {
	return tickets.CommentsBefore(ctx, w.db.Queries, ticket.ID, before, CommentsPerPage)
}

// CommentsFrom returns a page of a ticket's comments that begins with one.
func (w *Workflows) CommentsFrom(
	ctx context.Context, ticket tickets.Ticket, first id.Comment,
) (tickets.Comments, error) {
	page, err := tickets.CommentsAfter(ctx, w.db.Queries, ticket.ID, first-1, CommentsPerPage)
	if err != nil {
		return page, err
	}
	return page, page.CountOlder(ctx, w.db.Queries, ticket.ID)
}

// CommentsAfter returns a ticket and up to limit of its comments behind one, oldest first; 0 means from the first. It
// returns tickets.NotFound.
func (w *Workflows) CommentsAfter(
	ctx context.Context, key tickets.Key, after id.Comment, limit int,
) (tickets.Ticket, tickets.Comments, error) {
	ticket, err := w.Ticket(ctx, key)
	if err != nil {
		return ticket, tickets.Comments{}, err
	}
	list, err := tickets.CommentsAfter(ctx, w.db.Queries, ticket.ID, after, limit)
	return ticket, list, err
}

// CommentOf returns a comment of a ticket, or tickets.CommentNotFound.
func (w *Workflows) CommentOf(ctx context.Context, ticket tickets.Ticket, comment id.Comment) (tickets.Comment, error) {
	return tickets.CommentOf(ctx, w.db.Queries, ticket.ID, comment)
}

// Comment adds a comment to a ticket, and notifies the members that it mentions and those who watch the ticket. It
// returns tickets.NotFound, EmptyComment, LongComment or BadComment, and with once Replay or KeyReused.
func (w *Workflows) Comment(
	ctx context.Context, key tickets.Key, text string, once *Once[tickets.KeyedComment],
) (tickets.KeyedComment, error) {
	return w.addComment(ctx, key, text, tickets.Internal, once)
}

// Reply is Comment that the ticket's requester reads, too. Whoever replies is notified of the board's requests from
// then on, unless they chose otherwise. It also returns requests.NoRequester.
func (w *Workflows) Reply(
	ctx context.Context, key tickets.Key, text string, once *Once[tickets.KeyedComment],
) (tickets.KeyedComment, error) {
	return w.addComment(ctx, key, text, tickets.ToRequester, once)
}

func (w *Workflows) addComment(
	ctx context.Context, key tickets.Key, text string, voice tickets.CommentKind, once *Once[tickets.KeyedComment],
) (tickets.KeyedComment, error) {
	actor, err := mayWrite(ctx, "tickets:write")
	if err != nil {
		return tickets.KeyedComment{}, err
	}
	body, err := tickets.ParseComment(text)
	if err != nil {
		return tickets.KeyedComment{}, err
	}
	mentioned, err := membersByHandle(ctx, w.db.Queries, actor.Sight(), markup.Mentions(body))
	if err != nil {
		return tickets.KeyedComment{}, err
	}
	media := w.mediaIn(actor, body)
	comment, err := DoOnce(ctx, w, once, func() (comment tickets.KeyedComment, err error) {
		err = w.onTicket(ctx, key, func(t lockedTicket) error {
			comment.Key = t.Key
			if comment.Comment, err = tickets.AddComment(ctx, t.tx, t.Ticket, body, t.by, voice); err != nil {
				return err
			}
			if voice == tickets.ToRequester {
				if err := requests.RecordReply(ctx, t.tx, t.ID); err != nil {
					return err
				}
				if err := requests.Answered(ctx, t.tx, t.Board, t.by.ID); err != nil {
					return err
				}
			}
			n := tickets.Notifications{Comment: comment.Comment.ID, Mentioned: mentioned, Reply: true}
			if err := t.notify(ctx, n); err != nil {
				return err
			}
			if err := keepMedia(ctx, t.tx, actor, t.Ticket, comment.Comment.ID, media); err != nil {
				return err
			}
			return StoreResponses(ctx, t.tx, once.Row(t.tx, comment))
		})
		return comment, err
	})
	if err != nil {
		return tickets.KeyedComment{}, fmt.Errorf("comment: %w", err)
	}
	return comment, nil
}

// EditComment gives the caller's own comment another text, and notifies the members that it newly mentions. version is
// the one that the caller saw. It returns what tickets.EditComment and ParseComment do.
func (w *Workflows) EditComment(
	ctx context.Context, key tickets.Key, comment id.Comment, text string, version uint64,
) (said tickets.KeyedComment, err error) {
	actor, err := mayWrite(ctx, "tickets:write")
	if err != nil {
		return said, err
	}
	body, err := tickets.ParseComment(text)
	if err != nil {
		return said, err
	}
	media := w.mediaIn(actor, body)
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		var old tickets.Comment
		said.Key = t.Key
		if old, said.Comment, err = tickets.EditComment(ctx, t.tx, t.Ticket, comment, body, version, t.by); err != nil {
			return err
		}
		if err := keepMedia(ctx, t.tx, actor, t.Ticket, comment, media); err != nil {
			return err
		}
		return t.notifyMentioned(ctx, tickets.Notifications{Comment: comment}, old.Body, body)
	})
	if err != nil {
		return tickets.KeyedComment{}, fmt.Errorf("edit comment: %w", err)
	}
	return said, nil
}

// DeleteComment deletes the caller's own comment or a requester's, and returns the key of its ticket. Its text is gone
// for all readers at once; RestoreComment brings it back. It returns tickets.NotFound, CommentNotFound or
// NotYourComment.
func (w *Workflows) DeleteComment(
	ctx context.Context, key tickets.Key, comment id.Comment,
) (current tickets.Key, err error) {
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		current = t.Key
		return tickets.DeleteComment(ctx, t.tx, t.Ticket, comment, t.by)
	})
	if err != nil {
		return tickets.Key{}, fmt.Errorf("delete comment: %w", err)
	}
	return current, nil
}

// RestoreComment undoes the caller's deletion of a comment, and returns the key of its ticket. It returns
// tickets.NotFound, CommentNotFound, NotYourDeletion or CommentDeletedLongAgo.
func (w *Workflows) RestoreComment(
	ctx context.Context, key tickets.Key, comment id.Comment,
) (current tickets.Key, err error) {
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		current = t.Key
		return tickets.RestoreComment(ctx, t.tx, t.Ticket, comment, t.by)
	})
	if err != nil {
		return tickets.Key{}, fmt.Errorf("restore comment: %w", err)
	}
	return current, nil
}

// React has the caller react to a comment, or takes the reaction back if on is false. It returns tickets.NotFound or
// CommentNotFound.
func (w *Workflows) React(
	ctx context.Context, key tickets.Key, comment id.Comment, reaction tickets.Reaction, on bool,
) (said tickets.KeyedComment, err error) {
	err = w.onTicket(ctx, key, func(t lockedTicket) error {
		said.Key = t.Key
		_, err := tickets.React(ctx, t.tx, t.Ticket, comment, reaction, on, t.by)
		if err != nil {
			return err
		}
		said.Comment, err = tickets.CommentOf(ctx, t.tx.Queries, t.ID, comment) // with its author
		return err
	})
	if err != nil {
		return tickets.KeyedComment{}, fmt.Errorf("react: %w", err)
	}
	return said, nil
}

// ReactedTo returns who reacted to comments that the caller sees.
func (w *Workflows) ReactedTo(
	ctx context.Context, comments ...tickets.Comment,
) (map[id.Comment][]tickets.Reacted, error) {
	return tickets.ReactedTo(ctx, w.db.Queries, comments)
}

// ForgetDeletedTexts removes up to a thousand texts of comments whose deletion cannot be undone any more, and returns
// how many.
func (w *Workflows) ForgetDeletedTexts(ctx context.Context) (int64, error) {
	return tickets.ForgetDeletedTexts(ctx, w.db.Queries, w.db.Now())
}

// notifyMentioned is notify for the members that a text mentions and its older version did not.
func (t lockedTicket) notifyMentioned(ctx context.Context, n tickets.Notifications, before, after string) error {
	if before == after {
		return nil
	}
	known := markup.Mentions(before)
	handles := slices.DeleteFunc(markup.Mentions(after), func(h string) bool { return slices.Contains(known, h) })
	if len(handles) == 0 {
		return nil
	}
	var err error
	if n.Mentioned, err = membersByHandle(ctx, t.tx.Queries, accounts.ActorFrom(ctx).Sight(), handles); err != nil {
		return err
	}
	return t.notify(ctx, n)
}

// membersByHandle returns the members in sight with these handles, the first tickets.MaxMentions of them.
func membersByHandle(ctx context.Context, q *db.Queries, by db.Sight, handles []string) ([]id.Account, error) {
	found, err := accounts.ByHandle(ctx, q, by, handles)
	if err != nil {
		return nil, err
	}
	byHandle := make(map[string]id.Account, len(found))
	for _, m := range found {
		byHandle[m.Handle] = m.ID
	}
	var list []id.Account
	for _, handle := range handles {
		if account, ok := byHandle[handle]; ok && len(list) < tickets.MaxMentions {
			list = append(list, account)
		}
	}
	return list, nil
}

// References are what the words in texts refer to: slugs that boards have or had, and members' names by handle. Gone
// are keys of purged tickets. Copies are the stored images of addresses of other hosts.
type References struct {
	Boards map[string]bool
	Gone   map[tickets.Key]bool
	Names  map[string]string
	Copies map[string]images.Hash
}

// maxTerms is how many slugs, and how many handles, of a page are looked up.
const maxTerms = 1000

// References returns what the words in texts of a ticket in sight, 0 for none yet, refer to. It reads only what they may
// refer to.
func (w *Workflows) References(ctx context.Context, ticket id.Ticket, texts ...string) (refs References, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return refs, err
	}
	slugs, err := boards.Slugs(ctx, w.db.Queries, actor.Sight(), firstTerms(texts, markup.Boards))
	if err != nil {
		return refs, err
	}
	named, err := accounts.ByHandle(ctx, w.db.Queries, actor.Sight(), firstTerms(texts, markup.Handles))
	if err != nil {
		return refs, err
	}
	refs = References{Boards: make(map[string]bool, len(slugs)), Names: make(map[string]string, len(named))}
	for _, known := range slugs {
		refs.Boards[known.Slug] = true
	}
	if refs.Gone, err = w.purgedKeys(ctx, slugs, texts); err != nil {
		return refs, err
	}
	for _, m := range named {
		refs.Names[m.Handle] = m.Name
	}
	if ticket != 0 {
		refs.Copies, err = images.Copies(ctx, w.db.Queries, ticket, firstTerms(texts, remoteImages))
	}
	return refs, err
}

// purgedKeys returns the keys of purged tickets in texts. It reads only if a board lacks numbers.
func (w *Workflows) purgedKeys(
	ctx context.Context, slugs []boards.KnownSlug, texts []string,
) (map[tickets.Key]bool, error) {
	on, last := map[string]id.Board{}, map[string]uint64{}
	for _, known := range slugs {
		if known.Purged {
			on[known.Slug], last[known.Slug] = known.Board, known.Last
		}
	}
	if len(on) == 0 {
		return nil, nil
	}
	var keys []tickets.Key
	for _, word := range firstTerms(texts, markup.Keys) {
		if key, err := tickets.ParseKey(word); err == nil && key.Number <= last[key.Board] {
			keys = append(keys, key)
		}
	}
	return tickets.PurgedKeys(ctx, w.db.Queries, on, keys)
}

// firstTerms returns the first words of texts, each once.
func firstTerms(texts []string, in func(string) []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, in(text)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), maxTerms)]
}

// FindMembers returns up to limit members that the caller sees whose handle or name begins like a text; writers leaves
// out viewers.
func (w *Workflows) FindMembers(
	ctx context.Context, text string, writers bool, limit int,
) ([]accounts.NamedMember, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, err
	}
	without := ""
	if writers {
		without = accounts.Viewer
	}
	return accounts.FindMembers(ctx, w.db.Queries, actor.Sight(), text, without, limit)
}

// MembersAmong returns the members among accounts that the caller sees, in the order of their handles.
func (w *Workflows) MembersAmong(ctx context.Context, ids []id.Account) ([]accounts.NamedMember, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, err
	}
	found, err := accounts.ByAccount(ctx, w.db.Queries, actor.Sight(), ids)
	list := slices.Collect(maps.Values(found))
	slices.SortFunc(list, func(a, b accounts.NamedMember) int { return strings.Compare(a.Handle, b.Handle) })
	return list, err
}
