package secrets

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A key file has a line for each key, the newest first: its id and the key in base64. Lines that begin with # are
// comments. Only a rotation that is under way has two.
const (
	keySize     = 32
	maxKeys     = 8
	maxFile     = 4096
	fileComment = `# The keys that Counterfoil encrypts the secrets in its database with. Whoever has this file and the
# database has the secrets; without it they are lost. It is in no backup: keep a copy elsewhere.
`
)

// key is a key of the file, with its id.
type key struct {
	id     string
	secret []byte
}

func newKey() key {
	secret := make([]byte, keySize)
	rand.Read(secret) // it does not return errors
	return withID(secret)
}

// withID names a key by its hash: a file cannot claim another's id.
func withID(secret []byte) key {
	sum := sha256.Sum256(append([]byte("counterfoil key\x00"), secret...))
	return key{hex.EncodeToString(sum[:8]), secret}
}

func ids(keys []key) (list []string) {
	for _, k := range keys {
		list = append(list, k.id)
	}
	return list
}

func find(keys []key, id string) (key, bool) {
	i := slices.IndexFunc(keys, func(k key) bool { return k.id == id })
	if i < 0 {
		return key{}, false
	}
	return keys[i], true
}

func format(keys []key) []byte {
	var text bytes.Buffer
	text.WriteString(fileComment)
	for _, k := range keys {
		fmt.Fprintln(&text, k.id, base64.StdEncoding.EncodeToString(k.secret))
	}
	return text.Bytes()
}

func parse(path string, text []byte) ([]key, error) {
	damaged := func(line int, why string) error {
		return badKeyFile(path, fmt.Sprintf("is damaged: line %d %s. Copy it again from another server, or from where you keep it.",
			line, why))
	}
	var keys []key
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, encoded, _ := strings.Cut(line, " ")
		secret, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
		if err != nil || len(secret) != keySize {
			return nil, damaged(number, fmt.Sprintf("is no key of %d bytes", keySize))
		}
		k := withID(secret)
		if k.id != id {
			return nil, damaged(number, "has the id of another key")
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 || len(keys) > maxKeys {
		return nil, badKeyFile(path, fmt.Sprintf("has %d keys; it must have from 1 to %d. Copy it again from another server, or from where you keep it.",
			len(keys), maxKeys))
	}
	return keys, nil
}

// readFile returns the keys of a file, none if there is no file. It refuses one that others can read.
func readFile(path string) ([]key, error) {
	file, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readKeys(path, file)
}

// openFile returns fs.ErrNotExist if there is none.
func openFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fs.ErrNotExist
	case errors.Is(err, syscall.ELOOP):
		return nil, badKeyFile(path, "is a symbolic link. Name the file itself in COUNTERFOIL_KEY_FILE.")
	case err != nil:
		return nil, cannotUse(path, "read", err)
	}
	return file, nil
}

func readKeys(path string, file *os.File) ([]key, error) {
	about, err := file.Stat()
	switch {
	case err != nil:
		return nil, cannotUse(path, "read", err)
	case !about.Mode().IsRegular():
		return nil, badKeyFile(path, "is no file. Name a file in COUNTERFOIL_KEY_FILE.")
	case about.Mode().Perm()&0o077 != 0:
		return nil, badKeyFile(path, fmt.Sprintf(
			"has the mode %04o, so others can use it. Make it its owner's alone: chmod 600 %s", about.Mode().Perm(), path))
	case about.Size() > maxFile:
		return nil, badKeyFile(path, fmt.Sprintf("has %d bytes, more than a key file can have. Name the right file in COUNTERFOIL_KEY_FILE.",
			about.Size()))
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return nil, cannotUse(path, "read", err)
	}
	return parse(path, text)
}

// makeFile writes keys into a file unless it exists, and reports whether it did. The file appears whole, on the disk.
func makeFile(path string, keys []key) (made bool, err error) {
	err = writeBeside(path, keys, func(temporary string) error {
		err := os.Link(temporary, path) // unlike a rename it replaces nothing
		made = err == nil
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	})
	return made, err
}

// replaceFile replaces the keys of a file.
func replaceFile(path string, keys []key) error {
	return writeBeside(path, keys, func(temporary string) error { return os.Rename(temporary, path) })
}

func writeBeside(path string, keys []key, move func(temporary string) error) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return cannotUse(path, "made", err)
	}
	file, err := os.CreateTemp(folder, "."+filepath.Base(path)+".*.tmp") // it has the mode 0600
	if err != nil {
		return cannotUse(path, "made", err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	for _, step := range []func() error{
		func() error { _, err := file.Write(format(keys)); return err },
		file.Sync, file.Close,
		func() error { return move(file.Name()) },
		func() error { return syncFolder(folder) },
	} {
		if err := step(); err != nil {
			return cannotUse(path, "written", err)
		}
	}
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// withFile calls fn with the keys of a file while no other process changes it: the lock is of its folder, because the
// file is replaced.
func withFile(path string, fn func(keys []key) error) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return cannotUse(path, "read", err)
	}
	defer folder.Close() // and unlocks
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX); err != nil {
		return cannotUse(path, "locked", err)
	}
	keys, err := readFile(path)
	if err != nil {
		return err
	}
	return fn(keys)
}
