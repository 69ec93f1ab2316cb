package respond

import (
	"context"
	"errors"
	"time"

	"github.com/alexedwards/scs/v2"
)

// SessionStore keeps sessions. Update stores an existing one, and Take removes it; both report whether it existed.
type SessionStore interface {
	scs.Store
	Update(ctx context.Context, token string, data []byte, expiry time.Time) (there bool, err error)
	Take(ctx context.Context, token string) (there bool, err error)
}

// errSessionGone: the session ended while the request was under way.
var errSessionGone = errors.New("the session has ended")

// guardedStore does not let an ended session come back through another request of the browser: only a context with
// newSession creates one.
type guardedStore struct{ SessionStore }

type (
	newSession  struct{} // in a context that may make a session
	heldSession struct{} // in a context that may continue only if the removed session existed
)

func (s guardedStore) FindCtx(_ context.Context, token string) ([]byte, bool, error) {
	return s.Find(token)
}

func (s guardedStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	if ctx.Value(newSession{}) != nil {
		return s.Commit(token, data, expiry)
	}
	return mustBe(s.Update(ctx, token, data, expiry))
}

func (s guardedStore) DeleteCtx(ctx context.Context, token string) error {
	there, err := s.Take(ctx, token)
	if ctx.Value(heldSession{}) == nil {
		there = true
	}
	return mustBe(there, err)
}

func mustBe(there bool, err error) error {
	if err == nil && !there {
		return errSessionGone
	}
	return err
}
