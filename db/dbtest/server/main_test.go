package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// underTest returns the engine that the tests run on.
func underTest() string { return cmp.Or(os.Getenv("COUNTERFOIL_TEST_ENGINE"), "mariadb") }

func TestRun(t *testing.T) {
	engine := underTest()
	t.Run("the command finds its server, its exit code is ours, and nothing is left", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		code, err := run(engine,
			[]string{"sh", "-c", `echo "$COUNTERFOIL_TEST_ENGINE $COUNTERFOIL_TEST_DATABASE" >"$0"; exit 3`, out})
		if code != 3 || err != nil {
			t.Fatalf("code %d, %v", code, err)
		}
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		socket, _ := strings.CutPrefix(strings.TrimSpace(string(raw)), engine+" mysql://root@unix(")
		socket, ok := strings.CutSuffix(socket, ")/")
		if !ok {
			t.Fatalf("%s", raw)
		}
		if _, err := os.Lstat(socket); !os.IsNotExist(err) {
			t.Errorf("the socket is still there: %v", err)
		}
	})

	t.Run("a command that is not there", func(t *testing.T) {
		if code, err := run(engine, []string{"/nowhere/command"}); code == 0 || err == nil {
			t.Errorf("code %d, %v", code, err)
		}
	})
}
