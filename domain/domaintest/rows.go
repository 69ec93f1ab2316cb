package domaintest

import (
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Exec executes a statement, and returns the id of the row that it adds.
func Exec(t T, d *db.DB, statement string, args ...any) int64 {
	t.Helper()
	result, err := d.SQL.Exec(statement, args...)
	if err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
	last, err := result.LastInsertId()
	Must(t, err)
	return last
}

// Number returns the number that a statement finds.
func Number(t T, d *db.DB, statement string, args ...any) (n int) {
	t.Helper()
	if err := d.SQL.QueryRow(statement, args...).Scan(&n); err != nil {
		t.Fatalf("%v in %s", err, statement)
	}
	return n
}

// Counts reports an error unless a statement finds the wanted number.
func Counts(t T, d *db.DB, want int, statement string, args ...any) {
	t.Helper()
	if n := Number(t, d, statement, args...); n != want {
		t.Errorf("%d, not %d: %s %v", n, want, statement, args)
	}
}

// Member adds an account that belongs to a company. What is before the @ of its email is its handle there.
func Member(t T, d *db.DB, company id.Company, name, email, role, passwordHash string) id.Account {
	t.Helper()
	account := Exec(t, d,
		"INSERT INTO account (email, name, password_hash, operator, created_at) VALUES (?, ?, ?, FALSE, NOW(6))",
		email, name, passwordHash)
	handle, _, _ := strings.Cut(email, "@")
	Exec(t, d, "INSERT INTO membership (company_id, account_id, role, handle, created_at) VALUES (?, ?, ?, ?, NOW(6))",
		uint64(company), account, role, handle)
	return id.Account(account)
}
