package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/requests"
)

// keyOf is a UUID of version 7 that was made at a time.
func keyOf(at time.Time) string {
	ms := fmt.Sprintf("%012x", at.UnixMilli())
	return ms[:8] + "-" + ms[8:] + "-7abc-8def-0123456789ab"
}

// failedOver records a failover that ended at a time, after which 30 s may be lost.
func failedOver(e *env, ended time.Time) {
	e.exec(`INSERT INTO failover (old, answer, lost_us, last_at, last_audit, pool, quarantined, began_at, ended_at, report)
		VALUES ('', '', 30000000, ?, 0, 0, 0, ?, ?, '{}')`, ended.Add(-time.Minute), ended.Add(-time.Second), ended)
}

func TestKeysOfBeforeAFailover(t *testing.T) {
	t.Parallel()
	unknown := func(t *testing.T, a *answer) {
		t.Helper()
		if a.is(t, http.StatusServiceUnavailable); !strings.Contains(a.body, "Idempotency.Unknown") {
			t.Error(a.body)
		}
	}
	t.Run("a key with a stored answer gets it, and one without is not done", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, quiet)
		stored := e.program().with("Idempotency-Key", "stored")
		first := stored.post(someTickets, asked).is(t, http.StatusCreated)
		failedOver(e, time.Now())
		again(t, first, stored.post(someTickets, asked))
		for range 2 {
			unknown(t, e.program().with("Idempotency-Key", "lost").post(someTickets, asked))
		}
		if n := opened(e); n != 1 {
			t.Errorf("%d tickets were opened", n)
		}
		e.program().post(someTickets, asked).is(t, http.StatusCreated)
	})
	t.Run("a key that does not tell its age is done again when none can be of before, but for one that was refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, quiet)
		failedOver(e, time.Now())
		unknown(t, e.program().with("Idempotency-Key", "lost").post(someTickets, asked))
		e.exec("UPDATE failover SET ended_at = ended_at - INTERVAL 2 MINUTE")
		e.program().with("Idempotency-Key", "later").post(someTickets, asked).is(t, http.StatusCreated)
		unknown(t, e.program().with("Idempotency-Key", "lost").post(someTickets, asked))
	})
	t.Run("a UUID of version 7 tells its age", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, quiet)
		ended := time.Now().Add(-time.Hour)
		failedOver(e, ended)
		for age, done := range map[time.Duration]bool{time.Second: true, -2 * time.Second: false, -90 * time.Second: false,
			-3 * time.Minute: true} {
			sent := e.program().with("Idempotency-Key", keyOf(ended.Add(age))).post(someTickets, asked)
			if !done {
				unknown(t, sent)
			} else {
				sent.is(t, http.StatusCreated)
			}
		}
	})
	t.Run("so does a form, which is done from a page of after", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, quiet)
		ended := time.Now()
		failedOver(e, ended)
		send := func(made time.Time) *answer {
			return e.ana().post("/acme/boards/DEMO/tickets", "title", "Paint the door", "nonce", requests.NewNonce(made))
		}
		send(ended.Add(-10*time.Second)).is(t, http.StatusServiceUnavailable)
		if n := opened(e); n != 0 {
			t.Errorf("%d tickets were opened", n)
		}
		if a := send(ended.Add(time.Second)); a.code >= 400 || opened(e) != 1 {
			t.Errorf("a new form is answered with %d", a.code)
		}
	})
}
