package private

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// initialiser returns the command line of the server that fills a new database in dir, "" if none runs.
func initialiser(dir string) string {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		args, _ := os.ReadFile(line)
		if strings.Contains(string(args), "--datadir="+filepath.Join(dir, underTest())+".new-") {
			return strings.ReplaceAll(string(args), "\x00", " ")
		}
	}
	return ""
}

func TestOpen(t *testing.T) {
	t.Run("makes a database in an empty folder and finds it again", func(t *testing.T) {
		dir := emptyDir(t)
		first := domaintest.OK(Open(t.Context(), options(dir, nil)))(t)
		if !first.Owner() {
			t.Error("the first program is not the owner")
		}
		execute(t, connect(t, first.URL(database)), "CREATE TABLE kept (n INT)", "INSERT INTO kept VALUES (42)")
		domaintest.Must(t, first.Close(context.Background()))
		if isRunning(dir) {
			t.Error("Close left the database running")
		}
		second := open(t, dir)
		if got := ask[int](t, connect(t, second.URL(database)), "SELECT n FROM kept"); got != 42 {
			t.Errorf("found %d", got)
		}
	})

	t.Run("does an initialisation again that was killed halfway", func(t *testing.T) {
		dir := emptyDir(t)
		begun := func() []string {
			left, _ := filepath.Glob(filepath.Join(dir, underTest()+".new-*", "*"))
			return left
		}
		p := launch(t, helperConfig{Dir: dir})
		domaintest.Until(t, "an initialisation begins", func() bool { return len(begun()) > 0 })
		if args := initialiser(dir); runtime.GOOS == "linux" && args != "" && !strings.Contains(args, "--tmpdir="+dir) {
			t.Errorf("its temporary tables lie where every server that starts removes them: %s", args)
		}
		p.kill()
		if exists(filepath.Join(dir, underTest())) && len(begun()) > 0 { // else it was through before it was killed
			t.Fatal("an unfinished database has the final name")
		}
		s := open(t, dir)
		execute(t, connect(t, s.URL(database)), "CREATE TABLE works (n INT)")
	})

	t.Run("listens on a private socket only, at a short path, with durable settings", func(t *testing.T) {
		dir := seededDir(t)
		deep := filepath.Join(dir, strings.Repeat("a long [name]/", 10)+"data")
		domaintest.Must(t, os.MkdirAll(filepath.Dir(deep), 0o700))
		domaintest.Must(t, os.Mkdir(deep, 0o700))
		domaintest.Must(t, os.Rename(filepath.Join(dir, underTest()), filepath.Join(deep, underTest())))
		t.Cleanup(func() { sweep(t, deep) })
		s := open(t, deep)
		if socket := s.state.Socket; len(socket) > maxSocket || private(filepath.Dir(socket), os.Geteuid()) != nil {
			t.Errorf("socket %s", socket)
		}
		db := connect(t, s.URL(database))
		for setting, want := range map[string]string{
			"skip_networking": "1", "innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": onOff(),
			"innodb_autoinc_lock_mode": "2",
			"log_bin":                  "0", "character_set_server": "utf8mb4", "collation_server": collation, "collation_database": collation,
			"max_connections": "500", "time_zone": "+00:00",
		} {
			if got := ask[string](t, db, "SELECT @@"+setting); got != want {
				t.Errorf("%s = %s, want %s", setting, got, want)
			}
		}
	})

	t.Run("needs no root, no HOME and no XDG_RUNTIME_DIR", func(t *testing.T) {
		requireServer(t)
		dir := domaintest.OK(os.MkdirTemp("/tmp", "cf-user-"))(t)
		t.Cleanup(func() { os.RemoveAll(dir) })
		data := filepath.Join(dir, "data")
		t.Cleanup(func() { sweep(t, data) })
		p := startHelper(t, helperConfig{Dir: data}, ordinaryUser(t, dir))
		if got := p.status(); !got.Owner || !strings.Contains(got.URL, "unix(/tmp/counterfoil-") {
			t.Errorf("%+v", got)
		}
		if err := p.close(); err != "" {
			t.Error(err)
		}
	})

	t.Run("starts, and starts again, where another user made the folder of its socket first", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Log("without root there is no other user")
			return
		}
		requireServer(t)
		const stranger = 65533
		theirs := "/tmp/counterfoil-" + strconv.Itoa(stranger-1)
		domaintest.Must(t, os.Mkdir(theirs, 0o777))
		t.Cleanup(func() { os.RemoveAll(theirs) })
		domaintest.Must(t, os.Chown(theirs, stranger, stranger))
		for _, c := range []struct{ name, below, socket string }{
			{"short", "data", "data/run/"},
			{"long", strings.Repeat("a-long-name/", 8) + "data", "/tmp/counterfoil-65532-"},
		} {
			dir := domaintest.OK(os.MkdirTemp("/tmp", "cf-user-"))(t)
			t.Cleanup(func() { os.RemoveAll(dir) })
			data := filepath.Join(dir, c.below)
			t.Cleanup(func() { sweep(t, data) })
			domaintest.Must(t, os.MkdirAll(data, 0o700))
			seed(t, data)
			if out, err := exec.Command("chown", "-R", strconv.Itoa(stranger-1), dir).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			for range 2 {
				p := startHelper(t, helperConfig{Dir: data}, userOf(t, dir, stranger-1))
				if got := p.status(); !got.Owner || !strings.Contains(got.URL, c.socket) {
					t.Errorf("%s: %+v", c.name, got)
				}
				if err := p.close(); err != "" {
					t.Error(err)
				}
			}
		}
		if left := domaintest.OK(os.ReadDir(theirs))(t); len(left) > 0 {
			t.Errorf("the other user's folder was used: %v", left)
		}
	})

	t.Run("does not use a folder that another user can put another one in the place of", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Log("without root there is no other user")
			return
		}
		dir := t.TempDir()
		theirs := filepath.Join(dir, "theirs")
		domaintest.Must(t, os.MkdirAll(filepath.Join(theirs, "ours"), 0o700))
		socket := filepath.Join(theirs, "ours", "db.sock")
		domaintest.Must(t, checkOwner(socket, []int{os.Geteuid()}))
		domaintest.Must(t, os.Chown(theirs, 65533, 65533))
		if checkOwner(socket, []int{os.Geteuid()}) == nil {
			t.Error("the parent of the socket's folder is a stranger's")
		}
	})
}

func onOff() string {
	if underTest() == mysql.name {
		return "ON"
	}
	return "1"
}

// ordinaryUser makes a helper run as the user nobody, whose folder dir becomes; without root, as us.
func ordinaryUser(t *testing.T, dir string) func(*exec.Cmd) {
	t.Helper()
	return userOf(t, dir, 65534)
}

// userOf is ordinaryUser for any user.
func userOf(t *testing.T, dir string, uid uint32) func(*exec.Cmd) {
	t.Helper()
	return func(cmd *exec.Cmd) {
		var env []string
		for _, pair := range cmd.Env {
			if !strings.HasPrefix(pair, "HOME=") && !strings.HasPrefix(pair, "XDG_RUNTIME_DIR=") {
				env = append(env, pair)
			}
		}
		cmd.Env = env
		if os.Geteuid() != 0 {
			return
		}
		binary := filepath.Join(dir, "helper")
		if _, err := os.Stat(binary); err != nil { // else it may still run
			raw := domaintest.OK(os.ReadFile(os.Args[0]))(t)
			domaintest.Must(t, os.WriteFile(binary, raw, 0o755))
		}
		domaintest.Must(t, os.Chown(dir, int(uid), int(uid)))
		cmd.Path, cmd.Args[0], cmd.Dir = binary, binary, dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
}

// BenchmarkOpen measures how long a start on existing data takes, and its clean stop.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	settings := Options{Dir: dir, Engine: underTest()}
	var opening, closing time.Duration
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		s := domaintest.OK(Open(b.Context(), settings))(b)
		if n > 0 { // the first one initialises
			opening += time.Since(began)
		} else {
			b.ReportMetric(float64(time.Since(began).Milliseconds()), "first-ms")
		}
		began = time.Now()
		domaintest.Must(b, s.Close(context.Background()))
		closing += time.Since(began)
	}
	b.ReportMetric(float64(opening.Milliseconds())/float64(max(1, b.N-1)), "open-ms")
	b.ReportMetric(float64(closing.Milliseconds())/float64(b.N), "close-ms")
}
