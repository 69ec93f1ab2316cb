package workflows_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// env is an environment with what tests do here.
type env struct{ *apptest.Env }

func newEnv(t testing.TB, options ...app.Option) *env {
	t.Helper()
	return &env{apptest.New(t, options...)}
}

// another is a second program on the same database.
func (e *env) another(t testing.TB) *env {
	t.Helper()
	return &env{e.Another(t)}
}

func TestADatabaseErrorIsNoMissingMember(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	e := &env{apptest.On(t, d)}
	watch.Before(func(_ context.Context, statement string) error {
		if strings.Contains(statement, "name: MemberByID") {
			return &mysql.MySQLError{Number: 1053, Message: "Server shutdown in progress"}
		}
		return nil
	})
	_, err := e.Workflows.MakeToken(e.Ctx, accounts.TokenDraft{Name: "ci", Scopes: accounts.Scopes, Days: 30}, nil)
	domaintest.Is(t, err, fault.Unavailable)
}
