package coalesce_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// recorder notes the batches that ran; each waits for a word on its gate.
type recorder struct {
	mu      sync.Mutex
	batches map[string][][]int
	gate    chan struct{}
}

func newRecorder() *recorder {
	return &recorder{batches: map[string][][]int{}, gate: make(chan struct{})}
}

// newClosedRecorder notes batches that wait for nothing.
func newClosedRecorder() *recorder {
	r := newRecorder()
	close(r.gate)
	return r
}

func (r *recorder) run(_ context.Context, key string, ins []int) ([]string, error) {
	r.mu.Lock()
	r.batches[key] = append(r.batches[key], slices.Clone(ins))
	r.mu.Unlock()
	<-r.gate
	outs := make([]string, len(ins))
	for i, in := range ins {
		outs[i] = fmt.Sprint(key, in)
	}
	return outs, nil
}

func (r *recorder) of(key string) [][]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.batches[key])
}

type group = coalesce.Group[string, int, string]

// call starts Do(key, in) and waits until it is queued or its batch runs.
func call(t *testing.T, g *group, ctx context.Context, key string, in int) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		out, err := g.Do(ctx, key, in)
		if err == nil && out != fmt.Sprint(key, in) {
			err = fmt.Errorf("call %s%d got the result %q of another", key, in, out)
		}
		done <- err
	}()
	synctest.Wait()
	return done
}

func TestGroup(t *testing.T) {
	t.Run("calls gather while a batch runs, and keep their order", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			g := coalesce.New(r.run, coalesce.Options{})
			var calls []<-chan error
			for i := range 6 {
				calls = append(calls, call(t, g, t.Context(), "a", i))
			}
			close(r.gate)
			for _, done := range calls {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if got, want := fmt.Sprint(r.of("a")), "[[0] [1 2 3 4 5]]"; got != want {
				t.Errorf("batches %s, want %s", got, want)
			}
		})
	})

	t.Run("a batch holds no more than Max", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			g := coalesce.New(r.run, coalesce.Options{Max: 2})
			var calls []<-chan error
			for i := range 6 {
				calls = append(calls, call(t, g, t.Context(), "a", i))
			}
			close(r.gate)
			for _, done := range calls {
				<-done
			}
			if got, want := fmt.Sprint(r.of("a")), "[[0] [1 2] [3 4] [5]]"; got != want {
				t.Errorf("batches %s, want %s", got, want)
			}
		})
	})

	// turns are the batches of ten callers that call as often, each a millisecond after its answer, of a run that takes
	// ten; took is the time until the lane is free.
	turns := func(t *testing.T, again time.Duration, calls int) (batches [][]int, took time.Duration) {
		r := newClosedRecorder()
		g := coalesce.New(func(ctx context.Context, key string, ins []int) ([]string, error) {
			<-time.After(10 * time.Millisecond)
			return r.run(ctx, key, ins)
		}, coalesce.Options{Return: again})
		start := time.Now()
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				for range calls {
					if _, err := g.Do(t.Context(), "a", i); err != nil {
						t.Error(err)
					}
					<-time.After(time.Millisecond)
				}
			})
			synctest.Wait() // the first call runs alone, the others are the second batch
		}
		group.Wait()
		domaintest.Must(t, g.Close(t.Context()))
		return r.of("a"), time.Since(start)
	}

	t.Run("callers that call again join one batch, if it waits for them", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			batches, took := turns(t, time.Second, 20)
			if len(batches) > 21 { // the first call runs alone
				t.Errorf("%d batches in %s: %v", len(batches), took, batches)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			batches, _ := turns(t, 0, 20)
			if len(batches) < 38 {
				t.Errorf("they join one batch without that: %v", batches)
			}
		})
	})

	t.Run("a batch waits for callers no longer than it is told, and not for one that calls alone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			batches, took := turns(t, time.Second, 1) // none calls again
			if len(batches) != 2 || took != 25*time.Millisecond {
				t.Errorf("%v, and the lane was free after %s", batches, took)
			}
			g := coalesce.New(newClosedRecorder().run, coalesce.Options{Return: time.Hour})
			for i := range 10 {
				<-call(t, g, t.Context(), "a", i)
			}
		})
	})

	t.Run("a busy key does not hold up another", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			g := coalesce.New(r.run, coalesce.Options{Max: 1})
			var busy []<-chan error
			for i := range 100 {
				busy = append(busy, call(t, g, t.Context(), "busy", i))
			}
			calm := call(t, g, t.Context(), "calm", 1)
			if len(r.of("calm")) != 1 {
				t.Error("the calm key waits behind the busy one")
			}
			r.gate <- struct{}{}
			r.gate <- struct{}{}
			close(r.gate)
			if err := <-calm; err != nil {
				t.Error(err)
			}
			for _, done := range busy {
				<-done
			}
		})
	})

	t.Run("a call withdrawn while it waits is not done, and the others are", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			g := coalesce.New(r.run, coalesce.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			first := call(t, g, t.Context(), "a", 0)
			leaves := call(t, g, ctx, "a", 1)
			stays := call(t, g, t.Context(), "a", 2)
			cancel()
			if err := <-leaves; !errors.Is(err, context.Canceled) {
				t.Errorf("the caller who left got %v", err)
			}
			close(r.gate)
			if err := errors.Join(<-first, <-stays); err != nil {
				t.Error(err)
			}
			if got, want := fmt.Sprint(r.of("a")), "[[0] [2]]"; got != want {
				t.Errorf("batches %s, want %s", got, want)
			}
		})
	})

	t.Run("a cancelled caller does not cancel the batch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			gate, finished := make(chan struct{}), make(chan error, 1)
			g := coalesce.New(func(ctx context.Context, _ string, ins []int) ([]string, error) {
				<-gate
				finished <- ctx.Err()
				return make([]string, len(ins)), nil
			}, coalesce.Options{})
			leaves := call(t, g, ctx, "a", 1)
			cancel()
			if err := <-leaves; !errors.Is(err, context.Canceled) {
				t.Errorf("the caller who left got %v", err)
			}
			close(gate)
			if err := <-finished; err != nil {
				t.Errorf("the batch's context ended: %v", err)
			}
		})
	})

	t.Run("a batch is wanted until its last caller has left", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			gate, asks, wanted := make(chan struct{}), make(chan struct{}), make(chan error)
			g := coalesce.New(func(ctx context.Context, key string, ins []int) ([]string, error) {
				<-gate
				if len(ins) > 1 {
					for range asks {
						wanted <- coalesce.Wanted(ctx)
					}
				}
				return make([]string, len(ins)), nil
			}, coalesce.Options{})
			ask := func() error { asks <- struct{}{}; return <-wanted }
			call(t, g, t.Context(), "a", 0)
			var leave [2]context.CancelFunc
			for i := range leave {
				var ctx context.Context
				ctx, leave[i] = context.WithCancel(t.Context())
				call(t, g, ctx, "a", i+1)
			}
			close(gate)
			domaintest.Must(t, ask())
			leave[0]()
			synctest.Wait()
			domaintest.Must(t, ask())
			leave[1]()
			synctest.Wait()
			if ask() == nil {
				t.Error("it is wanted, though nobody waits for it")
			}
			close(asks)
			domaintest.Must(t, g.Close(t.Context()))
			domaintest.Must(t, coalesce.Wanted(t.Context())) // of no batch
		})
	})

	t.Run("a dead context is refused before it joins", func(t *testing.T) {
		g := coalesce.New(newRecorder().run, coalesce.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		domaintest.Fails(g.Do(ctx, "a", 1))(t, context.Canceled)
	})
}

// spoilt runs batches of numbers; 13 spoils any batch that it is in.
func spoilt(gate <-chan struct{}, spoil func() error) coalesce.Run[string, int, string] {
	return func(_ context.Context, key string, ins []int) ([]string, error) {
		<-gate
		if slices.Contains(ins, 13) {
			if err := spoil(); err != nil {
				return nil, err
			}
		}
		outs := make([]string, len(ins))
		for i, in := range ins {
			outs[i] = fmt.Sprint(key, in)
		}
		return outs, nil
	}
}

func TestGroupIsolatesErrors(t *testing.T) {
	bad := errors.New("bad luck")
	for name, spoil := range map[string]func() error{
		"a bad call fails alone":      func() error { return bad },
		"a call that panics is alone": func() error { panic(bad) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				g := coalesce.New(spoilt(gate, spoil), coalesce.Options{})
				calls := map[int]<-chan error{}
				for _, in := range []int{1, 2, 13, 4} {
					calls[in] = call(t, g, t.Context(), "a", in)
				}
				close(gate)
				for in, done := range calls {
					err := <-done
					var panicked coalesce.Panic
					if in == 13 && !errors.Is(err, bad) && !errors.As(err, &panicked) {
						t.Errorf("the bad call got %v", err)
					}
					if in != 13 && err != nil {
						t.Errorf("call %d got %v", in, err)
					}
				}
				if _, err := g.Do(t.Context(), "a", 5); err != nil {
					t.Errorf("after the bad batch: %v", err)
				}
			})
		})
	}

	t.Run("an error of no single call fails the batch once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			gate, runs := make(chan struct{}), 0
			g := coalesce.New(func(context.Context, string, []int) ([]string, error) {
				<-gate
				runs++
				return nil, bad
			}, coalesce.Options{Alone: func(err error) bool { return !errors.Is(err, bad) }})
			var calls []<-chan error
			for i := range 5 {
				calls = append(calls, call(t, g, t.Context(), "a", i))
			}
			close(gate)
			for _, done := range calls {
				if err := <-done; !errors.Is(err, bad) {
					t.Errorf("got %v", err)
				}
			}
			if runs != 2 {
				t.Errorf("%d runs for the first call and the four behind it, want 2", runs)
			}
		})
	})

	for name, failure := range map[string]error{
		"an unknown outcome is not repeated call by call": fault.Unknown,
		"an ended context is not repeated call by call":   context.DeadlineExceeded,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate, runs := make(chan struct{}), 0
				g := coalesce.New(func(context.Context, string, []int) ([]string, error) {
					<-gate
					runs++
					return nil, fmt.Errorf("commit: %w", failure)
				}, coalesce.Options{})
				var calls []<-chan error
				for i := range 5 {
					calls = append(calls, call(t, g, t.Context(), "a", i))
				}
				close(gate)
				for _, done := range calls {
					domaintest.Is(t, <-done, failure)
				}
				if runs != 2 {
					t.Errorf("%d runs for the first call and the four behind it, want 2", runs)
				}
			})
		})
	}

	t.Run("a call whose caller left is not repeated", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			gate, fail, runs := make(chan struct{}), make(chan struct{}), 0
			g := coalesce.New(func(_ context.Context, _ string, ins []int) ([]string, error) {
				<-gate
				if runs++; len(ins) > 1 {
					<-fail
					return nil, bad
				}
				return []string{fmt.Sprint("a", ins[0])}, nil
			}, coalesce.Options{})
			first := call(t, g, t.Context(), "a", 0)
			ctx, leave := context.WithCancel(t.Context())
			leaves, stays := call(t, g, ctx, "a", 1), call(t, g, t.Context(), "a", 2)
			close(gate)
			domaintest.Must(t, <-first)
			synctest.Wait()
			leave()
			domaintest.Is(t, <-leaves, context.Canceled)
			close(fail)
			domaintest.Must(t, <-stays)
			if runs != 3 {
				t.Errorf("%d runs: the first, that of two, and the one that stayed are 3", runs)
			}
		})
	})

	t.Run("a batch with too few results is an error, not a wrong answer", func(t *testing.T) {
		g := coalesce.New(func(context.Context, string, []int) ([]string, error) { return nil, nil }, coalesce.Options{})
		if _, err := g.Do(t.Context(), "a", 1); err == nil {
			t.Error("no error")
		}
	})
}

func TestGroupClose(t *testing.T) {
	t.Run("waiting calls are served, later ones are refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			g := coalesce.New(r.run, coalesce.Options{})
			running := call(t, g, t.Context(), "a", 0)
			waiting := call(t, g, t.Context(), "a", 1)
			closed := make(chan error, 1)
			go func() { closed <- g.Close(t.Context()) }()
			synctest.Wait()
			domaintest.Fails(g.Do(t.Context(), "a", 2))(t, coalesce.ErrClosed)
			select {
			case <-closed:
				t.Error("Close did not wait for those who were accepted")
			default:
			}
			close(r.gate)
			if err := errors.Join(<-running, <-waiting, <-closed); err != nil {
				t.Error(err)
			}
		})
	})

	t.Run("it gives up waiting when its context ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder()
			g := coalesce.New(r.run, coalesce.Options{})
			done := call(t, g, t.Context(), "a", 0)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			domaintest.Is(t, g.Close(ctx), context.Canceled)
			close(r.gate)
			<-done
		})
	})
}

func BenchmarkGroup(b *testing.B) {
	g := coalesce.New(func(_ context.Context, _ int, ins []int) ([]int, error) { return ins, nil }, coalesce.Options{})
	b.SetParallelism(50)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			g.Do(context.Background(), 1, 1)
		}
	})
}
