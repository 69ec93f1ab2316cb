package db

import (
	"context"
	"time"

	"github.com/alexedwards/scs/mysqlstore"
)

// Sessions keeps browser sessions for scs. Its errors are classified like all others.
type Sessions struct {
	store   *mysqlstore.MySQLStore
	queries *Queries
}

// Sessions returns the store of browser sessions. It asks the server for its version, so connect first.
func (d *DB) Sessions() Sessions {
	return Sessions{mysqlstore.NewWithCleanupInterval(d.SQL, 0), d.Queries} // ForgetSessions removes expired ones
}

// Find returns the data of a session.
func (s Sessions) Find(token string) (data []byte, found bool, err error) {
	data, found, err = s.store.Find(token)
	return data, found, classify(err)
}

// Commit stores a session.
func (s Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return classify(s.store.Commit(token, data, expiry))
}

// Delete removes a session.
func (s Sessions) Delete(token string) error { return classify(s.store.Delete(token)) }

// Update stores an existing session, and reports whether it exists: a removed one does not come back.
func (s Sessions) Update(ctx context.Context, token string, data []byte, expiry time.Time) (there bool, err error) {
	n, err := Read(s.queries.UpdateSession(ctx, UpdateSessionParams{Data: data, Expiry: expiry.UTC(), Token: token}))
	return n > 0, err
}

// Take removes a session, and reports whether it existed: of two callers, one gets true.
func (s Sessions) Take(ctx context.Context, token string) (there bool, err error) {
	n, err := Read(s.queries.DeleteSession(ctx, token))
	return n > 0, err
}
