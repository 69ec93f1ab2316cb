package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// OpenSession records by which way a new session proved its account. It reports whether a second factor has to follow
// before the session is the account's. It returns accounts.Deactivated.
func (w *Workflows) OpenSession(
	ctx context.Context, account accounts.ID, session accounts.SessionID, way accounts.Way,
) (second bool, err error) {
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		of, err := accounts.ByID(ctx, tx.Queries, account)
		if err != nil {
			return err
		}
		if of.Deactivated {
			return accounts.Deactivated("")
		}
		factors, err := accounts.FactorsOf(ctx, tx.Queries, account)
		if err != nil {
			return err
		}
		second = factors.Any() && !way.IsSecond()
		return accounts.AddWay(ctx, tx, session, way)
	})
	if err != nil {
		return false, fmt.Errorf("open session: %w", err)
	}
	return second, nil
}

// EndWays forgets the ways of a session that has ended.
func (w *Workflows) EndWays(ctx context.Context, session accounts.SessionID) error {
	return accounts.EndWays(ctx, w.db.Queries, session)
}

// CheckWays returns SecondFactorNeeded if a session does not satisfy the policy of a company, or of the server if the
// company is 0.
func (w *Workflows) CheckWays(
	ctx context.Context, session accounts.SessionID, company id.Company, policy accounts.Policy,
) error {
	return accounts.CheckWays(ctx, w.db.Queries, session, company, policy)
}

// Factors returns the second factors of an account.
func (w *Workflows) Factors(ctx context.Context, account accounts.ID) (accounts.Factors, error) {
	return accounts.FactorsOf(ctx, w.db.Queries, account)
}

// SecondStep is the second step of a session: a code, of the account that its password opened.
type SecondStep struct {
	Account   accounts.Account
	Session   accounts.SessionID
	SigningIn bool   // the session is not the account's yet
	Device    string // the browser's cookie of DeviceCookie, or ""
	Code      string
}

// TakeSecondStep adds a code's way to those of a session. It returns WrongCode, or TooManyAttempts without checking the
// code.
func (w *Workflows) TakeSecondStep(ctx context.Context, step SecondStep) error {
	if step.Code == "" {
		return accounts.WrongCode() // no attempt
	}
	attempt, err := w.countCode(ctx, step)
	if err != nil {
		return fmt.Errorf("second step: %w", err)
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		way, err := accounts.UseCode(ctx, tx, w.keys, step.Account.ID, step.Code)
		if err != nil {
			return err
		}
		if err := attempt.Succeed(ctx, tx); err != nil {
			return err
		}
		return w.secondWay(ctx, tx, step, way)
	})
	if err != nil {
		return fmt.Errorf("second step: %w", err)
	}
	return nil
}

func (w *Workflows) countCode(ctx context.Context, step SecondStep) (attempt accounts.CodeAttempt, err error) {
	device, err := w.device(ctx, forAttempts, step.Account.Email, step.Device)
	if err != nil {
		return attempt, err
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		attempt, err = accounts.CountCode(ctx, tx, step.Account.ID, device)
		if err != nil || !attempt.Full {
			return err
		}
		return accounts.RecordEverywhere(ctx, tx, step.Account.ID, accounts.AuditSignInLimited)
	})
	return attempt, err
}

func (w *Workflows) secondWay(ctx context.Context, tx *db.Tx, step SecondStep, way accounts.Way) error {
	if err := accounts.AddWay(ctx, tx, step.Session, way); err != nil {
		return err
	}
	if way == accounts.WayRecovery {
		if err := accounts.RecordEverywhere(ctx, tx, step.Account.ID, accounts.AuditRecoveryUsed); err != nil {
			return err
		}
	}
	if !step.SigningIn {
		return nil
	}
	return accounts.RecordEverywhere(ctx, tx, step.Account.ID, accounts.AuditSignedIn)
}

// SetUpTOTP gives an account an authenticator app, which a code confirms, as a way of its session, too. With the first
// second factor come recovery codes; else there are none. It returns BadTOTPKey, WrongCode or TOTPConflict.
func (w *Workflows) SetUpTOTP(
	ctx context.Context, account accounts.ID, session accounts.SessionID, key, code string,
) (codes []string, err error) {
	parsed, err := accounts.ParseTOTPKey(key)
	if err != nil {
		return nil, err
	}
	add := func(tx *db.Tx) error { return accounts.SetUpTOTP(ctx, tx, w.keys, account, parsed, code) }
	return w.addFactor(ctx, account, session, newFactor{accounts.WayTOTP, accounts.AuditTOTPMade, ""}, add)
}

// newFactor is a way that an account gets, and what the audit list says of it.
type newFactor struct {
	way        accounts.Way
	kind, name string
}

// addFactor adds a second factor in one transaction, with recovery codes if it is the first.
func (w *Workflows) addFactor(
	ctx context.Context, account accounts.ID, session accounts.SessionID, factor newFactor, add func(*db.Tx) error,
) (codes []string, err error) {
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		codes = nil
		before, err := accounts.FactorsOf(ctx, tx.Queries, account)
		if err != nil {
			return err
		}
		if err := add(tx); err != nil {
			return err
		}
		if !before.Any() {
			if codes, err = accounts.MakeRecoveryCodes(ctx, tx, account); err != nil {
				return err
			}
		}
		if err := accounts.AddWay(ctx, tx, session, factor.way); err != nil {
			return err
		}
		return accounts.RecordAbout(ctx, tx, account, account, factor.kind, accounts.AuditDetail{Name: factor.name})
	})
	if err != nil {
		return nil, fmt.Errorf("add a second factor: %w", err)
	}
	return codes, nil
}

// RemoveTOTP takes an account's authenticator app away and ends its sessions: the account returned has the new epoch.
// It returns FactorNotFound.
func (w *Workflows) RemoveTOTP(
	ctx context.Context, account accounts.ID, session accounts.SessionID,
) (accounts.Account, error) {
	return w.removeFactor(ctx, account, session, accounts.AuditTOTPRemoved, func(tx *db.Tx) error {
		return accounts.RemoveTOTP(ctx, tx, account)
	})
}

func (w *Workflows) removeFactor(
	ctx context.Context, account accounts.ID, session accounts.SessionID, kind string, remove func(*db.Tx) error,
) (changed accounts.Account, err error) {
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := remove(tx); err != nil {
			return err
		}
		if err := accounts.RecordEverywhere(ctx, tx, account, kind); err != nil {
			return err
		}
		if err := accounts.RemovedFactor(ctx, tx, account, session); err != nil {
			return err
		}
		changed, err = accounts.ByID(ctx, tx.Queries, account)
		return err
	})
	if err != nil {
		return accounts.Account{}, fmt.Errorf("remove a second factor: %w", err)
	}
	return changed, nil
}

// MakeRecoveryCodes replaces the recovery codes of an account. It returns FactorNotFound without a second factor.
func (w *Workflows) MakeRecoveryCodes(ctx context.Context, account accounts.ID) (codes []string, err error) {
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		factors, err := accounts.FactorsOf(ctx, tx.Queries, account)
		if err != nil {
			return err
		}
		if !factors.Any() {
			return accounts.FactorNotFound()
		}
		if codes, err = accounts.MakeRecoveryCodes(ctx, tx, account); err != nil {
			return err
		}
		return accounts.RecordEverywhere(ctx, tx, account, accounts.AuditRecoveryMade)
	})
	if err != nil {
		return nil, fmt.Errorf("make recovery codes: %w", err)
	}
	return codes, nil
}

// RemoveFactorsOf takes all second factors of the account with an address away and ends its sessions, for the command
// line. It reports whether there were any, and returns AddressUnknown.
func (w *Workflows) RemoveFactorsOf(ctx context.Context, email string) (had bool, err error) {
	account, err := accounts.ByEmail(ctx, w.db.Queries, email)
	if errors.Is(err, fault.NotFound) {
		return false, accounts.AddressUnknown()
	}
	if err != nil {
		return false, err
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if had, err = accounts.RemoveFactors(ctx, tx, account.ID); err != nil {
			return err
		}
		detail := accounts.AuditDetail{Member: account.NameAndEmail()}
		if err := accounts.RecordInstance(ctx, tx, 0, accounts.AuditFactorsRemoved, detail); err != nil {
			return err
		}
		return accounts.RecordAbout(ctx, tx, 0, account.ID, accounts.AuditFactorsRemoved, detail)
	})
	if err != nil {
		return false, fmt.Errorf("remove second factors: %w", err)
	}
	return had, nil
}

// RequireSecondFactor has the company open to sessions with a second factor alone, or to all again. It returns
// NotOwner.
func (w *Workflows) RequireSecondFactor(ctx context.Context, required bool) error {
	return w.withLockedRole(ctx, "require a second factor", func(tx *db.Tx, actor accounts.Actor) error {
		if actor.Role != accounts.Owner {
			return accounts.NotOwner()
		}
		changed, err := accounts.RequireSecondFactor(ctx, tx, actor.Company.ID, required)
		if err != nil || !changed {
			return err
		}
		kind := accounts.AuditFactorOptional
		if required {
			kind = accounts.AuditFactorNeeded
		}
		return audit(ctx, tx, actor, kind, accounts.AuditDetail{})
	})
}

// ForgetWays removes up to a thousand ways of sessions that have ended, and returns how many.
func (w *Workflows) ForgetWays(ctx context.Context) (int64, error) {
	return accounts.ForgetWays(ctx, w.db.Queries, w.db.Now())
}
