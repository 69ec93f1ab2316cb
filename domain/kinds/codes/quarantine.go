package codes

import (
	"context"
	"fmt"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// quarantineRefs is the migration that takes the codes of quarantined lots out of the pool.
func (m *Codes) quarantineRefs() *migrations.Migration {
	return &migrations.Migration{
		Name: workflows.QuarantineName, Title: "Quarantine a lot of reference codes",
		Description: "Takes all codes of a quarantined lot out of the pool. None of them is popped from the moment the lot is in quarantine; until this run is complete, pops take a little longer.",
		Params: []migrations.Param{
			{Name: "lot", Label: "Lot", Kind: migrations.Number, Required: true, Min: 1, Max: 1 << 40},
		},
		Check:   m.checkQuarantine,
		Fill:    m.fillQuarantine,
		Write:   writeQuarantine,
		Label:   quarantineLabel,
		Knobs:   migrations.Knobs{Concurrency: 1, Block: 1},
		Several: true, Unattended: true,
	}
}

// checkQuarantine refuses a run of its own: it would be without the quarantine that it is for.
func (m *Codes) checkQuarantine(ctx context.Context, values migrations.Values) error {
	lot, err := refs.LotByID(ctx, m.db.Queries, lotOf(values))
	if err != nil {
		return migrations.BadParam("lot", err.Error())
	}
	if lot.QuarantinedAt == nil {
		return migrations.BadParam("lot",
			fmt.Sprintf("Lot %d is not in quarantine. Quarantine it on the page Reference codes, which creates the run.", lot.ID))
	}
	return nil
}

func lotOf(values migrations.Values) id.Lot {
	n, _ := strconv.ParseUint(values["lot"], 10, 63) // a number that was checked
	return id.Lot(n)
}

// fillQuarantine adds a task for each part of the codes by their first characters. The cursor is how many characters,
// and how many parts were added: codes may be minted meanwhile.
func (m *Codes) fillQuarantine(ctx context.Context, into migrations.Filler) error {
	var characters, done int
	if _, err := fmt.Sscanf(into.Cursor(), "%d %d", &characters, &done); err != nil {
		states, err := refs.CountByLength(ctx, m.bulk.Queries)
		if err != nil {
			return err
		}
		var codes uint64
		for _, of := range states {
			codes += of.Minted
		}
		characters, done = refs.PartsFor(codes), 0
	}
	for i, part := range refs.Parts(characters)[done:] {
		if err := into.Add(ctx,
			migrations.NewTask{Payload: part, Cursor: fmt.Sprintf("%d %d", characters, done+i+1)}); err != nil {
			return err
		}
	}
	return nil
}

func quarantineLabel(payload string) string {
	if payload == "" {
		return "All codes"
	}
	return "Codes that begin with " + payload
}

func writeQuarantine(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	if err := refs.SetSweep(ctx, tx, works[0].Task.Run); err != nil { // if an earlier one was cancelled
		return err
	}
	parts := make([]string, len(works))
	for i, work := range works {
		parts[i] = work.Task.Payload
	}
	swept, err := refs.Sweep(ctx, tx, parts)
	if err != nil {
		return err
	}
	for i, work := range works {
		work.Note(fmt.Sprintf("%d codes", swept[i]))
	}
	return nil
}
