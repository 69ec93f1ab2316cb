package views

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestKeysHaveOneMeaning refuses a key with two commands on one page.
func TestKeysHaveOneMeaning(t *testing.T) {
	scopes := map[string]KeyScope{}
	for _, s := range keyScopes {
		scopes[s.Name] = s
	}
	held := map[string]bool{}
	for page, names := range keyPages {
		meanings := map[string]Command{}
		for _, name := range names {
			held[name] = true
			for _, b := range scopes[name].Bindings {
				for _, key := range b.Keys {
					first, _, _ := strings.Cut(key, " ") // "g" alone would never wait for "g b"
					for other, command := range meanings {
						if command != b.Command && (other == key || other == first || strings.HasPrefix(other, key+" ")) {
							t.Errorf("on %s, %q means %q and %q", page, key, command, b.Command)
						}
					}
					meanings[key] = b.Command
				}
			}
		}
	}
	for name := range scopes {
		if !held[name] {
			t.Errorf("no page has the keys of the scope %q", name)
		}
	}
}

// TestCommandsHaveOneSetOfKeys refuses a command with other keys in another scope: a control knows its command alone.
func TestCommandsHaveOneSetOfKeys(t *testing.T) {
	for _, s := range keyScopes {
		for _, b := range s.Bindings {
			if len(b.Keys) == 0 || !slices.Equal(b.Keys, keysOf(b.Command)) {
				t.Errorf("%s: %s has the keys %q, and %q before", s.Name, b.Command, b.Keys, keysOf(b.Command))
			}
		}
	}
}

// TestKeysAreInTheTable refuses a key that is bound in a page or a script without being in the table.
func TestKeysAreInTheTable(t *testing.T) {
	literal := map[string]*regexp.Regexp{
		"*.templ":           regexp.MustCompile(`data-hotkey="|<kbd>[^{]*[a-z/?][^{]*</kbd>`),
		"pages/*.templ":     regexp.MustCompile(`data-hotkey="|<kbd>[a-z/?]</kbd>`),
		"admin/*.templ":     regexp.MustCompile(`data-hotkey="|<kbd>[a-z/?]</kbd>`),
		"../static/js/*.js": regexp.MustCompile(`event\.key\b[^\n]*'[^' ]'|'[^' ]'[^\n]*\.includes\(event\.key`),
	}
	for pattern, wrong := range literal {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range wrong.FindAllString(string(text), -1) {
				t.Errorf("%s binds a key by itself: %s", name, found)
			}
		}
	}
}

func TestKeyNames(t *testing.T) {
	for key, want := range map[string]string{"Ctrl+z": "Ctrl Z", "Ctrl+Enter": "Ctrl Enter", "Escape": "Esc", "ArrowUp": "↑", "g b": "g b", "/": "/"} {
		if got := KeyName(key); got != want {
			t.Errorf("%q is shown as %q, not %q", key, got, want)
		}
	}
	if got := Hotkey(KeyJump)["data-hotkey"]; got != "/,Shift+/,Mod+k" {
		t.Errorf("the jump box opens by %q", got)
	}
}
