package workflows

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
)

// Services returns a page of the company's service accounts, the newest first: from below before, or from the newest if
// it is 0. It returns NotManager.
func (w *Workflows) Services(ctx context.Context, before accounts.ID) ([]accounts.Service, bool, error) {
	actor, err := mayManage(ctx)
	if err != nil {
		return nil, false, err
	}
	return Page(accounts.Services(ctx, w.db.Queries, actor.Company.ID, before, RowsPerPage+1))
}

// Service returns a service account of the company. It returns NotManager or accounts.ServiceNotFound.
func (w *Workflows) Service(ctx context.Context, account accounts.ID) (accounts.Service, error) {
	actor, err := mayManage(ctx)
	if err != nil {
		return accounts.Service{}, err
	}
	return serviceOf(ctx, w.db.Queries, actor, account)
}

func serviceOf(
	ctx context.Context, q *db.Queries, actor accounts.Actor, account accounts.ID,
) (accounts.Service, error) {
	service, err := accounts.ServiceByID(ctx, q, account)
	if err == nil && service.Company.ID != actor.Company.ID {
		return accounts.Service{}, accounts.ServiceNotFound()
	}
	return service, err
}

// ServiceTokens is Tokens of a service account.
func (w *Workflows) ServiceTokens(ctx context.Context, service accounts.Service) ([]accounts.Token, bool, error) {
	return Page(accounts.Tokens(ctx, w.db.Queries, service.Company.ID, service.ID, 0, RowsPerPage+1))
}

// OpenService adds a service account to the company. It returns NotManager, or what accounts.OpenService does, and with
// once Replay.
func (w *Workflows) OpenService(
	ctx context.Context, name string, once *Once[accounts.Service],
) (service accounts.Service, err error) {
	actor, err := mayManage(ctx)
	if err != nil {
		return service, err
	}
	return DoOnce(ctx, w, once, func() (service accounts.Service, err error) {
		err = w.asManager(ctx, actor, func(tx *db.Tx) error {
			if service, err = accounts.OpenService(ctx, tx, actor, name); err != nil {
				return err
			}
			if err := StoreResponses(ctx, tx, once.Row(tx, service)); err != nil {
				return err
			}
			return audit(ctx, tx, actor, accounts.AuditServiceMade, accounts.AuditDetail{Name: service.Name})
		})
		if err != nil {
			return service, fmt.Errorf("open service account: %w", err)
		}
		return service, nil
	})
}

// asManager runs fn in a transaction in which the actor manages the company.
func (w *Workflows) asManager(ctx context.Context, actor accounts.Actor, fn func(tx *db.Tx) error) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error {
		now, err := accounts.LockRoles(ctx, tx, actor)
		if err != nil {
			return err
		}
		if !now.Manages() {
			return accounts.NotManager()
		}
		return fn(tx)
	})
}

// withService is asManager with a service account of the company, locked: no token or grant outlives it.
func (w *Workflows) withService(
	ctx context.Context, actor accounts.Actor, account accounts.ID,
	fn func(tx *db.Tx, service accounts.Service) error,
) error {
	return w.asManager(ctx, actor, func(tx *db.Tx) error {
		if _, err := accounts.LockService(ctx, tx, account); err != nil {
			return err
		}
		service, err := serviceOf(ctx, tx.Queries, actor, account)
		if err != nil {
			return err
		}
		return fn(tx, service)
	})
}

// MakeServiceToken makes a token of one scope for a service account, and returns it. It returns NotManager,
// accounts.ServiceNotFound, or what accounts.CheckServiceToken does, and with once Replay.
func (w *Workflows) MakeServiceToken(
	ctx context.Context, account accounts.ID, draft accounts.TokenDraft, once *Once[string],
) (string, error) {
	actor, err := mayManage(ctx)
	if err != nil {
		return "", err
	}
	return DoOnce(ctx, w, once, func() (token string, err error) {
		err = w.withService(ctx, actor, account, func(tx *db.Tx, service accounts.Service) error {
			checked, err := accounts.CheckServiceToken(draft, service)
			if err != nil {
				return err
			}
			if token, err = accounts.OpenToken(ctx, tx, actor.Company.ID, account, checked); err != nil {
				return err
			}
			if err := StoreResponses(ctx, tx, once.Row(tx, token)); err != nil {
				return err
			}
			return audit(ctx, tx, actor, accounts.AuditTokenMade,
				accounts.AuditDetail{Name: checked.Name, Member: service.Name})
		})
		if err != nil {
			return "", fmt.Errorf("open token: %w", err)
		}
		return token, nil
	})
}

// DeleteService deletes a service account with its tokens. It returns NotManager or accounts.ServiceNotFound.
func (w *Workflows) DeleteService(ctx context.Context, account accounts.ID) error {
	actor, err := mayManage(ctx)
	if err != nil {
		return err
	}
	var hashes [][]byte
	err = w.withService(ctx, actor, account, func(tx *db.Tx, service accounts.Service) (err error) {
		if hashes, err = accounts.EndService(ctx, tx, service); err != nil {
			return err
		}
		return audit(ctx, tx, actor, accounts.AuditServiceDeleted, accounts.AuditDetail{Name: service.Name})
	})
	if err != nil {
		return fmt.Errorf("delete service account: %w", err)
	}
	w.forgetBearers(hashes)
	return nil
}
