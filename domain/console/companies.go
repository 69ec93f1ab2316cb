package console

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
)

// OpenCompany adds a company, owned by the operator who calls. It returns NotOperator, BadName,
// BadCompanySlug or CompanyConflict.
func (c *Console) OpenCompany(ctx context.Context, account accounts.ID, name, slug string) (company accounts.Company, err error) {
	err = c.db.InTx(ctx, func(tx *db.Tx) error {
		owner, err := accounts.ByID(ctx, tx.Queries, account)
		if err != nil {
			return err
		}
		if !owner.Operator {
			return accounts.NotOperator()
		}
		if company, err = accounts.OpenCompany(ctx, tx, slug, name); err != nil {
			return err
		}
		if _, err := accounts.Join(ctx, tx, company.ID, owner, accounts.Owner); err != nil {
			return err
		}
		return accounts.Record(ctx, tx, company.ID, account, accounts.AuditCompanyOpened, accounts.AuditDetail{Name: company.Name})
	})
	if err != nil {
		return accounts.Company{}, fmt.Errorf("open company: %w", err)
	}
	return company, nil
}
