package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/counterfoil/counterfoil/domain/blobs"
)

// The counterparts of blobs.go and make.go for a bucket.

func writeBucket(ctx context.Context, where string, a *archive, summary *Summary) error {
	store, err := blobs.Open(ctx, where)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Walk(ctx, "", func(info blobs.Info) error {
		r, err := store.Open(ctx, info.Name)
		if errors.Is(err, fs.ErrNotExist) {
			summary.Gone++
			return nil
		}
		if err != nil {
			return err
		}
		defer r.Close()
		summary.Blobs++
		return a.addBlob("blobs/"+info.Name, info.Size, r)
	})
}

func bucketEmpty(ctx context.Context, where string, known map[string]member) error {
	store, err := blobs.Open(ctx, where)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Walk(ctx, "", func(info blobs.Info) error {
		was, ok := known[info.Name]
		if ok {
			r, err := store.Open(ctx, info.Name)
			if err != nil {
				return err
			}
			defer r.Close()
			if ok, err = equal(r, was); err != nil {
				return err
			}
		}
		if !ok {
			return NotEmpty("the place of its stored files, " + store.String() + ", holds " + info.Name)
		}
		return nil
	})
}

func restoreBucket(ctx context.Context, where string, f *os.File, c contents) error {
	store, err := blobs.Open(ctx, where)
	if err != nil {
		return err
	}
	defer store.Close()
	return eachBlob(ctx, f, c, func(name string, was member, r io.Reader) error {
		content := &checkedReader{Reader: r, sum: sha256.New(), want: was.SHA256}
		err := store.Put(ctx, name, content)
		if err != nil && content.err == nil { // of the bucket, not of the backup
			return memberError{err}
		}
		return err
	})
}

// checkedReader ends with errChanged if the content does not match, so that it is not stored.
type checkedReader struct {
	io.Reader
	sum  hash.Hash
	want string
	err  error
}

func (c *checkedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.sum.Write(p[:n])
	if err == io.EOF && hex.EncodeToString(c.sum.Sum(nil)) != c.want {
		err = errChanged
	}
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}
