package secrets_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// bound returns keys in a file of their own, bound to a database of their own.
func bound(t *testing.T) (*secrets.Keys, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	keys := secrets.New(path)
	domaintest.Must(t, keys.Bind(t.Context(), dbtest.Open(t)))
	return keys, path
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	t.Run("it is made for its owner alone, and leaves nothing else behind", func(t *testing.T) {
		t.Parallel()
		keys, path := bound(t)
		about := domaintest.OK(os.Stat(path))(t)
		if about.Mode().Perm() != 0o600 {
			t.Errorf("it has the mode %o", about.Mode().Perm())
		}
		if files := domaintest.OK(os.ReadDir(filepath.Dir(path)))(t); len(files) != 1 {
			t.Errorf("there are %v", files)
		}
		ids := domaintest.OK(keys.IDs())(t)
		if again := domaintest.OK(secrets.New(path).IDs())(t); len(ids) != 1 || len(again) != 1 || ids[0] != again[0] {
			t.Errorf("it has %v, then %v", ids, again)
		}
	})
	for how, spoil := range map[string]struct {
		do   func(t *testing.T, path string)
		says string
	}{
		"others can read": {func(t *testing.T, path string) { domaintest.Must(t, os.Chmod(path, 0o640)) },
			"mode 0640, so others can use it. Make it its owner's alone: chmod 600 "},
		"is a symbolic link": {func(t *testing.T, path string) {
			domaintest.Must(t, os.Rename(path, path+".there"))
			domaintest.Must(t, os.Symlink(path+".there", path))
		}, "is a symbolic link"},
		"is a folder": {func(t *testing.T, path string) {
			domaintest.Must(t, os.Remove(path))
			domaintest.Must(t, os.Mkdir(path, 0o700))
		}, "is no file"},
		"is too large": {func(t *testing.T, path string) {
			domaintest.Must(t, os.WriteFile(path, make([]byte, 5000), 0o600))
		}, "has 5000 bytes, more than a key file can have"},
		"is empty": {func(t *testing.T, path string) {
			domaintest.Must(t, os.WriteFile(path, nil, 0o600))
		}, "has 0 keys"},
		"has a short key": {func(t *testing.T, path string) {
			text := "0123456789abcdef " + base64.StdEncoding.EncodeToString(make([]byte, 16)) + "\n"
			domaintest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		}, "line 1 is no key of 32 bytes"},
		"has a key under another's id": {func(t *testing.T, path string) {
			text := strings.Replace(string(domaintest.OK(os.ReadFile(path))(t)), "\n"+idIn(t, path), "\n0123456789abcdef", 1)
			domaintest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		}, "line 3 has the id of another key"},
	} {
		t.Run("one that "+how+" is refused, and left alone", func(t *testing.T) {
			t.Parallel()
			_, path := bound(t)
			spoil.do(t, path)
			before := domaintest.OK(os.Lstat(path))(t)
			_, err := secrets.New(path).IDs()
			domaintest.Is(t, err, secrets.CodeBadKeyFile)
			if !strings.Contains(fault.Message(err), spoil.says) || !strings.Contains(fault.Message(err), path) {
				t.Errorf("it says %q", fault.Message(err))
			}
			domaintest.Is(t, secrets.New(path).Bind(t.Context(), dbtest.Open(t)), secrets.CodeBadKeyFile)
			if after := domaintest.OK(os.Lstat(path))(t); !os.SameFile(before, after) {
				t.Error("it was replaced")
			}
		})
	}
	t.Run("a place that cannot be written is named", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "file")
		domaintest.Must(t, os.WriteFile(path, nil, 0o600))
		err := secrets.New(filepath.Join(path, "key")).Bind(t.Context(), dbtest.Open(t))
		domaintest.Is(t, err, secrets.CodeBadKeyFile)
		if !strings.Contains(fault.Message(err), "COUNTERFOIL_KEY_FILE") {
			t.Errorf("it says %q", fault.Message(err))
		}
	})
}

func idIn(t *testing.T, path string) string {
	t.Helper()
	return domaintest.OK(secrets.New(path).IDs())(t)[0]
}
