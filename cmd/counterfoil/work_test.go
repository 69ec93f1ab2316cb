package main

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestWork(t *testing.T) {
	t.Parallel()
	t.Run("it ends by itself when it is told to, and signs off", func(t *testing.T) {
		t.Parallel()
		i := onPrivate(t)
		w := i.work(t)
		domaintest.Until(t, "it works", func() bool { return strings.Contains(w.logged(), `msg="working on migrations"`) },
			w.logged)
		if err := w.stop(t); err != nil {
			t.Errorf("%v\n%s", err, w.logged())
		}
		if !strings.Contains(w.logged(), "stopped working on migrations") {
			t.Errorf("it did not sign off:\n%s", w.logged())
		}
	})
	t.Run("it goes on with the private database when the serve that owned it dies", func(t *testing.T) {
		t.Parallel()
		i := onPrivate(t)
		s := i.serve(t)
		w := i.work(t)
		s.kill(t)
		if code, out := i.command(t, "schema", "status"); code != 0 {
			t.Errorf("schema status: %d\n%s", code, out)
		}
		if err := w.stop(t); err != nil {
			t.Errorf("%v\n%s", err, w.logged())
		}
		i.verified(t)
	})
}
