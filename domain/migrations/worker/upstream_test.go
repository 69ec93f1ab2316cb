package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// await asks a process for a request to a host, of a run with the given rate per host.
func await(t *testing.T, p *Process, host string, perHost float64) error {
	t.Helper()
	run := migrations.Run{ID: 1, Knobs: migrations.Knobs{PerHost: perHost}}
	return p.await(t.Context(), func() *migrations.Run { return &run }, host)
}

func TestAwait(t *testing.T) {
	t.Parallel()
	t.Run("a host's retry time is honoured on all servers, within a second", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		other := s.another().p
		domaintest.Must(t, await(t, other, "images.example", 0))
		began := time.Now()
		domaintest.Must(t, s.p.blockHost(t.Context(), "Images.Example.", time.Minute, "429 Too Many Requests"))
		other.hosts.readAt = other.hosts.readAt.Add(-hostsFresh)
		for name, e := range map[string]*Process{"the server that was told": s.p, "one that was not": other,
			"a new one": s.another().p} {
			err := await(t, e, "images.example", 0)
			var later migrations.Later
			if !errors.As(err, &later) || later.After <= min(50*time.Second, 59*time.Second-time.Since(began)) ||
				later.After > time.Minute || later.Reason != "429 Too Many Requests" {
				t.Errorf("%s: %v", name, err)
			}
			if later.Host != "" {
				t.Errorf("%s: it would be taken for an answer of the host", name)
			}
			if err := await(t, e, "cdn.example", 0); err != nil {
				t.Errorf("%s: another host: %v", name, err)
			}
		}
	})

	t.Run("a shorter time does not take the place of a longer one, and an hour is enough", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		for _, after := range []time.Duration{1000 * time.Hour, time.Second, -time.Hour} {
			domaintest.Must(t, s.p.blockHost(t.Context(), "images.example", after, after.String()))
		}
		for name, e := range map[string]*Process{"here": s.p, "there": s.another().p} {
			var later migrations.Later
			if err := await(t, e, "images.example", 0); !errors.As(err, &later) || later.After < 59*time.Minute ||
				later.After > time.Hour || later.Reason != "1000h0m0s" {
				t.Errorf("%s: %v", name, err)
			}
		}
	})

	t.Run("the rate is shared by the living workers", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		for _, w := range []struct {
			state string
			lease int
		}{{"active", 30}, {"active", 30}, {"active", 30}, {"active", 30}, {"active", -1}, {"draining", 30}} {
			s.exec(`INSERT INTO migration_worker (host, pid, version, state, started_at, beat_at, lease_until)
				VALUES ('server', 1, '1', ?, NOW(6), NOW(6), NOW(6) + INTERVAL ? SECOND)`, w.state, w.lease)
		}
		domaintest.Must(t, s.p.hosts.refresh(t.Context(), s.d))
		of, at := limitOf{1, "images.example"}, time.Now()
		for i := range 5 { // 2 a second over four workers: one every two seconds
			if wait := s.p.hosts.reserve(of, 2,
				at).DelayFrom(at); wait.Round(time.Millisecond) != time.Duration(i)*2*time.Second {
				t.Errorf("request %d waits %s", i, wait)
			}
		}
	})

	t.Run("a long wait is postponed, and uses none of the rate", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		domaintest.Must(t, await(t, s.p, "images.example", 0.001))
		for range 50 {
			var later migrations.Later
			if err := await(t, s.p, "images.example", 0.001); !errors.As(err, &later) || later.After < 500*time.Second ||
				later.After > 2000*time.Second {
				t.Fatalf("%v", err)
			}
		}
		if err := await(t, s.p, "cdn.example", 0.001); err != nil {
			t.Errorf("another host: %v", err)
		}
	})

	t.Run("memory is bounded", func(t *testing.T) {
		t.Parallel()
		h := &hosts{}
		at := time.Now()
		for i := range 5 * hostsKept {
			at = at.Add(time.Millisecond)
			h.reserve(limitOf{1, "busy.example"}, 1, at)
			h.reserve(limitOf{1, fmt.Sprintf("host%d.example", i)}, 1, at)
		}
		if len(h.limits) > hostsKept {
			t.Errorf("%d limits", len(h.limits))
		}
		if h.limits[limitOf{1, "busy.example"}] == nil {
			t.Error("a host in use was forgotten")
		}
	})

	t.Run("a rate that is turned is that of works under way, too", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		h := b.manualWorker(b.running(2, migrations.Knobs{PerHost: 0.01}))
		list := h.claims(2)
		domaintest.Must(t, list[0].work.Await(t.Context(), "images.example"))
		if err := list[1].work.Await(t.Context(), "images.example"); !errors.As(err, new(migrations.Later)) {
			t.Fatal(err)
		}
		for _, faster := range []float64{1000, 0} {
			run := *h.run.Load()
			run.Knobs.PerHost = faster
			h.update(run)
			for range 3 {
				if err := list[1].work.Await(t.Context(), "images.example"); err != nil {
					t.Errorf("at %g a second: %v", faster, err)
				}
			}
		}
	})

	t.Run("a context that ends, ends it", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		domaintest.Is(t, s.p.await(ctx, func() *migrations.Run { return &migrations.Run{ID: 1} }, "images.example"),
			context.Canceled)
	})

	t.Run("any name of a host can be kept", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		for _, host := range []string{"", "münchen.example", strings.Repeat("x", 300), "a\x00b", "'; DROP TABLE ticket --",
			"😀"} {
			if err := s.p.blockHost(t.Context(), host, time.Minute, strings.Repeat("ü", 300)); err != nil {
				t.Errorf("%q: %v", host, err)
			}
			if err := await(t, s.another().p, host, 0); !errors.As(err, new(migrations.Later)) {
				t.Errorf("%q: %v", host, err)
			}
		}
	})

	t.Run("responses of hosts have no secret of a run", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: noop})
		run := b.running(1, migrations.Knobs{})
		b.exec(`UPDATE migration_run SET params = '{"secret": {"password": "correct-horse"}}'`)
		h := b.manualWorker(run)
		list := h.claims(1)
		h.ends(list, postponed, migrations.Later{After: time.Minute, Host: "images.example",
			Reason: "correct-horse was refused"})
		if n := b.number("SELECT COUNT(*) FROM migration_upstream WHERE reason = ?",
			migrations.Masked+" was refused"); n != 1 {
			t.Error("what the host said has the secret, or is not there")
		}
		if n := b.number("SELECT COUNT(*) FROM migration_task WHERE note LIKE '%correct-horse%'"); n != 0 {
			t.Error("the note has the secret")
		}
	})
}

func TestHostsThatLetNothingThrough(t *testing.T) {
	t.Parallel()
	const host = "images.example"
	refuses := func(ctx context.Context, w *migrations.Work) error {
		if err := w.Await(ctx, host); err != nil {
			return err
		}
		return migrations.Later{After: time.Millisecond, Host: host, Reason: "it answers 429 Too Many Requests"}
	}
	t.Run("after an hour of that, each further time costs an attempt, so the run ends", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: refuses})
		run := b.running(10, migrations.Knobs{Attempts: 2, Backoff: 10 * time.Millisecond, ErrorShare: 1, SameError: 1000})
		b.p.hosts.addRefusal(host, time.Now().Add(-maxRefusing-time.Minute), time.Minute)
		b.works()
		b.waitFor(run, migrations.Complete)
		if p := b.progress(run); p.Failed != 10 || p.Errors != 20 {
			t.Errorf("%+v", p)
		}
		list, err := b.Failures(t.Context(), run)
		if err != nil || len(list) != 1 ||
			list[0].Message != "“images.example” failed all requests for 61 minutes: it answers 429 Too Many Requests" {
			t.Errorf("%+v, %v", list, err)
		}
		b.adds(run)
	})
	t.Run("one that never ends pauses the run, because of errors in a row", func(t *testing.T) {
		t.Parallel()
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: refuses})
		run := b.running(100, migrations.Knobs{Backoff: 10 * time.Millisecond})
		b.p.hosts.addRefusal(host, time.Now().Add(-maxRefusing), time.Minute)
		b.works()
		b.waitFor(run, migrations.Paused)
		if reason := b.row(run).Reason; !strings.Contains(reason, "429 Too Many Requests") && !strings.Contains(reason,
			"attempts failed") {
			t.Error(reason)
		}
	})
	t.Run("one that lets something through now and then costs nothing", func(t *testing.T) {
		t.Parallel()
		first := map[string]bool{}
		b := newEnv(t, dbtest.Open(t), &migrations.Migration{Process: func(ctx context.Context, w *migrations.Work) error {
			if w.Task.Payload != "0" && !first[w.Task.Payload] {
				first[w.Task.Payload] = true
				return refuses(ctx, w)
			}
			return w.Await(ctx, host)
		}})
		run := b.running(5, migrations.Knobs{Attempts: 1, Concurrency: 1})
		b.p.hosts.addRefusal(host, time.Now().Add(-maxRefusing), time.Minute)
		b.works()
		b.waitFor(run, migrations.Complete)
		if p := b.progress(run); p.Complete != 5 || p.Errors != 0 {
			t.Errorf("%+v", p)
		}
	})
	t.Run("an hour in which this process had nothing to do with it says nothing", func(t *testing.T) {
		t.Parallel()
		h, nine := &hosts{}, time.Now()
		for _, step := range []struct {
			after, asks time.Duration
			costs       bool
		}{
			{0, time.Minute, false},
			{2 * time.Hour, time.Minute, false}, // others were let through between, for all that is known
			{2*time.Hour + 59*time.Minute, time.Minute, false},
			{3*time.Hour + time.Minute, time.Minute, true},
			{5 * time.Hour, 24 * time.Hour, false},
			{30 * time.Hour, 24 * time.Hour, true}, // it said that it would not be asked sooner
		} {
			of := &attempt{work: &migrations.Work{}, outcome: postponed, err: migrations.Later{After: step.asks, Host: host}}
			h.heard(of, nine.Add(step.after))
			if costs := of.outcome == failed; costs != step.costs {
				t.Errorf("after %s: %v", step.after, of.err)
			}
		}
	})
	t.Run("memory of them is bounded, and the least recently used go first", func(t *testing.T) {
		t.Parallel()
		h := &hosts{}
		began := time.Now()
		for i := range 3 * hostsKept {
			now := began.Add(time.Duration(i) * time.Second)
			h.addRefusal(fmt.Sprintf("host%d.example", i), now, time.Minute)
			if since := h.addRefusal(host, now, time.Minute); !since.Equal(began) {
				t.Fatalf("after %d others it counts from %s", i, since.Sub(began))
			}
		}
		if len(h.closed) > hostsKept {
			t.Errorf("%d hosts", len(h.closed))
		}
	})
}
