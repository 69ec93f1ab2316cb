package console

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Companies returns a page of all companies: by id, from above after.
func (c *Console) Companies(ctx context.Context, after id.Company) ([]accounts.CompanyListed, bool, error) {
	return askPage(ctx, func(actor) ([]accounts.CompanyListed, bool, error) {
		return workflows.Page(accounts.Companies(ctx, c.db.Queries, after, workflows.RowsPerPage+1))
	})
}

// Company returns the figures of a company, or accounts.NotMember.
func (c *Console) Company(ctx context.Context, slug string) (accounts.CompanyFigures, error) {
	return ask(ctx, func(actor) (accounts.CompanyFigures, error) { return accounts.FiguresOf(ctx, c.db.Queries, slug) })
}

// UsageOf returns how much of its quota the files of a company take.
func (c *Console) UsageOf(ctx context.Context, company id.Company) (files.Usage, error) {
	return ask(ctx, func(actor) (files.Usage, error) { return files.UsageOf(ctx, c.db.Queries, company) })
}

// SetQuota sets how many bytes the files of a company may have: a size such as 20 GB. It returns accounts.NotMember or
// files.BadQuota.
func (c *Console) SetQuota(ctx context.Context, slug, quota string) (accounts.CompanyFigures, error) {
	return ask(ctx, func(actor) (company accounts.CompanyFigures, err error) {
		if company, err = accounts.FiguresOf(ctx, c.db.Queries, slug); err != nil {
			return company, err
		}
		return company, c.db.InTx(ctx, func(tx *db.Tx) error {
			caller := accounts.ActorFrom(ctx)
			if err := workflows.StillOperator(ctx, tx, caller); err != nil {
				return err
			}
			if err := files.SetQuota(ctx, tx, company.ID, quota); err != nil {
				return err
			}
			return accounts.RecordInstance(ctx, tx, caller.Account.ID, accounts.AuditQuotaSet,
				accounts.AuditDetail{Name: quota, Company: company.Slug})
		})
	})
}

// OpenCompany adds a company that the caller owns. It returns BadName, BadCompanySlug or CompanyConflict, and with once
// Replay.
func (c *Console) OpenCompany(
	ctx context.Context, name, slug string, once *workflows.Once[accounts.Company],
) (accounts.Company, error) {
	company, err := ask(ctx, func(actor) (accounts.Company, error) {
		return workflows.DoOnce(ctx, c.workflows, once, func() (company accounts.Company, err error) {
			err = c.db.InTx(ctx, func(tx *db.Tx) error {
				if company, err = openCompany(ctx, tx, name, slug); err != nil {
					return err
				}
				return workflows.StoreResponses(ctx, tx, once.Row(tx, company))
			})
			return company, err
		})
	})
	if err != nil {
		return accounts.Company{}, fmt.Errorf("open company: %w", err)
	}
	return company, nil
}

func openCompany(ctx context.Context, tx *db.Tx, name, slug string) (company accounts.Company, err error) {
	caller := accounts.ActorFrom(ctx)
	if err := workflows.StillOperator(ctx, tx, caller); err != nil {
		return company, err
	}
	if company, err = accounts.OpenCompany(ctx, tx, slug, name); err != nil {
		return company, err
	}
	if _, err := accounts.Join(ctx, tx, company.ID, caller.Account, accounts.Owner); err != nil {
		return company, err
	}
	detail := accounts.AuditDetail{Name: company.Name}
	whole := accounts.AuditDetail{Name: company.Name, Company: company.Slug}
	err = accounts.RecordInstance(ctx, tx, caller.Account.ID, accounts.AuditCompanyOpened, whole)
	if err != nil {
		return company, err
	}
	return company, accounts.Record(ctx, tx, company.ID, caller.Account.ID, accounts.AuditCompanyOpened, detail)
}
