package workflows

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// OpenToken makes an API token for a member, for the command line: with the scopes, or all that the member holds if
// there are none, for so many days, 0 for no end. It returns NotMember if no member of the company has the address,
// or BadScope.
func (w *Workflows) OpenToken(
	ctx context.Context, company, email string, scopes []string, days int,
) (token string, err error) {
	account, err := accounts.ByEmail(ctx, w.db.Queries, email)
	if err != nil {
		return "", err
	}
	actor, err := accounts.InCompany(ctx, w.db.Queries, company, account.ID)
	if err != nil {
		return "", err
	}
	if len(scopes) == 0 {
		scopes = actor.HeldScopes()
	}
	if scopes, err = actor.ParseScopes(scopes); err != nil {
		return "", err
	}
	draft := accounts.TokenDraft{Name: accounts.CommandLine, Scopes: scopes, Days: days}
	detail := accounts.AuditDetail{Name: draft.Name, Member: actor.Account.NameAndEmail()}
	return w.openToken(ctx, actor, draft, nil, func(tx *db.Tx) error {
		return accounts.Record(ctx, tx, actor.Company.ID, 0, accounts.AuditTokenMade, detail)
	})
}

// MakeToken makes an API token for the caller, and returns it. It returns BadName, NoScopes, BadScope, BadDays or
// NotMember, and with once Replay.
func (w *Workflows) MakeToken(ctx context.Context, draft accounts.TokenDraft, once *Once[string]) (string, error) {
	actor := accounts.ActorFrom(ctx)
	draft, err := accounts.CheckToken(draft, actor)
	if err != nil {
		return "", err
	}
	return w.openToken(ctx, actor, draft, once, func(tx *db.Tx) error {
		return audit(ctx, tx, actor, accounts.AuditTokenMade, accounts.AuditDetail{Name: draft.Name})
	})
}

func (w *Workflows) openToken(
	ctx context.Context, actor accounts.Actor, draft accounts.TokenDraft, once *Once[string],
	record func(*db.Tx) error,
) (string, error) {
	token, err := DoOnce(ctx, w, once, func() (token string, err error) {
		err = w.db.InTx(ctx, func(tx *db.Tx) error {
			now, err := accounts.LockRoles(ctx, tx, actor) // no token outlives a membership
			if err != nil {
				return err
			}
			if err := accounts.LockEpoch(ctx, tx, actor); err != nil { // nor a reset
				return err
			}
			if _, err := now.ParseScopes(draft.Scopes); err != nil { // nor has it a scope that was taken away
				return err
			}
			if token, err = accounts.OpenToken(ctx, tx, actor.Company.ID, actor.Account.ID, draft); err != nil {
				return err
			}
			if err := record(tx); err != nil {
				return err
			}
			if err := tickets.GiveNoticeIn(ctx, tx, actor.Company.ID, actor.Account.ID, actor.Account.ID, tickets.NoticeToken,
				draft.Name); err != nil {
				return err
			}
			return StoreResponses(ctx, tx, once.Row(tx, token))
		})
		return token, err
	})
	if err != nil {
		return "", fmt.Errorf("open token: %w", err)
	}
	return token, nil
}

// Tokens returns a page of the caller's tokens, the newest first: from below before, or from the newest if it is 0.
func (w *Workflows) Tokens(ctx context.Context, before id.Token) ([]accounts.Token, bool, error) {
	actor := accounts.ActorFrom(ctx)
	return Page(accounts.Tokens(ctx, w.db.Queries, actor.Company.ID, actor.Account.ID, before, RowsPerPage+1))
}

// TokensOfOthers is Tokens of all other members of the company. It returns NotManager.
func (w *Workflows) TokensOfOthers(ctx context.Context, before id.Token) ([]accounts.Token, bool, error) {
	actor, err := mayManage(ctx)
	if err != nil {
		return nil, false, err
	}
	return Page(accounts.TokensOfOthers(ctx, w.db.Queries, actor.Company.ID, actor.Account.ID, before, RowsPerPage+1))
}

// RevokeToken ends a token of the caller, or of any member if the caller manages the company. It returns TokenNotFound.
func (w *Workflows) RevokeToken(ctx context.Context, token id.Token) error {
	actor := accounts.ActorFrom(ctx)
	var hash []byte
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		revoked, h, err := accounts.RevokeToken(ctx, tx, actor, token)
		if err != nil {
			return err
		}
		hash = h
		detail := accounts.AuditDetail{Name: revoked.Name}
		if revoked.Account.ID != actor.Account.ID {
			owner, err := accounts.ByID(ctx, tx.Queries, revoked.Account.ID)
			if err != nil {
				return err
			}
			detail.Member = owner.NameAndEmail()
		}
		return audit(ctx, tx, actor, accounts.AuditTokenRevoked, detail)
	})
	if err != nil {
		return fmt.Errorf("revoke token: %w", err)
	}
	w.bearers.Forget(string(hash))
	return nil
}

// TokensOfAccount is Tokens of an account in all its companies.
func (w *Workflows) TokensOfAccount(
	ctx context.Context, account accounts.ID, before id.Token,
) ([]accounts.Token, bool, error) {
	return Page(accounts.TokensOfAccount(ctx, w.db.Queries, account, before, RowsPerPage+1))
}

// RevokeOwnToken ends a token of an account in any company. It returns TokenNotFound.
func (w *Workflows) RevokeOwnToken(ctx context.Context, account accounts.ID, token id.Token) error {
	var hash []byte
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		revoked, h, err := accounts.RevokeOwnToken(ctx, tx, account, token)
		if err != nil {
			return err
		}
		hash = h
		return accounts.Record(ctx, tx, revoked.Company.ID, account, accounts.AuditTokenRevoked,
			accounts.AuditDetail{Name: revoked.Name})
	})
	if err != nil {
		return fmt.Errorf("revoke token: %w", err)
	}
	w.bearers.Forget(string(hash))
	return nil
}

// Bearer returns the actor of an API token, as it was read at most a second ago, or BadToken.
func (w *Workflows) Bearer(ctx context.Context, token string) (accounts.Actor, error) {
	return w.bearers.Get(string(accounts.HashToken(token)), func() (accounts.Actor, error) {
		now := w.db.Now()
		actor, used, err := accounts.ByToken(ctx, w.db.Queries, token, now)
		if err == nil && (used == nil || now.Sub(*used) >= accounts.UsedEvery) {
			w.aside.Go(func() { w.recordTokenUse(actor.Token, now) })
		}
		return actor, err
	})
}

// recordTokenUse stores that a token was used. The request neither waits for it nor fails with it.
func (w *Workflows) recordTokenUse(token id.Token, now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_ = accounts.TokenUsed(ctx, w.db.Queries, token, now) // in a minute there is another chance
}

// ValidTokens returns those of some tokens that a program may use.
func (w *Workflows) ValidTokens(ctx context.Context, tokens []id.Token) ([]id.Token, error) {
	return accounts.ValidTokens(ctx, w.db.Queries, tokens, w.db.Now())
}

// Epochs returns the epochs of accounts: their sessions that began in another one have ended.
func (w *Workflows) Epochs(ctx context.Context, list []accounts.ID) (map[accounts.ID]uint64, error) {
	return accounts.Epochs(ctx, w.db.Queries, list)
}

// Guests returns where accounts are guests.
func (w *Workflows) Guests(ctx context.Context, list []accounts.ID) (map[accounts.In]bool, error) {
	return accounts.Guests(ctx, w.db.Queries, list)
}
