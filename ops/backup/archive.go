package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// archive writes the members of a backup and records their checksums.
type archive struct {
	zip  *gzip.Writer
	tar  *tar.Writer
	at   time.Time
	sums checksums

	progress    Progress
	rows, blobs int64
	estimate    int64 // of the rows of all tables
}

func newArchive(w io.Writer, at time.Time) *archive {
	zip, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is a valid one
	return &archive{zip: zip, tar: tar.NewWriter(zip), at: at,
		sums: checksums{Members: []member{}, Rows: map[string]int64{}}}
}

// add adds a member of size bytes. The error is the reader's or the file's.
func (a *archive) add(name string, size, rows int64, content io.Reader) error {
	if len(a.sums.Members) >= maxMembers {
		return fmt.Errorf("more than %d stored files", maxMembers)
	}
	err := a.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: a.at,
		Format: tar.FormatPAX})
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(a.tar, sum), io.LimitReader(content, size))
	if err != nil {
		return err
	}
	if n != size {
		return fmt.Errorf("%s became shorter while it was read", name)
	}
	a.sums.Members = append(a.sums.Members, member{Name: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil)),
		Rows: rows})
	return nil
}

func (a *archive) addJSON(name string, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	content = append(content, '\n')
	return a.add(name, int64(len(content)), 0, bytes.NewReader(content))
}

// addRows adds a member with rows of a table.
func (a *archive) addRows(table string, part, rows int64, content []byte) error {
	a.sums.Rows[table] += rows
	a.rows += rows
	a.progress.at("rows", a.rows, a.estimate)
	return a.add(fmt.Sprintf("rows/%s/%06d.jsonl", table, part), int64(len(content)), rows, bytes.NewReader(content))
}

// addBlob adds a stored file.
func (a *archive) addBlob(name string, size int64, content io.Reader) error {
	a.blobs++
	a.progress.at("stored files", a.blobs, 0)
	return a.add(name, size, 0, content)
}

// close adds the checksums and ends the archive.
func (a *archive) close() error {
	if err := a.addJSON(checksumsName, a.sums); err != nil {
		return err
	}
	if err := a.tar.Close(); err != nil {
		return err
	}
	return a.zip.Close()
}
