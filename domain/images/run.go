package images

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"net/url"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// OfRun is an image that a run stored. Visible says that the reader may see it: of another one Address is the host.
type OfRun struct {
	ID       uint64
	Run      id.Run
	Company  string // its slug
	Address  string
	Hash     Hash
	Bytes    uint64
	Width    uint32
	Height   uint32
	StoredAt time.Time
	Visible  bool
}

// RecordRun records that a run stored an image from an address.
func RecordRun(ctx context.Context, tx *db.Tx, run id.Run, image Image, address string) error {
	source := sha256.Sum256([]byte(address))
	err := tx.SaveRunImage(ctx, db.SaveRunImageParams{RunID: run, CompanyID: image.Company, UrlHash: source[:], Url: address,
		Hash: image.Hash[:], CreatedAt: tx.Now})
	if err != nil {
		return fmt.Errorf("record image of a run: %w", err)
	}
	return nil
}

// OfRuns returns a page of the images that runs stored, the newest first: those with an id below before, or from the
// newest if it is 0.
func OfRuns(ctx context.Context, q *db.Queries, reader id.Account, before uint64, limit int) ([]OfRun, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := db.Read(q.RunImages(ctx, db.RunImagesParams{Reader: reader, Before: before, Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read images of runs: %w", err)
	}
	list := make([]OfRun, len(rows))
	for i, row := range rows {
		list[i] = OfRun{ID: row.ID, Run: row.RunID, Company: row.CompanySlug, Address: row.Url, Hash: Hash(row.Hash),
			Bytes: row.Bytes, Width: row.Width, Height: row.Height, StoredAt: row.CreatedAt, Visible: row.Visible != 0}
		if !list[i].Visible {
			list[i].Address = hostOf(row.Url)
		}
	}
	return list, nil
}

// hostOf is the host of an address, "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
