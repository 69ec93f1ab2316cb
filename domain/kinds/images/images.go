package images

import (
	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/outbound"
)

// Images is the migration download-images.
type Images struct {
	db       *db.DB
	bulk     *db.DB
	files    migrations.Files // nil if there is no place for them
	outbound *outbound.Client
}

// New returns the migration on a database. Bulk is the same database with connections of its own.
func New(d, bulk *db.DB, files migrations.Files, client *outbound.Client) *Images {
	return &Images{db: d, bulk: bulk, files: files, outbound: client}
}
