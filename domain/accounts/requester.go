package accounts

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// CreateRequesterAccount makes the account of requesters, if there is none yet.
func CreateRequesterAccount(ctx context.Context, tx *db.Tx) error {
	_, err := tx.CreateAccount(ctx, db.CreateAccountParams{Email: Requester, Name: "Requester", CreatedAt: tx.Now})
	if err != nil && !db.IsDuplicate(err, "uq_account_email") {
		return fmt.Errorf("make the requester's account: %w", err)
	}
	return nil
}

// RequesterAccount returns that account. It is there once a form was turned on.
func RequesterAccount(ctx context.Context, q *db.Queries) (Account, error) {
	row, err := db.Read(q.AccountByEmail(ctx, Requester))
	if err != nil {
		return Account{}, fmt.Errorf("read the requester's account: %w", err)
	}
	return Account{ID: row.ID, Email: row.Email, Name: row.Name, Epoch: row.SessionEpoch}, nil
}
