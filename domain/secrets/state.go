package secrets

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// State is whether the file has the key of the database.
type State struct {
	Path    string
	IDs     []string // of the file, the newest first
	Current string   // the id of the database's key, "" if it has none yet
	Err     error    // OtherKey or BadKeyFile: the key cannot be used here
	Waits   bool     // secrets stay in the clear while a server of the release before lives
}

// State returns the state of the keys. It makes nothing.
func (k *Keys) State(ctx context.Context, q *db.Queries) (*State, error) {
	s := &State{Path: k.path}
	var err error
	if s.Current, err = Current(ctx, q); err != nil {
		return nil, err
	}
	if s.IDs, s.Err = k.IDs(); s.Err == nil && s.Current != "" {
		_, s.Err = k.key(s.Current)
	}
	if s.Err != nil && fault.CodeOf(s.Err) == "" {
		return nil, s.Err
	}
	s.Waits, err = KeepClear(ctx, q)
	return s, err
}

// Current is the id of the database's key, "" if it has none yet.
func Current(ctx context.Context, q *db.Queries) (string, error) {
	id, err := db.Read(q.SecretKey(ctx))
	if db.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the id of the key: %w", err)
	}
	return id, nil
}
