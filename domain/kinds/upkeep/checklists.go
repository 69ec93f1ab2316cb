package upkeep

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// countChecklists counts the items of checklists where a version without checklists wrote the description last.
func (m *Upkeep) countChecklists() *migrations.Migration {
	return &migrations.Migration{
		Name: "count-checklists", Title: "Count checklists",
		Description: "Counts the items of the checklists of descriptions, so that cards show them. Run it once after the upgrade from a version without checklists: the counts of what that wrote are missing, or old.",
		Params:      []migrations.Param{kinds.CompanyParam(false)},
		Check: func(ctx context.Context, values migrations.Values) error {
			_, err := kinds.CompanyOf(ctx, m.db.Queries, values)
			return err
		},
		Fill:    m.fillTexts,
		Write:   writeCounts,
		Preview: previewCounts,
		Label:   textsLabel,
		Knobs:   migrations.Knobs{Concurrency: 1, Block: 1},
	}
}

func writeCounts(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	for _, work := range works {
		r, err := textsOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		n, err := tickets.CountItems(ctx, tx, r.Board, r.After, r.To)
		if err != nil {
			return err
		}
		work.Note(fmt.Sprintf("%s of %s/%s", kinds.Count(n, "ticket", "tickets"), r.Company, r.Slug))
	}
	return nil
}

func previewCounts(_ context.Context, work *migrations.Work) (string, error) {
	r, err := textsOf(work)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Would count the checklists of %[1]s/%[2]s-%[3]d to %[2]s-%[4]d.", r.Company, r.Slug, r.After+1, r.To), nil
}
