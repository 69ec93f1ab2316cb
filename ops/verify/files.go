package verify

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/images"
)

// imageFiles checks the files of companies' images. A file is stored before its row is written and never removed, so
// every image of the snapshot must have one.
func imageFiles(place string) check {
	return check{
		name: "image files", says: "The file of every image is there and as long as it should be, and a large one's small copy is there, too.", tables: []string{"image"},
		run: func(l *checkRun) error {
			if l.Rows == 0 {
				return nil
			}
			files, err := filesIn(l, place)
			if err != nil {
				l.find("the stored files in %s cannot be read: %s", place, whyNot(err))
				return nil
			}
			return l.each("SELECT company_id, hash, bytes, width, height FROM image ORDER BY company_id, hash", func(rows *sql.Rows) error {
				var company uint64
				var hash []byte
				var size int64
				var width, height int
				if err := rows.Scan(&company, &hash, &size, &width, &height); err != nil {
					return err
				}
				if len(hash) != len(images.Hash{}) {
					l.find("image %x of company %d has no hash", hash, company)
					return nil
				}
				name := images.Hash(hash)
				switch file, ok := files[name]; {
				case !ok || !file.there:
					l.find("image %s of company %d has no file: %s is not in %s", name, company, name.Blob(), place)
				case file.size != size:
					l.find("image %s of company %d has %d bytes, but its file has %d", name, company, size, file.size)
				case !file.small && images.HasThumbnail(width, height):
					l.find("image %s of company %d has no small copy: %s is not in %s", name, company, name.Thumbnail(), place)
				}
				return nil
			})
		},
	}
}

// imageFile is a stored image.
type imageFile struct {
	size         int64
	there, small bool
}

// filesIn lists the stored images without creating a folder.
func filesIn(l *checkRun, place string) (map[images.Hash]imageFile, error) {
	found := map[images.Hash]imageFile{}
	if _, err := os.Stat(place); !blobs.Remote(place) && errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	store, err := blobs.Open(l.ctx, place)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return found, store.Walk(l.ctx, "images/", func(file blobs.Info) error {
		last := file.Name[strings.LastIndexByte(file.Name, '/')+1:]
		name, _, _ := strings.Cut(last, ".")
		hash, ok := images.ParseHash(name)
		small := ok && file.Name == hash.Thumbnail()
		if !ok || !small && file.Name != hash.Blob() {
			return nil
		}
		one := found[hash]
		if small {
			one.small = file.Size > 0
		} else {
			one.there, one.size = true, file.Size
		}
		found[hash] = one
		return nil
	})
}

// whyNot is an error in the words of the report.
func whyNot(err error) string {
	if said := fault.Message(err); said != "" {
		return said
	}
	return err.Error()
}

// attachedFiles checks the files of attachments that are kept: a file is stored before its row is committed, and its row
// is removed with it. Files without a row are noted: a crash, or an upload under way, leaves them.
func attachedFiles(place string) check {
	return check{
		name: "attached files", says: "The file of every attachment is there and as long as it should be, and so are a picture's copies.", tables: []string{"stored_file"},
		run: func(l *checkRun) error {
			stored, err := sizesIn(l, place)
			if err != nil && l.Rows == 0 {
				return nil // another check says so
			}
			if err != nil {
				l.find("the stored files in %s cannot be read: %s", place, whyNot(err))
				return nil
			}
			known := map[files.Stored]bool{}
			err = l.each(`SELECT f.hash, f.bytes, f.image_type, f.image_bytes, f.width, f.height, f.generation, EXISTS (SELECT 1 FROM attachment a FORCE INDEX (ix_attachment_file)
				WHERE a.hash = f.hash AND (a.deleted_at IS NULL OR a.deleted_at > NOW(6) - INTERVAL 30 DAY) AND (a.ticket_id IS NOT NULL OR a.created_at > NOW(6) - INTERVAL 1 DAY))
				FROM stored_file f ORDER BY f.hash`, func(rows *sql.Rows) error {
				var row db.StoredFile
				var needed bool
				if err := rows.Scan(&row.Hash, &row.Bytes, &row.ImageType, &row.ImageBytes, &row.Width, &row.Height, &row.Generation, &needed); err != nil {
					return err
				}
				if len(row.Hash) != len(files.Hash{}) {
					l.find("file %x has no hash", row.Hash)
					return nil
				}
				file := files.From(row)
				known[file.Stored] = true
				if needed {
					findFile(l, place, stored, file)
				}
				return nil
			})
			if err != nil {
				return err
			}
			stray := 0
			for name := range stored {
				if file, ok := files.ParseName(name); ok && !known[file] {
					stray++
				}
			}
			if stray > 0 {
				l.Notes = append(l.Notes, fmt.Sprintf("%d files in %s belong to no attachment: an upload was cut off or is under way. The run remove-files removes them after two days.", stray, place))
			}
			return nil
		},
	}
}

// findFile reports the names of a file that are missing or have another size.
func findFile(l *checkRun, place string, stored map[string]int64, file files.File) {
	sizes := map[string]int64{file.Stored.Name(): file.Bytes, file.Stored.Image(): file.Picture.Bytes}
	for _, name := range file.Names() {
		size, ok := stored[name]
		want, exact := sizes[name]
		switch {
		case !ok:
			l.find("attached file %s is not in %s", name, place)
		case exact && size != want:
			l.find("attached file %s should have %d bytes, but has %d", name, want, size)
		}
	}
}

// sizesIn lists the files of attachments without creating a folder.
func sizesIn(l *checkRun, place string) (map[string]int64, error) {
	found := map[string]int64{}
	if _, err := os.Stat(place); !blobs.Remote(place) && errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	store, err := blobs.Open(l.ctx, place)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return found, store.Walk(l.ctx, files.Prefix, func(file blobs.Info) error {
		found[file.Name] = file.Size
		return nil
	})
}
