package db_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// twoCompanies are rows to lock.
func twoCompanies(t *testing.T, d *db.DB) {
	t.Helper()
	for _, slug := range []string{"one", "two"} {
		domaintest.OK(d.CreateCompany(t.Context(), db.CreateCompanyParams{Slug: slug, Name: slug, CreatedAt: d.Now()}))(t)
	}
}

func rename(ctx context.Context, tx *db.Tx, slug, name string) error {
	_, err := tx.SQL.ExecContext(ctx, "UPDATE company SET name = ? WHERE slug = ?", name, slug)
	return err
}

func TestInTx(t *testing.T) {
	t.Parallel()

	t.Run("one whose process hangs in the middle holds its locks briefly", func(t *testing.T) {
		t.Parallel()
		d, err := db.Open(dbtest.URL(t)) // one of dbtest.Open may be idle for long
		domaintest.Must(t, err)
		t.Cleanup(func() { d.Close() })
		twoCompanies(t, d)
		other := d.WithPool(1)
		still, err := other.SQL.BeginTx(t.Context(), nil)
		domaintest.Must(t, err)
		defer still.Rollback()
		domaintest.OK(still.ExecContext(t.Context(), "SELECT id FROM company WHERE slug = 'one' LOCK IN SHARE MODE"))(t)
		if err := d.InTx(t.Context(), func(tx *db.Tx) error { return rename(t.Context(), tx, "one", "x") }); err != nil {
			t.Error(err)
		}
		if err := still.Commit(); err == nil {
			t.Error("the one that stood still could commit afterwards")
		}
	})
	t.Run("of two that lock crosswise both commit: the victim of the deadlock runs again", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		twoCompanies(t, d)
		met := make(chan struct{}, 2)
		both := make(chan struct{})
		go func() { <-met; <-met; close(both) }()
		cross := func(first, second string, runs *int) error {
			return d.InTx(t.Context(), func(tx *db.Tx) error {
				*runs++
				if err := rename(t.Context(), tx, first, "x"); err != nil {
					return err
				}
				if *runs == 1 {
					met <- struct{}{}
					<-both
				}
				return rename(t.Context(), tx, second, "x")
			})
		}
		var runs [2]int
		done := make(chan error, 1)
		go func() { done <- cross("one", "two", &runs[0]) }()
		err := cross("two", "one", &runs[1])
		domaintest.Must(t, errors.Join(err, <-done))
		if runs[0]+runs[1] < 3 {
			t.Errorf("they ran %d times; there was no deadlock to come back from", runs[0]+runs[1])
		}
	})

	t.Run("its changes are undone when it fails or panics", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		twoCompanies(t, d)
		bad := errors.New("bad")
		domaintest.Is(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			if err := rename(t.Context(), tx, "one", "changed"); err != nil {
				return err
			}
			return bad
		}), bad)
		func() {
			defer func() { _ = recover() }()
			_ = d.InTx(t.Context(), func(tx *db.Tx) error {
				_ = rename(t.Context(), tx, "one", "changed")
				panic("bad")
			})
		}()
		if company, err := d.CompanyBySlug(t.Context(), "one"); err != nil || company.Name != "one" {
			t.Errorf("%+v %v", company, err)
		}
	})

	t.Run("it reads committed rows, in UTC, strictly", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		twoCompanies(t, d)
		domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.CompanyBySlug(t.Context(), "one"); err != nil {
				return err
			}
			if _, err := d.SQL.Exec("UPDATE company SET name = 'later' WHERE slug = 'one'"); err != nil {
				return err
			}
			company, err := tx.CompanyBySlug(t.Context(), "one")
			if company.Name != "later" {
				t.Errorf("the second read sees %q", company.Name)
			}
			return err
		}))
		var theirs time.Time
		domaintest.Must(t, d.SQL.QueryRow("SELECT NOW(6)").Scan(&theirs))
		if off := time.Since(theirs).Abs(); off > time.Hour {
			t.Errorf("the session's clock is %s off", off)
		}
		if _, err := d.SQL.Exec("UPDATE company SET name = REPEAT('x', 300) WHERE slug = 'one'"); err == nil {
			t.Error("a value that is too long was cut off in silence")
		}
	})

	t.Run("a database that is not there is Unavailable, and says so in plain words", func(t *testing.T) {
		t.Parallel()
		for _, url := range []string{"mysql://root@" + domaintest.RefusingAddress(t) + "/x", "mysql://root@unix(" +
			filepath.Join(t.TempDir(), "no.sock") + ")/x"} {
			d, err := db.Open(url)
			domaintest.Must(t, err)
			defer d.Close()
			err = d.InTx(t.Context(), func(*db.Tx) error { return nil })
			if !errors.Is(err, fault.Unavailable) || fault.Message(err) == "" {
				t.Errorf("%s: %v", url, err)
			}
		}
	})
}

func TestIsDuplicate(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	twoCompanies(t, d)
	_, err := d.CreateCompany(t.Context(), db.CreateCompanyParams{Slug: "one", Name: "x", CreatedAt: d.Now()})
	if !db.IsDuplicate(err, "uq_company_slug") {
		t.Errorf("%v is no duplicate of the slug", err)
	}
	if db.IsDuplicate(err, "slug") || db.IsDuplicate(err, "PRIMARY") || db.IsDuplicate(nil, "uq_company_slug") {
		t.Error("it is taken for a duplicate of something else")
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	url := dbtest.Empty(t)

	t.Run("it goes up, down and up again", func(t *testing.T) {
		for range 2 {
			domaintest.Must(t, db.SchemaUp(url))
			if err := db.SchemaUp(url); err != nil {
				t.Fatalf("up where it is up: %v", err)
			}
			for range db.LatestSchema() {
				domaintest.Must(t, db.SchemaDown(url))
			}
			if status, err := db.Schema(url); err != nil || status.Version != 0 || status.Dirty {
				t.Fatalf("%+v %v", status, err)
			}
		}
	})

	t.Run("many at once bring it up once", func(t *testing.T) {
		errs := make(chan error)
		for range 4 {
			go func() { errs <- db.SchemaUp(url) }()
		}
		for range 4 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if status, err := db.Schema(url); err != nil || status.Version != db.LatestSchema() || status.Dirty {
			t.Errorf("%+v %v", status, err)
		}
	})

	d := domaintest.OK(db.Open(url))(t)
	defer d.Close()
	for rule, c := range map[string]struct {
		change string
		want   error
	}{
		"one of a newer program is refused":     {"UPDATE schema_migrations SET version = 9999", db.NewerSchema(9999)},
		"one that broke off halfway is refused": {"UPDATE schema_migrations SET version = 1, dirty = 1", db.BrokenSchema(1)},
	} {
		t.Run(rule, func(t *testing.T) {
			domaintest.Exec(t, d, c.change)
			domaintest.Is(t, db.SchemaUp(url), c.want)
			domaintest.Exec(t, d, "UPDATE schema_migrations SET version = ?, dirty = 0", db.LatestSchema())
		})
	}
}
