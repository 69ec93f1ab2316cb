package private

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// state is written by the owner for the others and the next owner: the file database.json.
type state struct {
	Engine string    `json:"engine"`
	PID    int       `json:"pid"`
	Start  string    `json:"start"` // distinguishes the process from a later one with its id
	Socket string    `json:"socket"`
	Began  time.Time `json:"began"`
	// Stopping is set before the server is asked to end: one that still answers is not adopted.
	Stopping bool `json:"stopping,omitempty"`
}

func statePath(dir string) string { return filepath.Join(dir, "database.json") }

func readState(dir string) (state, error) {
	raw, err := os.ReadFile(statePath(dir))
	if err != nil {
		return state{}, err
	}
	var st state
	return st, json.Unmarshal(raw, &st)
}

// writeState replaces the file in one step, so that a reader never sees a part.
func writeState(dir string, st state) error {
	raw, err := json.Marshal(st)
	if err != nil {
		return err
	}
	part := statePath(dir) + ".part"
	if err := os.WriteFile(part, append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(part, statePath(dir))
}

func removeState(dir string) error {
	err := os.Remove(statePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
