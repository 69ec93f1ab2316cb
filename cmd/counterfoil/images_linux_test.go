package main

import (
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
)

// addresses is the number of lines in the file of TestTheOriginalScenario.
func addresses() int {
	if soak {
		return 50_000
	}
	return 1_000
}

// imageList is a file of addresses, and the expected outcome.
type imageList struct {
	rows     [][]string
	rejected int
	wrong    map[string]string // an address that fails for good: its error
	right    map[string]int    // an address that gives an image: the number of the picture
}

// images are the addresses of n images on some hosts. Of each forty, one is on all hosts, one is twice in the file,
// three are no images, one is no address, and some need a second request: after an error, a broken connection, a stall,
// or the time that the host asks for.
func images(hosts []string, n int) imageList {
	list := imageList{rows: [][]string{{"url"}}, wrong: map[string]string{}, right: map[string]int{}}
	for i := 100; i < 100+n; i++ {
		host := "http://" + hosts[i%len(hosts)]
		rough := func(kind int) (string, int) { return fmt.Sprintf("%s/rough/%d.png", host, 100*i+kind), 100*i + kind }
		address, picture := fmt.Sprintf("%s/image/%d.png", host, i), i
		slow := i/40%2 == 0 // these take a second or more of a host or a worker
		switch kind := i % 40; {
		case kind == 0:
			address, picture = fmt.Sprintf("%s/same/%d.png", host, i), 1
		case kind == 1:
			address, picture = fmt.Sprintf("http://%s/image/%d.png", hosts[(i+4)%len(hosts)], i+4), i+4
		case kind == 2:
			list.wrong[host+"/status/404?"+fmt.Sprint(i)] = "404 Not Found"
			address = host + "/status/404?" + fmt.Sprint(i)
		case kind == 3:
			address = host + "/truncated.png?" + fmt.Sprint(i)
			list.wrong[address] = host + "/…" // an error names no more of an address
		case kind == 4:
			address = host + "/page.png?" + fmt.Sprint(i)
			list.wrong[address] = host + "/…"
		case kind == 10:
			address = fmt.Sprintf("ftp://images.example.com/%d.png", i)
			list.rejected++
		case kind == 11:
			address, picture = rough(3)
		case kind == 12:
			address, picture = rough(22)
		case kind == 13 && slow:
			address, picture = rough(27)
		case kind == 14 && slow:
			address = fmt.Sprintf("%s/limited/%d.png", host, i)
		case kind == 15 && slow:
			address = fmt.Sprintf("%s/busy/%d.png", host, i)
		}
		list.rows = append(list.rows, []string{address})
		if list.wrong[address] == "" && !strings.HasPrefix(address, "ftp:") {
			list.right[address] = picture
		}
	}
	return list
}

// different is the number of different pictures.
func (l imageList) different() int {
	pictures := map[int]bool{}
	for _, picture := range l.right {
		pictures[picture] = true
	}
	return len(pictures)
}

func (l imageList) write(t *testing.T) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "images.csv")
	f := domaintest.OK(os.Create(name))(t)
	domaintest.Must(t, csv.NewWriter(f).WriteAll(l.rows))
	domaintest.Must(t, f.Close())
	return name
}

// imageHosts serves images on some addresses of this machine.
func imageHosts(t *testing.T, n int) (hosts []string) {
	t.Helper()
	handler := outboundtest.New()
	t.Cleanup(handler.Close)
	for i := range n {
		listener := domaintest.OK(net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", i+1)))(t)
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
		server.Start()
		t.Cleanup(func() {
			handler.Close() // it would wait for the stalled requests
			server.Close()
		})
		hosts = append(hosts, listener.Addr().String())
	}
	return hosts
}

// halfWritten is the name of a file that was being stored when its worker was killed.
var halfWritten = regexp.MustCompile(`\.[0-9a-f]+\.tmp$`)

// storedImages are the names of the stored images, and the number of half-written files.
func storedImages(t *testing.T, i *install) (names []string, half int) {
	t.Helper()
	domaintest.Must(t, filepath.WalkDir(filepath.Join(i.data(), "blobs", "images"), func(_ string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
		case halfWritten.MatchString(entry.Name()):
			half++
		default:
			names = append(names, entry.Name())
		}
		return err
	}))
	return names, half
}

// TestTheOriginalScenario has three workers download the images of a file from hosts that fail, stall and ask for
// patience, while an operator pauses the run and resumes it, one worker is killed and another is stopped and started.
// Each image is stored once, and each task is complete, or failed with its reason.
func TestTheOriginalScenario(t *testing.T) {
	t.Parallel()
	const atOnce = 16
	i := onPrivate(t)
	i.env = append(i.env, "COUNTERFOIL_DOWNLOAD_ALLOW=127.0.0.0/8:*")
	operator, w, d := i.operator(t) // it owns the database, so that three processes work
	workers := []*process{i.work(t), i.work(t), i.work(t)}
	list := images(imageHosts(t, 8), addresses())
	tasks := int64(len(list.rows) - 1 - list.rejected)
	command := func(args ...string) {
		t.Helper()
		if code, out := i.command(t, append([]string{"migrations"}, args...)...); code != 0 {
			t.Fatalf("migrations %v: exit code %d\n%s", args, code, out)
		}
	}

	// A long file is not filled within the patience of the command: then it says how to continue.
	_, _ = i.command(t, "migrations", "start", "download-images", "company=acme", "source=file", "timeout=2", "--file",
		list.write(t), "--prepare")
	run := until(t, w, operator, 1, "is filled", func(r migrations.Run) bool { return r.State == migrations.Ready })
	if int64(run.Total) != tasks || int(run.Rejected) != list.rejected {
		t.Fatalf("%d tasks, %d lines rejected; want %d and %d", run.Total, run.Rejected, tasks, list.rejected)
	}
	command("knob", "1", fmt.Sprintf("concurrency=%d", atOnce), "block=20", "attempts=50", "backoff=200ms", "lease=5s",
		"per_host=0", "same_error=0", "error_share=0")
	command("start", "1")
	part := func(percent int64) {
		t.Helper()
		until(t, w, operator, 1, fmt.Sprintf("is at %d %%", percent),
			func(r migrations.Run) bool { return r.Progress.Done() >= tasks*percent/100 })
	}

	part(20)
	command("pause", "1")
	paused := until(t, w, operator, 1, "is paused", func(r migrations.Run) bool { return r.State == migrations.Paused })
	since := clock(t, d)
	keeperGetsTo(t, d, since, 3)
	if held := domaintest.Number(t, d,
		"SELECT COUNT(*) FROM migration_task WHERE state = 'processing'"); paused.Progress.Done() >= tasks || held != 0 {
		t.Errorf("paused in the middle: %d of %d are done, %d under way", paused.Progress.Done(), tasks, held)
	}
	resumed := clock(t, d)
	domaintest.Counts(t, d, 0, "SELECT COUNT(*) FROM migration_task WHERE claimed_at > ?", since)
	command("resume", "1")
	part(40)
	freezeHolding(t, d, workers[0])
	workers[0].kill(t)
	part(60)
	if err := workers[1].stop(t); err != nil {
		t.Errorf("a worker that was asked to stop ended with %v\n%s", err, workers[1].logged())
	}
	workers[1] = i.work(t)
	done := until(t, w, operator, 1, "is complete", func(r migrations.Run) bool { return r.State == migrations.Complete })

	failed := int64(len(list.wrong))
	if p := done.Progress; p.Complete != tasks-failed || p.Failed != failed ||
		p.Open+p.Processing+p.Waiting+p.Skipped != 0 {
		t.Errorf("%d tasks, of which %d cannot be done: %+v", tasks, failed, p)
	}
	for state, n := range map[string]int64{"complete": tasks - failed, "failed": failed} {
		if stored := domaintest.Number(t, d, "SELECT COUNT(*) FROM migration_task WHERE state = ?",
			state); int64(stored) != n {
			t.Errorf("%d tasks are %s, not %d", stored, state, n)
		}
	}
	domaintest.Counts(t, d, 0, "SELECT COUNT(*) FROM migration_task WHERE claimed_at > ? AND claimed_at < ?", since,
		resumed)
	if done.Progress.Reclaimed == 0 {
		t.Error("nothing was taken back from the worker that was killed")
	}
	failuresHaveReasons(t, i, list)
	eachImageOnce(t, i, d, list, atOnce)
	i.verified(t)
	for k, p := range workers[1:] {
		if err := p.stop(t); err != nil {
			t.Errorf("worker %d ended with %v\n%s", k+1, err, p.logged())
		}
	}
}

// failuresHaveReasons checks that the tasks that failed are those that must, each with its reason.
func failuresHaveReasons(t *testing.T, i *install, list imageList) {
	t.Helper()
	out, err := i.program("migrations", "failures", "1", "--csv").Output()
	domaintest.Must(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(rows) != len(list.wrong)+1 {
		t.Fatalf("%d rows of failures, %v; want %d", len(rows), err, len(list.wrong)+1)
	}
	reason, payload := slices.Index(rows[0], "error"), slices.Index(rows[0], "payload")
	for _, row := range rows[1:] {
		_, after, _ := strings.Cut(row[payload], `"url":"`)
		address, _, _ := strings.Cut(after, `"`)
		if want := list.wrong[address]; want == "" || !strings.Contains(row[reason], want) {
			t.Errorf("%s failed with %q", address, row[reason])
		}
	}
}

// eachImageOnce checks that every picture is one file and one row, and that there is nothing else except what the
// killed worker was writing.
func eachImageOnce(t *testing.T, i *install, d *db.DB, list imageList, atOnce int) {
	t.Helper()
	domaintest.Counts(t, d, len(list.right), "SELECT COUNT(*) FROM image_source")
	rows := domaintest.OK(d.SQL.Query("SELECT hash FROM image"))(t)
	defer rows.Close()
	var kept []string
	for rows.Next() {
		var hash []byte
		domaintest.Must(t, rows.Scan(&hash))
		kept = append(kept, hex.EncodeToString(hash))
	}
	domaintest.Must(t, rows.Err())
	files, half := storedImages(t, i)
	slices.Sort(kept)
	slices.Sort(files)
	if len(kept) != list.different() || !slices.Equal(kept, files) {
		t.Errorf("%d different pictures, %d images, %d files", list.different(), len(kept), len(files))
	}
	if half > atOnce {
		t.Errorf("%d files are half written; the worker that was killed can have left %d", half, atOnce)
	}
	t.Logf("%d images from %d addresses; %d files that the killed worker had half written", len(kept), len(list.right),
		half)
}
