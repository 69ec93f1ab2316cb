// Package seed fills a database with a company for trying the app and its benchmarks. Every transaction leaves data in
// which ops/verify finds nothing. Start at Fill.
package seed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Person is a future member. Joined may be zero, for now.
type Person struct {
	Name, Role string
	Joined     time.Time
}

// Member is a member of a new company. Token is an API token for its boards and tickets.
type Member struct {
	ID                         id.Account
	Name, Handle, Email, Token string
	Role                       string
	Joined                     time.Time
}

// Company is a draft of a company. All its members have Password.
type Company struct {
	Slug, Name, Password string
	People               []Person
}

// Create makes a company with its members, the first of whom is an owner. If the database was not set up, that owner
// becomes its operator and the setup is closed; else an operator joins the company as an owner, so that it is on their
// list. It returns accounts.CompanyConflict, accounts.EmailConflict, or the error of a bad name.
func Create(ctx context.Context, d *db.DB, c Company) (found accounts.Company, members []Member, err error) {
	hash, err := accounts.HashPassword(c.Password, accounts.DefaultCost)
	if err != nil {
		return found, nil, err
	}
	err = d.InTx(ctx, func(tx *db.Tx) error {
		members = nil
		installed, err := accounts.Installed(ctx, tx.Queries)
		if err != nil {
			return err
		}
		if found, err = accounts.OpenCompany(ctx, tx, c.Slug, c.Name); err != nil {
			return err
		}
		for i, p := range c.People {
			first := i == 0 && !installed
			m, err := join(ctx, tx, found, p, accounts.Draft{Name: p.Name, PasswordHash: hash, Operator: first})
			if err != nil {
				return err
			}
			members = append(members, m)
		}
		if installed {
			return welcome(ctx, tx, found)
		}
		return accounts.CloseSetup(ctx, tx, found.ID)
	})
	if err != nil {
		return found, nil, fmt.Errorf("found company %s: %w", c.Slug, err)
	}
	return found, members, nil
}

// IsTaken reports whether a company was refused because its short name is in use.
func IsTaken(err error) bool { return errors.Is(err, accounts.CodeCompanyConflict) }

// join opens an account at the company's address and makes it a member.
func join(ctx context.Context, tx *db.Tx, company accounts.Company, p Person, draft accounts.Draft) (Member, error) {
	if p.Joined.IsZero() {
		p.Joined = tx.Now
	}
	then := at(tx, p.Joined)
	draft.Email = accounts.SlugFrom(p.Name) + "@" + company.Slug + ".example"
	account, err := accounts.Open(ctx, then, draft)
	if err != nil {
		return Member{}, err
	}
	m := Member{ID: account.ID, Name: account.Name, Email: account.Email, Role: p.Role, Joined: then.Now}
	if m.Handle, err = accounts.Join(ctx, then, company.ID, account, p.Role); err != nil {
		return Member{}, err
	}
	scopes := []string{"boards:read", "boards:write", "tickets:read", "tickets:write"}
	m.Token, err = accounts.OpenToken(ctx, tx, company.ID, account.ID, accounts.TokenDraft{Name: "seed", Scopes: scopes})
	return m, err
}

// welcome makes an operator an owner of the company.
func welcome(ctx context.Context, tx *db.Tx, company accounts.Company) error {
	operators, err := tx.FirstOperators(ctx)
	if err != nil || len(operators) == 0 {
		return err
	}
	operator, err := accounts.ByID(ctx, tx.Queries, operators[0])
	if err != nil {
		return err
	}
	_, err = accounts.Join(ctx, tx, company.ID, operator, accounts.Owner)
	return err
}

// at is the transaction with another time.
func at(tx *db.Tx, now time.Time) *db.Tx {
	then := *tx
	then.Now = now.UTC().Truncate(time.Microsecond)
	return &then
}
