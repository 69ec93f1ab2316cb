//go:build soak

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// compiled is the file that the C compiler makes of a source in testdata/faults.
func compiled(t *testing.T, source string, flags ...string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), strings.TrimSuffix(source, ".c"))
	args := append([]string{"-O2", "-Wall", "-o", to, filepath.Join("testdata", "faults", source)}, flags...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %s: %v: this test needs gcc (scripts/need gcc)\n%s", strings.Join(args, " "), err, out)
	}
	return to
}

// mapped is a number in a file, which other processes map.
type mapped struct{ path string }

func newMapped(t *testing.T) mapped {
	t.Helper()
	s := mapped{filepath.Join(t.TempDir(), "number")}
	domaintest.Must(t, os.WriteFile(s.path, make([]byte, 8), 0o600))
	return s
}

func (s mapped) set(t *testing.T, to int64) {
	t.Helper()
	file := domaintest.OK(os.OpenFile(s.path, os.O_WRONLY, 0))(t)
	_, err := file.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(to)), 0)
	domaintest.Must(t, errors.Join(err, file.Close()))
}

// withServer has an install's database run with additional variables of the environment from its next start on.
func (i *install) withServer(t *testing.T, variables ...string) {
	t.Helper()
	server, dir := os.Getenv("COUNTERFOIL_MYSQLD"), t.TempDir()
	if server == "" {
		server = domaintest.OK(exec.LookPath("mariadbd"))(t)
	} else { // scripts/get-mysql has the server's files beside the command
		domaintest.Must(t, os.Symlink(filepath.Join(filepath.Dir(server), "root"), filepath.Join(dir, "root")))
	}
	wrapper := filepath.Join(dir, "mysqld")
	text := fmt.Sprintf("#!/bin/sh\nexport '%s'\nexec '%s' \"$@\"\n", strings.Join(variables, "' '"), server)
	domaintest.Must(t, os.WriteFile(wrapper, []byte(text), 0o700))
	i.env = append(i.env, "COUNTERFOIL_MYSQLD="+wrapper)
}
