package db

import (
	"time"

	"github.com/alexedwards/scs/mysqlstore"
)

// Sessions keeps browser sessions for scs. Its errors are classified like all others.
type Sessions struct{ store *mysqlstore.MySQLStore }

// Sessions returns the store of browser sessions; it forgets those that have expired. It asks the
// server for its version, so connect first.
func (d *DB) Sessions() Sessions { return Sessions{mysqlstore.New(d.SQL)} }

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
