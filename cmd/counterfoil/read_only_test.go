package main

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/ops/opstest"
)

func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	url := opstest.Private(t, nil)
	domaintest.Must(t, db.SchemaUp(url))
	i := &install{env: []string{"DATABASE_URL=" + url, "COUNTERFOIL_ADDR=127.0.0.1:0", "COUNTERFOIL_DATA=" + t.TempDir()}}
	domaintest.Exec(t, dbtest.OpenAt(t, url), "SET GLOBAL read_only = ON")

	t.Run("programs that write refuse it in words, although this account could write", func(t *testing.T) {
		for _, command := range []string{"serve", "work", "schema up"} {
			code, out := i.command(t, strings.Fields(command)...)
			if code != 1 || !strings.Contains(out, "it only allows reading") || !strings.Contains(out, "point DATABASE_URL at the server that is written to") {
				t.Errorf("%s: exit code %d: %s", command, code, out)
			}
		}
	})
	t.Run("programs that only read work there", func(t *testing.T) {
		if code, out := i.command(t, "verify"); code != 0 {
			t.Errorf("exit code %d: %s", code, out)
		}
		if code, out := i.command(t, "backup", t.TempDir()+"/b"); code != 0 {
			t.Errorf("exit code %d: %s", code, out)
		}
		if code, out := i.command(t, "doctor"); code != 1 || !strings.Contains(out, "read_only = ON") {
			t.Errorf("exit code %d: %s", code, out)
		}
	})
}
