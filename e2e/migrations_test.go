package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// works is a server with migrations that the test controls, and a worker.
type works struct {
	*env
	*hands
	d         *db.DB
	workflows *app.App
	filled    chan struct{} // closed: the run of "sort" is
	away      atomic.Bool   // the server does not answer
}

// hands is a worker's gate for tasks.
type hands struct {
	mu      sync.Mutex
	gate    chan struct{} // closed: tasks pass
	failing bool          // every third task fails
}

// withWorks is a server with a worker in the test's process.
func withWorks(t *testing.T) *works {
	t.Helper()
	w := &works{d: dbtest.Open(t), filled: make(chan struct{})}
	w.hands, w.workflows = w.joins(t)
	if _, _, _, err := w.workflows.Workflows.SetUp(t.Context(),
		workflows.Setup{Company: "Acme", Slug: "acme", Name: "Ana", Email: email, Password: password}); err != nil {
		t.Fatal(err)
	}
	handler := web.New(web.Config{Workflows: w.workflows.Workflows, Console: w.workflows.Console,
		Live: w.workflows.Delivery.Live(), Sessions: accounts.NewSessionStore(w.d), Log: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.away.Load() {
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w.env = &env{t: t, url: server.URL, jar: jar, stop: func() {}}
	w.post("/login", "email", email, "password", password)
	return w
}

// joins starts one more worker, with hands of its own, as another process would.
func (w *works) joins(t *testing.T) (*hands, *app.App) {
	t.Helper()
	h := &hands{gate: make(chan struct{})}
	stones := []migrations.Param{{Name: "stones", Label: "Stones", Kind: migrations.Number, Required: true, Min: 1,
		Max: 10_000}}
	knobs := migrations.Knobs{Concurrency: 2, Block: 4, Attempts: 1, ErrorShare: 1, SameError: 1000, MaxThreads: 100_000,
		MaxHistory: 1 << 39, Lease: 10 * time.Minute}
	flows := app.New(w.d, apptest.WithKeys, app.WithVersion("v1-test"), app.WithMigrations(
		&migrations.Migration{
			Name: "polish", Title: "Polish stones", Description: "Does as the test says.", Params: stones, Fill: addStones,
			Process: h.process, Knobs: knobs,
		},
		&migrations.Migration{
			Name: "sort", Title: "Sort stones", Description: "Is filled when the test says.", Params: stones, Process: h.process,
			Knobs: knobs,
			Fill: func(ctx context.Context, into migrations.Filler) error {
				select {
				case <-w.filled:
				case <-ctx.Done():
					return ctx.Err()
				}
				return addStones(ctx, into)
			},
		},
	))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = flows.Worker.Work(ctx)
	}()
	t.Cleanup(func() {
		stop()
		h.open()
		<-done
		flows.Close(context.Background())
	})
	return h, flows
}

func addStones(ctx context.Context, into migrations.Filler) error {
	n, _ := strconv.Atoi(into.Values()["stones"])
	for i := range n {
		task := migrations.NewTask{Payload: fmt.Sprintf(`{"stone":%d,"html":"<img src=x onerror=alert(1)>"}`, i),
			Cursor: strconv.Itoa(i)}
		if err := into.Add(ctx, task); err != nil {
			return err
		}
	}
	return nil
}

func (h *hands) process(ctx context.Context, work *migrations.Work) error {
	select {
	case <-h.gate:
	case <-ctx.Done():
		return ctx.Err()
	}
	h.mu.Lock()
	failing := h.failing
	h.mu.Unlock()
	if failing && work.Task.ID%3 == 0 {
		return errors.New("the stone is <b>too hard</b>")
	}
	work.Note("polished")
	return nil
}

// open lets tasks pass.
func (h *hands) open() {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.gate:
	default:
		close(h.gate)
	}
}

func (h *hands) fail(yes bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failing = yes
}

func asOperator() context.Context { return console.AsCommandLine(context.Background()) }

// opened is a run of a migration that is to be filled.
func (w *works) opened(t *testing.T, name string, stones int) id.Run {
	t.Helper()
	run, err := w.workflows.Console.OpenRun(asOperator(), name, migrations.Values{"stones": strconv.Itoa(stones)},
		migrations.Draft{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run.ID
}

// ready is a run that is filled.
func (w *works) ready(t *testing.T, stones int) id.Run {
	t.Helper()
	run := w.opened(t, "polish", stones)
	w.until(t, run, migrations.Ready)
	return run
}

func (w *works) starts(t *testing.T, run id.Run) {
	t.Helper()
	if _, err := w.workflows.Console.StartRun(asOperator(), run, 0, nil); err != nil {
		t.Fatal(err)
	}
}

// until waits for a run to come to a state.
func (w *works) until(t *testing.T, run id.Run, state migrations.State) {
	t.Helper()
	w.when(t, run, "is "+string(state), func(now migrations.Run) bool { return now.State == state })
}

// when waits until a run is as wanted.
func (w *works) when(t *testing.T, run id.Run, what string, wanted func(migrations.Run) bool) {
	t.Helper()
	var now migrations.Run
	domaintest.Until(t, "the run "+what, func() bool {
		var err error
		if now, err = w.workflows.Console.Run(asOperator(), run); err != nil {
			t.Fatal(err)
		}
		return wanted(now)
	}, func() string { return fmt.Sprintf("it is %s (%s), %+v", now.State, now.Reason, now.Progress) })
}

// tallied waits until the page shows these numbers.
func (b *tab) tallied(label, n string) {
	b.t.Helper()
	b.wait(`[...document.querySelectorAll(".tally > div")].some(d => d.querySelector("dt").innerText.trim() === %s && d.querySelector("dd").innerText.trim() === %s)`, label, n)
}

func (b *tab) state(word string) {
	b.t.Helper()
	b.wait(`document.querySelector(".run-state")?.innerText.trim() === %s`, word)
}

func TestRunPanel(t *testing.T) {
	t.Run("an operator starts a run, watches it, pauses it until the workers are idle, resumes it, and retries what "+
		"failed", func(t *testing.T) {
		t.Parallel()
		w := withWorks(t)
		other, _ := w.joins(t)
		run := w.ready(t, 30)
		b := w.tab(t)
		b.open(views.RunPath(run))
		b.state("Ready")
		b.types("p")
		b.at(views.RunStartPath(run))
		b.click("#start form .primary")
		b.at(views.RunPath(run))
		b.tallied("Processing", "8")
		eval[bool](b, `(document.querySelector("#run-toggle button").focus(), true)`)

		// at once, however slow the machine
		eval[bool](b, `(() => { window.clock = Date.now; const at = Date.now(); Date.now = () => at; return true })()`)
		b.types("pp") // twice is the same as once
		b.state("Pausing")
		eval[bool](b, `(Date.now = window.clock, true)`)
		b.sees("#run-head", "0 of 2 workers idle")
		b.wait(`document.activeElement === document.querySelector(".run-actions button")`)
		w.fail(true)
		other.fail(true)
		other.open()
		b.sees("#run-head", "1 of 2 workers idle")
		b.sees("#run-workers", "1 of 2 workers idle")
		b.state("Pausing")
		w.open()
		b.state("Paused")
		b.wait(`document.querySelectorAll(".run-actions form").length === 1`)

		b.click(".run-actions form button")
		b.state("Complete with failures")
		b.tallied("Failed", "10")
		b.tallied("Complete", "20")
		b.sees("#run-failures", "too hard")
		b.wait(`!document.querySelector("#run").dataset.live`)

		w.fail(false)
		other.fail(false)
		b.types("f")
		b.wait(`document.activeElement.closest("#run-failures")`)
		b.click("#run-failures tbody button")
		b.state("Complete")
		b.tallied("Complete", "30")
		b.sees("#run-events", "Retry")
	})
	t.Run("keys lead to the failures, the workers and the tasks, and look again where nothing is looked at by itself",
		func(t *testing.T) {
			t.Parallel()
			w := withWorks(t)
			run := w.ready(t, 12)
			w.fail(true)
			w.open()
			w.starts(t, run)
			w.until(t, run, migrations.Complete)
			b := w.tab(t)
			b.size(1280, 300, false)
			b.open(views.RunPath(run))
			b.state("Complete with failures")
			b.tallied("Failed", "4")
			b.wait(`!document.querySelector("#run").dataset.live`)
			for key, section := range map[string]string{"f": "run-failures", "w": "run-workers"} {
				b.types(key)
				b.wait(`document.activeElement.closest(".section")?.id === %s && (top => top > -1 && top < innerHeight)(document.activeElement.getBoundingClientRect().top)`, section)
			}
			w.fail(false)
			group, err := w.workflows.Console.RunFailures(asOperator(), run)
			if err != nil || len(group) != 1 {
				t.Fatal(group, err)
			}
			if n, err := w.workflows.Console.RetryTasks(asOperator(), run, migrations.Selection{Task: group[0].Task}); n != 1 ||
				err != nil {
				t.Fatal(n, err)
			}
			w.when(t, run, "has one failed task less",
				func(r migrations.Run) bool { return r.State == migrations.Complete && r.Progress.Failed == 3 })
			b.tallied("Failed", "4") // as the page knows it
			b.types("r")
			b.tallied("Failed", "3")
			b.tallied("Complete", "9")
			b.types("t")
			b.wait(`document.activeElement.id === "tasks-task"`)
			b.types("fwr?p") // typed behind the t of the shortcut
			b.wait(`document.activeElement.id === "tasks-task" && document.activeElement.value.endsWith("fwr?p") && !document.querySelector("dialog[open]")`)
		})
	t.Run("nothing moves under the hand: a run waits while tasks are chosen, and keeps what is typed, open and focused",
		func(t *testing.T) {
			t.Parallel()
			w := withWorks(t)
			run := w.ready(t, 12)
			w.fail(true)
			w.starts(t, run)
			b := w.tab(t)
			b.open(views.RunPath(run))
			b.tallied("Processing", "4")
			b.fills("#knob-rate", "7")
			eval[bool](b, `(document.querySelector("#run-details").open = true)`)
			w.open()
			b.tallied("Failed", "4")
			b.state("Complete with failures")
			b.wait(`document.querySelector("#run-details").open`)
			b.types("1") // the form of the settings is not refreshed while a user types
			b.wait(`document.activeElement.id === "knob-rate" && document.activeElement.value === "71"`)

			b.open(views.RunPath(run) + "?state=failed")
			b.wait(`document.querySelectorAll("#run-tasks [data-pick]").length === 4`)
			b.click("#run-tasks tbody tr:nth-child(1) [data-pick]")
			b.click("#run-tasks tbody tr:nth-child(2) [data-pick]")
			b.sees("#run-badge", "Paused while 2 tasks are selected")
			b.sees(".picked", "Skip 2 selected")
			b.click(".picked button.quiet")
			b.tallied("Skipped", "2")
			b.tallied("Failed", "2")
			b.wait(`document.querySelector("#run-badge").hidden && document.querySelectorAll("#run-tasks [data-pick]").length === 2`)
		})
	t.Run("a task opens beside the list, hostile payload and all; wrong settings come back; the keys are listed",
		func(t *testing.T) {
			t.Parallel()
			w := withWorks(t)
			run := w.ready(t, 3)
			b := w.tab(t)
			b.open(views.RunPath(run))
			b.click("#run-tasks tbody tr:nth-child(2) th a")
			b.sees("dialog[open] h2", "stone 1, html <img src=x onerror=alert(1)>")
			b.click("dialog[open] #task-details summary")
			b.sees("dialog[open] .payload", "<img src=x onerror=alert(1)>")
			b.accessible("a task in the dialog", "main", ".top")
			b.click("dialog[open] .close")
			b.wait(`!document.querySelector("dialog[open]")`)
			b.fills("#knob-block", "0")
			b.click(".run-knobs .save")
			b.sees("#knob-block-error", "from 1")
			b.wait(`document.querySelector("#knob-block").value === "0"`)
			b.fills("#knob-block", "7")
			b.click(".run-knobs .save")
			b.sees("#run-events", "Block 4 → 7")
			b.click("h1")
			eval[bool](b, `(document.activeElement.blur(), true)`)
			b.types("?")
			b.sees("dialog[open]", "On a run of a migration")
			b.click("dialog[open] .close")
			b.types("t")
			b.wait(`document.activeElement.id === "tasks-task"`)
		})
}

// Pages of their own do what the panel does.
func TestRunPages(t *testing.T) {
	t.Run("without JavaScript the same is forms and pages", func(t *testing.T) {
		t.Parallel()
		w := withWorks(t)
		run := w.ready(t, 9)
		b := w.tab(t)
		b.noScript()
		b.open(views.RunStartPath(run))
		b.click("#start form .primary")
		b.at(views.RunPath(run))
		b.state("Running")
		b.click(".run-actions form button")
		b.sees("#flash", "Pausing")
		w.fail(true)
		w.open()
		w.until(t, run, migrations.Paused)
		b.open(views.RunPath(run))
		b.click(".run-actions form button")
		w.until(t, run, migrations.Complete)
		w.fail(false)
		b.open(views.RunPath(run))
		b.click("#run-failures .actions .button")
		b.sees("#run-question", "Retry 3 failed tasks")
		b.click("#run-question button")
		b.sees("#flash", "3 tasks are retried")
		w.until(t, run, migrations.Complete)
	})
	t.Run("buttons on pages of their own lead to the run, which says what was done", func(t *testing.T) {
		t.Parallel()
		w := withWorks(t)
		run := w.ready(t, 12)
		w.fail(true)
		w.open()
		w.starts(t, run)
		failed := func() {
			t.Helper()
			w.when(t, run, "has 4 failed tasks", func(r migrations.Run) bool {
				return r.State == migrations.Complete &&
					r.Progress.Failed == 4
			})
		}
		failed()
		group, err := w.workflows.Console.RunFailures(asOperator(), run)
		if err != nil || len(group) != 1 {
			t.Fatal(group, err)
		}
		b := w.tab(t)
		b.open(views.RunFailuresPath(run))
		b.click(".failures .acts button")
		b.at(views.RunPath(run))
		b.sees("#flash", "4 tasks are retried")
		failed()
		b.open(views.RunTaskPath(run, group[0].Task))
		b.click(".task-drawer .actions .primary")
		b.at(views.RunPath(run))
		b.sees("#flash", "1 task is retried")
		failed()
		b.open(views.RunRetriesPath(run) + "?all=1")
		b.click("#run-question .primary")
		b.at(views.RunPath(run))
		b.sees("#flash", "4 tasks are retried")
		failed()
		b.open(views.RunFailuresPath(run))
		b.click(".failures th a")
		b.at(views.RunTaskPath(run, group[0].Task))
		b.open(views.RunFailuresPath(run))
		b.click(".failures .acts a[href*=fingerprint]")
		b.at(views.RunSkipsPath(run))
		b.click("#run-question .danger")
		b.at(views.RunPath(run))
		b.sees("#flash", "4 tasks are skipped")
	})
}

// A live part waits for the hand, and for a server that is away.
func TestLivePanels(t *testing.T) {
	t.Run("a button of the list of workers stays while it is pressed", func(t *testing.T) {
		t.Parallel()
		w := withWorks(t)
		w.ready(t, 1) // there is a worker again
		b := w.tab(t)
		b.open(views.WorkersPath)
		p := b.middle("#" + views.WorkersID + " form button")
		b.mouse(input.DispatchMouseEventTypeMouseMoved, p)
		b.mouse(input.DispatchMouseEventTypeMousePressed, p)
		asks := `import(document.querySelector("script[src$='/app.js']").src.replace("app.js", "live.js")).then(({ now }) => now(` + strconv.Quote(views.WorkersID) + `)).then(() => true)`
		_, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](asks, chromedp.EvalAwaitPromise))
		b.must(err)
		b.mouse(input.DispatchMouseEventTypeMouseReleased, p)
		b.sees("#"+views.WorkersID, "Undrain")
		b.click("#" + views.WorkersID + " form button")
		b.sees("#"+views.WorkersID, "Working")
	})
	t.Run("a server that does not answer is said to be away, and the page goes on when it is back", func(t *testing.T) {
		t.Parallel()
		w := withWorks(t)
		run := w.ready(t, 5)
		w.starts(t, run)
		b := w.tab(t)
		b.expected = regexp.MustCompile(`ERR_|htmx:`)
		b.open(views.RunPath(run))
		w.away.Store(true)
		b.sees("#run-stale", "No answer since")
		w.away.Store(false)
		b.wait(`!document.querySelector("#run-stale, [data-stale]")`)
	})
}

func TestRunStates(t *testing.T) {
	t.Run("in every state the page is accessible and fits a phone", func(t *testing.T) {
		t.Parallel()
		w := withWorks(t)
		run := w.ready(t, 12)
		b := w.tab(t)
		b.looks(run, "Ready")
		w.fail(true)
		w.starts(t, run)
		b.looks(run, "Running")
		if _, err := w.workflows.Console.PauseRun(asOperator(), run); err != nil {
			t.Fatal(err)
		}
		b.looks(run, "Pausing")
		w.open()
		w.until(t, run, migrations.Paused)
		b.looks(run, "Paused")
		if _, err := w.workflows.Console.ResumeRun(asOperator(), run); err != nil {
			t.Fatal(err)
		}
		w.until(t, run, migrations.Complete)
		b.looks(run, "Complete with failures")
		for _, path := range []string{views.RunFailuresPath(run), views.RunRetriesPath(run) + "?all=1",
			views.RunSkipsPath(run) + "?all=1", views.RunPath(run) + "/events", views.RunTaskPath(run, 1),
			views.RunPath(run) + "?state=failed"} {
			b.open(path)
			b.accessible(path)
		}
		w.fail(false)
		if _, err := w.workflows.Console.RetryTasks(asOperator(), run, migrations.Selection{All: true}); err != nil {
			t.Fatal(err)
		}
		w.when(t, run, "is complete", func(r migrations.Run) bool {
			return r.State == migrations.Complete &&
				r.Progress.Complete == 12
		})
		b.looks(run, "Complete")
	})
	t.Run("so it is while the run is filled, throttled and stopped", func(t *testing.T) {
		t.Parallel()
		w := withWorks(t)
		run := w.opened(t, "sort", 12)
		b := w.tab(t)
		w.until(t, run, migrations.Filling)
		b.looks(run, "Filling")
		close(w.filled)
		w.until(t, run, migrations.Ready)
		if _, err := w.workflows.Console.ChangeKnobs(asOperator(), run, migrations.KnobChange{"throttled": 1}); err != nil {
			t.Fatal(err)
		}
		w.starts(t, run)
		w.until(t, run, migrations.Throttled)
		b.looks(run, "Throttled")
		b.sees(".run-reason", "Throttled by an operator")
		if _, err := w.workflows.Console.ChangeKnobs(asOperator(), run, migrations.KnobChange{"throttled": 0}); err != nil {
			t.Fatal(err)
		}
		w.when(t, run, "has tasks under way", func(r migrations.Run) bool { return r.Progress.Processing > 0 })
		b.open(views.RunCancellationPath(run))
		b.accessible("the question whether to stop a run")
		if _, err := w.workflows.Console.CancelRun(asOperator(), run); err != nil {
			t.Fatal(err)
		}
		b.looks(run, "Stopping")
		w.open()
		w.until(t, run, migrations.Cancelled)
		b.looks(run, "Stopped")
	})
}

// looks checks a run's page in a state: it is accessible, fits a phone and can be touched there.
func (b *tab) looks(run id.Run, state string) {
	b.t.Helper()
	b.open(views.RunPath(run))
	b.state(state)
	b.accessible(state)
	b.size(320, 640, true)
	b.wait(`document.documentElement.clientWidth === 320 && matchMedia("(pointer: coarse)").matches`)
	if wide := eval[int](b, `Math.max(document.documentElement.scrollWidth, innerWidth)`); wide > 320 {
		b.t.Errorf("%s: it is %d wide", state, wide)
	}
	small := eval[string](b,
		`[...document.querySelectorAll("main a.button, main button, main input:not([type=hidden], [type=checkbox]), main select, main summary")].filter(e => {
		if (!e.checkVisibility()) return false
		const r = e.getBoundingClientRect()
		return r.width < 44 || r.height < 43.5
	}).map(e => e.getBoundingClientRect().width + "x" + e.getBoundingClientRect().height + " " + e.outerHTML.slice(0, 160)).join("\n")`)
	if small != "" {
		b.t.Errorf("%s: smaller than 44 px:\n%s", state, small)
	}
	b.size(1280, 900, false)
}
