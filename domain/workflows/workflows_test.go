package workflows_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
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
