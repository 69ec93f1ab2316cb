package workflows

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// Setup is what the first company and its operator are made from.
type Setup struct {
	Company  string // its name; its slug is made from it if Slug is ""
	Slug     string
	Name     string // the operator's
	Email    string
	Password string
	Token    bool // make an API token as well
}

// Installed reports whether the instance is set up.
func (w *Workflows) Installed(ctx context.Context) (bool, error) {
	return accounts.Installed(ctx, w.db.Queries)
}

// SetupCode returns what /setup asks for until the installation is set up: the same on each server of the database, and
// after a restart.
func (w *Workflows) SetupCode(ctx context.Context) (string, error) {
	mac, err := w.sign(ctx, "setup")
	if err != nil {
		return "", fmt.Errorf("make the setup code: %w", err)
	}
	code := strings.ToLower(base32.StdEncoding.EncodeToString(mac)) // 60 bits of it
	return code[:4] + "-" + code[4:8] + "-" + code[8:12], nil
}

// CheckSetupCode returns WrongSetupCode unless that is the code, TooManySetupCodes after many wrong ones, or
// SetupClosed.
func (w *Workflows) CheckSetupCode(ctx context.Context, typed string) error {
	if installed, err := w.Installed(ctx); err != nil || installed {
		if err == nil {
			err = accounts.SetupClosed()
		}
		return err
	}
	code, err := w.SetupCode(ctx)
	if err != nil {
		return err
	}
	plain := strings.NewReplacer("-", "", " ", "").Replace
	right := subtle.ConstantTimeCompare([]byte(strings.ToLower(plain(typed))), []byte(plain(code))) == 1
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		return accounts.CountSetupCode(ctx, tx, accounts.AddressFrom(ctx), right)
	})
	if err == nil && !right {
		err = accounts.WrongSetupCode()
	}
	return err
}

// SetUp makes the first company, its operator, and a board to practise on; with in.Token also a token of every scope,
// which is shown nowhere else. It returns SetupClosed if there is a company, and all that is wrong with the input.
func (w *Workflows) SetUp(
	ctx context.Context, in Setup,
) (actor accounts.Actor, practice boards.Board, token string, err error) {
	if installed, err := w.Installed(ctx); err != nil || installed {
		if err == nil {
			err = accounts.SetupClosed()
		}
		return actor, practice, "", err
	}
	err = fault.Join(accounts.CheckCompany(in.Company, in.Slug), accounts.CheckAccount(in.Name, in.Email, in.Password,
		accounts.Company{Name: in.Company, Slug: in.Slug}))
	if err != nil {
		return actor, practice, "", err
	}
	hash, err := accounts.HashPassword(in.Password, w.passwordCost)
	if err != nil {
		return actor, practice, "", err
	}
	err = w.change(ctx, func(tx *db.Tx) error {
		if actor, err = openFirst(ctx, tx, in, hash); err != nil {
			return err
		}
		if in.Token {
			draft := accounts.TokenDraft{Name: "setup", Scopes: actor.HeldScopes(), Days: accounts.DefaultTokenDays}
			if token, err = accounts.OpenToken(ctx, tx, actor.Company.ID, actor.Account.ID, draft); err != nil {
				return err
			}
			if err := audit(ctx, tx, actor, accounts.AuditTokenMade, accounts.AuditDetail{Name: draft.Name}); err != nil {
				return err
			}
		}
		practice, err = openPractice(ctx, tx, actor)
		return err
	})
	if errors.Is(err, fault.Conflict) {
		// The conflict may be with another setup that was faster.
		if installed, readErr := w.Installed(ctx); readErr == nil && installed {
			err = accounts.SetupClosed()
		}
	}
	if err != nil {
		return accounts.Actor{}, boards.Board{}, "", fmt.Errorf("set up: %w", err)
	}
	return actor, practice, token, nil
}

func openFirst(ctx context.Context, tx *db.Tx, in Setup, hash string) (accounts.Actor, error) {
	company, err := accounts.OpenCompany(ctx, tx, in.Slug, in.Company)
	if err != nil {
		return accounts.Actor{}, err
	}
	if err := accounts.CloseSetup(ctx, tx, company.ID); err != nil {
		return accounts.Actor{}, err
	}
	draft := accounts.Draft{Name: in.Name, Email: in.Email, PasswordHash: hash, Operator: true}
	account, err := accounts.Open(ctx, tx, draft)
	if err != nil {
		return accounts.Actor{}, err
	}
	handle, err := accounts.Join(ctx, tx, company.ID, account, accounts.Owner)
	if err != nil {
		return accounts.Actor{}, err
	}
	detail := accounts.AuditDetail{Member: account.NameAndEmail()}
	if err := accounts.RecordInstance(ctx, tx, account.ID, accounts.AuditOperatorGranted, detail); err != nil {
		return accounts.Actor{}, err
	}
	err = accounts.RecordAbout(ctx, tx, account.ID, account.ID, accounts.AuditOperatorGranted, detail)
	return accounts.Actor{Account: account, Company: company, Role: accounts.Owner, Handle: handle}, err
}
