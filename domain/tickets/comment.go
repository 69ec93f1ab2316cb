package tickets

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// MaxComment is how many bytes a comment may have.
const MaxComment = 65535

// pageBytes is how much Markdown a page of comments may have before it ends early.
const pageBytes = 64 << 10

// Comment is a comment on a ticket.
type Comment struct {
	ID        id.Comment
	Ticket    ID
	Author    User
	Body      string // Markdown; "" of a deleted one
	Version   uint64 // counts the changes: edits, deletions and their undos
	Restored  uint32 // how many deletions were undone
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt *time.Time
	// Public comments are shown to the ticket's requester. FromRequester is one that the requester wrote, as plain
	// text.
	Public, FromRequester bool
	Reactions             ReactionCounts // of a deleted one, too, where they are not shown
}

// KeyedComment is a comment with the key of its ticket.
type KeyedComment struct {
	Key     Key
	Comment Comment
}

// Deleted reports whether the comment was deleted.
func (c Comment) Deleted() bool { return c.DeletedAt != nil }

// Edited reports whether the comment's text was changed since it was written.
func (c Comment) Edited() bool { return c.Version > 1+2*uint64(c.Restored) && !c.Deleted() }

// ParseComment returns s as a comment: line ends as \n, 1 to 65,535 bytes. It returns EmptyComment,
// LongComment or BadComment.
func ParseComment(s string) (string, error) {
	text := lineEnds.Replace(s)
	_, length, _ := markup.Line(text)
	switch {
	case !markup.Text(text):
		return "", BadComment()
	case length == 0:
		return "", EmptyComment()
	case len(text) > MaxComment:
		return "", LongComment(len(text))
	}
	return text, nil
}

// maxQuote is how many characters of a comment are quoted.
const maxQuote = 2000

// Quote returns the beginning of a comment as the Markdown of a quotation, and an empty line behind it.
func (c Comment) Quote() string {
	text := []rune(strings.TrimSpace(c.Body))
	if len(text) > maxQuote {
		text = append(text[:maxQuote], '…')
	}
	if len(text) == 0 {
		return ""
	}
	return "> " + strings.ReplaceAll(string(text), "\n", "\n> ") + "\n\n"
}

// CommentKind says who writes a comment, and for whom.
type CommentKind int

// The kinds of comments.
const (
	Internal      CommentKind = iota // a member, to members
	ToRequester                      // a member, to members and the requester
	FromRequester                    // the requester, to members
)

// AddComment adds a parsed comment to a ticket.
func AddComment(
	ctx context.Context, tx *db.Tx, ticket Ticket, body string, by User, voice CommentKind,
) (Comment, error) {
	comment := Comment{
		Ticket: ticket.ID, Author: by, Body: body, Version: 1, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		Public: voice != Internal, FromRequester: voice == FromRequester,
	}
	n, err := tx.CreateComment(ctx, db.CreateCommentParams{
		TicketID: ticket.ID, AccountID: by.ID, Body: body, Public: comment.Public, FromRequester: comment.FromRequester,
		Now: tx.Now,
	})
	if err != nil {
		return Comment{}, fmt.Errorf("create comment: %w", err)
	}
	comment.ID = id.Comment(n)
	if err := countComment(ctx, tx, ticket.ID, 1); err != nil {
		return Comment{}, err
	}
	return comment, AddBacklinks(ctx, tx, ticket, comment.ID, referencesIn(comment))
}

// countComment adds to how many comments a locked ticket has.
func countComment(ctx context.Context, tx *db.Tx, ticket ID, n int) error {
	if _, err := tx.CountComment(ctx, int64(n), ticket); err != nil {
		return fmt.Errorf("count comment: %w", err)
	}
	return nil
}

// CommentOf returns a comment of a ticket, or CommentNotFound. It may be a deleted one.
func CommentOf(ctx context.Context, q *db.Queries, ticket ID, comment id.Comment) (Comment, error) {
	row, err := db.Read(q.CommentOfTicket(ctx, comment, ticket))
	if db.IsNotFound(err) {
		return Comment{}, CommentNotFound()
	}
	if err != nil {
		return Comment{}, fmt.Errorf("read comment: %w", err)
	}
	return fromComment(row.Comment, row.Author, row.Avatar), nil
}

// lockComment locks a comment. It returns CommentNotFound.
func lockComment(ctx context.Context, tx *db.Tx, ticket ID, comment id.Comment, by User) (Comment, error) {
	row, err := tx.LockComment(ctx, comment, ticket)
	if db.IsNotFound(err) {
		return Comment{}, CommentNotFound()
	}
	if err != nil {
		return Comment{}, fmt.Errorf("lock comment: %w", err)
	}
	return fromComment(row, by.Name, by.Avatar), nil
}

// EditComment replaces the text of by's own comment by a parsed one; version is the one that the edit was made from.
// It returns the comment before and after, or CommentNotFound, NotYourComment or StaleComment.
func EditComment(
	ctx context.Context, tx *db.Tx, ticket Ticket, comment id.Comment, body string, version uint64, by User,
) (old, changed Comment, err error) {
	if old, err = lockComment(ctx, tx, ticket.ID, comment, by); err != nil {
		return old, changed, err
	}
	if old.Author.ID != by.ID {
		return old, changed, NotYourComment()
	}
	if old.Version != version {
		return old, changed, StaleComment{Key: ticket.Key, Current: old}
	}
	if old.Deleted() {
		return old, changed, CommentNotFound()
	}
	if old.Body == body {
		return old, old, nil
	}
	n, err := tx.EditComment(ctx, db.EditCommentParams{Body: body, Now: tx.Now, ID: comment, Version: version})
	if err != nil {
		return old, changed, fmt.Errorf("edit comment: %w", err)
	}
	if n != 1 {
		return old, changed, StaleComment{Key: ticket.Key, Current: old}
	}
	changed = old
	changed.Body, changed.Version, changed.UpdatedAt = body, version+1, tx.Now
	return old, changed, changeBacklinks(ctx, tx, ticket, comment, referencesIn(old), referencesIn(changed))
}

// DeleteComment deletes by's own comment, or a requester's, who cannot delete it. The row stays without its text, which
// is kept elsewhere while by can undo the deletion. It returns CommentNotFound or NotYourComment.
func DeleteComment(ctx context.Context, tx *db.Tx, ticket Ticket, comment id.Comment, by User) error {
	old, err := lockComment(ctx, tx, ticket.ID, comment, by)
	if err != nil {
		return err
	}
	if old.Author.ID != by.ID && !old.FromRequester {
		return NotYourComment()
	}
	n, err := tx.DeleteComment(ctx, db.DeleteCommentParams{DeletedAt: &tx.Now, Now: tx.Now, ID: comment})
	if err != nil {
		return fmt.Errorf("delete comment: %w", err)
	}
	if n != 1 {
		return CommentNotFound()
	}
	if err := keepText(ctx, tx, old, by); err != nil {
		return err
	}
	if err := countComment(ctx, tx, ticket.ID, -1); err != nil {
		return err
	}
	if err := changeBacklinks(ctx, tx, ticket, comment, referencesIn(old), nil); err != nil {
		return err
	}
	if err := deleteWith(ctx, tx, ticket, comment); err != nil {
		return err
	}
	if old.FromRequester {
		_, err = Record(ctx, tx, ticket.ID, by, KindReplyDeleted, Detail{})
	}
	return err
}

// Comments are some of a ticket's comments, oldest first. Older and Newer say that there are more before and after
// them.
type Comments struct {
	List         []Comment
	Older, Newer bool
	Before       int // how many are older, where that was counted; above MaxOlder there may be more
}

// MaxOlder is up to how many older comments are counted.
const MaxOlder = 200

// CountOlder counts the comments before those of a page that CommentsAfter returned.
func (c *Comments) CountOlder(ctx context.Context, q *db.Queries, ticket ID) error {
	if !c.Older || len(c.List) == 0 {
		return nil
	}
	n, err := db.Read(q.OlderComments(ctx, db.OlderCommentsParams{TicketID: ticket, BeforeID: c.List[0].ID,
		Limit: MaxOlder + 1}))
	if err != nil {
		return fmt.Errorf("count older comments: %w", err)
	}
	c.Before = int(n)
	return nil
}

// CommentsBefore returns the last comments before one, up to limit or 64 KiB of text; 0 means the newest.
func CommentsBefore(ctx context.Context, q *db.Queries, ticket ID, before id.Comment, limit int) (Comments, error) {
	return lastComments(before, limit, func(before id.Comment, most int32) ([]db.CommentsBeforeRow, error) {
		return db.Read(q.CommentsBefore(ctx, db.CommentsBeforeParams{TicketID: ticket, BeforeID: before, Limit: most}))
	})
}

// PublicCommentsBefore is CommentsBefore for the comments that the ticket's requester reads, deleted ones without
// their text among them.
func PublicCommentsBefore(
	ctx context.Context, q *db.Queries, ticket ID, before id.Comment, limit int,
) (Comments, error) {
	return lastComments(before, limit, func(before id.Comment, most int32) (rows []db.CommentsBeforeRow, err error) {
		public, err := db.Read(q.PublicCommentsBefore(ctx, db.PublicCommentsBeforeParams{TicketID: ticket, BeforeID: before,
			Limit: most}))
		for _, row := range public {
			rows = append(rows, db.CommentsBeforeRow{Comment: row.Comment, Author: row.Author})
		}
		return rows, err
	})
}

func lastComments(
	before id.Comment, limit int, read func(before id.Comment, most int32) ([]db.CommentsBeforeRow, error),
) (Comments, error) {
	page := Comments{Newer: before != 0}
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := read(before, int32(limit+1))
	if err != nil {
		return page, fmt.Errorf("read comments: %w", err)
	}
	list := make([]Comment, len(rows))
	for i, row := range rows {
		list[i] = fromComment(row.Comment, row.Author, row.Avatar)
	}
	page.List, page.Older = fitting(list, limit)
	if page.Older {
		page.Before = max(0, int(rows[0].Counted)-len(page.List))
	}
	slices.Reverse(page.List)
	return page, nil
}

// CommentsAfter returns the first comments after one, up to limit or 64 KiB of text; 0 means the oldest.
func CommentsAfter(ctx context.Context, q *db.Queries, ticket ID, after id.Comment, limit int) (Comments, error) {
	page := Comments{Older: after != 0}
	rows, err := db.Read(q.CommentsAfter(ctx, db.CommentsAfterParams{TicketID: ticket, AfterID: after,
		Limit: int32(limit + 1)}))
	if err != nil {
		return page, fmt.Errorf("read comments: %w", err)
	}
	list := make([]Comment, len(rows))
	for i, row := range rows {
		list[i] = fromComment(row.Comment, row.Author, row.Avatar)
	}
	page.List, page.Newer = fitting(list, limit)
	return page, nil
}

// fitting returns the beginning of a list that makes a page, and whether there is more.
func fitting(list []Comment, limit int) (page []Comment, more bool) {
	size := 0
	for i, c := range list {
		if size += len(c.Body); i == limit || i > 0 && size > pageBytes {
			return list[:i], true
		}
	}
	return list, false
}

func fromComment(row db.Comment, author, avatar string) Comment {
	return Comment{
		ID: row.ID, Ticket: row.TicketID, Author: User{ID: row.AccountID, Name: author, Avatar: avatar}, Body: row.Body, Version: row.Version,
		CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, DeletedAt: row.DeletedAt, Public: row.Public,
		FromRequester: row.FromRequester, Restored: row.Restored, Reactions: reactionCounts(row.Reactions),
	}
}
