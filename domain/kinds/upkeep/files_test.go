package upkeep_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/ops/verify"
)

// fileEnv is an environment with a folder for files.
type fileEnv struct {
	*env
	store  *blobs.Store
	folder string
}

func newFileEnv(t testing.TB) *fileEnv {
	t.Helper()
	folder := t.TempDir()
	store := domaintest.OK(blobs.Open(t.Context(), folder))(t)
	return &fileEnv{newEnv(t, app.WithFiles(store)), store, folder}
}

func textFile(content string) workflows.NewFile {
	return workflows.NewFile{Name: content + ".txt", Content: strings.NewReader(content), Size: int64(len(content))}
}

var demo = tickets.Key{Board: "DEMO", Number: 1}

func (e *fileEnv) attach(t testing.TB, content string) id.Attachment {
	t.Helper()
	return domaintest.OK(e.Workflows.Attach(e.Ctx, demo, textFile(content), nil))(t).Attachment.ID
}

// contents are those of the stored files, in order.
func (e *fileEnv) contents(t testing.TB) (list []string) {
	t.Helper()
	domaintest.Must(t, filepath.WalkDir(filepath.Join(e.folder, "files"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, string(domaintest.OK(os.ReadFile(path))(t)))
		}
		return err
	}))
	slices.Sort(list)
	return list
}

func (e *fileEnv) verified(t testing.TB) {
	t.Helper()
	report := domaintest.OK(verify.Run(context.Background(), e.DB, apptest.Keys, e.folder, nil))(t)
	if !report.OK() {
		report.Text(t.Output())
		t.Error("verify finds something")
	}
}

// expire makes deletions and uploads as old as they need to be.
func (e *fileEnv) expire(t testing.TB) {
	t.Helper()
	e.Exec(t, "UPDATE attachment SET deleted_at = NOW(6) - INTERVAL 31 DAY WHERE deleted_at IS NOT NULL")
	e.Exec(t, "UPDATE attachment SET created_at = NOW(6) - INTERVAL 25 HOUR WHERE ticket_id IS NULL")
}

func TestRemoveFiles(t *testing.T) {
	t.Parallel()
	t.Run("what nothing needs is removed, and what something needs stays", func(t *testing.T) {
		t.Parallel()
		e := newFileEnv(t)
		run := func() { e.RunToEnd(t, "remove-files", migrations.Values{}, migrations.Draft{}) }
		gone, kept := e.attach(t, "gone"), e.attach(t, "kept")
		e.attach(t, "shared")
		shared := e.attach(t, "shared")
		domaintest.OK(e.Workflows.Upload(e.Ctx, textFile("draft")))(t)
		for _, one := range []id.Attachment{gone, shared} {
			_, _, err := e.Workflows.DeleteAttachment(e.Ctx, demo, one)
			domaintest.Must(t, err)
		}
		run()
		if got := e.contents(t); !slices.Equal(got, []string{"draft", "gone", "kept", "shared"}) {
			t.Errorf("%q are left", got)
		}
		e.expire(t)
		stray := files.Stored{Hash: files.Hash{7}, Generation: 9}
		domaintest.Must(t, e.store.Put(e.Ctx, stray.Image(), strings.NewReader("a crash left it")))
		young := files.Stored{Hash: files.Hash{8}, Generation: 9}
		domaintest.Must(t, e.store.Put(e.Ctx, young.Name(), strings.NewReader("on its way")))
		old := time.Now().Add(-49 * time.Hour)
		domaintest.Must(t, os.Chtimes(filepath.Join(e.folder, stray.Image()), old, old))
		dry, _ := e.RunToEnd(t, "remove-files", migrations.Values{}, migrations.Draft{Dry: true})
		if dry.Total != 3 || len(e.contents(t)) != 6 {
			t.Errorf("a dry run has %d tasks, and leaves %q", dry.Total, e.contents(t))
		}
		run()
		if got := e.contents(t); !slices.Equal(got, []string{"kept", "on its way", "shared"}) {
			t.Errorf("%q are left", got)
		}
		_, file, err := e.Workflows.OpenAttachment(e.Ctx, kept, workflows.Original)
		domaintest.Must(t, err)
		file.Close()
		if used := domaintest.OK(e.Workflows.StorageUsed(e.Ctx))(t).Used; used != 16 { // the deleted one of the shared waits for its file
			t.Errorf("%d bytes are used", used)
		}
		e.attach(t, "gone") // the same content again
		if got := e.contents(t); !slices.Contains(got, "gone") {
			t.Errorf("%q are left", got)
		}
		e.verified(t)
	})
	t.Run("no upload of the same content loses its file to a removal", func(t *testing.T) {
		t.Parallel()
		e := newFileEnv(t)
		done := make(chan struct{})
		var removers, senders sync.WaitGroup
		removed := 0
		removers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				hashes, _, _, err := files.Unused(e.Ctx, e.DB.Queries, files.Hash{}, 100, time.Now())
				domaintest.Must(t, err)
				for _, hash := range hashes {
					var gone files.Removal
					domaintest.Must(t, e.DB.InTx(e.Ctx, func(tx *db.Tx) (err error) {
						gone, err = files.Remove(e.Ctx, tx, hash, tx.Now)
						return err
					}))
					if gone.Removed {
						removed++
						domaintest.Must(t, files.DeleteFiles(e.Ctx, e.store, gone.Stored))
					}
				}
			}
		})
		for range 3 {
			senders.Go(func() {
				for n := range 40 {
					one := domaintest.OK(e.Workflows.Attach(e.Ctx, demo, textFile("same"), nil))(t).Attachment.ID
					_, file, err := e.Workflows.OpenAttachment(e.Ctx, one, workflows.Original)
					if err != nil {
						t.Error(fmt.Errorf("the file of attachment %d: %w", one, err))
						return
					}
					file.Close()
					if n < 39 { // the last stays
						_, _, err := e.Workflows.DeleteAttachment(e.Ctx, demo, one)
						domaintest.Must(t, err)
						e.Exec(t, "UPDATE attachment SET deleted_at = NOW(6) - INTERVAL 31 DAY WHERE id = ?", uint64(one))
					}
				}
			})
		}
		senders.Wait()
		close(done)
		removers.Wait()
		if removed == 0 {
			t.Error("nothing was removed, so nothing is proved")
		}
		if got := e.contents(t); !slices.Equal(got, []string{"same"}) {
			t.Errorf("%q are stored", got)
		}
		e.verified(t)
	})
}
