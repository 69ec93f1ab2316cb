package upkeep

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// fillStays adds the stays of tickets in columns from before there were stays.
func (m *Upkeep) fillStays() *migrations.Migration {
	return &migrations.Migration{
		Name: "fill-stays", Title: "Fill in stays",
		Description: "Finds in the histories of tickets in which columns they were, and when. Run it once after the upgrade from a version that did not keep that. What a history does not say is marked as inferred.",
		Params:      []migrations.Param{kinds.CompanyParam(false)},
		Check: func(ctx context.Context, values migrations.Values) error {
			_, err := kinds.CompanyOf(ctx, m.db.Queries, values)
			return err
		},
		Fill:    m.fillTexts,
		Write:   writeStays,
		Preview: previewStays,
		Label:   textsLabel,
		Knobs:   migrations.Knobs{Concurrency: 1, Block: 1},
	}
}

func writeStays(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	for _, work := range works {
		r, err := textsOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		n, err := tickets.FillStays(ctx, tx, r.Board, r.After, r.To)
		if err != nil {
			return err
		}
		work.Note(fmt.Sprintf("%s of %s/%s", kinds.Count(n, "ticket", "tickets"), r.Company, r.Slug))
	}
	return nil
}

func previewStays(_ context.Context, work *migrations.Work) (string, error) {
	r, err := textsOf(work)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Would fill in the stays of %[1]s/%[2]s-%[3]d to %[2]s-%[4]d.", r.Company, r.Slug, r.After+1, r.To), nil
}
