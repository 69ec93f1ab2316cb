package migrations_test

import (
	"errors"
	"testing"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/migrationstest"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/migrations/worker"
)

type env struct{ *migrationstest.Env }

func newEnv(t testing.TB, list ...*migrations.Migration) *env {
	t.Helper()
	d := migrationstest.New(t, list...)
	d.Fill = worker.New(d.DB, d.Engine, monitor.New(d.DB, d.Engine), "test", nil).Fill
	return &env{d}
}

// refuses checks that err is of the kind and the type of want.
func refuses[T error](t testing.TB, err error, kind fault.Kind) (as T) {
	t.Helper()
	if !errors.As(err, &as) || !errors.Is(err, kind) {
		t.Fatalf("%v (%T); want %T, %v", err, err, as, kind)
	}
	return as
}

// refusesAs fails unless an error has the code and the kind.
func refusesAs(t testing.TB, err error, code fault.Code, kind fault.Kind) {
	t.Helper()
	if !errors.Is(err, code) || !errors.Is(err, kind) {
		t.Fatalf("%v (%s); want %s, %v", err, fault.CodeOf(err), code, kind)
	}
}
