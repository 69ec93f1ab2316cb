package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// FeedDescriptor is a feed of the program: as the engine knows it, and what else is done with its rows.
type FeedDescriptor struct {
	feeds.Feed
	scope     string // of a token that may read it
	Companies companiesFunc
	republish republishFunc[uint64]
	// keyed returns the rows of a company that have some keys; nil if rows have none.
	keyed func(ctx context.Context, q *db.Queries, by db.Sight, keys []string) ([]uint64, error)
}

type (
	// companiesFunc returns the last position of each company in a range of a feed.
	companiesFunc func(ctx context.Context, q *db.Queries, after, to uint64) (map[id.Company]uint64, error)
	// republishFunc publishes rows again, those of them that are in sight, and returns how many.
	republishFunc[ID ~uint64] func(ctx context.Context, tx *db.Tx, by db.Sight, rows []ID) (int64, error)
)

// allFeeds are all feeds.
var allFeeds = []FeedDescriptor{
	{
		Feed: feeds.Feed{Name: "tickets", Table: "ticket", Sights: "ticket_sight", Load: loadTickets, List: listTickets,
			Board: snapshotTickets},
		scope: "tickets:read", Companies: companiesBy((*db.Queries).CompaniesOfTickets, (*db.Queries).CompaniesOfTicketSights), republish: byIDs(tickets.Republish),
		keyed: tickets.IDsByKeys,
	},
	{
		Feed: feeds.Feed{Name: "comments", Table: "comment", Sights: "comment_sight", Load: loadComments, List: listComments,
			Board: snapshotComments},
		scope: "tickets:read", Companies: companiesBy((*db.Queries).CompaniesOfComments, (*db.Queries).CompaniesOfCommentSights),
		republish: byIDs(tickets.RepublishComments),
	},
	{
		Feed: feeds.Feed{Name: "boards", Table: "board", Sights: "board_sight", Load: loadBoards, List: listBoards,
			Board: snapshotBoards},
		scope: "boards:read", Companies: companiesBy((*db.Queries).CompaniesOfBoards, (*db.Queries).CompaniesOfBoardSights), republish: byIDs(boards.Republish),
	},
}

// FeedByName returns the feed of a name, or feeds.NotFound.
func FeedByName(name string) (FeedDescriptor, error) {
	names := make([]string, len(allFeeds))
	for i, f := range allFeeds {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return FeedDescriptor{}, feeds.NotFound(name, names)
}

// FeedList returns all feeds as the engine knows them.
func FeedList() []feeds.Feed {
	list := make([]feeds.Feed, len(allFeeds))
	for i, f := range allFeeds {
		list[i] = f.Feed
	}
	return list
}

// CompaniesAtOnce is how many positions Companies reads at most.
const CompaniesAtOnce = 2000

// companiesBy returns a companiesFunc of a query for positions of rows with their companies, in their order, and of one
// for those of changes of sight.
func companiesBy[P, S companiesParams, R, T companiesRow](
	rows func(q *db.Queries, ctx context.Context, in P) ([]R, error),
	sights func(q *db.Queries, ctx context.Context, in S) ([]T, error),
) companiesFunc {
	return func(ctx context.Context, q *db.Queries, after, to uint64) (map[id.Company]uint64, error) {
		in := db.CompaniesOfTicketsParams{After: &after, To: &to, Limit: CompaniesAtOnce}
		last := map[id.Company]uint64{}
		note := func(row db.CompaniesOfTicketsRow) {
			last[row.CompanyID] = max(last[row.CompanyID], *row.FeedSyncID)
		}
		list, err := db.Read(rows(q, ctx, P(in)))
		if err != nil {
			return nil, err
		}
		for _, row := range list {
			note(db.CompaniesOfTicketsRow(row))
		}
		changes, err := db.Read(sights(q, ctx, S(in)))
		for _, row := range changes {
			note(db.CompaniesOfTicketsRow(row))
		}
		return last, err
	}
}

type (
	companiesParams interface {
		~struct {
			After, To *uint64
			Limit     int32
		}
	}
	companiesRow interface {
		~struct {
			FeedSyncID *uint64
			CompanyID  id.Company
		}
	}
)

// byIDs returns a republishFunc for plain ids.
func byIDs[ID ~uint64](republish republishFunc[ID]) republishFunc[uint64] {
	return func(ctx context.Context, tx *db.Tx, by db.Sight, rows []uint64) (int64, error) {
		list := make([]ID, len(rows))
		for i, row := range rows {
			list[i] = ID(row)
		}
		return republish(ctx, tx, by, list)
	}
}

// Feeds returns the engine that publishes changes and signals them.
func (w *Workflows) Feeds() *feeds.Engine { return w.feeds }

// change runs fn in a transaction, as InTx does, and has its changes published at once.
func (w *Workflows) change(ctx context.Context, fn func(tx *db.Tx) error) error {
	if err := w.db.InTx(ctx, fn); err != nil {
		return err
	}
	w.feeds.Wake()
	return nil
}
