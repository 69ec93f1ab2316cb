package images

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Save records a company's image, whose file is stored. Unless it was there, only those see it who see a ticket that it
// is bound to, or all members if it is for everyone.
func Save(ctx context.Context, tx *db.Tx, image Image) error {
	err := tx.SaveImage(ctx, db.SaveImageParams{
		CompanyID: image.Company, Hash: image.Hash[:], ContentType: image.Type, Bytes: uint64(image.Bytes),
		Width: uint32(image.Width), Height: uint32(image.Height), CreatedAt: tx.Now, Everyone: image.Everyone,
	})
	if err != nil {
		return fmt.Errorf("save image: %w", err)
	}
	return nil
}

// Keep is Save, and records the address that it came from.
func Keep(ctx context.Context, tx *db.Tx, image Image, address string) error {
	if err := Save(ctx, tx, image); err != nil {
		return err
	}
	source := sha256.Sum256([]byte(address))
	err := tx.SaveImageSource(ctx, db.SaveImageSourceParams{CompanyID: image.Company, UrlHash: source[:], Url: address,
		Hash: image.Hash[:], CreatedAt: tx.Now})
	if err != nil {
		return fmt.Errorf("keep source of image: %w", err)
	}
	return nil
}

// ByHash returns an image in sight, or NotFound.
func ByHash(ctx context.Context, q *db.Queries, sight db.Sight, hash Hash) (Image, error) {
	return imageFrom(db.Read(q.ImageByHash(ctx, db.ImageByHashParams{CompanyID: sight.Company, Hash: hash[:],
		Reach: sight.Reach, Reader: sight.Reader})))
}

// BySource returns the image of a company that an address gave, not before since, or NotFound.
func BySource(ctx context.Context, q *db.Queries, company id.Company, address string, since time.Time) (Image, error) {
	source := sha256.Sum256([]byte(address))
	return imageFrom(db.Read(q.ImageBySource(ctx, db.ImageBySourceParams{CompanyID: company, UrlHash: source[:],
		Since: since})))
}

func imageFrom(row db.Image, err error) (Image, error) {
	if db.IsNotFound(err) {
		return Image{}, NotFound()
	}
	if err != nil {
		return Image{}, fmt.Errorf("read image: %w", err)
	}
	return Image{
		Company: row.CompanyID, Hash: Hash(row.Hash), Type: row.ContentType, Bytes: int64(row.Bytes), Width: int(row.Width),
		Height: int(row.Height), CreatedAt: row.CreatedAt, Everyone: row.Everyone,
	}, nil
}
