// Package republish has the migration republish: rows of the feeds are published again as they are. Its invariant:
// only feed_sync_id changes. Start at run.go.
package republish

import (
	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/feeds"
)

// Republish is the migration republish.
type Republish struct {
	db    *db.DB
	bulk  *db.DB
	feeds *feeds.Engine
}

// New returns the migration on a database. Bulk is the same database with connections of its own.
func New(d, bulk *db.DB, published *feeds.Engine) *Republish {
	return &Republish{db: d, bulk: bulk, feeds: published}
}
