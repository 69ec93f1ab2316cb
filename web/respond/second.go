package respond

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

// The second step of a sign-in. Between the steps the session is nobody's: it keeps whose it becomes, for a short
// time.

// secondWithin is the time for the second step.
const secondWithin = 10 * time.Minute

// In the session between the steps.
const (
	awaitedKey      = "awaited"
	awaitedEpochKey = "awaited epoch"
)

// SessionID is the id that the session's ways have, nil for a session from before there were ways.
func (r *Responder) SessionID(ctx context.Context) accounts.SessionID {
	session, _ := r.sessions.Get(ctx, idKey).([]byte)
	return session
}

// EnterCompany returns the session's user as an actor in the company with a slug. It returns SignedOut, NotMember, or
// SecondFactorNeeded or IssuerNeeded if the session does not satisfy the company's policy.
func (r *Responder) EnterCompany(ctx context.Context, slug string) (accounts.Actor, error) {
	account, epoch := r.SessionAccount(ctx)
	actor, err := r.workflows.Enter(ctx, slug, account, epoch)
	if err == nil && r.Issuer(ctx) != 0 {
		return r.workflows.EnterByIssuer(ctx, actor, r.SessionID(ctx))
	}
	if err == nil {
		err = r.workflows.CheckWays(ctx, r.SessionID(ctx), actor.Company.ID, actor.Policy)
	}
	if err != nil {
		return accounts.Actor{}, err
	}
	return actor, nil
}

// AskForSecond redirects to the page that asks for a second factor, which leads back to the page.
func (r *Responder) AskForSecond(c echo.Context) error {
	if c.Request().Method == http.MethodGet && !IsFragment(c) {
		return redirectAway(c, views.SecondPath(c.Request().URL.RequestURI()))
	}
	return redirectAway(c, views.SecondPath(OwnPath(CurrentPath(c))))
}

// awaitSecond keeps whose the session becomes with a second factor, under a new token.
func (r *Responder) awaitSecond(c echo.Context, account accounts.Account, session accounts.SessionID) error {
	ctx := c.Request().Context()
	if err := r.sessions.RenewToken(ctx); err != nil {
		return err
	}
	r.sessions.Remove(ctx, issuerKey)
	r.sessions.Remove(ctx, accountKey)
	r.sessions.Remove(ctx, epochKey)
	r.sessions.Put(ctx, idKey, []byte(session))
	r.sessions.Put(ctx, awaitedKey, uint64(account.ID))
	r.sessions.Put(ctx, awaitedEpochKey, account.Epoch)
	r.sessions.SetDeadline(ctx, time.Now().Add(secondWithin).UTC()) // the next token has the whole time again
	return r.save(context.WithValue(ctx, newSession{}, accounts.StoredSession{}), c)
}

// SecondStep is the step that the session is to take: of the user who signs in, or of the one who is signed in. It
// returns SignedOut if there is neither.
func (r *Responder) SecondStep(c echo.Context) (workflows.SecondStep, error) {
	ctx := c.Request().Context()
	step := workflows.SecondStep{Session: r.SessionID(ctx), Device: r.Device(c)}
	awaited, _ := r.sessions.Get(ctx, awaitedKey).(uint64)
	if awaited == 0 {
		account, err := r.SignedIn(c)
		step.Account = account
		return step, err
	}
	step.SigningIn = true
	epoch, _ := r.sessions.Get(ctx, awaitedEpochKey).(uint64)
	account, err := r.workflows.Session(ctx, accounts.ID(awaited), epoch)
	step.Account = account
	return step, err
}

// WithSessionID gives a session from before there were ways an id. FinishSecond stores it.
func (r *Responder) WithSessionID(c echo.Context) accounts.SessionID {
	ctx := c.Request().Context()
	if session := r.SessionID(ctx); session != nil {
		return session
	}
	session := accounts.NewSessionID()
	r.sessions.Put(ctx, idKey, []byte(session))
	return session
}

// FinishSecond makes the session that of the account whose second step was taken. Of two callers at once one does;
// the other gets SignedOut.
func (r *Responder) FinishSecond(c echo.Context, step workflows.SecondStep) error {
	ctx := c.Request().Context()
	if !step.SigningIn {
		return r.commit(c)
	}
	r.sessions.Remove(ctx, awaitedKey)
	r.sessions.Remove(ctx, awaitedEpochKey)
	return r.begin(c, context.WithValue(ctx, heldSession{}, true), step.Account, step.Session)
}

// KeepSignedIn is StaySignedIn after what ended the account's sessions: it redirects to the sign-in if this one was
// ended meanwhile, and reports whether it did not.
func (r *Responder) KeepSignedIn(c echo.Context, account accounts.Account) (ok bool, err error) {
	err = r.StaySignedIn(c, account)
	if errors.Is(err, accounts.CodeSignedOut) {
		return false, r.AskToSignIn(c)
	}
	return err == nil, err
}
