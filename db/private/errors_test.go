package private

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

func itoa(n int) string { return strconv.Itoa(n) }

// openRefused opens what cannot be opened and returns the sentence for the user.
func openRefused(t *testing.T, o Options) string {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err == nil {
		s.Close(context.Background())
		t.Fatal("it opened")
	}
	if !errors.Is(err, fault.Unavailable) {
		t.Errorf("of kind %v: %v", fault.KindOf(err), err)
	}
	return fault.Message(err)
}

func checkText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in: %s", part, text)
		}
	}
}

func TestRefusal(t *testing.T) {
	t.Run("no server: how to install one, or use another", func(t *testing.T) {
		checkText(t, NotInstalled("", "", nil).Error(), installCommand(), "DATABASE_URL")
		o := options(t.TempDir(), nil)
		o.Server = "/nowhere/mariadbd"
		checkText(t, openRefused(t, o), "/nowhere/mariadbd", installCommand(), "COUNTERFOIL_MYSQLD", "DATABASE_URL")
	})

	t.Run("a program that is no server", func(t *testing.T) {
		o := options(t.TempDir(), nil)
		o.Server = "/bin/echo"
		checkText(t, openRefused(t, o), "/bin/echo", "no MariaDB or MySQL")
	})

	t.Run("a server that is too old", func(t *testing.T) {
		o := options(t.TempDir(), nil)
		o.Server = fakeServer(t, "mariadbd  Ver 10.5.29-MariaDB-0+deb11u1 for debian-linux-gnu on x86_64 (Debian 11)")
		o.Engine = ""
		checkText(t, openRefused(t, o), "MariaDB 10.5.29", "10.6")
		o.Server = fakeServer(t, "mysqld  Ver 5.7.44 for Linux on x86_64 (MySQL Community Server (GPL))")
		checkText(t, openRefused(t, o), "MySQL 5.7.44", "8.0")
	})

	t.Run("data of the other engine", func(t *testing.T) {
		e := requireServer(t)
		dir := t.TempDir()
		domaintest.Must(t, os.Mkdir(filepath.Join(dir, opposite(e.kind).name), 0o700))
		o := options(dir, nil)
		o.Server = e.server
		checkText(t, openRefused(t, o), dir, "made by "+opposite(e.kind).title, "is "+e.title, "COUNTERFOIL_MYSQLD")
	})

	t.Run("data of a newer version", func(t *testing.T) {
		dir := seededDir(t)
		domaintest.Must(t, os.WriteFile(filepath.Join(dir, underTest(), versionFile), []byte("99.1.0\n"), 0o600))
		checkText(t, openRefused(t, options(dir, nil)), "99.1.0", requireServer(t).version.String(), dir)
	})

	t.Run("a path that is too long", func(t *testing.T) {
		checkText(t, openRefused(t, options(filepath.Join(t.TempDir(), strings.Repeat("long-name/", 40)), nil)), "300",
			"COUNTERFOIL_DATA")
	})

	t.Run("a folder that is not ours to write", func(t *testing.T) {
		requireServer(t)
		dir := domaintest.OK(os.MkdirTemp("/tmp", "cf-user-"))(t)
		t.Cleanup(func() { os.RemoveAll(dir) })
		data := filepath.Join(dir, "data")
		domaintest.Must(t, os.Mkdir(data, 0o500))
		checkText(t, launch(t, helperConfig{Dir: data}, ordinaryUser(t, dir)).read().Err, "not writable", data,
			"COUNTERFOIL_DATA")
	})

	t.Run("data that belong to another user", func(t *testing.T) {
		if os.Geteuid() != 0 {
			checkText(t, OtherUser("/data", 65534).Error(), "/data", "nobody")
			return
		}
		dir := seededDir(t)
		domaintest.Must(t, os.Chown(filepath.Join(dir, underTest()), 65534, 65534))
		checkText(t, openRefused(t, options(dir, nil)), "nobody", dir)
	})

	t.Run("a server that does not start shows the end of its log", func(t *testing.T) {
		dir := seededDir(t)
		checkText(t, openRefused(t, options(dir, map[string]string{"no_such_setting": "1"})), "no-such-setting",
			underTest()+".log")
		if isRunning(dir) {
			t.Error("it runs")
		}
	})

	t.Run("a folder for the socket that others can enter, or a link", func(t *testing.T) {
		dir := t.TempDir()
		domaintest.Must(t, os.Mkdir(filepath.Join(dir, "open"), 0o755))
		domaintest.Must(t, os.Mkdir(filepath.Join(dir, "mine"), 0o700))
		domaintest.Must(t, os.Symlink(filepath.Join(dir, "mine"), filepath.Join(dir, "link")))
		domaintest.Must(t, makePrivate(filepath.Join(dir, "mine"), filepath.Join(dir, "mine", "new")))
		for _, name := range []string{"open", "link"} {
			checkText(t, fault.Message(makePrivate(filepath.Join(dir, name))), name, "XDG_RUNTIME_DIR")
		}
		if private(filepath.Join(dir, "mine"), os.Geteuid()+1) == nil {
			t.Error("a stranger's folder passes")
		}
	})
}

func fakeServer(t *testing.T, version string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server")
	domaintest.Must(t, os.WriteFile(path, []byte("#!/bin/sh\necho '"+version+"'\n"), 0o755))
	return path
}

func TestInstallCommand(t *testing.T) {
	for release, want := range map[string]string{
		"ID=debian\n": "apt-get install --no-install-recommends mariadb-server-core",
		"NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n": "apt-get install --no-install-recommends mariadb-server-core",
		"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n":    "apt-get install --no-install-recommends mariadb-server-core",
		"ID=fedora\n": "dnf install mariadb-server",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n": "dnf install mariadb-server",
		"ID=arch\n":   "pacman -S mariadb",
		"ID=alpine\n": "apk add mariadb",
		"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n": "zypper install mariadb",
		"": "install the package mariadb-server of your system (Debian: apt-get install --no-install-recommends mariadb-server-core)",
	} {
		if got := installCommandFor(release); got != want {
			t.Errorf("%q: %s, want %s", release, got, want)
		}
	}
}

func TestBufferPool(t *testing.T) {
	for memory, want := range map[uint64]uint64{0: 128 * mib, 256 * mib: 128 * mib, 2 * gib: 512 * mib,
		64 * gib: 4 * gib} {
		if got := bufferPool(memory); got != want {
			t.Errorf("of %d bytes: %d, want %d", memory, got, want)
		}
	}
	if memory() == 0 {
		t.Error("the machine has no memory")
	}
}
