package tickets

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// keepText keeps the text of a comment that by deletes. It is in a table of its own, so what reads comments cannot show
// it.
func keepText(ctx context.Context, tx *db.Tx, comment Comment, by User) error {
	err := tx.KeepDeletedText(ctx, db.KeepDeletedTextParams{CommentID: comment.ID, TicketID: comment.Ticket,
		AccountID: by.ID, Body: comment.Body, DeletedAt: tx.Now})
	if err != nil {
		return fmt.Errorf("keep text of a deleted comment: %w", err)
	}
	return nil
}

// RestoreComment undoes by's deletion of a comment, at most UndoFor after it. A comment that is not deleted stays as it
// is. It returns CommentNotFound, NotYourDeletion or CommentDeletedLongAgo.
func RestoreComment(ctx context.Context, tx *db.Tx, ticket Ticket, comment id.Comment, by User) error {
	old, err := lockComment(ctx, tx, ticket.ID, comment, by)
	if err != nil || !old.Deleted() {
		return err
	}
	kept, err := tx.LockDeletedText(ctx, comment)
	switch {
	case db.IsNotFound(err):
		return CommentDeletedLongAgo()
	case err != nil:
		return fmt.Errorf("read text of a deleted comment: %w", err)
	case kept.AccountID != by.ID:
		return NotYourDeletion()
	case kept.DeletedAt.Before(tx.Now.Add(-UndoFor)):
		return CommentDeletedLongAgo()
	}
	n, err := tx.RestoreComment(ctx, db.RestoreCommentParams{Body: kept.Body, Now: tx.Now, ID: comment})
	if err != nil {
		return fmt.Errorf("restore comment: %w", err)
	}
	if n != 1 {
		return CommentNotFound()
	}
	if _, err := tx.DropDeletedText(ctx, comment); err != nil {
		return fmt.Errorf("drop text of a deleted comment: %w", err)
	}
	if err := countComment(ctx, tx, ticket.ID, 1); err != nil {
		return err
	}
	old.Body = kept.Body
	if err := AddBacklinks(ctx, tx, ticket, comment, referencesIn(old)); err != nil {
		return err
	}
	if err := restoreWith(ctx, tx, ticket, comment, kept.DeletedAt); err != nil {
		return err
	}
	if old.FromRequester {
		_, err = Record(ctx, tx, ticket.ID, by, KindReplyRestored, Detail{})
	}
	return err
}

// ForgetDeletedTexts removes up to a thousand texts of comments whose deletion cannot be undone any more, and returns
// how many.
func ForgetDeletedTexts(ctx context.Context, q *db.Queries, now time.Time) (int64, error) {
	return db.Read(q.ForgetDeletedTexts(ctx, now.Add(-UndoFor)))
}
