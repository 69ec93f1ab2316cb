package worker

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// TestEachFailedAttemptIsALine: each attempt of a task that fails, or is lost with its worker, is one line of the log with
// run, task and reason; one that completes or is put off is none.
func TestEachFailedAttemptIsALine(t *testing.T) {
	t.Parallel()
	b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
	var log bytes.Buffer
	b.p.log = slog.New(slog.NewTextHandler(&log, nil))
	run := b.running(4, migrations.Knobs{Attempts: 2})
	h, keeper := b.manualWorker(run), b.manualWorker(run)
	list := h.claims(3)
	h.ends(list[:1], failed, errors.New("the host\nsaid 500"))
	h.ends(list[1:2], complete, nil)
	h.ends(list[2:], postponed, migrations.Later{Reason: "busy"})
	lost := h.claims(1)
	h.dies(run, keeper)
	lines := []string{
		fmt.Sprintf(`level=WARN msg="an attempt of a task failed" run=%d task=%d attempt=1 outcome=failed worker=%d reason="the host said 500"`,
			run, list[0].work.Task.ID, h.w.id),
		fmt.Sprintf(`level=WARN msg="an attempt of a task failed" run=%d task=%d attempt=1 outcome=lost worker=%d reason="The worker was lost`,
			run, lost[0].work.Task.ID, h.w.id),
	}
	for _, line := range lines {
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log lacks %s\n%s", line, log.String())
		}
	}
	if n := strings.Count(log.String(), "an attempt of a task failed"); n != len(lines) {
		t.Errorf("%d lines of attempts\n%s", n, log.String())
	}
}
