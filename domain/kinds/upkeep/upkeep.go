// Package upkeep has the migrations that keep an installation in order: rebalance-ranks, purge-deleted, purge-runs,
// re-render-markdown, count-checklists, fill-stays and remove-files. Their invariant: users see no difference, but for
// tickets deleted long ago. Start at upkeep.go; each migration is a file.
package upkeep

import (
	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// Upkeep are the migrations that keep an installation in order.
type Upkeep struct {
	db    *db.DB
	bulk  *db.DB
	files *blobs.Store // nil if there is no place for them
}

// New returns the migrations on a database. Bulk is the same database with connections of its own.
func New(d, bulk *db.DB, files *blobs.Store) *Upkeep { return &Upkeep{db: d, bulk: bulk, files: files} }

// Migrations returns the migrations.
func (m *Upkeep) Migrations() []*migrations.Migration {
	return []*migrations.Migration{m.rebalanceRanks(), m.purgeDeleted(), m.purgeRuns(), m.reRenderMarkdown(),
		m.countChecklists(), m.fillStays(), m.indexTexts(), m.removeFiles()}
}
