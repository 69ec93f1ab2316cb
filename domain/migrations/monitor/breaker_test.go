package monitor

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// attempts lets workers finish attempts: complete ones, and failed ones with their messages.
func (s *env) attempts(complete int, failed ...string) {
	s.Helper()
	s.count(db.AddToCounterParams{Complete: int64(complete), Errors: int64(len(failed))})
	s.record("failed", failed...)
}

func (s *env) count(c db.AddToCounterParams) {
	s.Helper()
	c.RunID, c.WorkerID = s.run, 1
	domaintest.Must(s, s.db.AddToCounter(s.Context(), c))
}

func (s *env) record(outcome string, messages ...string) {
	s.Helper()
	if len(messages) == 0 {
		return
	}
	s.exec("INSERT IGNORE INTO migration_task (id, run_id, payload) VALUES (1, 1, '')")
	rows, args := make([]string, len(messages)), []any{}
	for i, message := range messages {
		fingerprint := sha256.Sum256([]byte(message[strings.Index(message, ":")+1:])) // without the row
		rows[i] = "(1, 1, 1, 1, ?, 1, 'w', NOW(6), 1, ?, ?, '')"
		args = append(args, outcome, fingerprint[:8], message)
	}
	s.exec("INSERT INTO migration_attempt (run_id, task_id, iteration, attempt, outcome, worker_id, worker, started_at, took_us, fingerprint, message, detail) VALUES "+strings.Join(rows, ","), args...)
}

// different are n errors that are not alike.
func different(n int) (messages []string) {
	for i := range n {
		messages = append(messages, "error "+strings.Repeat("x", i+1))
	}
	return messages
}

func same(n int) (messages []string) {
	for i := range n {
		messages = append(messages, fmt.Sprintf("row %d: disk is full", i))
	}
	return messages
}

func TestTrip(t *testing.T) {
	t.Parallel()
	knobs := migrations.Knobs{ErrorShare: 0.5, SameError: 20}

	t.Run("when more than the share of the last hundred attempts failed", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, knobs)
		s.check()
		s.attempts(50, different(50)...)
		if run := s.check(); run.State != migrations.Running {
			t.Fatalf("half is not more than half: %q", run.Reason)
		}
		s.attempts(1000)
		s.check()
		s.attempts(40, different(55)...)
		if run := s.check(); run.State != migrations.Running {
			t.Fatalf("the last look's thousand are among the last hundred: %q", run.Reason)
		}
		s.attempts(5, different(5)...)
		run := s.check()
		if run.State != migrations.Pausing ||
			!strings.HasPrefix(run.Reason, "60 of the last 105 attempts failed; the limit is 50 %.") {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
		if got := s.events(); got != "pausing" {
			t.Errorf("events %q", got)
		}
	})

	t.Run("never before a hundred attempts", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, knobs)
		s.check()
		s.attempts(0, different(99)...)
		if run := s.check(); run.State != migrations.Running {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
	})

	t.Run("when one error comes so often in a row, over all workers and looks", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, knobs)
		s.check()
		s.attempts(0, same(19)...)
		if run := s.check(); run.State != migrations.Running {
			t.Fatalf("19 are not 20: %q", run.Reason)
		}
		s.attempts(0, same(1)...)
		run := s.check()
		if run.State != migrations.Pausing ||
			!strings.HasPrefix(run.Reason, "The same error came 20 times in a row: “row 0: disk is full”.") {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
	})

	t.Run("not with another error or a completion in between", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, knobs)
		s.check()
		s.attempts(0, same(15)...)
		s.check()
		s.attempts(0, "something else")
		s.check()
		s.attempts(0, same(10)...)
		s.check()
		s.attempts(1)
		s.check()
		s.attempts(0, same(15)...)
		if run := s.check(); run.State != migrations.Running {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
	})

	t.Run("failures before Resume are not counted", func(t *testing.T) {
		t.Parallel()
		for name, pausedAtALook := range map[string]bool{"the keeper saw the pause": true,
			"the pause was between two looks": false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newEnv(t, knobs)
				s.check()
				s.attempts(0, append(different(60), same(19)...)...)
				s.check()
				s.exec("UPDATE migration_run SET state = 'paused', state_since = NOW(6) WHERE id = 1")
				if pausedAtALook {
					s.check()
				}
				s.exec("UPDATE migration_run SET state = 'running', state_since = NOW(6) WHERE id = 1")
				s.check()
				s.attempts(0, append(same(1), different(30)...)...)
				if run := s.check(); run.State != migrations.Running {
					t.Fatalf("%s: %q", run.State, run.Reason)
				}
				s.attempts(0, same(20)...)
				if run := s.check(); run.State != migrations.Pausing {
					t.Errorf("it counts no more at all: %s", run.State)
				}
			})
		}
	})

	t.Run("it counts from before Start, so the first second counts", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, knobs)
		s.exec("UPDATE migration_run SET state = 'ready' WHERE id = 1")
		s.check()
		s.exec("UPDATE migration_run SET state = 'running', state_since = NOW(6) WHERE id = 1")
		s.attempts(0, same(300)...)
		if run := s.check(); run.State != migrations.Pausing {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
	})

	t.Run("attempts that were lost with their workers say nothing of the work", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, knobs)
		s.check()
		s.count(db.AddToCounterParams{Errors: 300, Reclaimed: 300})
		s.record("lost", same(300)...)
		if run := s.check(); run.State != migrations.Running {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
	})

	t.Run("a limit of 0 is none", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, migrations.Knobs{})
		s.check()
		s.attempts(0, same(300)...)
		if run := s.check(); run.State != migrations.Running {
			t.Errorf("%s: %q", run.State, run.Reason)
		}
	})
}
