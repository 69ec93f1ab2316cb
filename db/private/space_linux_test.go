package private

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

func TestDiskFull(t *testing.T) {
	// MariaDB and MySQL take different ways for values that fit into a page and for larger ones.
	for name, size := range map[string]int{"rows": 200, "large values": 300_000} {
		t.Run("nothing acknowledged is lost and work resumes when there is space again: "+name, func(t *testing.T) {
			dir := seed(t, smallDisk(t, "400m"))
			s := open(t, dir)
			watch(t, s)
			db := connect(t, s.URL(database))
			execute(t, db, "CREATE TABLE body (n INT PRIMARY KEY AUTO_INCREMENT, body LONGTEXT)")
			insert := func() error {
				_, err := db.Exec("INSERT INTO body (body) VALUES (?)", strings.Repeat("x", size))
				return err
			}
			domaintest.Must(t, insert())
			acknowledged := 1
			hog := occupy(t, dir)
			var refused error
			for refused == nil {
				if refused = insert(); refused == nil {
					acknowledged++
				}
			}
			t.Logf("%s, %s: after %d rows: %v", underTest(), name, acknowledged, refused)
			checkDiskFull(t, s.DiskFull(), dir)
			domaintest.Must(t, os.Remove(hog))
			domaintest.Until(t, "rows are written again", func() bool { return insert() == nil })
			if err := s.DiskFull(); err != nil {
				t.Error(err)
			}
			// The refused row may be there: its answer can be lost, the row is whole.
			got := ask[int](t, db, "SELECT COUNT(*) FROM body WHERE LENGTH(body) = "+itoa(size))
			if got < acknowledged+1 || got > acknowledged+2 || got != ask[int](t, db, "SELECT COUNT(*) FROM body") {
				t.Errorf("%d rows of %d acknowledged", got, acknowledged+1)
			}
		})
	}

	t.Run("a new database is refused without room", func(t *testing.T) {
		dir := smallDisk(t, "64m")
		_, err := Open(t.Context(), options(dir, nil))
		checkDiskFull(t, err, dir)
		if left, _ := filepath.Glob(filepath.Join(dir, underTest()+"*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})

	t.Run("an existing database is refused, and starts when there is space", func(t *testing.T) {
		dir := seed(t, smallDisk(t, "400m"))
		hog := occupy(t, dir)
		_, err := Open(t.Context(), options(dir, nil))
		checkDiskFull(t, err, dir)
		domaintest.Must(t, os.Remove(hog))
		open(t, dir)
	})

	t.Run("a server that finds the disk full while it starts is not taken for a broken one", func(t *testing.T) {
		s := &Server{dir: t.TempDir()}
		log := s.logOf(underTest())
		domaintest.Must(t, os.WriteFile(log.path,
			[]byte(logMark+"[ERROR] InnoDB: preallocating 12582912 bytes for file ./ibtmp1 failed with error 28\n"), 0o600))
		checkDiskFull(t, s.startError(log, "exit status 1"), s.dir)
		domaintest.Must(t, os.WriteFile(log.path, []byte("[ERROR] error 28\n"+logMark+"[ERROR] unknown option\n"), 0o600))
		if err := s.startError(log, "exit status 1"); !errors.Is(err, CodeStartFailed) ||
			!strings.HasSuffix(err.Error(), " says:\n[ERROR] unknown option") {
			t.Error(err)
		}
	})
}

func checkDiskFull(t *testing.T, err error, dir string) {
	t.Helper()
	if !errors.Is(err, CodeDiskFull) || !errors.Is(err, fault.Unavailable) {
		t.Fatalf("not a full disk: %v", err)
	}
	if text := fault.Message(err); !strings.Contains(text, dir) || !strings.Contains(text, "MB are free") {
		t.Error(text)
	}
}

// smallDisk is a data directory on a file system of its own.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := emptyDir(t)
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size+",mode=0700")
	if errors.Is(err, syscall.EPERM) {
		t.Skip("a small disk needs the right to mount one: run this test as root")
	}
	domaintest.Must(t, err)
	t.Cleanup(func() {
		sweep(t, dir)
		domaintest.Must(t, syscall.Unmount(dir, syscall.MNT_DETACH))
	})
	return dir
}

// occupy fills the disk with a file to the last byte.
func occupy(t *testing.T, dir string) string {
	t.Helper()
	hog := domaintest.OK(os.Create(filepath.Join(dir, "hog")))(t)
	defer hog.Close()
	for chunk := bytes.Repeat([]byte{1}, mib); len(chunk) > 0; {
		if _, err := hog.Write(chunk); err != nil {
			chunk = chunk[:len(chunk)/2]
		}
	}
	return hog.Name()
}
