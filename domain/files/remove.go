package files

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/id"
)

const (
	// KeepDeleted is how long the file of a deleted attachment is kept.
	KeepDeleted = 30 * 24 * time.Hour
	// KeepUnbound is how long a file is kept that was sent for a text which was not saved.
	KeepUnbound = 24 * time.Hour
	// removedAtOnce is how many attachments of one file are removed in a transaction.
	removedAtOnce = 1000
)

// Expired reports whether an attachment need not be kept at a time.
func Expired(now time.Time, bound bool, createdAt time.Time, deletedAt *time.Time) bool {
	if deletedAt != nil {
		return deletedAt.Before(now.Add(-KeepDeleted))
	}
	return !bound && createdAt.Before(now.Add(-KeepUnbound))
}

// Unused returns those of the next limit files behind one that nothing needs any more, and the last of all that it read;
// more says that there are others behind that. now is the database's time.
func Unused(
	ctx context.Context, q *db.Queries, after Hash, limit int, now time.Time,
) (unused []Hash, last Hash, more bool, err error) {
	hashes, err := db.Read(q.StoredFilesAfter(ctx, after[:], int32(limit)))
	if err != nil || len(hashes) == 0 {
		return nil, after, false, err
	}
	deletedSince := now.Add(-KeepDeleted)
	used, err := db.Read(q.UsedFiles(ctx, db.UsedFilesParams{Hashes: hashes, DeletedSince: &deletedSince,
		CreatedSince: now.Add(-KeepUnbound)}))
	if err != nil {
		return nil, after, false, fmt.Errorf("read attachments: %w", err)
	}
	needed := make(map[Hash]bool, len(used))
	for _, hash := range used {
		needed[Hash(hash)] = true
	}
	for _, hash := range hashes {
		if !needed[Hash(hash)] {
			unused = append(unused, Hash(hash))
		}
	}
	return unused, Hash(hashes[len(hashes)-1]), len(hashes) == limit, nil
}

// Removal is what became of a file that was about to be removed.
type Removal struct {
	Removed bool   // its row is gone
	Stored  Stored // what is to be deleted then
	Bytes   int64  // of the file
	// Attachments is how many attachments went with it. Some may stay for the next removal, and their file with them.
	Attachments int
}

// Remove removes a file's row, with its expired attachments, unless something needs it. Stored is what to delete with
// DeleteFiles once the transaction is committed. now is the database's time.
func Remove(ctx context.Context, tx *db.Tx, hash Hash, now time.Time) (done Removal, err error) {
	n, err := tx.LockFile(ctx, hash[:])
	if err != nil {
		return done, fmt.Errorf("lock file: %w", err)
	}
	if n == 0 {
		return done, nil
	}
	row, err := tx.StoredFile(ctx, hash[:])
	if err != nil {
		return done, fmt.Errorf("read file: %w", err)
	}
	refs, err := tx.AttachmentsOfFile(ctx, hash[:], removedAtOnce+1)
	if err != nil {
		return done, fmt.Errorf("read attachments: %w", err)
	}
	var expired []id.Attachment
	freed := map[id.Company]uint64{}
	for _, ref := range refs[:min(len(refs), removedAtOnce)] {
		if Expired(now, ref.TicketID != nil, ref.CreatedAt, ref.DeletedAt) {
			expired = append(expired, ref.ID)
			freed[ref.CompanyID] += row.Bytes
		}
	}
	if len(expired) > 0 {
		if _, err := tx.RemoveAttachments(ctx, expired); err != nil {
			return done, fmt.Errorf("remove attachments: %w", err)
		}
	}
	for _, company := range slices.Sorted(maps.Keys(freed)) { // in one order, as they are locked
		if err := Release(ctx, tx, company, freed[company]); err != nil {
			return done, err
		}
	}
	done.Attachments, done.Bytes, done.Stored = len(expired), int64(row.Bytes), From(row).Stored
	if len(refs) > len(expired) {
		return done, nil
	}
	if _, err := tx.RemoveFile(ctx, hash[:]); err != nil {
		return done, fmt.Errorf("remove file: %w", err)
	}
	done.Removed = true
	return done, nil
}

// DeleteFiles deletes a file that has no row any more, with its copies. Its names never come back.
func DeleteFiles(ctx context.Context, store *blobs.Store, stored Stored) error {
	for _, name := range stored.Names() {
		if err := store.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// Strays calls visit with each file behind one that is stored since before a time and has no row, in the order of names:
// an upload or a removal that was cut off left it.
func Strays(
	ctx context.Context, q *db.Queries, store *blobs.Store, after Stored, before time.Time, visit func(Stored) error,
) error {
	const page = 500
	var batch []Stored
	flush := func() error {
		list, err := unknown(ctx, q, batch)
		batch = nil
		for _, stored := range list {
			if err == nil {
				err = visit(stored)
			}
		}
		return err
	}
	err := store.Walk(ctx, Prefix, func(info blobs.Info) error {
		stored, ok := ParseName(info.Name)
		seen := stored.Name() <= after.Name() || len(batch) > 0 && batch[len(batch)-1] == stored
		if !ok || seen || !info.ModTime.Before(before) {
			return nil
		}
		if batch = append(batch, stored); len(batch) < page {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// HasRow reports whether a stored file is that of a row.
func HasRow(ctx context.Context, q *db.Queries, stored Stored) (bool, error) {
	list, err := unknown(ctx, q, []Stored{stored})
	return len(list) == 0, err
}

// unknown returns the files without a row.
func unknown(ctx context.Context, q *db.Queries, list []Stored) ([]Stored, error) {
	if len(list) == 0 {
		return nil, nil
	}
	hashes := make([][]byte, len(list))
	for i := range list {
		hashes[i] = list[i].Hash[:]
	}
	rows, err := db.Read(q.KnownFiles(ctx, hashes))
	if err != nil {
		return nil, fmt.Errorf("read stored files: %w", err)
	}
	known := make(map[Stored]bool, len(rows))
	for _, row := range rows {
		known[Stored{Hash(row.Hash), row.Generation}] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(stored Stored) bool { return known[stored] }), nil
}
