package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/ops/backup"
)

// entry is a member of a backup that a test takes apart.
type entry struct {
	tar.Header
	content []byte
}

// unpack returns the members of a backup.
func unpack(t testing.TB, file string) (entries []entry) {
	t.Helper()
	f := domaintest.OK(os.Open(file))(t)
	defer f.Close()
	zip := domaintest.OK(gzip.NewReader(f))(t)
	members := tar.NewReader(zip)
	for {
		header, err := members.Next()
		if err == io.EOF {
			return entries
		}
		domaintest.Must(t, err)
		content, err := io.ReadAll(members)
		domaintest.Must(t, err)
		entries = append(entries, entry{*header, content})
	}
}

// pack writes members as a backup, with checksums that fit unless fixed is false.
func pack(t testing.TB, entries []entry, fixed bool) string {
	t.Helper()
	if fixed {
		entries = append(entries[:len(entries)-1:len(entries)-1], entry{entries[len(entries)-1].Header, sums(t, entries)})
	}
	file := filepath.Join(t.TempDir(), "hostile.backup")
	f := domaintest.OK(os.Create(file))(t)
	defer f.Close()
	zip := gzip.NewWriter(f)
	members := tar.NewWriter(zip)
	for _, e := range entries {
		if e.Size == 0 || len(e.content) > 0 {
			e.Size = int64(len(e.content))
		}
		domaintest.Must(t, members.WriteHeader(&e.Header))
		domaintest.OK(members.Write(e.content))(t)
	}
	members.Flush() // a member that is shorter than its size is no error here
	if fixed {
		domaintest.Must(t, members.Close())
	}
	domaintest.Must(t, zip.Close())
	return file
}

func sums(t testing.TB, entries []entry) []byte {
	t.Helper()
	type member struct {
		Name   string `json:"name"`
		Size   int    `json:"size"`
		SHA256 string `json:"sha256"`
		Rows   int    `json:"rows,omitempty"`
	}
	list := struct {
		Members []member       `json:"members"`
		Rows    map[string]int `json:"rows"`
	}{Rows: map[string]int{}}
	var manifest backup.Manifest
	domaintest.Must(t, json.Unmarshal(entries[0].content, &manifest))
	for _, table := range manifest.Tables {
		list.Rows[table.Name] = 0
	}
	for _, e := range entries[:len(entries)-1] {
		sum := sha256.Sum256(e.content)
		m := member{Name: e.Name, Size: len(e.content), SHA256: hex.EncodeToString(sum[:])}
		if parts := strings.Split(e.Name, "/"); parts[0] == "rows" {
			m.Rows = bytes.Count(e.content, []byte("\n"))
			list.Rows[parts[1]] += m.Rows
		}
		list.Members = append(list.Members, m)
	}
	return domaintest.OK(json.Marshal(list))(t)
}

func find(entries []entry, name string) int {
	for i, e := range entries {
		if strings.HasPrefix(e.Name, name) {
			return i
		}
	}
	return -1
}

// insertAt returns the members with one more, before the last.
func insertAt(entries []entry, e entry) []entry {
	last := len(entries) - 1
	return append(append(entries[:last:last], e), entries[last])
}

func plain(name string, content string) entry {
	return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, ModTime: time.Unix(0, 0),
		Format: tar.FormatPAX}, []byte(content)}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	from := newEnv(t)
	from.blob(t, "one", "first")
	file := from.backup(t)
	whole := domaintest.OK(os.ReadFile(file))(t)
	to := empty(t)
	write := func(t *testing.T, content []byte) string {
		t.Helper()
		damaged := filepath.Join(t.TempDir(), "damaged")
		domaintest.Must(t, os.WriteFile(damaged, content, 0o600))
		return damaged
	}
	t.Run("a repacked backup is whole", func(t *testing.T) {
		domaintest.OK(backup.Check(context.Background(), pack(t, unpack(t, file), true), nil))(t)
	})
	t.Run("a file that ends too early, wherever", func(t *testing.T) {
		for _, n := range []int{len(whole) - 1, len(whole) - 8, len(whole) - 20, len(whole) / 2, 300} {
			to.refuses(t, write(t, whole[:n]), backup.Damaged("", ""))
		}
	})
	t.Run("a flipped bit, wherever", func(t *testing.T) {
		for n := range 200 {
			at := rand.IntN(len(whole)-10) + 10 // some of gzip's first ten bytes mean nothing
			altered := bytes.Clone(whole)
			altered[at] ^= 1 << (n % 8)
			name := write(t, altered)
			// A few bits of deflate, such as padding, mean nothing.
			if _, err := backup.Check(context.Background(), name, nil); err == nil && !reflect.DeepEqual(unpack(t, name),
				unpack(t, file)) {
				t.Errorf("bit %d of byte %d flipped, and nobody minds", n%8, at)
			}
		}
	})
	t.Run("something after its end", func(t *testing.T) {
		to.refuses(t, write(t, append(bytes.Clone(whole), 'x')), backup.Damaged("", ""))
		to.refuses(t, write(t, append(bytes.Clone(whole), whole...)), backup.Damaged("", ""))
	})
	t.Run("a file of another kind", func(t *testing.T) {
		to.refuses(t, write(t, nil), backup.NotABackup(""))
		to.refuses(t, write(t, []byte("-- MySQL dump 10.19")), backup.NotABackup(""))
		to.refuses(t, write(t, zipped(t, bytes.Repeat([]byte("text"), 500))), backup.NotABackup(""))
		to.refuses(t, write(t, zipped(t, nil)), backup.NotABackup(""))
		to.refuses(t, pack(t, []entry{plain("readme.txt", "hello")}, false), backup.NotABackup(""))
		to.refuses(t, pack(t, []entry{plain("manifest.json", "{}")}, false), backup.NotABackup(""))
		to.refuses(t, t.TempDir(), backup.NotABackup(""))
	})
	t.Run("a file that is not there", func(t *testing.T) {
		to.refuses(t, filepath.Join(t.TempDir(), "none"), backup.BadFile("", fs.ErrNotExist))
	})
	t.Run("a member changed, lost, added or in another place", func(t *testing.T) {
		entries := unpack(t, file)
		at := find(entries, "rows/ticket/")
		changed := append([]entry(nil), entries...)
		changed[at].content = bytes.Replace(changed[at].content, []byte("Plain"), []byte("Plaid"), 1)
		to.refuses(t, pack(t, changed, false), backup.Damaged("", ""))
		to.refuses(t, pack(t, append(append([]entry(nil), entries[:at]...), entries[at+1:]...), false),
			backup.Damaged("", ""))
		to.refuses(t, pack(t, insertAt(entries, entries[at]), false), backup.Damaged("", ""))
		to.refuses(t, pack(t, append(append([]entry(nil), entries...), plain("blobs/late", "x")), false),
			backup.Damaged("", ""))
		swapped := append([]entry(nil), entries...)
		swapped[at], swapped[at-1] = swapped[at-1], swapped[at]
		to.refuses(t, pack(t, swapped, false), backup.Damaged("", ""))
	})
	t.Run("a newer format or schema", func(t *testing.T) {
		for _, change := range [][2]string{{`"format":1`, `"format":2`}, {`"schema_version":`, `"schema_version":9`}} {
			entries := unpack(t, file)
			entries[0].content = bytes.Replace(entries[0].content, []byte(change[0]), []byte(change[1]), 1)
			to.refuses(t, pack(t, entries, true), backup.TooNew("", "", 0, 0))
		}
	})
}

func zipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	domaintest.OK(zip.Write(content))(t)
	domaintest.Must(t, zip.Close())
	return b.Bytes()
}

// An attacker may know the checksums.
func TestHostile(t *testing.T) {
	t.Parallel()
	from := newEnv(t)
	from.blob(t, "one", "first")
	file := from.backup(t)
	to := empty(t)
	t.Run("paths that lead elsewhere", func(t *testing.T) {
		for _, name := range []string{
			"../evil", "/etc/evil", "blobs/../evil", "blobs/a/../../evil", "blobs//evil", "blobs/.", "blobs/..", "blobs/./x",
			"blobs/a\\..\\evil", "blobs/.restore-x",
			"rows/../000001.jsonl", "rows/ticket`; DROP TABLE ticket; --/000001.jsonl", "rows/sessions/000001.jsonl",
			"rows/mysql.user/000001.jsonl", "evil",
		} {
			to.refuses(t, pack(t, insertAt(unpack(t, file), plain(name, "x")), true), backup.Damaged("", ""))
		}
	})
	t.Run("members that are no files", func(t *testing.T) {
		for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink, tar.TypeDir, tar.TypeFifo, tar.TypeChar} {
			e := entry{tar.Header{Typeflag: kind, Name: "blobs/evil", Linkname: "/etc/passwd", Mode: 0o777}, nil}
			to.refuses(t, pack(t, insertAt(unpack(t, file), e), true), backup.Damaged("", ""))
		}
	})
	t.Run("sizes that fill memory or disk", func(t *testing.T) {
		for name, size := range map[string]int64{"rows/ticket/000002.jsonl": 1 << 40, "checksums.json": 1 << 40} {
			entries := unpack(t, file)
			big := plain(name, "")
			big.Size = size
			to.refuses(t, pack(t, append(entries[:len(entries)-1], big), false), backup.Damaged("", ""))
		}
		big := plain("blobs/big", "")
		big.Size = 1 << 50
		entries := unpack(t, file)
		to.refuses(t, pack(t, append(entries[:len(entries)-1], big), false), backup.NoRoom("", 0, 0))
		first := plain("manifest.json", "")
		first.Size = 1 << 40
		to.refuses(t, pack(t, []entry{first}, false), backup.Damaged("", ""))
	})
	t.Run("rows that do not fit, and the database stays empty", func(t *testing.T) {
		company := []backup.Column{{Name: "id", Type: "number"}, {Name: "slug", Type: "text"}, {Name: "name", Type: "text"},
			{Name: "created_at", Type: "text"}}
		for _, row := range []string{`[1]`, `{"id":1}`, `[[1],"a","b","c"]`, `["1","a","b","c"]`, `[1,2,"b","c"]`, `nonsense`,
			``, `[1,"a","b","c"][2,"a","b","c"]`} {
			if _, err := backup.ParseRow([]byte(row), company); err == nil {
				t.Errorf("%s is a row", row)
			}
		}
		broken := unpack(t, file)
		last := find(broken, "rows/migration_event/")
		broken[last].content = append(bytes.Clone(broken[last].content), "[1]\n"...)
		if _, _, err := backup.Restore(context.Background(), to.Installation, pack(t, broken, true)); !errors.Is(err, backup.CodeDamaged) {
			t.Errorf("a row without its columns: %v", err)
		}
		if to.rows(t, "information_schema.tables WHERE table_schema = DATABASE()") != 0 {
			t.Fatal("the database is not empty")
		}
		entries := unpack(t, file)
		at := find(entries, "rows/installation/")
		entries[at].content = bytes.Replace(entries[at].content, []byte("[1,1,"), []byte("[1,99,"), 1)
		_, _, err := backup.Restore(context.Background(), to.Installation, pack(t, entries, true))
		if err == nil || to.rows(t, "information_schema.tables WHERE table_schema = DATABASE()") != 0 {
			t.Errorf("a row without its parent: %v", err)
		}
	})
	t.Run("tables and columns that the schema has not", func(t *testing.T) {
		for _, change := range [][2]string{
			{`"name":"slug"`, "\"name\":\"slug`, x\""}, {`"name":"company"`, `"name":"sessions"`},
			{`"type":"text"`, `"type":"binary"`},
		} {
			entries := unpack(t, file)
			entries[0].content = bytes.Replace(entries[0].content, []byte(change[0]), []byte(change[1]), 1)
			_, _, err := backup.Restore(context.Background(), to.Installation, pack(t, entries, true))
			if !errors.Is(err, backup.CodeDamaged) {
				t.Errorf("%s: %v", change[1], err)
			}
		}
	})
	t.Run("and the good one still goes in", func(t *testing.T) {
		to.restore(t, file)
	})
}

func TestLargeTables(t *testing.T) {
	t.Parallel()
	from, to := newEnv(t), empty(t)
	for range 6 {
		from.exec(t, "INSERT INTO activity (ticket_id, account_id, kind, detail, created_at) SELECT ticket_id, account_id, 'edited', ?, created_at FROM activity",
			fmt.Sprintf(`{"description":{"old":%q,"new":""}}`, strings.Repeat("x", 12_000)))
	}
	file := from.backup(t)
	t.Run("are spread over members", func(t *testing.T) {
		n := 0
		for _, e := range unpack(t, file) {
			if strings.HasPrefix(e.Name, "rows/activity/") {
				n++
			}
		}
		if n < 2 {
			t.Errorf("%d member", n)
		}
	})
	t.Run("come back whole", func(t *testing.T) {
		to.restore(t, file)
		if dump(t, from) != dump(t, to) {
			t.Error("rows differ")
		}
	})
}
