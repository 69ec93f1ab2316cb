package upkeep

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// filesAtOnce is how many stored files are looked at at once.
const filesAtOnce = 500

// strayCursor begins the cursor of the files without a row, after those with one.
const strayCursor = "stray "

// fileTask is a task of remove-files: a file, or the stored file of that generation, which has no row.
type fileTask struct {
	Hash  string  `json:"hash"`
	Stray *uint32 `json:"stray,omitempty"`
}

// removeFiles removes files that no ticket needs any more.
func (m *Upkeep) removeFiles() *migrations.Migration {
	return &migrations.Migration{
		Name: "remove-files", Title: "Remove unused files",
		Description: "Permanently removes the files of attachments that were deleted more than 30 days ago, of tickets that were purged, and of texts that were never saved, and files that a crash left. Companies get their space back. A file that a ticket still has stays.",
		Fill:        m.fillFiles,
		Process:     m.removeFile,
		Preview:     m.previewFile,
		Label:       fileLabel,
		Knobs:       migrations.Knobs{Concurrency: 8, Block: 8},
	}
}

// fillFiles's cursor is the last file: first of those with a row, then of those without.
func (m *Upkeep) fillFiles(ctx context.Context, into migrations.Filler) error {
	if m.files == nil {
		return migrations.NoFiles()
	}
	now, err := db.Read(m.bulk.Clock(ctx))
	if err != nil {
		return fmt.Errorf("read the time: %w", err)
	}
	add := func(task fileTask, cursor string) error {
		payload, err := json.Marshal(task)
		if err != nil {
			return fmt.Errorf("write payload: %w", err)
		}
		return into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: cursor})
	}
	name, strays := strings.CutPrefix(into.Cursor(), strayCursor)
	if !strays {
		after, _ := files.ParseHash(into.Cursor()) // zero at first
		for more := true; more; {
			var unused []files.Hash
			if unused, after, more, err = files.Unused(ctx, m.bulk.Queries, after, filesAtOnce, now); err != nil {
				return err
			}
			for _, hash := range unused {
				if err := add(fileTask{Hash: hash.String()}, hash.String()); err != nil {
					return err
				}
			}
		}
	}
	last, _ := files.ParseName(name)
	// By the clock of the place, or of this server, which may differ from the database's: so a day more.
	before := now.Add(-files.KeepUnbound - 24*time.Hour)
	return files.Strays(ctx, m.bulk.Queries, m.files, last, before, func(stored files.Stored) error {
		return add(fileTask{stored.Hash.String(), &stored.Generation}, strayCursor+stored.Name())
	})
}

func fileLabel(payload string) string {
	if hash := migrations.PayloadFields(payload)["hash"]; len(hash) >= 12 {
		return "file " + hash[:12] + "…"
	}
	return ""
}

func fileOf(work *migrations.Work) (hash files.Hash, stray *uint32, err error) {
	var task fileTask
	err = json.Unmarshal([]byte(work.Task.Payload), &task)
	hash, ok := files.ParseHash(task.Hash)
	if err != nil || !ok {
		return hash, nil, migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return hash, task.Stray, nil
}

// removeFile removes the row of a file unless something needs it, and then the file. If it is cut off between both, the
// file is a stray of the next run.
func (m *Upkeep) removeFile(ctx context.Context, work *migrations.Work) error {
	if m.files == nil {
		return migrations.NoFiles()
	}
	hash, stray, err := fileOf(work)
	if err != nil {
		return err
	}
	if stray != nil {
		return m.removeStray(ctx, work, files.Stored{Hash: hash, Generation: *stray})
	}
	var done files.Removal
	err = m.bulk.InTx(ctx, func(tx *db.Tx) error {
		now, err := tx.Clock(ctx)
		if err != nil {
			return fmt.Errorf("read the time: %w", err)
		}
		done, err = files.Remove(ctx, tx, hash, now)
		return err
	})
	if err == nil && done.Removed {
		err = files.DeleteFiles(ctx, m.files, done.Stored)
	}
	if err != nil {
		return err
	}
	work.Note(noteOf(done))
	return nil
}

func (m *Upkeep) removeStray(ctx context.Context, work *migrations.Work, stored files.Stored) error {
	known, err := files.HasRow(ctx, m.bulk.Queries, stored)
	if err == nil && !known {
		err = files.DeleteFiles(ctx, m.files, stored)
	}
	if err != nil {
		return err
	}
	if known {
		work.Note("The file is needed. It was left alone.")
		return nil
	}
	work.Note("Removed a file that belonged to no attachment.")
	return nil
}

func noteOf(done files.Removal) string {
	switch {
	case done.Removed:
		return fmt.Sprintf("Removed a file of %d bytes with %d attachments.", done.Bytes, done.Attachments)
	case done.Attachments > 0:
		return fmt.Sprintf("Removed %d attachments. Others need the file, so it stays.", done.Attachments)
	}
	return "The file is needed again, or is already gone. It was left alone."
}

func (m *Upkeep) previewFile(_ context.Context, work *migrations.Work) (string, error) {
	if _, _, err := fileOf(work); err != nil {
		return "", err
	}
	return "Would remove this file unless it is needed again by then.", nil
}
