package files

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// DefaultQuota is how many bytes the attachments of a company may have unless an operator changes that. It is in the
// schema, too.
const DefaultQuota = 10 << 30

// MaxQuota is the largest quota in bytes: a petabyte.
const MaxQuota = 1 << 50

// Usage is how many bytes the attachments of a company have, also deleted ones until they are removed, and may have.
type Usage struct{ Used, Quota int64 }

// Left is how many bytes there is room for.
func (u Usage) Left() int64 { return max(0, u.Quota-u.Used) }

// UsageOf returns the usage of a company.
func UsageOf(ctx context.Context, q *db.Queries, company id.Company) (Usage, error) {
	row, err := db.Read(q.StorageOf(ctx, company))
	if db.IsNotFound(err) {
		return Usage{Quota: DefaultQuota}, nil
	}
	if err != nil {
		return Usage{}, fmt.Errorf("read usage: %w", err)
	}
	return Usage{Used: int64(row.Used), Quota: int64(row.Quota)}, nil
}

// SetQuota gives a company another quota, such as 20 GB. It returns BadQuota.
func SetQuota(ctx context.Context, tx *db.Tx, company id.Company, text string) error {
	quota, ok := ParseSize(text)
	if !ok || quota > MaxQuota {
		return BadQuota()
	}
	if err := tx.SetQuota(ctx, company, uint64(quota)); err != nil {
		return fmt.Errorf("set quota: %w", err)
	}
	return nil
}

// take counts the bytes of an attachment. It returns QuotaExceeded.
func take(ctx context.Context, tx *db.Tx, company id.Company, bytes int64) error {
	if err := tx.TakeStorage(ctx, company, uint64(bytes)); err != nil {
		return fmt.Errorf("count storage: %w", err)
	}
	usage, err := UsageOf(ctx, tx.Queries, company)
	if err == nil && usage.Used > usage.Quota {
		usage.Used -= bytes
		return QuotaExceeded(bytes, usage)
	}
	return err
}

// Release takes the bytes of removed attachments from what a company uses.
func Release(ctx context.Context, tx *db.Tx, company id.Company, bytes uint64) error {
	if _, err := tx.ReleaseStorage(ctx, bytes, company); err != nil {
		return fmt.Errorf("count storage: %w", err)
	}
	return nil
}

// CompanyUsage is the usage of a company.
type CompanyUsage struct {
	Slug, Name string
	Usage
}

// Largest returns the companies whose attachments have the most bytes.
func Largest(ctx context.Context, q *db.Queries, limit int) ([]CompanyUsage, error) {
	rows, err := db.Read(q.LargestStorages(ctx, int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("read storage of companies: %w", err)
	}
	list := make([]CompanyUsage, len(rows))
	for i, row := range rows {
		list[i] = CompanyUsage{row.Slug, row.Name, Usage{Used: int64(row.Used), Quota: int64(row.Quota)}}
	}
	return list, nil
}
