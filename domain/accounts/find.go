package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// Listed is an account in a list of all accounts.
type Listed struct {
	Account
	CreatedAt time.Time
}

// After returns the accounts of users of all companies by id, above after.
func After(ctx context.Context, q *db.Queries, after ID, limit int) ([]Listed, error) {
	rows, err := db.Read(q.AccountsAfter(ctx, after, int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	return listed(rows), nil
}

// Find returns the accounts of users of all companies whose address or name begins with a text: at most limit by address, then
// limit by name. Case does not matter.
func Find(ctx context.Context, q *db.Queries, text string, limit int) ([]Listed, error) {
	text = strings.TrimSpace(text)
	if text == "" || !markup.Text(text) || len(text) > 4*MaxName {
		return nil, nil
	}
	byEmail, err := db.Read(q.AccountsByEmail(ctx, db.PrefixPattern(strings.ToLower(text)), int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("find accounts by address: %w", err)
	}
	byName, err := db.Read(q.AccountsByName(ctx, db.PrefixPattern(text), int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("find accounts by name: %w", err)
	}
	for _, row := range byName {
		if !slices.ContainsFunc(byEmail, func(r db.Account) bool { return r.ID == row.ID }) {
			byEmail = append(byEmail, row)
		}
	}
	return listed(byEmail), nil
}

func listed(rows []db.Account) (list []Listed) {
	for _, row := range rows {
		list = append(list, Listed{CreatedAt: row.CreatedAt, Account: accountFrom(row)})
	}
	return list
}
