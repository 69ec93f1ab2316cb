package domaintest

import "github.com/counterfoil/counterfoil/db"

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
