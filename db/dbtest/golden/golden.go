// Package golden compares what others rely on with files: tests fail with a diff once it changes.
package golden

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// Accept is the environment variable that makes tests write the files instead.
const Accept = "COUNTERFOIL_ACCEPT"

// Check compares got with testdata/golden/name in the test's package.
func Check(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	want, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err == nil && string(want) == got {
		return
	}
	if os.Getenv(Accept) == "" {
		t.Errorf("%s changed, which others rely on. If that is wanted, run the test again with %s=1, and say why in the commit.\n%s",
			path, Accept, diff.Diff("accepted", want, "now", []byte(got)))
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s is written", path)
}
