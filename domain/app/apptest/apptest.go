// Package apptest has what tests of several packages share: an app on a database of its own after setup, with helpers.
// Start with New.
package apptest

import (
	"context"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// Env is a database after setup, with an app and its operator.
type Env struct {
	*app.App
	DB       *db.DB
	Ctx      context.Context // the operator is the caller
	Actor    accounts.Actor
	Practice boards.Board
	Token    string
}

// New returns an environment on a database of its own. The app is closed when the test ends.
func New(t testing.TB, options ...app.Option) *Env {
	t.Helper()
	return On(t, dbtest.Open(t), options...)
}

// On returns an environment on an empty database.
func On(t testing.TB, d *db.DB, options ...app.Option) *Env {
	t.Helper()
	a := app.New(d, append([]app.Option{CheapPasswords, WithKeys}, options...)...)
	t.Cleanup(func() { a.Close(context.Background()) })
	actor, practice, token, err := a.Workflows.SetUp(context.Background(), workflows.Setup{
		Token:   true,
		Company: "Acme", Name: "Ana", Email: "ana@example.com", Password: "correct horse battery",
	})
	domaintest.Must(t, err)
	return &Env{a, d, accounts.WithActor(context.Background(), actor), actor, practice, token}
}

// CheapCost is for passwords of tests: hashing them at the default cost took half of their time.
var CheapCost = accounts.Cost{KiB: 64, Passes: 1}

// CheapPasswords hashes passwords at CheapCost.
var CheapPasswords = app.WithPasswordCost(CheapCost)

// Keys encrypt the secrets of tests: one key for all, so that several apps can use a database.
var Keys = secrets.Fixed([32]byte{'k', 'e', 'y'})

// WithKeys encrypts with Keys.
var WithKeys = app.WithKeys(Keys)

// Another returns an environment with a second app on the same database, with caches of its own.
func (e *Env) Another(t testing.TB) *Env {
	t.Helper()
	a := app.New(e.DB, CheapPasswords, WithKeys)
	t.Cleanup(func() { a.Close(context.Background()) })
	other := *e
	other.App = a
	return &other
}

// Files is a folder of the test for uploads and images.
func Files(t testing.TB) app.Option {
	t.Helper()
	files := domaintest.OK(blobs.Open(t.Context(), t.TempDir()))(t)
	return app.WithFiles(files)
}

// Exec executes a statement on the database.
func (e *Env) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	domaintest.Exec(t, e.DB, statement, args...)
}

// Count returns the number that a query selects.
func (e *Env) Count(t testing.TB, query string, args ...any) (n int) {
	t.Helper()
	return domaintest.Number(t, e.DB, query, args...)
}

// Counts reports an error unless a query selects the wanted number.
func (e *Env) Counts(t testing.TB, want int, query string, args ...any) {
	t.Helper()
	domaintest.Counts(t, e.DB, want, query, args...)
}

// Migration returns a registered migration by its name.
func (e *Env) Migration(t testing.TB, name string) *migrations.Migration {
	t.Helper()
	return domaintest.OK(e.Engine.Migration(name))(t)
}
