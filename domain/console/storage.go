package console

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/files"
)

// Storage is the space that the database, stored images and attachments take.
type Storage struct {
	Tables        []db.TableSize       // the largest
	DatabaseBytes int64                // of all tables
	Images        int                  // stored images; ImagesCounted + 1 means more
	ImageBytes    uint64               // of those that are counted
	Companies     []files.CompanyUsage // those with the largest attachments
}

// How far the storage is shown.
const (
	TablesShown    = 12
	CompaniesShown = 12
	ImagesCounted  = 10_000
)

// Storage returns the space that the database and stored images take.
func (c *Console) Storage(ctx context.Context) (Storage, error) {
	return ask(ctx, func(actor) (s Storage, err error) {
		if s.Tables, s.DatabaseBytes, err = c.db.LargestTables(ctx, TablesShown); err != nil {
			return s, err
		}
		images, err := c.db.SizeOfImages(ctx)
		if err != nil {
			return s, fmt.Errorf("read the size of images: %w", err)
		}
		s.Images, s.ImageBytes = int(images.Images), uint64(images.Bytes)
		s.Companies, err = files.Largest(ctx, c.db.Queries, CompaniesShown)
		return s, err
	})
}
