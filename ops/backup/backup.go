// Package backup writes a whole installation into one file, and restores it. Start at Make and Restore.
//
// A backup is a tar within gzip:
//
//	manifest.json               what it is: format, schema version, tables with their columns
//	rows/TABLE/000001.jsonl     rows of a table in the order of its primary key, each a JSON array
//	blobs/NAME                  stored files
//	checksums.json              size and SHA-256 of each member before it, rows of each table
//
// A row's values are JSON numbers, strings and null, bytes in base64, times as the server writes
// them, in UTC. So it goes from either engine to either. Checksums tell damage, not forgery.
package backup

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/ops/keyloss"
)

// Format is the version of the format that is written, and the newest that is read.
const Format = 1

const (
	manifestName  = "manifest.json"
	checksumsName = "checksums.json"

	// chunk is the size at which a member of rows ends; maxRows bounds it with its last row.
	chunk   = 2 << 20
	maxRows = 64 << 20

	maxManifest  = 1 << 20
	maxChecksums = 256 << 20
	maxMembers   = 2_000_000
)

// Installation is a database with the stored files beside it, in a folder, which need not exist, or a bucket, as
// COUNTERFOIL_BLOBS names them.
type Installation struct {
	URL   string
	Blobs string

	Keys     *secrets.Keys // of Restore: they open the secrets in the backup, or those are given up
	Progress Progress      // of Make and Restore
}

// Progress is called with the progress of a step. The total may be an estimate; 0 is unknown.
type Progress func(step string, done, total int64)

func (p Progress) at(step string, done, total int64) {
	if p != nil {
		p(step, done, total)
	}
}

// reading is visit with the progress through the file, reported at each member.
func (p Progress) reading(step string, f *os.File, visit func(m member, r io.Reader) error) func(m member, r io.Reader) error {
	info, err := f.Stat()
	if p == nil || err != nil {
		return visit
	}
	return func(m member, r io.Reader) error {
		if done, err := f.Seek(0, io.SeekCurrent); err == nil {
			p(step, done, info.Size())
		}
		return visit(m, r)
	}
}

// Summary is the content of a backup.
type Summary struct {
	Manifest Manifest
	Rows     int64
	Blobs    int64
	Bytes    int64 // of the file
	Emptied  bool  // the rows of a restore that was cut off were removed first
	Lost     keyloss.Lost
	Gone     int64 // stored files that were removed while the backup was written, and are not in it
}

// Manifest is the first member of a backup.
type Manifest struct {
	Format    int       `json:"format"`
	Schema    uint      `json:"schema_version"`
	Engine    string    `json:"engine"`
	Program   string    `json:"counterfoil"` // of the program that wrote it
	CreatedAt time.Time `json:"created_at"`
	Tables    []Table   `json:"tables"` // a table comes after those that it references
}

// Table is a table as it was backed up.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
	Next    uint64   `json:"auto_increment,omitempty"` // the next id
}

// Column is a column of a table; Type says how its values are written.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // number, text or binary
}

func (m Manifest) table(name string) (Table, bool) {
	for _, t := range m.Tables {
		if t.Name == name {
			return t, true
		}
	}
	return Table{}, false
}

// checksums is the last member of a backup.
type checksums struct {
	Members []member         `json:"members"`
	Rows    map[string]int64 `json:"rows"` // by table
}

type member struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Rows   int64  `json:"rows,omitempty"`
}

// stop returns ctx's error once it has ended.
func stop(ctx context.Context) error { return context.Cause(ctx) }
