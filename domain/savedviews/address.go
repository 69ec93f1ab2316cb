package savedviews

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// MaxAddresses is how many calendar addresses a member has in a company.
const MaxAddresses = 50

// OfWork is the View of the address for the tickets that a member is assigned to.
const OfWork id.SavedView = 0

// Address is the address by which calendar programs read due dates as a member sees them: those of a view, or of the
// member's work. Its secret is not stored.
type Address struct {
	View   id.SavedView // OfWork for the member's work
	MadeAt time.Time
	hash   []byte
}

// Opens reports whether a secret is that of the address.
func (a Address) Opens(secret string) bool { return bytes.Equal(a.hash, secrets.HashOfLink(secret)) }

// CodeUnknownAddress: a calendar address leads nowhere. It is mistyped, or was revoked or replaced, or its member left:
// make another.
const CodeUnknownAddress fault.Code = "SavedView.UnknownAddress"

func UnknownAddress() error {
	return fault.NotFound.New(CodeUnknownAddress, "",
		"There is no calendar at this address: it may have been revoked or replaced. Make another under Views.")
}

// CodeTooManyAddresses: the member has as many calendar addresses as possible. Revoke one first.
const CodeTooManyAddresses fault.Code = "SavedView.TooManyAddresses"

func TooManyAddresses() error {
	return fault.Conflict.New(CodeTooManyAddresses, "",
		fmt.Sprintf("You can have at most %d calendar addresses. Revoke one first.", MaxAddresses))
}

// Addresses returns the calendar addresses of a reader by their views.
func Addresses(ctx context.Context, q *db.Queries, by db.Sight) (map[id.SavedView]Address, error) {
	rows, err := db.Read(q.CalendarAddresses(ctx, db.CalendarAddressesParams{AccountID: by.Reader, CompanyID: by.Company,
		Limit: MaxAddresses}))
	if err != nil {
		return nil, fmt.Errorf("read calendar addresses: %w", err)
	}
	list := make(map[id.SavedView]Address, len(rows))
	for _, row := range rows {
		list[row.ViewID] = Address{View: row.ViewID, MadeAt: row.CreatedAt, hash: row.Hash}
	}
	return list, nil
}

// OpenAddress gives a view that the reader sees, or the reader's work, a calendar address in place of the one it has, and
// returns its secret. The caller holds the lock of the company. It returns TooManyAddresses.
func OpenAddress(ctx context.Context, tx *db.Tx, by db.Sight, view id.SavedView) (secret string, err error) {
	if err := tx.ForgetCalendarAddresses(ctx, by.Reader, by.Company); err != nil {
		return "", fmt.Errorf("forget calendar addresses: %w", err)
	}
	secret = secrets.NewLink()
	err = tx.SetCalendarAddress(ctx, db.SetCalendarAddressParams{AccountID: by.Reader, CompanyID: by.Company, ViewID: view,
		Hash: secrets.HashOfLink(secret), Now: tx.Now})
	if err != nil {
		return "", fmt.Errorf("make calendar address: %w", err)
	}
	n, err := tx.CountCalendarAddresses(ctx, by.Reader, by.Company)
	if err != nil {
		return "", fmt.Errorf("count calendar addresses: %w", err)
	}
	if n > MaxAddresses {
		return "", TooManyAddresses()
	}
	return secret, nil
}

// RevokeAddress ends the calendar address of a view, or of the reader's work; there reports that it had one.
func RevokeAddress(ctx context.Context, tx *db.Tx, by db.Sight, view id.SavedView) (there bool, err error) {
	n, err := tx.DropCalendarAddress(ctx, db.DropCalendarAddressParams{AccountID: by.Reader, CompanyID: by.Company, ViewID: view})
	if err != nil {
		return false, fmt.Errorf("revoke calendar address: %w", err)
	}
	return n > 0, nil
}

// Addressee is who reads by a calendar address, and what.
type Addressee struct {
	Account id.Account
	Company string // its slug
	View    id.SavedView
}

// ByAddress returns whose address has a secret, or UnknownAddress. Whether they are still a member is for the caller.
func ByAddress(ctx context.Context, q *db.Queries, secret string) (Addressee, error) {
	row, err := db.Read(q.CalendarAddressByHash(ctx, secrets.HashOfLink(secret)))
	if db.IsNotFound(err) {
		return Addressee{}, UnknownAddress()
	}
	if err != nil {
		return Addressee{}, fmt.Errorf("read calendar address: %w", err)
	}
	return Addressee{Account: row.AccountID, Company: row.Slug, View: row.ViewID}, nil
}
