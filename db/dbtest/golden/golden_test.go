package golden_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest/golden"
)

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Helper()                       {}
func (r *recorder) Logf(string, ...any)           {}
func (r *recorder) Errorf(text string, of ...any) { r.failed = fmt.Sprintf(text, of...) }

func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	check := func(got string) string {
		r := &recorder{TB: t}
		golden.Check(r, "colours.txt", got)
		return r.failed
	}
	t.Setenv(golden.Accept, "")
	if failed := check("red\ngreen\n"); !strings.Contains(failed, "+green") {
		t.Errorf("without a file it says %q", failed)
	}
	if _, err := os.Stat("testdata"); err == nil {
		t.Error("a comparison writes a file")
	}
	t.Setenv(golden.Accept, "1")
	if failed := check("red\ngreen\n"); failed != "" {
		t.Errorf("accepting fails: %s", failed)
	}
	t.Setenv(golden.Accept, "")
	if failed := check("red\ngreen\n"); failed != "" {
		t.Errorf("what is accepted fails: %s", failed)
	}
	failed := check("red\nblue\n")
	for _, want := range []string{"colours.txt changed", golden.Accept + "=1", "-green", "+blue"} {
		if !strings.Contains(failed, want) {
			t.Errorf("%q is not in %s", want, failed)
		}
	}
}
