package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "700M")
	i := setUp(t, &install{env: []string{"COUNTERFOIL_DATA=" + filepath.Join(dir, "data"), "DATABASE_URL="}})
	c, p := newClient(i), i.serve(t)
	c.board(t, p.url, "NINJA")

	filler := filepath.Join(dir, "filler")
	fillUp(t, filler)
	acknowledged := map[string]bool{}
	message := ""
	for n := 0; message == ""; n++ {
		if n > 5000 {
			t.Fatal("the disk is full, and 5000 tickets of 60 kB found room")
		}
		key, refused := openLarge(t, i, p.url)
		acknowledged[key] = refused == ""
		message = refused
	}
	if !strings.Contains(message, "is full") {
		t.Errorf("the refusal says %q", message)
	}

	domaintest.Must(t, os.Remove(filler))
	domaintest.Until(t, "it takes tickets, with room again", func() bool {
		var key string
		key, message = openLarge(t, i, p.url)
		acknowledged[key] = message == ""
		return message == ""
	}, func() string { return message }, p.logged)
	stored := c.list(t, p.url, "NINJA")
	for key, was := range acknowledged {
		if _, there := stored[key]; was && !there {
			t.Errorf("%s was acknowledged and is gone", key)
		}
	}
	i.verified(t)
}

// smallDisk is a directory on a file system of its own.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size+",mode=0700")
	if errors.Is(err, syscall.EPERM) {
		t.Skip("a small disk needs the right to mount one: run this test as root")
	}
	domaintest.Must(t, err)
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func TestFullDiskOfFiles(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "64M")
	i := onPrivate(t)
	i.env = append(i.env, "COUNTERFOIL_BLOBS="+filepath.Join(dir, "files"))
	i.operator(t)
	p := i.serve(t)
	filler := filepath.Join(dir, "filler")
	fillUp(t, filler)
	if status, text := i.upload(t, p.url, 50); status != http.StatusInsufficientStorage ||
		!strings.Contains(text, "no room left where files are kept") || !strings.Contains(text, string(blobs.CodeFull)) {
		t.Errorf("%d: %s", status, text)
	}
	domaintest.Must(t, os.Remove(filler))
	if status, text := i.upload(t, p.url, 50); status != http.StatusCreated {
		t.Errorf("with room again: %d: %s", status, text)
	}
}

// upload opens a run with a large file, and returns the answer.
func (i *install) upload(t *testing.T, url string, rows int) (status int, text string) {
	t.Helper()
	body, _, kind := largeUpload(rows)
	request := domaintest.OK(http.NewRequestWithContext(t.Context(), http.MethodPost,
		url+"/api/v1/migrations/import-tickets/runs", body))(t)
	request.Header.Set("Authorization", "Bearer "+i.token)
	request.Header.Set("Content-Type", kind)
	response := domaintest.OK(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	return response.StatusCode, string(domaintest.OK(io.ReadAll(response.Body))(t))
}

// The disk of the log and of temporary files is full: a server goes on, also without its database for a moment, and
// writes its log again once there is room.
func TestFullDiskOfTheLog(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "4M")
	log, filler := filepath.Join(dir, "log"), filepath.Join(dir, "filler")
	i := onPrivate(t)
	i.env = append(i.env, "TMPDIR="+dir)
	i.under = []string{"sh", "-c", `exec "$@" 2>>"$0"`, log}
	p, c := i.serve(t), newPatientClient(i)
	c.board(t, p.url, "NINJA")
	fillUp(t, filler)
	before := domaintest.OK(os.Stat(log))(t).Size()
	lose := func() {
		t.Helper()
		was := databasePID(t, i)
		domaintest.Must(t, syscall.Kill(was, syscall.SIGKILL))
		startsAnew(t, i, was)
		title := fmt.Sprintf("After database %d", was)
		domaintest.OK(c.open(func() string { return p.url }, "NINJA", title, patience))(t)
	}
	lose()
	if status, text := i.upload(t, p.url, 50); status != http.StatusCreated {
		t.Errorf("an upload: %d: %s", status, text)
	}
	if size := domaintest.OK(os.Stat(log))(t).Size(); size > before+4096 { // what was left of its last page
		t.Errorf("the log grew from %d to %d bytes on a full disk", before, size)
	}
	domaintest.Must(t, os.Remove(filler))
	before = domaintest.OK(os.Stat(log))(t).Size()
	lose()
	if size := domaintest.OK(os.Stat(log))(t).Size(); size <= before {
		t.Error("with room again nothing is logged")
	}
	if err := p.stop(t); err != nil {
		t.Errorf("it ended with %v", err)
	}
	i.verified(t)
}

// A backup that finds its disk full says so and leaves nothing; with room again it is made.
func TestFullDiskOfABackup(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "4M")
	i := onPrivate(t)
	file, filler := filepath.Join(dir, "backup"), filepath.Join(dir, "filler")
	fillUp(t, filler)
	if code, out := i.command(t, "backup", file); code != 1 || !strings.Contains(out, "No space is left for "+file) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if left := domaintest.OK(filepath.Glob(file + "*"))(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	domaintest.Must(t, os.Remove(filler))
	if code, out := i.command(t, "backup", file); code != 0 {
		t.Errorf("with room again: exit code %d: %s", code, out)
	}
}

// fillUp takes all the space that is left.
func fillUp(t *testing.T, path string) {
	t.Helper()
	file := domaintest.OK(os.Create(path))(t)
	defer file.Close()
	for size := 1 << 20; size >= 4096; size /= 2 {
		for {
			if _, err := file.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// openLarge opens a ticket of 60 kB and returns its key, or the message of a 503.
func openLarge(t *testing.T, i *install, url string) (key, refused string) {
	t.Helper()
	body := fmt.Sprintf(`{"title":"Large","description":%q}`, strings.Repeat("x", 60000))
	request := domaintest.OK(http.NewRequest(http.MethodPost, url+"/api/v1/boards/NINJA/tickets",
		strings.NewReader(body)))(t)
	request.Header.Set("Authorization", "Bearer "+i.token)
	request.Header.Set("Content-Type", "application/json")
	response := domaintest.OK(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	text := domaintest.OK(io.ReadAll(response.Body))(t)
	var out struct{ Key, Detail string }
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%s: %s", response.Status, text)
	}
	switch response.StatusCode {
	case http.StatusCreated:
		return out.Key, ""
	case http.StatusServiceUnavailable:
		if response.Header.Get("Retry-After") == "" {
			t.Error("a 503 without Retry-After")
		}
		return "", out.Detail
	}
	t.Fatalf("%s: %s", response.Status, text)
	return "", ""
}
