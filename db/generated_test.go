package db_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// sqlc leaves macros that it does not understand in the statement, and the server fails on them.
func TestGeneratedCodeHasNoMacrosLeft(t *testing.T) {
	files, err := filepath.Glob("*.sql.gen.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no generated files: %v", err)
	}
	for _, name := range files {
		text := domaintest.OK(os.ReadFile(name))(t)
		for _, macro := range []string{"sqlc.arg", "sqlc.narg", "sqlc.slice(", "sqlc.embed"} {
			if bytes.Contains(text, []byte(macro)) {
				t.Errorf("%s contains %s", name, macro)
			}
		}
	}
}
