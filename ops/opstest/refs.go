package opstest

import (
	"context"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/refs"
)

// giveOut writes codes to every table: lot 1 was minted and partly popped, once for a ticket; lot 2 came from a file
// and is in quarantine.
func giveOut(t testing.TB, ctx context.Context, d *db.DB) {
	t.Helper()
	canaries, err := refs.ReadCanaries(ctx, d.Queries)
	must(t, err)
	must(t, d.InTx(ctx, func(tx *db.Tx) error {
		lot, err := refs.OpenLot(ctx, tx, 1, refs.FromMint, refs.Short)
		if err != nil {
			return err
		}
		_, err = refs.Mint(ctx, tx, canaries, lot, refs.Slice{Length: refs.Short, To: refs.Space(refs.Short), Codes: 60})
		return err
	}))
	must(t, d.InTx(ctx, func(tx *db.Tx) error {
		if _, err := refs.PopTx(ctx, tx, refs.Use{Company: 1, Token: 1}, 7); err != nil {
			return err
		}
		_, err := refs.PopTx(ctx, tx, refs.Use{Company: 1, Ticket: 1}, 1)
		return err
	}))
	must(t, d.InTx(ctx, func(tx *db.Tx) error {
		lot, err := refs.OpenLot(ctx, tx, 2, refs.FromFile, refs.Short)
		if err != nil {
			return err
		}
		if _, err := refs.Load(ctx, tx, lot, refs.Short, []refs.Code{"ukrEP", "UkrEP", "0OlI1"}); err != nil {
			return err
		}
		if err := refs.Quarantine(ctx, tx, lot, 2); err != nil {
			return err
		}
		if _, err := refs.Sweep(ctx, tx, refs.Parts(0)); err != nil {
			return err
		}
		return refs.Unguard(ctx, tx)
	}))
	_, err = d.SQL.Exec("INSERT INTO ref_sample (at, source, popped, empties, p50_us, p99_us) VALUES ('2026-01-01 10:00:00', 7, 8, 1, 900, 2000)")
	must(t, err)
}
