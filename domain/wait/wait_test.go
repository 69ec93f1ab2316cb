package wait

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestSleep(t *testing.T) {
	t.Parallel()
	t.Run("it lasts as long as it says", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			if err := Sleep(t.Context(), time.Hour); err != nil || time.Since(began) != time.Hour {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		})
	})
	t.Run("it ends with the context", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began := time.Now()
			if err := Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		})
	})
	t.Run("a wait for nothing returns at once, with the error of an ended context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		if err := Sleep(ctx, 0); err != nil {
			t.Error(err)
		}
		cancel()
		if err := Sleep(ctx, -time.Second); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestFor(t *testing.T) {
	t.Parallel()
	closed, never := make(chan int), make(chan int)
	close(closed)
	if err := For(t.Context(), closed); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := For(ctx, never); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		var calls []time.Duration
		Every(ctx, time.Minute, func(context.Context) {
			calls = append(calls, time.Since(began))
			if len(calls) == 3 {
				cancel()
			}
		})
		if len(calls) != 3 || calls[0] != 0 || calls[1] != time.Minute || calls[2] != 2*time.Minute {
			t.Errorf("called after %v", calls)
		}
	})
}

func TestWakeup(t *testing.T) {
	t.Parallel()
	w := NewWakeup()
	for range 3 {
		w.Wake() // blocks never
	}
	<-w
	select {
	case <-w:
		t.Error("it woke twice")
	default:
	}
	w.Wake()
	<-w
}

func TestBroadcast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b Broadcast
		b.Wake() // without a waiter
		woken := make(chan int)
		for i := range 3 {
			next := b.Next()
			go func() {
				<-next
				woken <- i
			}()
		}
		synctest.Wait()
		select {
		case <-woken:
			t.Error("the Wake before was not over")
		default:
		}
		b.Wake()
		for range 3 {
			<-woken
		}
		select {
		case <-b.Next():
			t.Error("the next Wake came")
		default:
		}
	})
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for failures, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second,
		5 * time.Second} {
		if got := Backoff(time.Second, 5*time.Second, failures); got != want {
			t.Errorf("after %d failures %v, want %v", failures, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		first, longest := time.Duration(rapid.Int64Min(1).Draw(t, "first")), time.Duration(rapid.Int64Min(1).Draw(t,
			"longest"))
		failures := rapid.Int().Draw(t, "failures")
		d := Backoff(first, longest, failures)
		if d < min(first, longest) || d > longest || d > Backoff(first, longest, max(failures, failures+1)) {
			t.Fatalf("%v after %d failures", d, failures)
		}
	})
}

func TestJitter(t *testing.T) {
	t.Parallel()
	if d := Jitter(0, 0.5); d != 0 {
		t.Error(d)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "d"))
		part := rapid.Float64Range(0, 1).Draw(t, "part")
		spread := time.Duration(float64(d) * part)
		if got := Jitter(d, part); got < d-spread || got > d+spread {
			t.Fatalf("%v", got)
		}
	})
}
