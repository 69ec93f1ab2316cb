package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

var ctx = context.Background()

const password = "correct horse battery"

var passwordHash = sync.OnceValue(func() string {
	hash, err := accounts.HashPassword(password, accounts.DefaultCost)
	if err != nil {
		panic(err)
	}
	return hash
})

func inTx(t *testing.T, d *db.DB, fn func(tx *db.Tx) error) {
	t.Helper()
	domaintest.Must(t, d.InTx(ctx, fn))
}

func company(t *testing.T, d *db.DB, slug string) (c accounts.Company) {
	t.Helper()
	inTx(t, d, func(tx *db.Tx) (err error) {
		c, err = accounts.OpenCompany(ctx, tx, slug, slug)
		return err
	})
	return c
}

func newAccount(t *testing.T, d *db.DB, name string) (a accounts.Account) {
	t.Helper()
	inTx(t, d, func(tx *db.Tx) (err error) {
		a, err = accounts.Open(ctx, tx, accounts.Draft{Name: name, Email: name + "@example.com",
			PasswordHash: passwordHash()})
		return err
	})
	return a
}

func join(t *testing.T, d *db.DB, c accounts.Company, a accounts.Account, role string) {
	t.Helper()
	inTx(t, d, func(tx *db.Tx) error { _, err := accounts.Join(ctx, tx, c.ID, a, role); return err })
}

// twenty runs fn in twenty transactions at once and returns how many were taken; the others must
// have got the error want.
func twenty(t *testing.T, d *db.DB, want error, fn func(i int, tx *db.Tx) error) (taken int) {
	t.Helper()
	errs := make([]error, 20)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { errs[i] = d.InTx(ctx, func(tx *db.Tx) error { return fn(i, tx) }) })
	}
	group.Wait()
	for _, err := range errs {
		if err == nil {
			taken++
		} else if !errors.Is(err, want) {
			t.Error(err)
		}
	}
	return taken
}

func TestUnique(t *testing.T) {
	t.Parallel()

	t.Run("of twenty companies with one slug one is opened", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		if n := twenty(t, d, accounts.CompanyConflict("acme"), func(i int, tx *db.Tx) error {
			_, err := accounts.OpenCompany(ctx, tx, []string{"acme", " ACME "}[i%2], "Acme")
			return err
		}); n != 1 {
			t.Errorf("%d were opened", n)
		}
	})

	t.Run("of twenty accounts with one address one is opened", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		if n := twenty(t, d, accounts.EmailConflict(), func(i int, tx *db.Tx) error {
			_, err := accounts.Open(ctx, tx,
				accounts.Draft{Name: "Ana", Email: []string{"ana@example.com", "Ana@Example.com "}[i%2], PasswordHash: "x"})
			return err
		}); n != 1 {
			t.Errorf("%d were opened", n)
		}
	})

	t.Run("of twenty setups one closes it", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		if installed, err := accounts.Installed(ctx, d.Queries); installed || err != nil {
			t.Errorf("%v, %v", installed, err)
		}
		acme := company(t, d, "acme")
		if n := twenty(t, d, accounts.SetupClosed(),
			func(_ int, tx *db.Tx) error { return accounts.CloseSetup(ctx, tx, acme.ID) }); n != 1 {
			t.Errorf("%d closed it", n)
		}
		if installed, err := accounts.Installed(ctx, d.Queries); !installed || err != nil {
			t.Errorf("%v, %v", installed, err)
		}
	})

	t.Run("addresses that only look alike are two", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		for _, email := range []string{"jose@example.com", "josé@example.com", "josе@example.com"} { // the last with a Cyrillic е
			inTx(t, d, func(tx *db.Tx) error {
				_, err := accounts.Open(ctx, tx, accounts.Draft{Name: "José", Email: email, PasswordHash: passwordHash()})
				return err
			})
			if a, err := accounts.ByPassword(ctx, d.Queries, email, password, false); err != nil || a.Email != email {
				t.Errorf("%q signs in as %q, %v", email, a.Email, err)
			}
		}
	})
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	for want, fn := range map[error]func(tx *db.Tx) error{
		accounts.BadName("company",
			0): func(tx *db.Tx) error { _, err := accounts.OpenCompany(ctx, tx, "acme", " "); return err },
		accounts.BadCompanySlug("a",
			false): func(tx *db.Tx) error { _, err := accounts.OpenCompany(ctx, tx, "a", "Acme"); return err },
		accounts.BadName("name",
			0): func(tx *db.Tx) error { _, err := accounts.Open(ctx, tx, accounts.Draft{Email: "a@b.c"}); return err },
		accounts.BadEmail(): func(tx *db.Tx) error { _, err := accounts.Open(ctx, tx, accounts.Draft{Name: "Ana"}); return err },
		accounts.BadName("name", 256): func(tx *db.Tx) error {
			_, err := accounts.Open(ctx, tx, accounts.Draft{Name: strings.Repeat("ö", 256), Email: "a@b.c"})
			return err
		},
	} {
		if err := d.InTx(ctx, fn); !errors.Is(err, want) {
			t.Errorf("%v, not %v", err, want)
		}
	}
}

func TestByPassword(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	ana := newAccount(t, d, "ana")
	for _, email := range []string{"ana@example.com", " ANA@example.com\t"} {
		if got, err := accounts.ByPassword(ctx, d.Queries, email, password, false); err != nil || got != ana {
			t.Errorf("%q: %+v, %v", email, got, err)
		}
	}
	for email, bad := range map[string]string{
		"ana@example.com": "wrong", "eve@example.com": password, "": password, "ana@example.com'": password, "%": password,
		"ana@example.com\x00": password, "\xff": password,
		"ána@example.com": password, "ana@example": password, strings.Repeat("a", 1<<17): password,
	} {
		got, err := accounts.ByPassword(ctx, d.Queries, email, bad, false)
		if !errors.Is(err, accounts.WrongPassword()) || got != (accounts.Account{}) {
			t.Errorf("%.20q: %+v, %v", email, got, err)
		}
	}
	if got, err := accounts.ByID(ctx, d.Queries, ana.ID); err != nil || got != ana {
		t.Errorf("%+v, %v", got, err)
	}
	domaintest.Fails(accounts.ByID(ctx, d.Queries, 4711))(t, accounts.NotMember())
}

func TestInCompany(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	acme, rivals := company(t, d, "acme"), company(t, d, "rivals")
	ana, sam := newAccount(t, d, "ana"), newAccount(t, d, "sam")
	join(t, d, acme, ana, accounts.Viewer)
	join(t, d, rivals, ana, accounts.Owner)
	join(t, d, rivals, sam, accounts.Member)
	got, err := accounts.InCompany(ctx, d.Queries, "acme", ana.ID)
	if err != nil || got.Account != ana || got.Company != acme || got.Role != accounts.Viewer || got.Token != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, slug := range []string{"acme", "nobody", "", "Acme", "acme ", " acme", "äcme", "acme\x00", "\xff", "%", "acm_",
		"' OR 1=1 --", strings.Repeat("a", 1<<17)} {
		if got, err := accounts.InCompany(ctx, d.Queries, slug, sam.ID); !errors.Is(err, accounts.NotMember()) ||
			got.Role != "" {
			t.Errorf("%.20q: %+v, %v", slug, got, err)
		}
		if slug == "acme" {
			continue
		}
		if got, err := accounts.InCompany(ctx, d.Queries, slug, ana.ID); !errors.Is(err, accounts.NotMember()) ||
			got.Role != "" {
			t.Errorf("%.20q: %+v, %v", slug, got, err)
		}
	}
	list, err := accounts.CompaniesOf(ctx, d.Queries, ana.ID)
	if err != nil || fmt.Sprint(list) != fmt.Sprint([]accounts.Membership{{Company: acme, Role: accounts.Viewer},
		{Company: rivals, Role: accounts.Owner}}) {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := accounts.CompaniesOf(ctx, d.Queries, 4711); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	acme, rivals := company(t, d, "acme"), company(t, d, "rivals")
	ana := newAccount(t, d, "ana")
	join(t, d, acme, ana, accounts.Member)
	join(t, d, rivals, ana, accounts.Owner)
	open := func(c accounts.Company, scopes ...string) (token string) {
		inTx(t, d, func(tx *db.Tx) (err error) {
			token, err = accounts.OpenToken(ctx, tx, c.ID, ana.ID, accounts.TokenDraft{Name: "for tests", Scopes: scopes})
			return err
		})
		return token
	}
	token, other := open(acme, accounts.Scopes...), open(rivals, "boards:read")
	if token == other || !strings.HasPrefix(token, "cfl_") {
		t.Errorf("%q and %q", token, other)
	}
	got, _, err := accounts.ByToken(ctx, d.Queries, token, d.Now())
	got.Account.Display = ana.Display // which no token needs
	if err != nil || got.Account != ana || got.Company != acme || got.Role != accounts.Member || got.Token == 0 ||
		!slices.Equal(got.Scopes, got.HeldScopes()) || got.May(accounts.ReadAudit) || got.May(accounts.Operate) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, _, err := accounts.ByToken(ctx, d.Queries, other, d.Now()); err != nil || got.Company != rivals ||
		got.May("boards:write") || !got.May("boards:read") {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "cfl_", token + "x", token[:len(token)-1], strings.ToUpper(token), " " + token,
		string(accounts.HashToken(token)), "' OR 1=1 --", "\xff"} {
		if got, _, err := accounts.ByToken(ctx, d.Queries, bad, d.Now()); !errors.Is(err, accounts.BadToken()) ||
			got.Token != 0 {
			t.Errorf("%q: %+v, %v", bad, got, err)
		}
	}
	var stored int
	if err := d.SQL.QueryRowContext(ctx, "SELECT COUNT(*) FROM api_token WHERE hash = ? AND name = 'for tests'",
		accounts.HashToken(token)).Scan(&stored); err != nil || stored != 1 {
		t.Errorf("%d stored under their hash, %v", stored, err)
	}
	domaintest.Exec(t, d, "DELETE FROM membership WHERE company_id = ?", acme.ID)
	if _, _, err := accounts.ByToken(ctx, d.Queries, token, d.Now()); !errors.Is(err, accounts.BadToken()) {
		t.Errorf("the token of someone who left: %v", err)
	}
}

func TestHandlesOfNamesakes(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	acme := company(t, d, "acme")
	var handles []string
	for n := range 55 {
		inTx(t, d, func(tx *db.Tx) error {
			ana, err := accounts.Open(ctx, tx, accounts.Draft{Name: "Ana", Email: fmt.Sprintf("ana%d@example.com", n),
				PasswordHash: passwordHash()})
			if err != nil {
				return err
			}
			handle, err := accounts.Join(ctx, tx, acme.ID, ana, accounts.Member)
			handles = append(handles, handle)
			return err
		})
	}
	if got := strings.Join(handles[:3], " "); got != "ana ana-2 ana-3" {
		t.Errorf("the first are called %s", got)
	}
	slices.Sort(handles)
	if n := len(slices.Compact(handles)); n != 55 {
		t.Errorf("55 people have %d handles", n)
	}
}
