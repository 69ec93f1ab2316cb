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
		Feed:  feeds.Feed{Name: "tickets", Table: "ticket", Load: loadTickets, List: listTickets},
		scope: "tickets:read", Companies: companiesBy((*db.Queries).CompaniesOfTickets), republish: byIDs(tickets.Republish),
		keyed: tickets.IDsByKeys,
	},
	{
		Feed:  feeds.Feed{Name: "comments", Table: "comment", Load: loadComments, List: listComments},
		scope: "tickets:read", Companies: companiesBy((*db.Queries).CompaniesOfComments),
		republish: byIDs(tickets.RepublishComments),
	},
	{
		Feed:  feeds.Feed{Name: "boards", Table: "board", Load: loadBoards, List: listBoards},
		scope: "boards:read", Companies: companiesBy((*db.Queries).CompaniesOfBoards), republish: byIDs(boards.Republish),
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

// companiesBy returns a companiesFunc of a query for positions with their companies, in their order.
func companiesBy[P ~struct {
	After, To *uint64
	Limit     int32
}, R ~struct {
	FeedSyncID *uint64
	CompanyID  id.Company
}](query func(q *db.Queries, ctx context.Context, in P) ([]R, error)) companiesFunc {
	return func(ctx context.Context, q *db.Queries, after, to uint64) (map[id.Company]uint64, error) {
		in := db.CompaniesOfTicketsParams{After: &after, To: &to, Limit: CompaniesAtOnce}
		rows, err := db.Read(query(q, ctx, P(in)))
		last := map[id.Company]uint64{}
		for _, row := range rows {
			row := db.CompaniesOfTicketsRow(row)
			last[row.CompanyID] = *row.FeedSyncID
		}
		return last, err
	}
}

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
