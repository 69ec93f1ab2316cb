package images

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Shown is a picture that texts of a ticket show by its address.
type Shown struct {
	Company id.Company
	Ticket  id.Ticket
	By      id.Account // who saved the text
	Address string     // as in the text
}

func (s Shown) key() []byte {
	sum := sha256.Sum256([]byte(s.Address))
	return sum[:]
}

// Request is the address to request.
func (s Shown) Request() string { return RequestOf(s.Address) }

// RequestOf is the address to request for the address of an image in a text.
func RequestOf(address string) string {
	if strings.HasPrefix(address, "//") {
		return "https:" + address
	}
	return address
}

// Queue has a copy of the picture fetched, unless there is one or it was tried lately.
func (s Shown) Queue(ctx context.Context, tx *db.Tx) error {
	err := tx.QueuePicture(ctx, db.QueuePictureParams{TicketID: s.Ticket, UrlHash: s.key(), Url: s.Address,
		CompanyID: s.Company, AccountID: s.By, DueAt: &tx.Now, Now: tx.Now})
	if err != nil {
		return fmt.Errorf("queue picture: %w", err)
	}
	return nil
}

// Bind records the stored image of the picture: readers of the ticket see it.
func (s Shown) Bind(ctx context.Context, tx *db.Tx, image Hash) error {
	err := tx.BindPicture(ctx, db.BindPictureParams{TicketID: s.Ticket, UrlHash: s.key(), Url: s.Address,
		CompanyID: s.Company, AccountID: s.By, Hash: image[:], Now: tx.Now})
	if err != nil {
		return fmt.Errorf("bind picture: %w", err)
	}
	return nil
}

// Copies returns the stored images of those addresses in texts of a ticket that have one.
func Copies(ctx context.Context, q *db.Queries, ticket id.Ticket, addresses []string) (map[string]Hash, error) {
	if len(addresses) == 0 {
		return nil, nil //nolint:nilnil // reading a nil map is fine
	}
	keys, byKey := make([][]byte, len(addresses)), make(map[string]string, len(addresses))
	for i, address := range addresses {
		keys[i] = Shown{Address: address}.key()
		byKey[string(keys[i])] = address
	}
	rows, err := db.Read(q.PicturesShown(ctx, ticket, keys))
	if err != nil {
		return nil, fmt.Errorf("read pictures: %w", err)
	}
	copies := make(map[string]Hash, len(rows))
	for _, row := range rows {
		copies[byKey[string(row.UrlHash)]] = Hash(row.Hash)
	}
	return copies, nil
}

// Unknown returns those of some addresses that texts of a ticket did not show before.
func Unknown(ctx context.Context, q *db.Queries, ticket id.Ticket, addresses []string) ([]string, error) {
	keys := make([][]byte, len(addresses))
	for i, address := range addresses {
		keys[i] = Shown{Address: address}.key()
	}
	known, err := db.Read(q.PicturesKnown(ctx, ticket, keys))
	if err != nil {
		return nil, fmt.Errorf("read pictures: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(addresses), func(address string) bool {
		key := Shown{Address: address}.key()
		return slices.ContainsFunc(known, func(k []byte) bool { return bytes.Equal(k, key) })
	}), nil
}

// Due is a picture to fetch now.
type Due struct {
	Shown
	Attempts int // before this one
	at       *time.Time
}

// DuePictures returns up to limit pictures to fetch, the longest due first, but none of some companies.
func DuePictures(ctx context.Context, q *db.Queries, but []id.Company, limit int) ([]Due, error) {
	rows, err := db.Read(q.DuePictures(ctx, append(but, 0), int32(limit))) // a list of none is no SQL
	if err != nil {
		return nil, fmt.Errorf("read due pictures: %w", err)
	}
	list := make([]Due, len(rows))
	for i, row := range rows {
		list[i] = Due{Attempts: int(row.Attempts), at: row.DueAt,
			Shown: Shown{Company: row.CompanyID, Ticket: row.TicketID, By: row.AccountID, Address: row.Url}}
	}
	return list, nil
}

// Claim takes the picture for so long; ok is false if another process has it.
func (d Due) Claim(ctx context.Context, q *db.Queries, lease time.Duration) (ok bool, err error) {
	n, err := q.ClaimPicture(ctx, db.ClaimPictureParams{LeaseUs: lease.Microseconds(), TicketID: d.Ticket,
		UrlHash: d.key(), DueAt: d.at})
	if err != nil {
		return false, fmt.Errorf("claim picture: %w", err)
	}
	return n == 1, nil
}

// Postpone has the picture fetched after a while, as an attempt or as none.
func (d Due) Postpone(ctx context.Context, q *db.Queries, wait time.Duration, attempts int) error {
	err := q.PostponePicture(ctx, db.PostponePictureParams{WaitUs: wait.Microseconds(), Attempts: uint8(attempts),
		TicketID: d.Ticket, UrlHash: d.key()})
	if err != nil {
		return fmt.Errorf("postpone picture: %w", err)
	}
	return nil
}

// Drop gives the picture up: its text goes on showing a link.
func (d Due) Drop(ctx context.Context, q *db.Queries) error {
	if err := q.DropPicture(ctx, d.Ticket, d.key()); err != nil {
		return fmt.Errorf("drop picture: %w", err)
	}
	return nil
}

// Store records the fetched copy, whose files are stored.
func (d Due) Store(ctx context.Context, tx *db.Tx, image Image) error {
	image.Company = d.Company
	if err := Save(ctx, tx, image); err != nil {
		return err
	}
	if err := tx.StorePicture(ctx, db.StorePictureParams{Hash: image.Hash[:], TicketID: d.Ticket, UrlHash: d.key()}); err != nil {
		return fmt.Errorf("store picture: %w", err)
	}
	return nil
}

// Files is where images are stored.
type Files interface {
	Put(ctx context.Context, name string, content io.Reader) error
}

// StoreFiles stores a picture with its small copy, and returns its image without a company.
func StoreFiles(ctx context.Context, files Files, picture Picture) (Image, error) {
	if err := files.Put(ctx, picture.Hash.Blob(), bytes.NewReader(picture.Content)); err != nil {
		return Image{}, err
	}
	if picture.Thumbnail != nil {
		if err := files.Put(ctx, picture.Hash.Thumbnail(), bytes.NewReader(picture.Thumbnail)); err != nil {
			return Image{}, err
		}
	}
	return Image{Hash: picture.Hash, Type: picture.Type, Bytes: int64(len(picture.Content)), Width: picture.Width,
		Height: picture.Height}, nil
}

// Accept is the Accept header of a request for an image.
const Accept = "image/png,image/jpeg,image/gif,image/webp;q=0.9,*/*;q=0.1"

// MayBe reports whether an answer of that Content-Type is worth reading: an absent or general type may be an image.
func MayBe(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return kind == "" || kind == "application/octet-stream" || kind == "binary/octet-stream" ||
		strings.HasPrefix(kind, "image/")
}
