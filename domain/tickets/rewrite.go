package tickets

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// RewriteComment gives a comment, whoever wrote it, the text that change makes of it, and reports whether
// that is another. The caller holds the ticket's lock. It returns CommentNotFound, also for a deleted
// one, or what is wrong with the new text.
func RewriteComment(ctx context.Context, tx *db.Tx, ticket ID, comment id.Comment, change func(body string) string) (bool, error) {
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
