package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/migrationstest"
)

// filler is a migration filled by fn.
func filler(fn func(ctx context.Context, into migrations.Filler) error) *migrations.Migration {
	return &migrations.Migration{Name: "numbers", Fill: fn, Process: migrationstest.Numbers.Process,
		Preview: migrationstest.Numbers.Preview, Params: migrationstest.Numbers.Params}
}

// payloads are those of a run's tasks in order.
func (d *fillEnv) payloads(run id.Run) (list []string) {
	d.T.Helper()
	rows := domaintest.OK(d.DB.SQL.Query("SELECT payload FROM migration_task WHERE run_id = ? ORDER BY id", run))(d.T)
	defer rows.Close()
	for rows.Next() {
		var payload string
		domaintest.Must(d.T, rows.Scan(&payload))
		list = append(list, payload)
	}
	return list
}

// checkTasks checks that the tasks are 1 to n, each once.
func (d *fillEnv) checkTasks(run id.Run, n int) {
	d.T.Helper()
	got := d.payloads(run)
	for i, payload := range got {
		if payload != strconv.Itoa(i+1) {
			d.T.Fatalf("task %d is %s", i+1, payload)
		}
	}
	if total := d.Now(run).Total; len(got) != n || total != uint64(n) {
		d.T.Fatalf("%d tasks, total %d; want %d", len(got), total, n)
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	t.Run("a run that is filled waits for Start, its total exact", func(t *testing.T) {
		t.Parallel()
		d := newFillEnv(t)
		run := d.Ready(1234)
		d.checkTasks(run.ID, 1234)
		if run.State != migrations.Ready || run.Reason != "" || run.Progress.Open != 1234 {
			t.Errorf("%+v", run)
		}
		if got := strings.Join(d.Log(run.ID),
			"|"); got != "Ana open upto = 1234, loud = false|Counterfoil filling |Counterfoil ready " {
			t.Error(got)
		}
	})
	t.Run("a dry run begins by itself", func(t *testing.T) {
		t.Parallel()
		d := newFillEnv(t)
		run := d.FilledBy(d.Worker(), d.Must(d.OpenRun(d.Ctx, d.Ana, "numbers", nil, migrations.Draft{Dry: true})))
		if run.State != migrations.Running || run.StartedAt == nil {
			t.Errorf("%+v", run)
		}
	})
	t.Run("a run without tasks is over, says so, and needs no attention, be it dry or not", func(t *testing.T) {
		t.Parallel()
		for _, dry := range []bool{false, true} {
			d := newFillEnv(t)
			run := d.FilledBy(d.Worker(),
				d.Must(d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "0"}, migrations.Draft{Dry: dry})))
			if run.State != migrations.Complete || run.Reason != "There is nothing to do: no task was found." ||
				run.Listed != migrations.ListFinished || run.FinishedAt == nil || run.StartedAt != nil {
				t.Errorf("%+v", run)
			}
			if _, err := d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "0"},
				migrations.Draft{Dry: dry}); err != nil {
				t.Error("another cannot be opened:", err)
			}
		}
	})
	t.Run("a run that another living worker fills is left to it", func(t *testing.T) {
		t.Parallel()
		d := newFillEnv(t)
		run, one, two := d.Opened(5), d.Worker(), d.Worker()
		if fence, err := d.p.claimFill(d.Ctx, one, run.ID); fence != 1 || err != nil {
			t.Fatal(fence, err)
		}
		if run := d.FilledBy(two, run); run.State != migrations.Filling || run.Total != 0 {
			t.Errorf("%+v", run)
		}
		w := newWorker(d.p, "there", 1)
		w.id = two
		rung := d.Changes.Next()
		w.fill(d.Ctx, run)
		w.background.Wait()
		select {
		case <-rung:
			t.Error("it wakes itself, to try again at once")
		default:
		}
		d.Dies(one)
		if run := d.FilledBy(two, run); run.State != migrations.Ready || run.Total != 5 {
			t.Errorf("%+v", run)
		}
		if log := d.Log(run.ID); !slices.Contains(log,
			fmt.Sprintf("Counterfoil filling Worker %d continues after 0 tasks and 0 rejected lines.", two)) {
			t.Error(log)
		}
	})
	t.Run("payloads that no task can have are rejected, by line", func(t *testing.T) {
		t.Parallel()
		d := newFillEnv(t, filler(func(ctx context.Context, into migrations.Filler) error {
			for line, payload := range []string{"fine", strings.Repeat("x", migrations.MaxPayload+1), "\xff\xfe",
				strings.Repeat("ä", migrations.MaxPayload/2)} {
				if err := into.Add(ctx, migrations.NewTask{Payload: payload, Line: uint64(line),
					Cursor: strconv.Itoa(line)}); err != nil {
					return err
				}
			}
			return into.Reject(ctx, migrations.Rejection{Line: 4, Reason: strings.Repeat("ö", 2000),
				Content: strings.Repeat("€", 2000), Cursor: "4"})
		}))
		run := d.FilledBy(d.Worker(), d.Opened(1))
		list, more, err := d.Rejections(d.Ctx, db.SightOfAll(0), run.ID, 0)
		if err != nil || more || len(list) != 3 || run.Total != 2 || run.Rejected != 3 ||
			run.Reason != "3 lines were rejected." {
			t.Fatal(len(list), more, err, run.Total, run.Rejected, run.Reason)
		}
		if list[0].Line != 1 || list[0].Reason != "It has 1048577 bytes; a task can have 1048576." || list[1].Line != 2 ||
			list[1].Reason != "It is not UTF-8." || list[2].Number != 3 {
			t.Errorf("%+v", list)
		}
	})
	t.Run("a run whose every line was rejected is over, and asks for attention", func(t *testing.T) {
		t.Parallel()
		d := newFillEnv(t, filler(func(ctx context.Context, into migrations.Filler) error {
			return into.Reject(ctx, migrations.Rejection{Line: 2, Reason: "No."})
		}))
		run := d.FilledBy(d.Worker(), d.Opened(1))
		if run.State != migrations.Cancelled || run.Listed != migrations.ListAttention ||
			!strings.HasPrefix(run.Reason, "Every line was rejected, 1 in all") {
			t.Errorf("%s in %s: %s", run.State, run.Listed, run.Reason)
		}
	})
	t.Run("the first ten thousand rejections are kept, all are counted", func(t *testing.T) {
		t.Parallel()
		d := newFillEnv(t, filler(func(ctx context.Context, into migrations.Filler) error {
			for line := range migrations.MaxRejections + 700 {
				if err := into.Reject(ctx, migrations.Rejection{Line: 7, Reason: "No.", Cursor: strconv.Itoa(line)}); err != nil {
					return err
				}
			}
			return into.Add(ctx, migrations.NewTask{Payload: "one", Cursor: "end"})
		}))
		run := d.FilledBy(d.Worker(), d.Opened(1))
		if run.Rejected != migrations.MaxRejections+700 || run.Unlisted() != 700 ||
			run.Reason != "10700 lines were rejected; the first 10000 are kept." {
			t.Error(run.Rejected, run.Reason)
		}
		kept := 0
		for after, more := uint64(0), true; more; {
			var list []migrations.Rejection
			var err error
			if list, more, err = d.Rejections(d.Ctx, db.SightOfAll(0), run.ID, after); err != nil || len(list) == 0 {
				t.Fatal(len(list), err)
			}
			after, kept = list[len(list)-1].Number, kept+len(list)
		}
		if kept != migrations.MaxRejections {
			t.Error(kept)
		}
	})
	for why, fill := range map[string]func(ctx context.Context, into migrations.Filler) error{
		"The file is no CSV.": func(context.Context, migrations.Filler) error {
			return fmt.Errorf("open: %w", migrations.BadUpload("The file is no CSV."))
		},
		"what it was":          func(context.Context, migrations.Filler) error { return errors.New("what it was") },
		"panic: oh no":         func(context.Context, migrations.Filler) error { panic("oh no") },
		"The run has no file.": func(ctx context.Context, into migrations.Filler) error { _, err := into.Upload(ctx); return err },
		"a task without a cursor came after one with a cursor": func(ctx context.Context, into migrations.Filler) error {
			return errors.Join(into.Add(ctx, migrations.NewTask{Cursor: "1"}), into.Add(ctx, migrations.NewTask{}))
		},
	} {
		t.Run("a run that cannot be filled is cancelled and says why: "+why, func(t *testing.T) {
			t.Parallel()
			d := newFillEnv(t, filler(fill))
			run := d.FilledBy(d.Worker(), d.Opened(1))
			if run.State != migrations.Cancelled || run.Listed != migrations.ListAttention ||
				run.Reason != "It could not be filled: "+why {
				t.Error(run.State, run.Listed, run.Reason)
			}
		})
	}
}

func TestFillResumes(t *testing.T) {
	t.Parallel()
	t.Run("after its worker was killed, with nothing twice and nothing missing", func(t *testing.T) {
		t.Parallel()
		killed := errors.New("killed")
		d := newFillEnv(t)
		rapid.Check(t, func(r *rapid.T) {
			n := rapid.IntRange(1, 3000).Draw(r, "tasks")
			dies := rapid.SliceOfN(rapid.IntRange(1, 3000), 0, 3).Draw(r, "dies after")
			cursors := rapid.Bool().Draw(r, "cursors")
			step := func(ctx context.Context, into migrations.Filler, left *int) error {
				from := 1
				if cursors && into.Cursor() != "" {
					from, _ = strconv.Atoi(into.Cursor())
					from++
				}
				for i := from; i <= n; i++ {
					if *left--; *left == 0 {
						return killed
					}
					cursor := ""
					if cursors {
						cursor = strconv.Itoa(i)
					}
					var err error
					if i%7 == 0 {
						err = into.Reject(ctx, migrations.Rejection{Line: uint64(i), Reason: strconv.Itoa(i), Cursor: cursor})
					} else {
						err = into.Add(ctx, migrations.NewTask{Payload: strconv.Itoa(i), Cursor: cursor})
					}
					if err != nil {
						return err
					}
				}
				return nil
			}
			left := 0
			m := filler(func(ctx context.Context, into migrations.Filler) error { return step(ctx, into, &left) })
			run := d.Opened(1)
			for _, left = range append(dies, 0) {
				fence, err := d.p.claimFill(d.Ctx, 1, run.ID) // no such worker: gone at once
				domaintest.Must(r, err)
				_, err = d.p.fillOnce(d.Ctx, m, run.ID, filling{1, fence})
				if err == nil {
					break
				}
				if !errors.Is(err, killed) {
					r.Fatal(err)
				}
			}
			run = d.Now(run.ID)
			if run.State != migrations.Ready || run.Rejected != uint64(n/7) || run.Total != uint64(n-n/7) {
				r.Fatalf("%s, %d tasks, %d rejected of %d", run.State, run.Total, run.Rejected, n)
			}
			want := 0
			for _, payload := range d.payloads(run.ID) {
				if want++; want%7 == 0 {
					want++
				}
				if payload != strconv.Itoa(want) {
					r.Fatalf("%s; want %d", payload, want)
				}
			}
			domaintest.OK(d.CancelRun(d.Ctx, d.Ana, run.ID))(r)
		})
	})
	t.Run("until it is cancelled, also with a slow source", func(t *testing.T) {
		t.Parallel()
		waits := make(chan struct{})
		d := newFillEnv(t, filler(func(ctx context.Context, into migrations.Filler) error {
			close(waits)
			<-ctx.Done()
			return ctx.Err()
		}))
		run := d.Opened(1)
		done := make(chan error)
		go func() {
			_, err := d.Fill(d.Ctx, d.Worker(), run)
			done <- err
		}()
		<-waits
		d.Must(d.CancelRun(d.Ctx, d.Ana, run.ID))
		if err := <-done; err != nil {
			t.Error(err)
		}
		if run := d.Now(run.ID); run.State != migrations.Cancelled || run.Listed != migrations.ListFinished {
			t.Error(run.State, run.Listed)
		}
	})
	t.Run("when the database answers again", func(t *testing.T) {
		t.Parallel()
		times := 0
		var d *fillEnv
		d = newFillEnv(t, filler(func(ctx context.Context, into migrations.Filler) error {
			if times++; times < 2 {
				return fmt.Errorf("read: %w", io.ErrUnexpectedEOF)
			}
			run, _, err := d.Runs(ctx, migrations.ListActive, 0)
			if err == nil && run[0].Reason != "Filling is waiting: The database cannot be used right now: it does not answer. Nothing was lost; try again in a moment." {
				t.Error(run[0].Reason)
			}
			return into.Add(ctx, migrations.NewTask{Payload: "1"})
		}))
		if run := d.FilledBy(d.Worker(), d.Opened(1)); run.State != migrations.Ready || run.Total != 1 || run.Reason != "" {
			t.Errorf("%+v", run)
		}
	})
}

func TestFillingIsTakenOver(t *testing.T) {
	t.Parallel()
	t.Run("without the worker that another one took over from", func(t *testing.T) {
		t.Parallel()
		stuck, awake, begun := make(chan struct{}), make(chan struct{}), make(chan struct{})
		first := true
		d := newFillEnv(t, filler(func(ctx context.Context, into migrations.Filler) error {
			slow := first
			first = false
			from := 1
			if into.Cursor() != "" {
				from, _ = strconv.Atoi(into.Cursor())
				from++
			}
			for i := from; i <= 1200; i++ {
				if slow && i == 900 { // 500 are committed, 399 in its hands
					close(begun)
					<-awake
				}
				if err := into.Add(context.WithoutCancel(ctx),
					migrations.NewTask{Payload: strconv.Itoa(i), Cursor: strconv.Itoa(i)}); err != nil {
					return err
				}
			}
			return nil
		}))
		run, one, two := d.Opened(1), d.Worker(), d.Worker()
		go func() {
			defer close(stuck)
			if _, err := d.Fill(d.Ctx, one, run); err != nil {
				t.Error(err)
			}
		}()
		<-begun
		d.Dies(one)
		if run := d.FilledBy(two, run); run.State != migrations.Ready {
			t.Error(run.State)
		}
		close(awake) // as after SIGCONT
		<-stuck
		d.checkTasks(run.ID, 1200)
		if run := d.Now(run.ID); run.State != migrations.Ready {
			t.Error(run.State)
		}
	})
	t.Run("by the next worker at once after an orderly stop", func(t *testing.T) {
		t.Parallel()
		ctx, stop := context.WithCancel(t.Context())
		d := newFillEnv(t, filler(func(ctx context.Context, into migrations.Filler) error {
			return migrations.FillRange(ctx, into, 1, 1200, 1, func(from, _ uint64) string {
				if from == 700 {
					stop()
				}
				return strconv.FormatUint(from, 10)
			})
		}))
		run := d.Opened(1)
		if _, err := d.Fill(ctx, d.Worker(), run); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if run := d.FilledBy(d.Worker(), run); run.State != migrations.Ready {
			t.Error(run.State)
		}
		d.checkTasks(run.ID, 1200)
	})
}

func TestFillWithoutItsFile(t *testing.T) {
	t.Parallel()
	d := newFillEnv(t)
	run := d.Must(d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": "x"},
		migrations.Draft{Upload: strings.NewReader("a\n1\n2\n"), UploadName: "a.csv"}))
	elsewhere := domaintest.OK(blobs.Open(d.Ctx, t.TempDir()))(t)
	t.Cleanup(func() { elsewhere.Close() })
	other := newProcess(d.DB, migrations.New(d.DB, elsewhere, nil, migrationstest.Numbers, migrationstest.Lines))
	t.Run("a server without the file leaves the run to the others, and says why", func(t *testing.T) {
		for range 2 {
			mine, err := other.Fill(d.Ctx, d.Worker(), run)
			if mine || !errors.Is(err, migrations.CodeMissingUpload) || !errors.Is(err, fault.Unavailable) {
				t.Error(mine, err)
			}
		}
		if run := d.Now(run.ID); run.State != migrations.Open || !strings.Contains(run.Reason, migrations.Hostname()) ||
			!strings.Contains(run.Reason, "COUNTERFOIL_BLOBS") {
			t.Errorf("%s: %s", run.State, run.Reason)
		}
		if run := d.FilledBy(d.Worker(), run); run.State != migrations.Ready || run.Total != 2 || run.Reason != "" {
			t.Errorf("%+v", run)
		}
	})
	t.Run("and says nothing of a run that another fills", func(t *testing.T) {
		run := d.Must(d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": "y"},
			migrations.Draft{Upload: strings.NewReader("a\n1\n"), UploadName: "a.csv"}))
		domaintest.OK(d.p.claimFill(d.Ctx, d.Worker(), run.ID))(t)
		if mine, err := other.Fill(d.Ctx, d.Worker(), run); mine || err != nil {
			t.Error(mine, err)
		}
		if run := d.Now(run.ID); run.State != migrations.Filling || run.Reason != "" {
			t.Errorf("%s: %s", run.State, run.Reason)
		}
	})
}
