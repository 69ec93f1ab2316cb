package console

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// OpenCompany adds a company that the caller owns. It returns BadName, BadCompanySlug or CompanyConflict.
func (c *Console) OpenCompany(ctx context.Context, name, slug string) (company accounts.Company, err error) {
	err = operate(ctx, func(actor) error {
		caller := accounts.ActorFrom(ctx)
		return c.db.InTx(ctx, func(tx *db.Tx) error {
			if err := workflows.StillOperator(ctx, tx, caller); err != nil {
				return err
			}
			if company, err = accounts.OpenCompany(ctx, tx, slug, name); err != nil {
				return err
			}
			if _, err := accounts.Join(ctx, tx, company.ID, caller.Account, accounts.Owner); err != nil {
				return err
			}
			detail := accounts.AuditDetail{Name: company.Name}
			return accounts.Record(ctx, tx, company.ID, caller.Account.ID, accounts.AuditCompanyOpened, detail)
		})
	})
	if err != nil {
		return accounts.Company{}, fmt.Errorf("open company: %w", err)
	}
	return company, nil
}
