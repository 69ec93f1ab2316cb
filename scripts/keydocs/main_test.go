package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestKeysAreWritten refuses files that are older than the keys.
func TestKeysAreWritten(t *testing.T) {
	for name, want := range generate() {
		got, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s is not what the keys are now (%v): run make generate", name, err)
		}
	}
}
