package tickets

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// RewriteComment replaces a comment's text, of any author, by the result of change, and reports whether they differ.
// The caller holds the ticket's lock. It returns CommentNotFound, also for a deleted one, or the error of
// ParseComment.
func RewriteComment(
	ctx context.Context, tx *db.Tx, ticket ID, comment id.Comment, change func(body string) string,
) (bool, error) {
	row, err := tx.LockComment(ctx, comment, ticket)
	if db.IsNotFound(err) || err == nil && row.DeletedAt != nil {
		return false, CommentNotFound()
	}
	if err != nil {
		return false, fmt.Errorf("lock comment: %w", err)
	}
	body, err := ParseComment(change(row.Body))
	if err != nil || body == row.Body {
		return false, err
	}
	n, err := tx.EditComment(ctx, db.EditCommentParams{Body: body, Now: tx.Now, ID: comment, Version: row.Version})
	if err != nil {
		return false, fmt.Errorf("edit comment: %w", err)
	}
	return n == 1, nil
}
