package tickets

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Republish publishes those of some tickets again that are in sight, and returns how many.
func Republish(ctx context.Context, tx *db.Tx, by db.Sight, list []ID) (int64, error) {
	own, err := tx.TicketsInSight(ctx, db.TicketsInSightParams{
		Reader: by.Reader, Ids: list, CompanyID: by.Company, Reach: by.Reach,
	})
	if err != nil || len(own) == 0 {
		return 0, err
	}
	slices.Sort(own)
	return tx.RepublishTickets(ctx, own)
}

// Named returns the tickets in sight by present, former or imported keys, deleted ones too, each at the index of its key.
func Named(ctx context.Context, q *db.Queries, by db.Sight, keys []Key) (map[int]ID, error) {
	names := make([]db.TicketKey, len(keys))
	for i, key := range keys {
		names[i] = db.TicketKey{Slug: key.Board, LocalID: key.Number}
	}
	found, err := db.Read(q.TicketsByKeys(ctx, by, names))
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	return found, nil
}

// IDsByKeys returns the tickets in sight by present, former or imported keys, deleted ones too. It returns
// UnknownKey.
func IDsByKeys(ctx context.Context, q *db.Queries, by db.Sight, texts []string) ([]uint64, error) {
	keys := make([]Key, len(texts))
	for i, text := range texts {
		var err error
		if keys[i], err = ParseKey(text); err != nil {
			return nil, UnknownKey(text)
		}
	}
	found, err := Named(ctx, q, by, keys)
	if err != nil {
		return nil, err
	}
	list := make([]uint64, len(texts))
	for i, text := range texts {
		ticket, ok := found[i]
		if !ok {
			return nil, UnknownKey(text)
		}
		list[i] = uint64(ticket)
	}
	return list, nil
}

// RepublishComments publishes those of some comments again that are in sight, and returns how many.
func RepublishComments(ctx context.Context, tx *db.Tx, by db.Sight, list []id.Comment) (int64, error) {
	own, err := tx.CommentsInSight(ctx, db.CommentsInSightParams{
		Reader: by.Reader, Ids: list, CompanyID: by.Company, Reach: by.Reach,
	})
	if err != nil || len(own) == 0 {
		return 0, err
	}
	slices.Sort(own)
	return tx.RepublishCommentRows(ctx, own)
}

// RepublishNumbers publishes the tickets of a board with numbers in (after, to] again, deleted ones too,
// and returns how many.
func RepublishNumbers(ctx context.Context, tx *db.Tx, board id.Board, after, to uint64) (int64, error) {
	return onNumbers(ctx, tx, board, after, to, tx.RepublishTickets)
}

// CommentRange are comments of a board: all of the tickets with numbers in (After, To], or, if ToComment
// is not 0, those of ticket To after AfterComment up to ToComment.
type CommentRange struct {
	After, To               uint64
	AfterComment, ToComment id.Comment
}

// RepublishCommentRange publishes these comments again, and returns how many.
func RepublishCommentRange(ctx context.Context, tx *db.Tx, board id.Board, r CommentRange) (int64, error) {
	return onNumbers(ctx, tx, board, r.After, r.To, func(ctx context.Context, list []ID) (int64, error) {
		if r.ToComment == 0 {
			return tx.RepublishCommentsOf(ctx, list)
		}
		return tx.RepublishCommentRange(ctx, db.RepublishCommentRangeParams{TicketID: list[0], AfterID: r.AfterComment,
			ToID: r.ToComment})
	})
}

// CommentRanges splits the comments of r, of its first ticket those after r.AfterComment, into ranges of at most so
// many, in their order.
func CommentRanges(
	ctx context.Context, q *db.Queries, board id.Board, r CommentRange, most int32, add func(CommentRange) error,
) error {
	rows, err := db.Read(q.TicketsNumbered(ctx, db.TicketsNumberedParams{BoardID: board, After: r.After, To: r.To}))
	if err != nil || len(rows) == 0 {
		return err
	}
	list := make([]ID, len(rows))
	for i, row := range rows {
		list[i] = row.ID
	}
	counted, err := db.Read(q.CommentCounts(ctx, list))
	if err != nil {
		return err
	}
	has := map[ID]int64{}
	for _, c := range counted {
		has[c.TicketID] = c.Comments
	}
	next, count := CommentRange{After: r.After}, int64(0)
	flush := func(to uint64) error {
		defer func() { next, count = CommentRange{After: to}, 0 }()
		if next.To = to; count == 0 {
			return nil
		}
		return add(next)
	}
	for _, row := range rows {
		number, n := row.LocalID, has[row.ID]
		begun := r.AfterComment > 0 && number == r.After+1
		if count+n > int64(most) || begun {
			if err := flush(number - 1); err != nil {
				return err
			}
		}
		if n <= int64(most) && !begun {
			count += n
			continue
		}
		after := id.Comment(0)
		if begun {
			after = r.AfterComment
		}
		if err := ofTicket(ctx, q, row.ID, CommentRange{After: number - 1, To: number, AfterComment: after}, most,
			add); err != nil {
			return err
		}
		next, count = CommentRange{After: number}, 0
	}
	return flush(r.To)
}

// ofTicket splits the comments of one ticket.
func ofTicket(
	ctx context.Context, q *db.Queries, ticket ID, r CommentRange, most int32, add func(CommentRange) error,
) error {
	for {
		ids, err := db.Read(q.CommentIDsAfter(ctx, db.CommentIDsAfterParams{TicketID: ticket, AfterID: r.AfterComment,
			Limit: most}))
		if err != nil || len(ids) == 0 {
			return err
		}
		r.ToComment = ids[len(ids)-1]
		if err := add(r); err != nil {
			return err
		}
		r.AfterComment = r.ToComment
	}
}

func onNumbers(
	ctx context.Context, tx *db.Tx, board id.Board, after, to uint64, republish func(context.Context, []ID) (int64, error),
) (int64, error) {
	rows, err := tx.TicketsNumbered(ctx, db.TicketsNumberedParams{BoardID: board, After: after, To: to})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	list := make([]ID, len(rows))
	for i, row := range rows {
		list[i] = row.ID
	}
	slices.Sort(list)
	n, err := republish(ctx, list)
	if err != nil {
		return 0, fmt.Errorf("republish: %w", err)
	}
	return n, nil
}
