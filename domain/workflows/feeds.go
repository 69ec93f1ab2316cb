package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/feeds"
)

// fed are the feeds that come with the program.
func (w *Workflows) fed() []feeds.Feed {
	return []feeds.Feed{
		{Name: "tickets", Table: "ticket", Load: loadTickets},
		{Name: "comments", Table: "comment", Load: loadComments},
		{Name: "boards", Table: "board", Load: loadBoards},
	}
}

// Feeds is what publishes changes and tells of them.
func (w *Workflows) Feeds() *feeds.Engine { return w.feeds }

func loadTickets(ctx context.Context, q *db.Queries, look feeds.Look) ([]feeds.Row, error) {
	return nil, nil
}

func loadComments(ctx context.Context, q *db.Queries, look feeds.Look) ([]feeds.Row, error) {
	return nil, nil
}

func loadBoards(ctx context.Context, q *db.Queries, look feeds.Look) ([]feeds.Row, error) {
	return nil, nil
}
