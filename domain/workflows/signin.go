package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Browser is what a browser says of itself.
type Browser struct {
	Cookie string // of DeviceCookie, for an issuer of BrowserCookie, or ""
	Device string // browser and system, or ""
}

// in describes the browser, and the address that it asks from.
func (b Browser) in(ctx context.Context) string {
	name := cmp.Or(b.Device, "Unknown browser")
	if address := accounts.AddressFrom(ctx); address != "" {
		name += ", " + address
	}
	return name
}

// SignIn returns the account with an address and password. It returns WrongPassword, or TooManyAttempts without
// checking the password. A browser that is not known is told to the account's other ones, by its inboxes.
func (w *Workflows) SignIn(ctx context.Context, email, password string, browser Browser) (accounts.Account, error) {
	device, err := w.device(ctx, forAttempts, email, browser.Cookie)
	if err != nil {
		return accounts.Account{}, err
	}
	account, err := w.prove(ctx, credentials{email, password, device}, func(tx *db.Tx, account accounts.Account) error {
		if err := accounts.RecordEverywhere(ctx, tx, account.ID, accounts.AuditSignedIn); err != nil {
			return err
		}
		if err := w.askForPassword(ctx, tx, account, password); err != nil || device != "" || account.KnownAt.IsZero() {
			return err
		}
		return tickets.GiveNotice(ctx, tx, account.ID, tickets.NoticeSignIn, browser.in(ctx))
	})
	if err != nil {
		return accounts.Account{}, fmt.Errorf("sign in: %w", err)
	}
	return account, nil
}

// askForPassword asks the user of a password that was chosen under other rules for a better one, once.
func (w *Workflows) askForPassword(ctx context.Context, tx *db.Tx, account accounts.Account, password string) error {
	if account.PasswordAsked {
		return nil
	}
	names, err := accounts.PasswordNames(ctx, tx.Queries, account)
	if err != nil || accounts.CheckPassword(password, names...) == nil {
		return err
	}
	if err := accounts.AskForPassword(ctx, tx, account.ID); err != nil {
		return err
	}
	return tickets.GiveNotice(ctx, tx, account.ID, tickets.NoticePassword, "")
}

// credentials are the address and password of a user. device is the name of a known browser, or "".
type credentials struct{ email, password, device string }

// prove counts an attempt, checks the password, and if it is right takes the count back and runs then, in one
// transaction.
func (w *Workflows) prove(
	ctx context.Context, given credentials, then func(*db.Tx, accounts.Account) error,
) (accounts.Account, error) {
	email, password := given.email, given.password
	if email == "" || password == "" {
		return accounts.Account{}, accounts.WrongPassword() // no attempt
	}
	var attempt accounts.Attempt
	err := w.db.InTx(ctx, func(tx *db.Tx) (err error) {
		attempt, err = accounts.CountAttempt(ctx, tx, email, accounts.AddressFrom(ctx), given.device)
		if err != nil || !attempt.Full {
			return err
		}
		account, err := accounts.ByEmail(ctx, tx.Queries, email)
		if errors.Is(err, fault.NotFound) {
			detail := accounts.AuditDetail{By: "unknown address"} // what was typed there may be a password
			return accounts.RecordInstance(ctx, tx, 0, accounts.AuditSignInLimited, detail)
		}
		if err != nil {
			return err
		}
		return accounts.RecordEverywhere(ctx, tx, account.ID, accounts.AuditSignInLimited)
	})
	if err != nil {
		return accounts.Account{}, err
	}
	account, err := accounts.ByPassword(ctx, w.db.Queries, email, password, given.device != "")
	if err == nil && account.Deactivated {
		err = accounts.Deactivated("")
	}
	if err != nil {
		return accounts.Account{}, err
	}
	return account, w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := attempt.Succeed(ctx, tx); err != nil {
			return err
		}
		return then(tx, account)
	})
}

// NoteForwarded notes for operators that a peer that is no trusted proxy sent X-Forwarded-For. It reports whether that
// was not noted within the last hour, by any server.
func (w *Workflows) NoteForwarded(ctx context.Context) (first bool, err error) {
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		first, err = accounts.NoteForwarded(ctx, tx)
		return err
	})
	return first, err
}

// ForgetLimits removes up to two thousand limits on sign-ins that limit nothing any more, and returns how many.
func (w *Workflows) ForgetLimits(ctx context.Context) (int64, error) {
	return accounts.ForgetLimits(ctx, w.db.Queries, w.db.Now())
}

// ChangePassword gives an account another password if current is the present one, and ends its sessions, with tokens
// also its API tokens: the account returned has the new epoch. It returns an error of
// accounts.CheckPassword, WrongCurrentPassword or TooManyAttempts.
func (w *Workflows) ChangePassword(
	ctx context.Context, account accounts.Account, current, password string, tokens bool,
) (changed accounts.Account, err error) {
	if err := w.checkPassword(ctx, account, password); err != nil {
		return accounts.Account{}, err
	}
	nothing := func(*db.Tx, accounts.Account) error { return nil }
	if _, err := w.prove(ctx, credentials{email: account.Email, password: current}, nothing); err != nil {
		if errors.Is(err, accounts.CodeWrongPassword) {
			err = accounts.WrongCurrentPassword()
		}
		return accounts.Account{}, fmt.Errorf("change password: %w", err)
	}
	return w.setPassword(ctx, account.ID, password, tokens, func(tx *db.Tx) error {
		return accounts.RecordEverywhere(ctx, tx, account.ID, accounts.AuditPasswordChanged)
	})
}

// checkPassword returns an error of accounts.CheckPassword if an account is not to have the password.
func (w *Workflows) checkPassword(ctx context.Context, account accounts.Account, password string) error {
	names, err := accounts.PasswordNames(ctx, w.db.Queries, account)
	if err != nil {
		return err
	}
	return accounts.CheckPassword(password, names...)
}

// setPassword stores a password in one transaction with also, with tokens ends the account's API tokens, and returns
// the account as it is then.
func (w *Workflows) setPassword(
	ctx context.Context, account accounts.ID, password string, tokens bool, also func(*db.Tx) error,
) (changed accounts.Account, err error) {
	hash, err := accounts.HashPassword(password, w.passwordCost)
	if err != nil {
		return accounts.Account{}, err
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := also(tx); err != nil {
			return err
		}
		if err := accounts.SetPassword(ctx, tx, account, hash); err != nil {
			return err
		}
		if tokens {
			if err := accounts.EndTokens(ctx, tx, account); err != nil {
				return err
			}
		}
		changed, err = accounts.ByID(ctx, tx.Queries, account)
		return err
	})
	if err != nil {
		return accounts.Account{}, fmt.Errorf("set password: %w", err)
	}
	w.bearers.ForgetAll() // theirs are of several companies
	return changed, nil
}

// RenameAccount gives an account another name. It returns BadName.
func (w *Workflows) RenameAccount(ctx context.Context, account accounts.ID, name string) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error { return accounts.Rename(ctx, tx, account, name) })
}

// SetDisplay stores how pages look for an account. It returns accounts.BadDisplay.
func (w *Workflows) SetDisplay(ctx context.Context, account accounts.ID, d accounts.Display) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error { return accounts.SetDisplay(ctx, tx, account, d) })
}

// SetZone stores the time zone of an account that has none. It returns accounts.BadDisplay.
func (w *Workflows) SetZone(ctx context.Context, account accounts.ID, zone string) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error { return accounts.SetZone(ctx, tx, account, zone) })
}

// SignOutEverywhere ends all sessions of an account, and with tokens its API tokens in all companies.
func (w *Workflows) SignOutEverywhere(ctx context.Context, account accounts.ID, tokens bool) error {
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := accounts.EndSessions(ctx, tx, account); err != nil {
			return err
		}
		if err := accounts.RecordEverywhere(ctx, tx, account, accounts.AuditSignedOutAll); err != nil || !tokens {
			return err
		}
		return accounts.EndTokens(ctx, tx, account)
	})
	if err != nil {
		return fmt.Errorf("sign out everywhere: %w", err)
	}
	w.bearers.ForgetAll()
	return nil
}

// Session returns the account of a session that began in an epoch, or SignedOut if it has ended.
func (w *Workflows) Session(ctx context.Context, account accounts.ID, epoch uint64) (accounts.Account, error) {
	found, err := accounts.ByID(ctx, w.db.Queries, account)
	if errors.Is(err, fault.NotFound) || err == nil && (found.Epoch != epoch || found.Deactivated) {
		return accounts.Account{}, accounts.SignedOut()
	}
	return found, err
}

// Enter returns the account of a session that began in an epoch as an actor in the company with a slug. It returns
// SignedOut if the session has ended, else NotMember.
func (w *Workflows) Enter(
	ctx context.Context, company string, account accounts.ID, epoch uint64,
) (accounts.Actor, error) {
	actor, err := accounts.InCompany(ctx, w.db.Queries, company, account)
	if errors.Is(err, fault.NotFound) {
		if _, ended := w.Session(ctx, account, epoch); ended != nil {
			err = ended
		}
	}
	if err == nil && actor.Account.Epoch != epoch {
		err = accounts.SignedOut()
	}
	if err != nil {
		return accounts.Actor{}, err
	}
	return actor, nil
}
