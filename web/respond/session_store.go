package respond

import (
	"context"
	"errors"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// errSessionGone: the session ended while the request was under way.
var errSessionGone = errors.New("the session has ended")

// sessionStore is the store of sessions for scs. It finds no session that was idle too long, and does not let an ended
// one come back through another request of the browser: only a context with newSession creates one.
type sessionStore struct {
	accounts.SessionStore
	idle time.Duration
}

type (
	newSession   struct{} // in a context that may make a session: an accounts.StoredSession without data and end
	heldSession  struct{} // in a context that may continue only if the removed session existed
	foundSession struct{} // a place in a context for the session that is found: an *accounts.Session
)

func (s sessionStore) FindCtx(ctx context.Context, token string) (data []byte, there bool, err error) {
	found, there, err := s.SessionStore.Find(ctx, token)
	if err != nil || !there {
		return nil, false, err
	}
	if !found.UsedAt.IsZero() && time.Since(found.UsedAt) >= s.idle {
		return nil, false, nil
	}
	if place, ok := ctx.Value(foundSession{}).(*accounts.Session); ok {
		*place = found.Session
	}
	return found.Data, true, nil
}

func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	if session, ok := ctx.Value(newSession{}).(accounts.StoredSession); ok {
		session.Data, session.Expiry = data, expiry
		return s.Begin(ctx, token, session)
	}
	return mustBe(s.Update(ctx, token, data, expiry))
}

func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	there, err := s.Take(ctx, token)
	if ctx.Value(heldSession{}) == nil {
		there = true
	}
	return mustBe(there, err)
}

// Find is FindCtx as scs.Store has it, which is not called.
func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx likewise.
func (s sessionStore) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is DeleteCtx likewise.
func (s sessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

func mustBe(there bool, err error) error {
	if err == nil && !there {
		return errSessionGone
	}
	return err
}
