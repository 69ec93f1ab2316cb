// Package importer has the migration import-tickets: tickets from an export of Jira or any other CSV file. A task
// is a row of the file; a block of rows is written in one transaction. Its invariant: a repeated import leaves
// tickets that were imported before as they are. Start at plan.go, then columns.go and write.go.
package importer

import (
	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Importer is the migration import-tickets.
type Importer struct {
	db          *db.DB
	bulk        *db.DB
	directories coalesce.Recent[id.Company, *directory]
}

// New returns the migration on a database. Bulk is the same database with connections of its own.
func New(d, bulk *db.DB) *Importer { return &Importer{db: d, bulk: bulk} }
