package workflows

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// A challenge says itself when it ends and what it is for, under a signature. Nothing is stored for strangers who ask
// for one; only one that was answered rightly is, so that its answer counts once.

// challengeLife is the time for an answer.
const challengeLife = 10 * time.Minute

const (
	challengeRandom = 16
	challengeEnd    = challengeRandom + 8 // seconds since 1970
)

// What a challenge is for.
const (
	toAdd    = "add"
	toSignIn = "sign in"
	toProve  = "second step"
)

func (w *Workflows) challenge(ctx context.Context, purpose string, account accounts.ID) ([]byte, error) {
	challenge := make([]byte, challengeRandom, challengeEnd+32)
	rand.Read(challenge) // it does not return errors
	challenge = binary.BigEndian.AppendUint64(challenge, uint64(w.db.Now().Add(challengeLife).Unix()))
	mac, err := w.signChallenge(ctx, purpose, account, challenge)
	return append(challenge, mac...), err
}

func (w *Workflows) signChallenge(
	ctx context.Context, purpose string, account accounts.ID, random []byte,
) ([]byte, error) {
	return w.sign(ctx, "challenge", purpose, strconv.FormatUint(uint64(account), 10), hex.EncodeToString(random))
}

// checkChallenge returns BadPasskey or LatePasskey unless a challenge was made for that purpose and account, lately.
func (w *Workflows) checkChallenge(
	ctx context.Context, purpose string, account accounts.ID, challenge []byte,
) error {
	if len(challenge) != challengeEnd+32 {
		return accounts.BadPasskey(fmt.Errorf("the challenge has %d bytes", len(challenge)))
	}
	mac, err := w.signChallenge(ctx, purpose, account, challenge[:challengeEnd])
	if err != nil {
		return err
	}
	if !hmac.Equal(mac, challenge[challengeEnd:]) {
		return accounts.BadPasskey(fmt.Errorf("the challenge is not one to %s", purpose))
	}
	ends := time.Unix(int64(binary.BigEndian.Uint64(challenge[challengeRandom:challengeEnd])), 0)
	if w.db.Now().After(ends) {
		return accounts.LatePasskey()
	}
	return nil
}

// passkeyHandle is what authenticators know an account by. It says nothing of the account.
func (w *Workflows) passkeyHandle(ctx context.Context, account accounts.ID) ([]byte, error) {
	return w.sign(ctx, "passkey", strconv.FormatUint(uint64(account), 10))
}

// Passkeys returns the passkeys of an account.
func (w *Workflows) Passkeys(ctx context.Context, account accounts.ID) ([]accounts.Passkey, error) {
	return accounts.PasskeysOf(ctx, w.db.Queries, account)
}

// NewPasskeyOptions are what a browser makes a passkey of an account by, as JSON. It returns NoPasskeysHere.
func (w *Workflows) NewPasskeyOptions(
	ctx context.Context, party accounts.RelyingParty, account accounts.Account,
) (json.RawMessage, error) {
	handle, err := w.passkeyHandle(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	challenge, err := w.challenge(ctx, toAdd, account.ID)
	if err != nil {
		return nil, err
	}
	return accounts.NewPasskeyOptions(ctx, w.db.Queries, party, account, handle, challenge)
}

// SignInOptions are what a browser signs in with a passkey by, as JSON. It returns NoPasskeysHere.
func (w *Workflows) SignInOptions(ctx context.Context, party accounts.RelyingParty) (json.RawMessage, error) {
	challenge, err := w.challenge(ctx, toSignIn, 0)
	if err != nil {
		return nil, err
	}
	return accounts.PasskeyOptions(ctx, w.db.Queries, party, 0, challenge)
}

// SecondStepOptions are SignInOptions for the second step of an account.
func (w *Workflows) SecondStepOptions(
	ctx context.Context, party accounts.RelyingParty, account accounts.ID,
) (json.RawMessage, error) {
	challenge, err := w.challenge(ctx, toProve, account)
	if err != nil {
		return nil, err
	}
	return accounts.PasskeyOptions(ctx, w.db.Queries, party, account, challenge)
}

// SignInWithPasskey returns the account whose passkey answered, and gives the notice of SignIn. It returns BadPasskey,
// LatePasskey or PasskeyCloned.
func (w *Workflows) SignInWithPasskey(
	ctx context.Context, party accounts.RelyingParty, answer string, browser Browser,
) (accounts.Account, error) {
	used, err := w.answered(ctx, party, toSignIn, 0, answer, func(tx *db.Tx, used accounts.UsedPasskey) error {
		known, err := w.device(ctx, forAttempts, used.Account.Email, browser.Cookie)
		if err != nil {
			return err
		}
		if err := accounts.RecordEverywhere(ctx, tx, used.Account.ID, accounts.AuditSignedIn); err != nil || known != "" {
			return err
		}
		return tickets.GiveNotice(ctx, tx, used.Account.ID, tickets.NoticeSignIn, browser.in(ctx))
	})
	return used.Account, err
}

// TakeSecondStepByPasskey adds a passkey's way to those of a session. It returns BadPasskey, LatePasskey or
// PasskeyCloned.
func (w *Workflows) TakeSecondStepByPasskey(
	ctx context.Context, party accounts.RelyingParty, step SecondStep, answer string,
) error {
	_, err := w.answered(ctx, party, toProve, step.Account.ID, answer, func(tx *db.Tx, _ accounts.UsedPasskey) error {
		return w.secondWay(ctx, tx, step, accounts.WayPasskey)
	})
	return err
}

// answered checks an answer, and runs then in the transaction in which it counts.
func (w *Workflows) answered(
	ctx context.Context, party accounts.RelyingParty, purpose string, account accounts.ID, text string,
	then func(*db.Tx, accounts.UsedPasskey) error,
) (used accounts.UsedPasskey, err error) {
	answer, err := accounts.ParsePasskeyAnswer(text)
	if err != nil {
		return used, err
	}
	if err := w.checkChallenge(ctx, purpose, account, answer.Challenge()); err != nil {
		return used, err
	}
	if used, err = accounts.CheckPasskey(ctx, w.db.Queries, party, account, answer); err != nil {
		return used, err
	}
	cloned := false
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := accounts.UseChallenge(ctx, tx, answer.Challenge()); err != nil {
			return err
		}
		if cloned, err = used.Use(ctx, tx); err != nil {
			return err
		}
		if cloned {
			detail := accounts.AuditDetail{Name: used.Name}
			return accounts.RecordAbout(ctx, tx, used.Account.ID, used.Account.ID, accounts.AuditPasskeyCloned, detail)
		}
		return then(tx, used)
	})
	if err == nil && cloned {
		err = accounts.PasskeyCloned()
	}
	if err != nil {
		return used, fmt.Errorf("use a passkey: %w", err)
	}
	return used, nil
}

// AddPasskey gives an account a passkey, as a way of its session, too. With the first second factor come recovery
// codes; else there are none. It returns BadName, BadPasskey, LatePasskey, PasskeyConflict or TooManyPasskeys.
func (w *Workflows) AddPasskey(
	ctx context.Context, party accounts.RelyingParty, account accounts.Account, session accounts.SessionID,
	name, answer string,
) (codes []string, err error) {
	made, err := accounts.ParseNewPasskey(answer)
	if err != nil {
		return nil, err
	}
	if err := w.checkChallenge(ctx, toAdd, account.ID, made.Challenge()); err != nil {
		return nil, err
	}
	handle, err := w.passkeyHandle(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	add := func(tx *db.Tx) error {
		if err := accounts.UseChallenge(ctx, tx, made.Challenge()); err != nil {
			return err
		}
		return accounts.AddPasskey(ctx, tx, party, account, handle, name, made)
	}
	return w.addFactor(ctx, account.ID, session, newFactor{accounts.WayPasskey, accounts.AuditPasskeyAdded, name}, add)
}

// RenamePasskey gives a passkey of an account another name. It returns BadName or FactorNotFound.
func (w *Workflows) RenamePasskey(ctx context.Context, account accounts.ID, passkey id.Passkey, name string) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error { return accounts.RenamePasskey(ctx, tx, account, passkey, name) })
}

// RemovePasskey takes a passkey of an account away and ends its sessions: the account returned has the new epoch. It
// returns FactorNotFound.
func (w *Workflows) RemovePasskey(
	ctx context.Context, account accounts.ID, session accounts.SessionID, passkey id.Passkey,
) (accounts.Account, error) {
	return w.removeFactor(ctx, account, session, accounts.AuditPasskeyRemoved, func(tx *db.Tx) error {
		return accounts.RemovePasskey(ctx, tx, account, passkey)
	})
}

// ForgetChallenges removes up to a thousand challenges that are too old to be answered, and returns how many.
func (w *Workflows) ForgetChallenges(ctx context.Context) (int64, error) {
	return db.Read(w.db.ForgetChallenges(ctx, w.db.Now().Add(-2*challengeLife)))
}
