package accounts

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Way is how a session proved whose it is.
type Way string

// Ways of an account itself.
const (
	WayPassword Way = "password"
	WayTOTP     Way = "totp"
	WayRecovery Way = "recovery" // a recovery code
	WayPasskey  Way = "passkey"  // as a second factor, or alone
)

// SessionID names a session where its token must not be. Nobody but the server sees it.
type SessionID []byte

// NewSessionID returns a random one.
func NewSessionID() SessionID {
	session := make(SessionID, 16)
	rand.Read(session) // it does not return errors
	return session
}

// Policy is what a company, or the server for /admin, asks of a session.
type Policy struct {
	SecondFactor bool
	Issuer       bool // one of the company's issuers
	// Recovery says that a recovery code stands in for the issuer: for owners, whose way in stays.
	Recovery bool
}

// Check returns IssuerNeeded or SecondFactorNeeded if a session with these ways does not satisfy the policy. An issuer
// of the company is as much as a password and a second factor: it asks for its own. This is the only place that decides.
func (p Policy) Check(ways []Way) error {
	byIssuer := slices.ContainsFunc(ways, Way.IsIssuer)
	switch {
	case byIssuer:
		return nil
	case p.Issuer && (!p.Recovery || !slices.Contains(ways, WayRecovery)):
		return IssuerNeeded()
	case p.SecondFactor && !slices.ContainsFunc(ways, Way.IsSecond):
		return SecondFactorNeeded()
	}
	return nil
}

// IsSecond reports whether a way comes after a password, or is as much as both.
func (w Way) IsSecond() bool { return slices.Contains(secondWays, w) }

var secondWays = []Way{WayTOTP, WayRecovery, WayPasskey}

// CheckWays returns SecondFactorNeeded or IssuerNeeded if a session does not satisfy the policy of a company, or of the server if the
// company is 0. A session from before sessions had ids has none, and so no way.
func CheckWays(ctx context.Context, q *db.Queries, session SessionID, company id.Company, policy Policy) error {
	if !policy.SecondFactor && !policy.Issuer {
		return nil
	}
	ways, err := WaysOf(ctx, q, session, company)
	if err == nil {
		err = policy.Check(ways)
	}
	return err
}

// WaysOf returns the ways of a session that count for a company, or for the account alone if the company is 0.
func WaysOf(ctx context.Context, q *db.Queries, session SessionID, company id.Company) ([]Way, error) {
	if len(session) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.SessionWays(ctx, session, company))
	if err != nil {
		return nil, fmt.Errorf("read the ways of a session: %w", err)
	}
	ways := make([]Way, len(rows))
	for i, way := range rows {
		ways[i] = Way(way)
	}
	return ways, nil
}

// AddWay records that a session proved its account by a way.
func AddWay(ctx context.Context, tx *db.Tx, session SessionID, way Way) error {
	err := tx.AddSessionWay(ctx, db.AddSessionWayParams{SessionID: session, Way: string(way), At: tx.Now})
	if err != nil {
		return fmt.Errorf("record a way of a session: %w", err)
	}
	return nil
}

// dropSecondWays leaves a session the password alone, once its account has no second factor any more.
func dropSecondWays(ctx context.Context, tx *db.Tx, session SessionID) error {
	for _, way := range secondWays {
		if err := tx.DeleteSessionWay(ctx, session, string(way)); err != nil {
			return fmt.Errorf("remove a way of a session: %w", err)
		}
	}
	return nil
}

// EndWays removes the ways of a session that has ended.
func EndWays(ctx context.Context, q *db.Queries, session SessionID) error {
	if _, err := db.Read(q.DeleteSessionWays(ctx, session)); err != nil {
		return fmt.Errorf("remove the ways of a session: %w", err)
	}
	return nil
}

// ForgetWays removes up to a thousand ways that are older than any session, and returns how many.
func ForgetWays(ctx context.Context, q *db.Queries, now time.Time) (int64, error) {
	return db.Read(q.ForgetSessionWays(ctx, now.Add(-SessionLife)))
}

// SessionLife is how long a browser stays signed in.
const SessionLife = 30 * 24 * time.Hour
