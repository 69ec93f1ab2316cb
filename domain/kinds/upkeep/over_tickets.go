package upkeep

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// overTickets are the tickets that a migration mends after an upgrade, in transactions of up to a hundred numbers of a
// board. write mends those with numbers in (after, to] and returns how many it changed; would is what it does, in a dry
// run, to tickets that are named behind.
type overTickets struct {
	name, title, description string
	would                    string
	write                    func(ctx context.Context, tx *db.Tx, board id.Board, after, to uint64) (int, error)
}

func (m *Upkeep) overTickets(over overTickets) *migrations.Migration {
	return &migrations.Migration{
		Name: over.name, Title: over.title, Description: over.description,
		Params: []migrations.Param{kinds.CompanyParam(false)},
		Check: func(ctx context.Context, values migrations.Values) error {
			_, err := kinds.CompanyOf(ctx, m.db.Queries, values)
			return err
		},
		Fill:    m.fillTexts,
		Write:   over.writeAll,
		Preview: over.preview,
		Label:   textsLabel,
		Knobs:   migrations.Knobs{Concurrency: 1, Block: 1},
	}
}

func (over overTickets) writeAll(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	for _, work := range works {
		r, err := textsOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		n, err := over.write(ctx, tx, r.Board, r.After, r.To)
		if err != nil {
			return err
		}
		work.Note(fmt.Sprintf("%s of %s/%s", kinds.Count(n, "ticket", "tickets"), r.Company, r.Slug))
	}
	return nil
}

func (over overTickets) preview(_ context.Context, work *migrations.Work) (string, error) {
	r, err := textsOf(work)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Would %s of %[2]s/%[3]s-%[4]d to %[3]s-%[5]d.", over.would, r.Company, r.Slug, r.After+1, r.To), nil
}
