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

// People returns a page of the accounts of all companies: by id, from above after.
func (c *Console) People(ctx context.Context, after id.Account) ([]accounts.Listed, bool, error) {
	return askPage(ctx, func(actor) ([]accounts.Listed, bool, error) {
		return workflows.Page(accounts.After(ctx, c.db.Queries, after, workflows.RowsPerPage+1))
	})
}

// FindPeople returns the accounts of all companies whose address or name begins with a text, as many as a page shows,
// and whether there may be more.
func (c *Console) FindPeople(ctx context.Context, text string) ([]accounts.Listed, bool, error) {
	return askPage(ctx, func(actor) ([]accounts.Listed, bool, error) {
		return workflows.Page(accounts.Find(ctx, c.db.Queries, text, workflows.RowsPerPage+1))
	})
}

// Person is what operators see of an account.
type Person struct {
	Account      accounts.Account
	Companies    []accounts.Membership
	Factors      accounts.Factors
	Sessions     []accounts.Session // the latest
	MoreSessions bool
}

// Person returns an account, or accounts.MemberNotFound.
func (c *Console) Person(ctx context.Context, account id.Account) (Person, error) {
	return ask(ctx, func(actor) (p Person, err error) {
		if p.Account, err = personByID(ctx, c.db.Queries, account); err != nil {
			return p, err
		}
		if p.Companies, err = c.workflows.Companies(ctx, account); err != nil {
			return p, err
		}
		if p.Factors, err = c.workflows.Factors(ctx, account); err != nil {
			return p, err
		}
		p.Sessions, p.MoreSessions, err = c.workflows.Sessions(ctx, p.Account, 0)
		return p, err
	})
}

// personByID returns the account of a person, or accounts.MemberNotFound.
func personByID(ctx context.Context, q *db.Queries, account id.Account) (accounts.Account, error) {
	found, err := accounts.ByID(ctx, q, account)
	if errors.Is(err, fault.NotFound) || err == nil && !found.IsPerson() {
		return accounts.Account{}, accounts.MemberNotFound()
	}
	return found, err
}

// changePerson changes an account for an operator, and records it in the lists of the instance and of the account's
// companies.
func (c *Console) changePerson(
	ctx context.Context, account id.Account, kind string, change func(tx *db.Tx, found accounts.Account) error,
) error {
	return c.changePersonTo(ctx, account, kind, func(tx *db.Tx, found accounts.Account) (string, error) {
		return "", change(tx, found)
	})
}

// changePersonTo is changePerson with what the audit logs say that it is now.
func (c *Console) changePersonTo(
	ctx context.Context, account id.Account, kind string,
	change func(tx *db.Tx, found accounts.Account) (now string, err error),
) error {
	return operate(ctx, func(actor) error {
		err := c.db.InTx(ctx, func(tx *db.Tx) error {
			by := accounts.ActorFrom(ctx)
			if err := workflows.StillOperator(ctx, tx, by); err != nil {
				return err
			}
			found, err := personByID(ctx, tx.Queries, account)
			if err != nil {
				return err
			}
			now, err := change(tx, found)
			if err != nil {
				return err
			}
			detail := accounts.AuditDetail{Member: found.Name + " <" + found.Email + ">", Name: now}
			if err := accounts.RecordAbout(ctx, tx, by.Account.ID, account, kind, detail); err != nil {
				return err
			}
			return accounts.RecordInstance(ctx, tx, by.Account.ID, kind, detail)
		})
		if err != nil {
			return fmt.Errorf("change account: %s: %w", kind, err)
		}
		return nil
	})
}

// EndSessions ends all sessions of an account, and with tokens its API tokens in all companies.
func (c *Console) EndSessions(ctx context.Context, account id.Account, tokens bool) error {
	err := c.changePerson(ctx, account, accounts.AuditSessionsEnded, func(tx *db.Tx, found accounts.Account) error {
		if err := accounts.EndSessions(ctx, tx, found.ID); err != nil || !tokens {
			return err
		}
		return accounts.EndTokens(ctx, tx, found.ID)
	})
	if err == nil && tokens {
		c.workflows.ForgetTokens()
	}
	return err
}

// MakeReset makes a link for a new password of any account but the caller's and returns its secret. It returns
// accounts.OwnPassword, ResetNoCompany or MemberNotFound, and with once Replay.
func (c *Console) MakeReset(
	ctx context.Context, account id.Account, once *workflows.Once[string],
) (secret string, err error) {
	return workflows.DoOnce(ctx, c.workflows, once, func() (string, error) {
		var secret string
		err := c.changePerson(ctx, account, accounts.AuditResetMade, func(tx *db.Tx, found accounts.Account) error {
			by := accounts.ActorFrom(ctx).Account.ID
			if found.ID == by {
				return accounts.OwnPassword()
			}
			companies, err := accounts.CompaniesOf(ctx, tx.Queries, found.ID)
			if err != nil {
				return err
			}
			if len(companies) == 0 {
				return accounts.ResetNoCompany()
			}
			if secret, err = accounts.OpenReset(ctx, tx, companies[0].Company.ID, found.ID, by); err != nil {
				return err
			}
			if err := tickets.GiveNotice(ctx, tx, found.ID, tickets.NoticeResetMade, ""); err != nil {
				return err
			}
			return workflows.StoreResponses(ctx, tx, once.Row(tx, secret))
		})
		return secret, err
	})
}

// SetAddress gives an account another email address. It returns accounts.BadEmail, EmailConflict or MemberNotFound.
func (c *Console) SetAddress(ctx context.Context, account id.Account, email string) error {
	return c.changePersonTo(ctx, account, accounts.AuditAddressChanged,
		func(tx *db.Tx, found accounts.Account) (string, error) {
			return accounts.SetEmail(ctx, tx, found.ID, email)
		})
}

// SetOperator makes an account an operator, or no longer. It returns accounts.LastOperator or MemberNotFound.
func (c *Console) SetOperator(ctx context.Context, account id.Account, operator bool) error {
	return operate(ctx, func(actor) error {
		if _, err := personByID(ctx, c.db.Queries, account); err != nil {
			return err
		}
		return c.workflows.SetOperatorAnywhere(ctx, account, operator)
	})
}

// DeactivateAccount ends whatever an account can do, until ReactivateAccount, and hands its open tickets over: a run
// assigns them to the account with the address successor where that is a member who sees them, else to nobody; all to
// nobody if it is "". It returns the run, or nil if there was nothing to hand over; or accounts.MemberNotFound,
// OwnAccount, LastOperator, OnlyOwner or BadSuccessor.
func (c *Console) DeactivateAccount(ctx context.Context, account id.Account, successor string) (run *id.Run, err error) {
	by, err := workflows.Operator(ctx)
	if err != nil {
		return nil, err
	}
	err = c.changePerson(ctx, account, accounts.AuditDeactivated, func(tx *db.Tx, found accounts.Account) error {
		to, err := c.successor(ctx, tx, found, successor)
		if err != nil {
			return err
		}
		if _, _, err := accounts.Deactivate(ctx, tx, accounts.ActorFrom(ctx), found.ID); err != nil || found.Deactivated {
			return err
		}
		run, err = c.handOver(ctx, tx, by, found.ID, to)
		return err
	})
	if err == nil {
		c.workflows.ForgetTokens()
	}
	return run, err
}

// successor returns the account with an address, 0 for "".
func (c *Console) successor(
	ctx context.Context, tx *db.Tx, of accounts.Account, address string,
) (id.Account, error) {
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

// handOver opens the run that hands the open tickets of an account over, unless there are none.
func (c *Console) handOver(
	ctx context.Context, tx *db.Tx, by actor, account, to id.Account,
) (*id.Run, error) {
	some, err := tx.AssignmentsOf(ctx, db.AssignmentsOfParams{AccountID: account, Limit: 1})
	if err != nil {
		return nil, fmt.Errorf("read assignments: %w", err)
	}
	if len(some) == 0 {
		return nil, nil //nolint:nilnil // nothing to hand over
	}
	values := migrations.Values{"account": strconv.FormatUint(uint64(account), 10),
		"by": strconv.FormatUint(uint64(accounts.ActorFrom(ctx).Account.ID), 10)}
	if to != 0 {
		values["to"] = strconv.FormatUint(uint64(to), 10)
	}
	run, err := c.engine.OpenIn(ctx, tx, by, workflows.HandOverName, values)
	return &run.ID, err
}

// ReactivateAccount lets an account sign in again. What its deactivation ended and handed over stays so. It returns
// accounts.MemberNotFound.
func (c *Console) ReactivateAccount(ctx context.Context, account id.Account) error {
	return c.changePerson(ctx, account, accounts.AuditReactivated, func(tx *db.Tx, found accounts.Account) error {
		_, err := accounts.Reactivate(ctx, tx, found.ID)
		return err
	})
}
