package verify

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/fault"
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
