package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/counterfoil/counterfoil/db"
)

// contents is the content of a backup, with every byte checked.
type contents struct {
	manifest Manifest
	sums     checksums
	blobs    map[string]member // by name below the folder of stored files
	size     int64             // of the file
	progress Progress
}

// Check reads a backup to its end and returns its content. It returns BadFile, NotABackup, Damaged or TooNew. progress
// may be nil.
func Check(ctx context.Context, file string, progress Progress) (Summary, error) {
	f, err := open(file)
	if err != nil {
		return Summary{}, err
	}
	defer f.Close()
	c, err := inspect(ctx, f, anyRoom, progress)
	if err != nil {
		return Summary{}, err
	}
	return c.summary(), nil
}

func open(file string) (*os.File, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, BadFile(file, err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, NotABackup(file)
	}
	return f, nil
}

func (c contents) summary() Summary {
	s := Summary{Manifest: c.manifest, Blobs: int64(len(c.blobs)), Bytes: c.size}
	for _, n := range c.sums.Rows {
		s.Rows += n
	}
	return s
}

// room limits the stored files to the free space.
type room func(need uint64) error

func anyRoom(uint64) error { return nil }

// inspect compares a whole file with its checksums. It keeps only the first and the last member in memory, and refuses
// impossible sizes of them before it reads them.
func inspect(ctx context.Context, f *os.File, enough room, progress Progress) (contents, error) {
	in := &inspection{contents: contents{blobs: map[string]member{}, progress: progress}, file: f.Name(), enough: enough}
	if err := walk(ctx, f, progress.reading("check the file", f, in.visit)); err != nil {
		return contents{}, err
	}
	if !in.complete {
		return contents{}, Damaged(f.Name(), "its end is missing")
	}
	if err := in.compare(); err != nil {
		return contents{}, Damaged(f.Name(), err.Error())
	}
	var err error
	in.size, err = f.Seek(0, io.SeekEnd)
	return in.contents, err
}

type inspection struct {
	contents
	file     string
	enough   room
	found    []member
	complete bool   // the checksums were read
	bytes    uint64 // of stored files
}

func (in *inspection) visit(m member, r io.Reader) error {
	switch {
	case in.complete:
		return errors.New("it has data after its checksums")
	case len(in.found) == 0:
		return in.first(m, r)
	case m.Name == checksumsName:
		in.complete = true
		return in.sums.read(r)
	}
	name, blob := blobName(m.Name)
	if !blob && !in.known(m.Name) {
		return fmt.Errorf("its member %.60q is none of its tables", m.Name)
	}
	if blob {
		in.bytes += uint64(m.Size)
		if err := in.enough(in.bytes); err != nil {
			return err
		}
	}
	m, err := digest(m, r)
	if err != nil {
		return err
	}
	if in.found = append(in.found, m); blob {
		in.blobs[name] = m
	}
	return nil
}

func (in *inspection) first(m member, r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if in.manifest, err = readManifest(in.file, content); err != nil {
		return err
	}
	m, err = digest(m, bytes.NewReader(content))
	in.found = append(in.found, m)
	return err
}

// known reports whether a member holds rows of a table that the manifest names.
func (in *inspection) known(name string) bool {
	parts := rowsForm.FindStringSubmatch(name)
	if parts == nil {
		return false
	}
	_, ok := in.manifest.table(parts[1])
	return ok
}

// compare compares the members with the checksums.
func (in *inspection) compare() error {
	if len(in.found) != len(in.sums.Members) {
		return fmt.Errorf("it has %d members, its checksums name %d", len(in.found), len(in.sums.Members))
	}
	rows := make(map[string]int64, len(in.sums.Rows))
	for i, m := range in.found {
		if m != in.sums.Members[i] {
			return fmt.Errorf("its member %s is not as it was written", m.Name)
		}
		if parts := rowsForm.FindStringSubmatch(m.Name); parts != nil {
			rows[parts[1]] += m.Rows
		}
	}
	if len(in.sums.Rows) != len(in.manifest.Tables) {
		return errors.New("its checksums name other tables than its manifest")
	}
	for _, t := range in.manifest.Tables {
		if n, ok := in.sums.Rows[t.Name]; !ok || n != rows[t.Name] {
			return fmt.Errorf("it has %d rows of %s, its checksums say %d", rows[t.Name], t.Name, n)
		}
	}
	return nil
}

// walk calls visit with each member of a backup, its content unread, and returns Damaged with the error of visit
// unless that has a kind.
func walk(ctx context.Context, f *os.File, visit func(m member, r io.Reader) error) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return BadFile(f.Name(), err)
	}
	file := bufio.NewReaderSize(f, 1<<18)
	zip, err := gzip.NewReader(file)
	if err != nil {
		return NotABackup(f.Name())
	}
	zip.Multistream(false)
	members := tar.NewReader(zip)
	for n := 0; ; n++ {
		if err := stop(ctx); err != nil {
			return err
		}
		header, err := members.Next()
		if n == 0 && (err == io.EOF || errors.Is(err, tar.ErrHeader) || err == nil && header.Name != manifestName) {
			return NotABackup(f.Name())
		}
		if err == io.EOF {
			break
		}
		if n > maxMembers {
			err = errors.New("it has too many members")
		}
		if err == nil {
			err = allowed(header)
		}
		if err == nil {
			err = visit(member{Name: header.Name, Size: header.Size}, members)
		}
		if err != nil {
			return damage(f.Name(), err)
		}
	}
	return damage(f.Name(), atEnd(zip, file))
}

// atEnd reads the rest: only the padding of the tar, the checksum of the gzip and the end.
func atEnd(zip io.Reader, file *bufio.Reader) error {
	rest, err := io.ReadAll(io.LimitReader(zip, 1<<16))
	if err != nil {
		return err
	}
	if len(bytes.Trim(rest, "\x00")) != 0 || len(rest) == 1<<16 {
		return errors.New("it has data after its end")
	}
	if _, err := file.Peek(1); err == nil {
		return errors.New("it has data after its end")
	}
	return nil
}

// damage turns read errors into Damaged, unless they are more specific.
func damage(file string, err error) error {
	var at *os.PathError
	var other memberError
	switch {
	case err == nil, errors.Is(err, CodeTooNew), errors.Is(err, CodeNoRoom), errors.Is(err, CodeNotABackup),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &other):
		return other.error
	case errors.As(err, &at):
		return BadFile(at.Path, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return Damaged(file, "its end is missing")
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, tar.ErrHeader),
		errors.As(err, new(flate.CorruptInputError)):
		return Damaged(file, "its content was altered")
	}
	return Damaged(file, err.Error())
}

// memberError is an error of using a member, not of the member.
type memberError struct{ error }

var rowsForm = regexp.MustCompile(`^rows/([a-z][a-z0-9_]{0,63})/[0-9]{6,12}\.jsonl$`)

// allowed refuses members that this program never writes: links, devices, paths that lead elsewhere, sizes that fill
// the memory.
func allowed(h *tar.Header) error {
	var limit int64
	switch {
	case h.Typeflag != tar.TypeReg, h.Size < 0:
		return fmt.Errorf("its member %.60q is no plain file", h.Name)
	case h.Name == manifestName:
		limit = maxManifest
	case h.Name == checksumsName:
		limit = maxChecksums
	case rowsForm.MatchString(h.Name):
		limit = maxRows
	default:
		if _, ok := blobName(h.Name); !ok {
			return fmt.Errorf("its member %.60q has a name that no backup has", h.Name)
		}
		return nil
	}
	if h.Size > limit {
		return fmt.Errorf("its member %.60q says that it has %d bytes", h.Name, h.Size)
	}
	return nil
}

// blobName returns the path of a stored file below its folder; ok is false for any other member
// and for a path that leads elsewhere.
func blobName(name string) (below string, ok bool) {
	below, ok = strings.CutPrefix(name, "blobs/")
	return below, ok && below != "." && below == path.Clean(below) && filepath.IsLocal(filepath.FromSlash(below)) &&
		!strings.ContainsAny(below, "\\\x00") && !strings.HasPrefix(path.Base(below), unfinished)
}

func readManifest(file string, content []byte) (Manifest, error) {
	var manifest Manifest
	if err := json.Unmarshal(content, &manifest); err != nil || manifest.Format < 1 {
		return Manifest{}, NotABackup(file)
	}
	switch latest := db.LatestSchema(); {
	case manifest.Format > Format:
		return Manifest{}, TooNew(file, "format", uint(manifest.Format), Format)
	case manifest.Schema > latest:
		return Manifest{}, TooNew(file, "schema", manifest.Schema, latest)
	case manifest.Schema < 1:
		return Manifest{}, NotABackup(file)
	}
	return manifest, nil
}

func (c *checksums) read(r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if json.Unmarshal(content, c) != nil {
		return errors.New("its checksums cannot be read")
	}
	return nil
}

// digest reads a member to its end and returns it with its checksum and, for rows, their number.
func digest(m member, r io.Reader) (member, error) {
	sum := sha256.New()
	var lines lineCounter
	if _, err := io.Copy(io.MultiWriter(sum, &lines), r); err != nil {
		return m, err
	}
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if strings.HasPrefix(m.Name, "rows/") {
		m.Rows = int64(lines)
	}
	return m, nil
}

type lineCounter int64

func (c *lineCounter) Write(p []byte) (int, error) {
	*c += lineCounter(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}
