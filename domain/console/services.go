package console

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Services returns a page of the service accounts of all companies, the newest first: from below before, or from the
// newest if it is 0.
func (c *Console) Services(ctx context.Context, before accounts.ID) ([]accounts.Service, bool, error) {
	return askPage(ctx, func(actor) ([]accounts.Service, bool, error) {
		return workflows.Page(accounts.AllServices(ctx, c.db.Queries, before, workflows.RowsPerPage+1))
	})
}

// Service returns a service account, or accounts.ServiceNotFound.
func (c *Console) Service(ctx context.Context, account accounts.ID) (accounts.Service, error) {
	return ask(ctx, func(actor) (accounts.Service, error) { return accounts.ServiceByID(ctx, c.db.Queries, account) })
}

// GrantRefs sets how many reference codes a service account may pop, none if a day has 0. It takes effect at once, for
// what was popped today, too. It returns accounts.BadBudget or accounts.ServiceNotFound.
func (c *Console) GrantRefs(ctx context.Context, account accounts.ID, budget accounts.RefBudget) error {
	if err := budget.Check(refs.MaxPop); err != nil {
		return err
	}
	err := operate(ctx, func(by actor) error {
		return c.db.InTx(ctx, func(tx *db.Tx) error {
			if err := workflows.StillOperator(ctx, tx, accounts.ActorFrom(ctx)); err != nil {
				return err
			}
			if _, err := accounts.LockService(ctx, tx, account); err != nil {
				return err
			}
			service, err := accounts.ServiceByID(ctx, tx.Queries, account)
			if err != nil || service.Budget == budget {
				return err
			}
			if err := accounts.GrantRefs(ctx, tx, account, budget); err != nil {
				return err
			}
			detail := accounts.AuditDetail{Name: service.Name, Company: service.Company.Slug, Note: "no reference codes any more"}
			if budget.PerDay > 0 {
				detail.Note = fmt.Sprintf("%d reference codes a day, %d in a call", budget.PerDay, budget.PerCall)
			}
			if err := recordInstance(ctx, tx, accounts.AuditRefsGranted, detail); err != nil {
				return err
			}
			return accounts.Record(ctx, tx, service.Company.ID, accounts.ActorFrom(ctx).Account.ID, accounts.AuditRefsGranted,
				detail)
		})
	})
	if err != nil {
		return fmt.Errorf("grant reference codes: %w", err)
	}
	return nil
}

// RunImages returns a page of the images that runs stored, the newest first: from below before, or from the newest if it
// is 0.
func (c *Console) RunImages(ctx context.Context, before uint64) ([]images.OfRun, bool, error) {
	return askPage(ctx, func(actor) ([]images.OfRun, bool, error) {
		return workflows.Page(images.OfRuns(ctx, c.db.Queries, accounts.ActorFrom(ctx).Account.ID, before,
			workflows.RowsPerPage+1))
	})
}
