package accounts

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Session is a browser in which a user is signed in.
type Session struct {
	ID      id.Session
	Device  string // browser and system, "" if unknown
	Address string // of its last use
	// Times are zero if they are unknown. ConfirmedAt is when the user last proved who they are: at the sign-in, or when
	// asked again.
	BeganAt, UsedAt, ConfirmedAt time.Time
}

// ConfirmedFor is how long a proof of who the user is lasts.
const ConfirmedFor = 10 * time.Minute

// Confirmed reports whether the session's user proved a short while ago who they are.
func Confirmed(s Session, now time.Time) bool { return now.Sub(s.ConfirmedAt) < ConfirmedFor }

// Confirm records that the session's user has proved who they are.
func Confirm(ctx context.Context, tx *db.Tx, session id.Session) error {
	if err := tx.ConfirmSession(ctx, &tx.Now, session); err != nil {
		return fmt.Errorf("confirm session: %w", err)
	}
	return nil
}

// SessionsOf returns a page of an account's sessions, the latest first, from below one; 0 means from the latest.
func SessionsOf(
	ctx context.Context, q *db.Queries, account Account, before id.Session, limit int,
) ([]Session, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := db.Read(q.SessionsOf(ctx, db.SessionsOfParams{AccountID: &account.ID, Epoch: account.Epoch,
		BeforeID: before, Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	list := make([]Session, len(rows))
	for i, row := range rows {
		list[i] = sessionFrom(row)
	}
	return list, nil
}

func sessionFrom(row db.SessionsOfRow) Session {
	return Session{ID: row.ID, Device: row.Device, Address: row.Address, BeganAt: orZero(row.BeganAt),
		UsedAt: orZero(row.UsedAt), ConfirmedAt: orZero(row.ConfirmedAt)}
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// EndSession ends a session of an account, and reports whether there was one.
func EndSession(ctx context.Context, tx *db.Tx, account ID, session id.Session) (ended bool, err error) {
	n, err := tx.EndSession(ctx, session, &account)
	if err != nil {
		return false, fmt.Errorf("end session: %w", err)
	}
	return n > 0, nil
}

// Know records that an account has a browser that is known, unless it has one.
func Know(ctx context.Context, d *db.DB, account ID) error {
	err := d.InTx(ctx, func(tx *db.Tx) error { return tx.KnowAccount(ctx, &tx.Now, account) })
	if err != nil {
		return fmt.Errorf("know a browser: %w", err)
	}
	return nil
}

// SessionStore keeps sessions under a hash of their token.
type SessionStore struct{ queries *db.Queries }

// NewSessionStore returns the store of sessions in a database.
func NewSessionStore(d *db.DB) SessionStore { return SessionStore{d.Queries} }

// StoredSession is a session with its data and its end.
type StoredSession struct {
	Session

	Account Account // its ID and Epoch, 0 if nobody is signed in
	Data    []byte
	Expiry  time.Time
}

// Find returns a session that has not ended.
func (s SessionStore) Find(ctx context.Context, token string) (found StoredSession, there bool, err error) {
	row, err := db.Read(s.queries.FindSession(ctx, token))
	if db.IsNotFound(err) {
		return StoredSession{}, false, nil
	}
	if err != nil {
		return StoredSession{}, false, fmt.Errorf("read session: %w", err)
	}
	session := sessionFrom(db.SessionsOfRow{ID: row.ID, Device: row.Device, Address: row.Address, BeganAt: row.BeganAt,
		UsedAt: row.UsedAt, ConfirmedAt: row.ConfirmedAt})
	return StoredSession{Session: session, Data: row.Data, Expiry: row.Expiry}, true, nil
}

// Begin stores a new session.
func (s SessionStore) Begin(ctx context.Context, token string, session StoredSession) error {
	params := db.BeginSessionParams{Token: token, Data: session.Data, Expiry: session.Expiry.UTC(),
		Epoch: session.Account.Epoch, Device: session.Device, Address: session.Address, BeganAt: orNull(session.BeganAt),
		UsedAt: orNull(session.UsedAt), ConfirmedAt: orNull(session.ConfirmedAt)}
	if session.Account.ID != 0 {
		params.AccountID = &session.Account.ID
	}
	_, err := db.Read(0, s.queries.BeginSession(ctx, params))
	return err
}

// Update stores the data of a session, and reports whether it exists: a removed one does not come back.
func (s SessionStore) Update(ctx context.Context, token string, data []byte, expiry time.Time) (there bool, err error) {
	n, err := db.Read(s.queries.UpdateSession(ctx, db.UpdateSessionParams{Data: data, Expiry: expiry.UTC(), Token: token}))
	return n > 0, err
}

// Use stores the end of a session and what a list of sessions shows, unless it was used since a time.
func (s SessionStore) Use(ctx context.Context, session StoredSession, since time.Time) error {
	_, err := db.Read(0, s.queries.UseSession(ctx, db.UseSessionParams{Expiry: session.Expiry.UTC(),
		AccountID: &session.Account.ID, Epoch: session.Account.Epoch, Device: session.Device, Address: session.Address,
		BeganAt: orNull(session.BeganAt), UsedAt: orNull(session.UsedAt), ID: session.ID, UsedBefore: &since}))
	return err
}

// Take removes a session, and reports whether it existed: of two callers, one gets true.
func (s SessionStore) Take(ctx context.Context, token string) (there bool, err error) {
	n, err := db.Read(s.queries.DeleteSession(ctx, token))
	return n > 0, err
}
