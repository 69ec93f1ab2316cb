package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
)

// sessionsPerPage is how many sessions a page lists.
const sessionsPerPage = 20

// Sessions returns a page of an account's sessions, the latest first, from below one; 0 means from the latest.
func (w *Workflows) Sessions(
	ctx context.Context, account accounts.Account, before id.Session,
) (list []accounts.Session, more bool, err error) {
	list, err = accounts.SessionsOf(ctx, w.db.Queries, account, before, sessionsPerPage+1)
	if len(list) > sessionsPerPage {
		return list[:sessionsPerPage], true, err
	}
	return list, false, err
}

// ConfirmByPassword records that the user of a session typed the account's password. cookie is the browser's of
// DeviceCookie, or "". It returns WrongCurrentPassword or TooManyAttempts.
func (w *Workflows) ConfirmByPassword(
	ctx context.Context, account accounts.Account, session id.Session, password, cookie string,
) error {
	device, err := w.device(ctx, forAttempts, account.Email, cookie)
	if err != nil {
		return err
	}
	_, err = w.prove(ctx, credentials{account.Email, password, device}, func(tx *db.Tx, _ accounts.Account) error {
		return accounts.Confirm(ctx, tx, session)
	})
	if errors.Is(err, accounts.CodeWrongPassword) {
		err = accounts.WrongCurrentPassword()
	}
	if err != nil {
		return fmt.Errorf("confirm: %w", err)
	}
	return nil
}

// EndSession ends a session of an account, unless it has ended.
func (w *Workflows) EndSession(ctx context.Context, account accounts.ID, session id.Session) error {
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		ended, err := accounts.EndSession(ctx, tx, account, session)
		if err != nil || !ended {
			return err
		}
		return accounts.RecordEverywhere(ctx, tx, account, accounts.AuditSessionEnded)
	})
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

// EndSessions ends all sessions of an account, and returns the account with the epoch in which one may go on.
func (w *Workflows) EndSessions(ctx context.Context, account accounts.ID) (now accounts.Account, err error) {
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := accounts.EndSessions(ctx, tx, account); err != nil {
			return err
		}
		if err := accounts.RecordEverywhere(ctx, tx, account, accounts.AuditSignedOutOthers); err != nil {
			return err
		}
		now, err = accounts.ByID(ctx, tx.Queries, account)
		return err
	})
	if err != nil {
		return accounts.Account{}, fmt.Errorf("end other sessions: %w", err)
	}
	return now, nil
}
