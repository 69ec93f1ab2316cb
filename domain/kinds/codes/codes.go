// Package codes has the migrations of reference codes: mint-refs, load-refs and quarantine-refs. The rules are in
// domain/refs; a task here is a slice of the space, codes of a file, or a part of the ledger. Start at mint.go.
package codes

import (
	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
)

// Codes are the migrations of reference codes.
type Codes struct {
	db   *db.DB
	bulk *db.DB
	refs *refs.Engine
}

// New returns the migrations on a database. Bulk is the same database with connections of its own.
func New(d, bulk *db.DB, pool *refs.Engine) *Codes { return &Codes{db: d, bulk: bulk, refs: pool} }

// Migrations returns the migrations.
func (m *Codes) Migrations() []*migrations.Migration {
	return []*migrations.Migration{m.mintRefs(), m.loadRefs(), m.quarantineRefs()}
}
