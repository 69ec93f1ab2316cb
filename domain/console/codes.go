package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// pop is a request for codes.
type pop struct {
	use     refs.Use
	count   int
	service accounts.ID // whose budget it takes from; 0: an operator's has none
	once    *workflows.Once[[]refs.Code]
}

// ownBatch codes and more have a transaction of their own, so that other pops do not wait for it.
const ownBatch = 100

// PopRefs takes codes from the pool for the caller and a purpose, which may be "", and with once only once for a key. It
// returns refs.BadCount, refs.BadPurpose, refs.Empty, refs.OverCall, refs.OverDay, MissingScope, NotOperator, and with
// once Replay or KeyReused. Concurrent calls share a transaction.
func (c *Console) PopRefs(
	ctx context.Context, count int, purpose string, once *workflows.Once[[]refs.Code],
) ([]refs.Code, error) {
	actor, err := workflows.MayRead(ctx, accounts.PopRefs)
	if err != nil {
		return nil, err
	}
	if !actor.Holds(accounts.PopRefs) {
		return nil, accounts.NotOperator()
	}
	var badCount error
	if count < 1 || count > refs.MaxPop {
		badCount = refs.BadCount(refs.MaxPop)
	}
	purpose, badPurpose := refs.ParsePurpose(purpose)
	if err := fault.Join(badCount, badPurpose); err != nil {
		return nil, err
	}
	begun := time.Now()
	p := &pop{use: refs.Use{Company: actor.Company.ID, Token: actor.Token, Purpose: purpose}, count: count, once: once}
	if actor.Service {
		p.service = actor.Account.ID
	}
	codes, err := workflows.DoOnce(ctx, c.workflows, once, func() ([]refs.Code, error) { return c.pop(ctx, p) })
	empty := errors.Is(err, refs.CodeEmpty)
	if err == nil || empty {
		c.refs.RecordPop(len(codes), empty, time.Since(begun))
	}
	switch {
	case empty:
		if err := refs.RequestRefill(ctx, c.db.Queries); err != nil {
			return nil, err
		}
		return nil, err
	case errors.Is(err, coalesce.ErrClosed):
		return nil, workflows.Stopping()
	case err != nil:
		return nil, fmt.Errorf("pop reference codes: %w", err)
	}
	return codes, nil
}

func (c *Console) pop(ctx context.Context, p *pop) ([]refs.Code, error) {
	if p.count < ownBatch {
		return c.pops.Do(ctx, p.service, p)
	}
	all, err := c.popBatch(ctx, p.service, []*pop{p})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// popBatch takes the codes of several pops in one transaction, and from the budget of their service account, if any.
func (c *Console) popBatch(ctx context.Context, service accounts.ID, pops []*pop) (popped [][]refs.Code, err error) {
	var uses []refs.Use
	for _, p := range pops {
		uses = append(uses, slices.Repeat([]refs.Use{p.use}, p.count)...)
	}
	err = c.db.InTx(ctx, func(tx *db.Tx) error {
		if err := spend(ctx, tx, service, pops); err != nil {
			return err
		}
		popped = make([][]refs.Code, len(pops))
		codes, err := refs.PopEach(ctx, tx, uses)
		if err != nil {
			return err
		}
		var results []db.Idempotency
		for i, p := range pops {
			popped[i], codes = codes[:p.count], codes[p.count:]
			results = append(results, p.once.Row(tx, popped[i])...)
		}
		if err := workflows.StoreResponses(ctx, tx, results); err != nil {
			return err
		}
		return coalesce.Wanted(ctx)
	})
	return popped, err
}

// spend takes the codes of some pops from the budget of their service account, which stays locked until they are
// committed: so the budget holds on any number of servers, and a pop that fails takes nothing of it. It returns
// refs.OverCall, refs.OverDay, or NotOperator if nothing is granted any more.
func spend(ctx context.Context, tx *db.Tx, service accounts.ID, pops []*pop) error {
	if service == 0 {
		return nil
	}
	may, err := accounts.LockService(ctx, tx, service)
	if err != nil {
		return err
	}
	if may.PerDay == 0 {
		return accounts.NotOperator()
	}
	spent := may.Spent
	for _, p := range pops {
		if spent += uint64(p.count); p.count > int(may.PerCall) {
			return refs.OverCall{PerCall: int(may.PerCall)}
		}
	}
	if spent > uint64(may.PerDay) {
		return refs.OverDay{PerDay: int(may.PerDay), Left: max(0, int(may.PerDay)-int(may.Spent)), Wait: may.Rest}
	}
	return accounts.SpendRefs(ctx, tx, service, spent)
}

// RefState returns how many reference codes there are, and how fast they go.
func (c *Console) RefState(ctx context.Context) (refs.State, error) {
	return ask(ctx, func(actor) (refs.State, error) { return c.refs.State(ctx, c.db.Queries, c.db.Now()) })
}

// RefGauges is RefState for monitoring: the caller need not be an operator.
func (c *Console) RefGauges(ctx context.Context) (refs.State, error) {
	return c.refs.State(ctx, c.db.Queries, c.db.Now())
}

// RefTotals returns how many codes this process popped, and how often the pool was empty.
func (c *Console) RefTotals() (popped, empties uint64) { return c.refs.Totals() }

// RefMinutes returns how many codes were popped in each minute of the last while.
func (c *Console) RefMinutes(ctx context.Context, last time.Duration) ([]refs.Minute, error) {
	return ask(ctx, func(actor) ([]refs.Minute, error) { return refs.Minutes(ctx, c.db.Queries, c.db.Now().Add(-last)) })
}

// RefLots returns a page of the lots below one, the newest first.
func (c *Console) RefLots(ctx context.Context, before id.Lot) ([]refs.Lot, bool, error) {
	return askPage(ctx, func(actor) ([]refs.Lot, bool, error) { return refs.Lots(ctx, c.db.Queries, before) })
}

// RefLot returns a lot, or refs.LotNotFound.
func (c *Console) RefLot(ctx context.Context, lot id.Lot) (refs.Lot, error) {
	return ask(ctx, func(actor) (refs.Lot, error) { return refs.LotByID(ctx, c.db.Queries, lot) })
}

// SetRefPolicy changes how full the pool is kept, but not whether refills are paused. It returns refs.BadPolicy.
func (c *Console) SetRefPolicy(ctx context.Context, policy refs.Policy) error {
	detail := accounts.AuditDetail{Note: fmt.Sprintf("at least %d codes, refilled below %d hours up to %d", policy.AtLeast,
		policy.LowHours, policy.HighHours)}
	return c.changeRefPolicy(ctx, accounts.AuditRefPolicyChanged, detail, func(p *refs.Policy) {
		p.AtLeast, p.LowHours, p.HighHours = policy.AtLeast, policy.LowHours, policy.HighHours
	})
}

// PauseRefills ends or resumes refills. One that is running is not stopped.
func (c *Console) PauseRefills(ctx context.Context, paused bool) error {
	kind := accounts.AuditRefillsResumed
	if paused {
		kind = accounts.AuditRefillsPaused
	}
	return c.changeRefPolicy(ctx, kind, accounts.AuditDetail{}, func(p *refs.Policy) { p.Paused = paused })
}

func (c *Console) changeRefPolicy(
	ctx context.Context, kind string, detail accounts.AuditDetail, change func(*refs.Policy),
) error {
	err := operate(ctx, func(actor) error {
		return c.db.InTx(ctx, func(tx *db.Tx) error {
			policy, err := refs.LockPolicy(ctx, tx)
			if err != nil {
				return err
			}
			change(&policy)
			if err := refs.SetPolicy(ctx, tx.Queries, policy); err != nil {
				return err
			}
			return recordInstance(ctx, tx, kind, detail)
		})
	})
	if err != nil {
		return fmt.Errorf("change how the pool of reference codes is filled: %w", err)
	}
	return nil
}

// retryAlone reports whether the pops of a failed batch may succeed one by one: if there are too few codes for all,
// but not if the database does not answer.
func retryAlone(err error) bool {
	return errors.Is(err, refs.CodeEmpty) || !errors.Is(err, fault.Unavailable)
}

// QuarantineRefs puts a lot into quarantine: none of its codes is popped any more. It returns the run that takes them
// out of the pool, or refs.LotNotFound or refs.InQuarantine.
func (c *Console) QuarantineRefs(ctx context.Context, lot id.Lot) (run migrations.Run, err error) {
	err = operate(ctx, func(by actor) error {
		return c.db.InTx(ctx, func(tx *db.Tx) error {
			if _, err := refs.LockPolicy(ctx, tx); err != nil {
				return err
			}
			values := migrations.Values{"lot": strconv.FormatUint(uint64(lot), 10)}
			if run, err = c.engine.OpenIn(ctx, tx, by, workflows.QuarantineName, values); err != nil {
				return err
			}
			if err := refs.Quarantine(ctx, tx, lot, run.ID); err != nil {
				return err
			}
			return recordInstance(ctx, tx, accounts.AuditLotQuarantined, accounts.AuditDetail{Name: values["lot"], Run: run.ID})
		})
	})
	if err != nil {
		return run, fmt.Errorf("quarantine reference codes: %w", err)
	}
	return run, nil
}
