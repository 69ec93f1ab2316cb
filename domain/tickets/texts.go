package tickets

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// commentsPerRead is how many comments EachText reads at once.
const commentsPerRead = 200

// EachText calls fn for every description and comment of the tickets of a board with numbers above after
// and up to to; comment is 0 for a description. Deleted ones are left out.
func EachText(
	ctx context.Context, q *db.Queries, board id.Board, slug string, after, to uint64,
	fn func(key Key, comment id.Comment, text string) error,
) error {
	rows, err := db.Read(q.DescriptionsOf(ctx, db.DescriptionsOfParams{BoardID: board, After: after, To: to}))
	if err != nil {
		return fmt.Errorf("read descriptions: %w", err)
	}
	for _, row := range rows {
		key := Key{Board: slug, Number: row.LocalID}
		if err := fn(key, 0, row.Description); err != nil {
			return err
		}
		for page := (Comments{Newer: true}); page.Newer; {
			var behind id.Comment
			if n := len(page.List); n > 0 {
				behind = page.List[n-1].ID
			}
			if page, err = CommentsAfter(ctx, q, row.ID, behind, commentsPerRead); err != nil {
				return err
			}
			for _, comment := range page.List {
				if comment.Deleted() {
					continue
				}
				if err := fn(key, comment.ID, comment.Body); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
