package console

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Accounts returns a page of the accounts of users of all companies: by id, from above after.
func (c *Console) Accounts(ctx context.Context, after id.Account) ([]accounts.Listed, bool, error) {
	return askPage(ctx, func(actor) ([]accounts.Listed, bool, error) {
		return workflows.Page(accounts.After(ctx, c.db.Queries, after, workflows.RowsPerPage+1))
	})
}

// FindAccounts returns the accounts of users of all companies by the beginning of the address or the name, as many as a
// page shows, and whether there may be more.
func (c *Console) FindAccounts(ctx context.Context, text string) ([]accounts.Listed, bool, error) {
	return askPage(ctx, func(actor) ([]accounts.Listed, bool, error) {
		return workflows.Page(accounts.Find(ctx, c.db.Queries, text, workflows.RowsPerPage+1))
	})
}

// Account is an account with its companies, second factors and sessions.
type Account struct {
	Account      accounts.Account
	Companies    []accounts.Membership
	Factors      accounts.Factors
	Sessions     []accounts.Session // the latest
	MoreSessions bool
}

// Account returns an account, or accounts.MemberNotFound.
func (c *Console) Account(ctx context.Context, account id.Account) (Account, error) {
	return ask(ctx, func(actor) (a Account, err error) {
		if a.Account, err = userByID(ctx, c.db.Queries, account); err != nil {
			return a, err
		}
		if a.Companies, err = c.workflows.Companies(ctx, account); err != nil {
			return a, err
		}
		if a.Factors, err = c.workflows.Factors(ctx, account); err != nil {
			return a, err
		}
		a.Sessions, a.MoreSessions, err = c.workflows.Sessions(ctx, a.Account, 0)
		return a, err
	})
}

// userByID returns the account of a user, or accounts.MemberNotFound.
func userByID(ctx context.Context, q *db.Queries, account id.Account) (accounts.Account, error) {
	found, err := accounts.ByID(ctx, q, account)
	if errors.Is(err, fault.NotFound) || err == nil && !found.IsUser() {
		return accounts.Account{}, accounts.MemberNotFound()
	}
	return found, err
}

// accountChange changes an account in a transaction. It returns a new value for the audit logs, "" for none, and whether
// the account changed.
type accountChange func(tx *db.Tx, found accounts.Account) (now string, changed bool, err error)

// changeAccount changes an account for an operator, and records a change in the audit logs of the server and of the
// account's companies. API tokens of the account may have ended.
func (c *Console) changeAccount(ctx context.Context, account id.Account, kind string, change accountChange) error {
	err := operate(ctx, func(actor) error {
		return c.db.InTx(ctx, func(tx *db.Tx) error {
			by := accounts.ActorFrom(ctx)
			if err := workflows.StillOperator(ctx, tx, by); err != nil {
				return err
			}
			found, err := userByID(ctx, tx.Queries, account)
			if err != nil {
				return err
			}
			now, changed, err := change(tx, found)
			if err != nil || !changed {
				return err
			}
			detail := accounts.AuditDetail{Member: found.NameAndEmail(), Name: now}
			if err := accounts.RecordAbout(ctx, tx, by.Account.ID, account, kind, detail); err != nil {
				return err
			}
			return accounts.RecordInstance(ctx, tx, by.Account.ID, kind, detail)
		})
	})
	if err != nil {
		return fmt.Errorf("change account: %s: %w", kind, err)
	}
	c.workflows.ForgetTokens()
	return nil
}

// EndSessions ends all sessions of an account, and with tokens its API tokens in all companies.
func (c *Console) EndSessions(ctx context.Context, account id.Account, tokens bool) error {
	return c.changeAccount(ctx, account, accounts.AuditSessionsEnded,
		func(tx *db.Tx, found accounts.Account) (string, bool, error) {
			if err := accounts.EndSessions(ctx, tx, found.ID); err != nil || !tokens {
				return "", true, err
			}
			return "", true, accounts.EndTokens(ctx, tx, found.ID)
		})
}

// MakeReset makes a link for a new password of any account but the caller's and returns its secret. It returns
// accounts.OwnPassword, ResetNoCompany, Deactivated or MemberNotFound, and with once Replay.
func (c *Console) MakeReset(ctx context.Context, account id.Account, once *workflows.Once[string]) (string, error) {
	return workflows.DoOnce(ctx, c.workflows, once, func() (secret string, err error) {
		err = c.changeAccount(ctx, account, accounts.AuditResetMade,
			func(tx *db.Tx, found accounts.Account) (string, bool, error) {
				if secret, err = openReset(ctx, tx, found); err != nil {
					return "", false, err
				}
				return "", true, workflows.StoreResponses(ctx, tx, once.Row(tx, secret))
			})
		return secret, err
	})
}

func openReset(ctx context.Context, tx *db.Tx, found accounts.Account) (secret string, err error) {
	by := accounts.ActorFrom(ctx).Account.ID
	if found.ID == by {
		return "", accounts.OwnPassword()
	}
	companies, err := accounts.CompaniesOf(ctx, tx.Queries, found.ID)
	if err != nil {
		return "", err
	}
	if len(companies) == 0 {
		return "", accounts.ResetNoCompany()
	}
	if secret, err = accounts.OpenReset(ctx, tx, companies[0].Company.ID, found.ID, by); err != nil {
		return "", err
	}
	return secret, tickets.GiveNotice(ctx, tx, found.ID, tickets.NoticeResetMade, "")
}

// SetAddress gives an account another email address. It returns accounts.BadEmail, EmailConflict or MemberNotFound.
func (c *Console) SetAddress(ctx context.Context, account id.Account, email string) error {
	return c.changeAccount(ctx, account, accounts.AuditAddressChanged,
		func(tx *db.Tx, found accounts.Account) (string, bool, error) {
			now, err := accounts.SetEmail(ctx, tx, found.ID, email)
			return now, now != found.Email, err
		})
}

// SetOperator makes an account an operator, or no longer. It returns accounts.LastOperator, Deactivated or
// MemberNotFound.
func (c *Console) SetOperator(ctx context.Context, account id.Account, operator bool) error {
	kind := accounts.AuditOperatorWithdrawn
	if operator {
		kind = accounts.AuditOperatorGranted
	}
	return c.changeAccount(ctx, account, kind, func(tx *db.Tx, found accounts.Account) (string, bool, error) {
		before, err := accounts.SetOperator(ctx, tx, accounts.ActorFrom(ctx), found.ID, operator)
		return "", before.Operator != operator, err
	})
}

// DeactivateAccount ends all that an account can do, until ReactivateAccount, and hands its open tickets over: a run
// assigns each to the account with the address successor if that is a member who sees it, else to nobody; all to nobody
// if it is "". It returns the run, 0 if there was nothing to hand over; or accounts.MemberNotFound, OwnAccount,
// LastOperator, OnlyOwner or BadSuccessor.
func (c *Console) DeactivateAccount(ctx context.Context, account id.Account, successor string) (run id.Run, err error) {
	by, err := workflows.Operator(ctx)
	if err != nil {
		return 0, err
	}
	err = c.changeAccount(ctx, account, accounts.AuditDeactivated,
		func(tx *db.Tx, found accounts.Account) (string, bool, error) {
			run = 0
			to, err := successorOf(ctx, tx, found, successor)
			if err != nil {
				return "", false, err
			}
			if _, _, err := accounts.Deactivate(ctx, tx, accounts.ActorFrom(ctx), found.ID); err != nil || found.Deactivated {
				return "", false, err
			}
			run, err = c.handOver(ctx, tx, by, found.ID, to)
			return "", true, err
		})
	return run, err
}

// successorOf returns the account with an address, 0 for "".
func successorOf(ctx context.Context, tx *db.Tx, of accounts.Account, address string) (id.Account, error) {
	if strings.TrimSpace(address) == "" {
		return 0, nil
	}
	to, err := accounts.ByEmail(ctx, tx.Queries, address)
	switch {
	case errors.Is(err, fault.NotFound):
		return 0, accounts.BadSuccessor("No account has this address. Correct it, or leave it empty.")
	case err != nil:
		return 0, err
	case to.ID == of.ID || to.Deactivated:
		return 0, accounts.BadSuccessor("Choose another account, which is active.")
	}
	return to.ID, nil
}

// handOver opens the run that hands the open tickets of an account over. It returns 0 if there are none.
func (c *Console) handOver(ctx context.Context, tx *db.Tx, by actor, account, to id.Account) (id.Run, error) {
	some, err := tx.AssignmentsOf(ctx, db.AssignmentsOfParams{AccountID: account, Limit: 1})
	if err != nil {
		return 0, fmt.Errorf("read assignments: %w", err)
	}
	if len(some) == 0 {
		return 0, nil
	}
	values := migrations.Values{"account": strconv.FormatUint(uint64(account), 10),
		"by": strconv.FormatUint(uint64(accounts.ActorFrom(ctx).Account.ID), 10)}
	if to != 0 {
		values["to"] = strconv.FormatUint(uint64(to), 10)
	}
	run, err := c.engine.OpenIn(ctx, tx, by, workflows.HandOverName, values)
	return run.ID, err
}

// ReactivateAccount lets an account sign in again. All that its deactivation ended and handed over stays so. It returns
// accounts.MemberNotFound.
func (c *Console) ReactivateAccount(ctx context.Context, account id.Account) error {
	return c.changeAccount(ctx, account, accounts.AuditReactivated,
		func(tx *db.Tx, found accounts.Account) (string, bool, error) {
			before, err := accounts.Reactivate(ctx, tx, found.ID)
			return "", before.Deactivated, err
		})
}
