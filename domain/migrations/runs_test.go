package migrations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

func TestNew(t *testing.T) {
	t.Parallel()
	fill := func(context.Context, Filler) error { return nil }
	process := func(context.Context, *Work) error { return nil }
	with := func(p Param) *Migration {
		return &Migration{Name: "a", Fill: fill, Process: process, Params: []Param{p}}
	}
	for why, list := range map[string][]*Migration{
		"a name with capitals":        {{Name: "Import", Fill: fill, Process: process}},
		"no name":                     {{Fill: fill, Process: process}},
		"a name that is too long":     {{Name: strings.Repeat("a", 61), Fill: fill, Process: process}},
		"two of one name":             {{Name: "a", Fill: fill, Process: process}, {Name: "a", Fill: fill, Process: process}},
		"nothing that fills":          {{Name: "a", Process: process}},
		"nothing that processes":      {{Name: "a", Fill: fill}},
		"a parameter without a label": {with(Param{Name: "p", Kind: Text})},
		"a parameter of no kind":      {with(Param{Name: "p", Label: "P"})},
		"a choice without choices":    {with(Param{Name: "p", Label: "P", Kind: Choice})},
		"a number from 2 to 1":        {with(Param{Name: "p", Label: "P", Kind: Number, Min: 2, Max: 1})},
		"a secret with a default":     {with(Param{Name: "p", Label: "P", Kind: Secret, Default: "x"})},
		"two parameters of one name":  {{Name: "a", Fill: fill, Process: process, Params: []Param{{Name: "p", Label: "P", Kind: Text}, {Name: "p", Label: "P", Kind: Text}}}},
	} {
		t.Run(why, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was registered")
				}
			}()
			New(nil, nil, Options{}, list...)
		})
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Run("a value is stored as it is understood", func(t *testing.T) {
		values, err := numbers.parse(ctx, Values{"upto": " +007 ", "title": " x ", "colour": "blue", "loud": "on", "password": " p "})
		want := Values{"upto": "7", "title": "x", "colour": "blue", "loud": "true", "password": " p "}
		if err != nil || fmt.Sprint(values) != fmt.Sprint(want) {
			t.Error(values, err)
		}
	})
	t.Run("what is left out has its default", func(t *testing.T) {
		values, err := numbers.parse(ctx, nil)
		want := Values{"upto": "3", "title": "", "colour": "", "loud": "false", "password": ""}
		if err != nil || fmt.Sprint(values) != fmt.Sprint(want) {
			t.Error(values, err)
		}
	})
	t.Run("all that is wrong is said at once, each with its field", func(t *testing.T) {
		_, err := numbers.parse(ctx, Values{"upto": "1000001", "title": "12345678901", "colour": "green", "loud": "perhaps", "password": "\x00", "nothing": "1"})
		all := refuses[fault.Several](t, err, fault.Invalid)
		var fields []string
		for _, one := range all {
			if !errors.Is(one, fault.Invalid) || !strings.HasSuffix(one.Error(), ".") {
				t.Errorf("%v", one)
			}
			fields = append(fields, fault.Field(one))
		}
		slices.Sort(fields)
		if fmt.Sprint(fields) != "[colour loud nothing password title upto]" {
			t.Error(fields)
		}
	})
	for field, value := range map[string]string{"upto": "many", "title": "\xff", "colour": "Red"} {
		t.Run("refused: "+field, func(t *testing.T) {
			if _, err := numbers.parse(ctx, Values{field: value}); fault.Field(err) != field {
				t.Error(err)
			}
		})
	}
	t.Run("a number beyond all bounds is out of its range", func(t *testing.T) {
		if _, err := numbers.parse(ctx, Values{"upto": "99999999999999999999"}); fault.Message(err) != "Up to must be from 0 to 1000000." {
			t.Error(fault.Message(err))
		}
	})
	t.Run("what is required is missed", func(t *testing.T) {
		if _, err := lines.parse(ctx, nil); fault.Message(err) != "Token is missing." || fault.Field(err) != "token" {
			t.Error(err)
		}
	})
}

func TestOpenRun(t *testing.T) {
	t.Parallel()
	t.Run("a run waits for a worker to fill it, and says who opened it and with what", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := must[Run](t)(d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "5", "password": hunter2}, Draft{}))
		if run.State != Open || run.Listed != ListActive || run.Actor != "Ana" || run.Values["upto"] != "5" || !run.Known || run.Title != "Numbers" || run.Knobs != DefaultKnobs || run.Dry {
			t.Errorf("%+v", run)
		}
		if got := strings.Join(d.log(run.ID), "\n"); got != "Ana open upto = 5, loud = false, password = ••••••" {
			t.Error(got)
		}
	})
	t.Run("an unknown migration is answered with those that there are", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		_, err := d.OpenRun(d.ctx, d.ana, "nothing", nil, Draft{})
		refusesAs(t, err, CodeUnknownMigration, fault.NotFound)
		if got := fault.Message(err); got != "There is no migration “nothing” here. There are: lines, numbers." {
			t.Error(got)
		}
	})
	t.Run("of two that open the same at once, one is told of the other's run", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		var wait sync.WaitGroup
		runs, errs := make([]Run, 8), make([]error, 8)
		for i := range runs {
			wait.Go(func() { runs[i], errs[i] = d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "5"}, Draft{}) })
		}
		wait.Wait()
		var opened id.Run
		for i, err := range errs {
			if err == nil {
				if opened != 0 {
					t.Fatal("two were opened")
				}
				opened = runs[i].ID
			}
		}
		for _, err := range errs {
			if err != nil && refuses[ActiveRun](t, err, fault.Conflict).Run != opened {
				t.Error(err)
			}
		}
	})
	t.Run("other parameters, another secret, and a dry run", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		d.opened(5)
		d.opened(6)
		_, err := d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "5", "password": "other"}, Draft{})
		refuses[ActiveRun](t, err, fault.Conflict) // the same work with another key to the door
		must[Run](t)(d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "5"}, Draft{Dry: true}))
	})
	t.Run("once it is over, the same can be opened again", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := d.opened(5)
		must[Run](t)(d.CancelRun(d.ctx, d.ana, run.ID))
		d.opened(5)
	})
	t.Run("a migration that allows several has several", func(t *testing.T) {
		t.Parallel()
		several := *numbers
		several.Several = true
		d := newDesk(t, &several)
		d.opened(5)
		d.opened(5)
	})
	t.Run("behind a run that has begun waits one more, until that is over, and no third", func(t *testing.T) {
		t.Parallel()
		again := *numbers
		again.Behind = true
		d := newDesk(t, &again)
		worker := d.worker()
		isThere := func(want id.Run) {
			t.Helper()
			_, err := d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "5"}, Draft{})
			if there := refuses[ActiveRun](t, err, fault.Conflict).Run; there != want {
				t.Errorf("run %d is named, not %d", there, want)
			}
		}
		first := d.running(5)
		second := d.opened(5)
		isThere(second.ID)
		for range 2 {
			if mine, err := d.fill(d.ctx, worker, second); mine || err != nil {
				t.Error(mine, err)
			}
		}
		if now := d.run(second.ID); now.State != Open || now.Reason != fmt.Sprintf("It begins when run %d, which does the same, is over.", first.ID) {
			t.Errorf("%s: %s", now.State, now.Reason)
		}
		must[Run](t)(d.CancelRun(d.ctx, d.ana, first.ID))
		d.put(first.ID, Cancelled)
		if now := d.filledBy(worker, second); now.State != Ready || now.Reason != "" {
			t.Errorf("%s: %s", now.State, now.Reason)
		}
		must[Run](t)(d.StartRun(d.ctx, d.ana, second.ID, 0))
		third := d.opened(5) // where the first was
		isThere(third.ID)
		if mine, err := d.fill(d.ctx, worker, third); mine || err != nil {
			t.Error(mine, err)
		}
		must[Run](t)(d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "6"}, Draft{}))
	})
	t.Run("of many that open the same at once where one may wait, two at most are opened", func(t *testing.T) {
		t.Parallel()
		again := *numbers
		again.Behind = true
		d := newDesk(t, &again)
		var wait sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wait.Go(func() { _, errs[i] = d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "5"}, Draft{}) })
		}
		wait.Wait()
		opened := 0
		for _, err := range errs {
			if err == nil {
				opened++
			} else if refuses[ActiveRun](t, err, fault.Conflict).Run == 0 {
				t.Error(err)
			}
		}
		if opened < 1 || opened > 2 {
			t.Errorf("%d were opened", opened)
		}
	})
	t.Run("a migration that cannot preview has no dry run", func(t *testing.T) {
		t.Parallel()
		blind := *numbers
		blind.Preview = nil
		d := newDesk(t, &blind)
		_, err := d.OpenRun(d.ctx, d.ana, "numbers", Values{"upto": "many"}, Draft{Dry: true})
		all := refuses[fault.Several](t, err, fault.Invalid)
		if len(all) != 2 || fault.Field(all[0]) != "upto" || fault.Field(all[1]) != "dry" {
			t.Error(all)
		}
	})
	t.Run("a check of the parameters together refuses", func(t *testing.T) {
		t.Parallel()
		checked := *numbers
		checked.Check = func(_ context.Context, values Values) error {
			return BadParam("title", "Not for "+values["upto"]+".")
		}
		d := newDesk(t, &checked)
		_, err := d.OpenRun(d.ctx, d.ana, "numbers", nil, Draft{})
		if fault.Message(err) != "Not for 3." || fault.Field(err) != "title" {
			t.Error(err)
		}
	})
}

func TestUploads(t *testing.T) {
	t.Parallel()
	csv := func(text string) Draft { return Draft{Upload: strings.NewReader(text), UploadName: `C:\mine\list.csv`} }
	t.Run("a file is stored with its run", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		run := must[Run](t)(d.OpenRun(d.ctx, d.ana, "lines", Values{"token": hunter2}, csv("a\n1\n2\n")))
		if run.Upload != "list.csv" || len(d.stored()) != 1 || strings.Contains(d.stored()[0], "list") {
			t.Error(run.Upload, d.stored())
		}
		run = d.filledBy(d.worker(), run)
		if run.State != Ready || run.Total != 2 {
			t.Errorf("%+v", run)
		}
	})
	t.Run("of a run that is refused no file is left", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		must[Run](t)(d.OpenRun(d.ctx, d.ana, "lines", Values{"token": hunter2}, csv("a\n1\n2\n")))
		for why, try := range map[string]func() error{
			"the same is active": func() error {
				_, err := d.OpenRun(d.ctx, d.ana, "lines", Values{"token": "another"}, csv("a\n1\n2\n"))
				return err
			},
			"a parameter is missing": func() error { _, err := d.OpenRun(d.ctx, d.ana, "lines", nil, csv("a\n3\n")); return err },
			"the file is empty":      func() error { _, err := d.OpenRun(d.ctx, d.ana, "lines", Values{"token": "x"}, csv("")); return err },
			"there is no file":       func() error { _, err := d.OpenRun(d.ctx, d.ana, "lines", Values{"token": "x"}, Draft{}); return err },
			"no file is wanted":      func() error { _, err := d.OpenRun(d.ctx, d.ana, "numbers", nil, csv("a\n3\n")); return err },
			"the upload breaks off": func() error {
				broken := io.MultiReader(strings.NewReader("a\n"+strings.Repeat("1\n", 100_000)), brokenOff{})
				_, err := d.OpenRun(d.ctx, d.ana, "lines", Values{"token": "x"}, Draft{Upload: broken})
				return err
			},
		} {
			if err := try(); err == nil {
				t.Error("taken although", why)
			}
			if len(d.stored()) != 1 {
				t.Fatal(why, d.stored())
			}
		}
	})
	t.Run("another file is another run", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		must[Run](t)(d.OpenRun(d.ctx, d.ana, "lines", Values{"token": "x"}, csv("a\n1\n")))
		must[Run](t)(d.OpenRun(d.ctx, d.ana, "lines", Values{"token": "x"}, csv("a\n2\n")))
	})
	t.Run("a file that no run has is swept once it is old", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		must[Run](t)(d.OpenRun(d.ctx, d.ana, "lines", Values{"token": hunter2}, csv("a\n1\n2\n")))
		files := must[*blobs.Store](t)(blobs.Open(d.ctx, d.folder))
		t.Cleanup(func() { files.Close() })
		for _, name := range []string{"uploads/nobodys", "images/picture"} {
			if err := files.Put(d.ctx, name, strings.NewReader("x")); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := d.SweepUploads(d.ctx, files, time.Now().Add(-24*time.Hour)); n != 0 || err != nil || len(d.stored()) != 3 {
			t.Errorf("%d files of this hour were swept, %v", n, err)
		}
		for _, name := range d.stored() {
			old := time.Now().Add(-25 * time.Hour)
			if err := os.Chtimes(name, old, old); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := d.SweepUploads(d.ctx, files, time.Now().Add(-24*time.Hour)); n != 1 || err != nil {
			t.Errorf("%d swept, %v", n, err)
		}
		if left := d.stored(); len(left) != 2 || strings.Contains(strings.Join(left, " "), "nobodys") {
			t.Errorf("left %q", left)
		}
	})
	t.Run("without a place for files there are none", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		none := New(d.db, nil, Options{}, lines)
		_, err := none.OpenRun(d.ctx, d.ana, "lines", Values{"token": "x"}, csv("a\n1\n"))
		refusesAs(t, err, CodeNoFiles, fault.Unavailable)
	})
	t.Run("a dry run is done for real with its file and its secret", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		draft := csv("a\n1\n2\n")
		draft.Dry = true
		dry := must[Run](t)(d.OpenRun(d.ctx, d.ana, "lines", Values{"token": hunter2}, draft))
		if dry = d.filledBy(d.worker(), dry); dry.State != Running || !dry.Dry {
			t.Fatal(dry.State)
		}
		run := must[Run](t)(d.OpenRun(d.ctx, d.ana, "lines", Values{"token": Masked}, Draft{From: dry.ID}))
		if run.Dry || run.Upload != "list.csv" || len(d.stored()) != 1 {
			t.Errorf("%+v", run)
		}
		row := must[Values](t)(func() (Values, error) {
			row, err := d.runRow(d.ctx, run.ID)
			if err != nil {
				return nil, err
			}
			return clearValues(row.Params)
		}())
		if row["token"] != hunter2 {
			t.Error(row)
		}
		if run = d.filledBy(d.worker(), run); run.Total != 2 || run.State != Ready {
			t.Errorf("%+v", run)
		}
		_, err := d.OpenRun(d.ctx, d.ana, "numbers", nil, Draft{From: dry.ID})
		refusesAs(t, err, CodeBadFrom, fault.Invalid)
		_, err = d.OpenRun(d.ctx, d.ana, "lines", nil, Draft{From: 99})
		refusesAs(t, err, CodeRunNotFound, fault.NotFound)
	})
}

type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	leaky := *numbers
	leaky.Fill = func(_ context.Context, into Filler) error {
		return fmt.Errorf("GET https://x:%s@example.com/: refused", into.Values()["password"])
	}
	d := newDesk(t, &leaky)
	run := must[Run](t)(d.OpenRun(d.ctx, d.ana, "numbers", Values{"password": hunter2}, Draft{}))
	run = d.filledBy(d.worker(), run)
	if run.State != Cancelled || run.Reason != "It could not be filled: GET https://x:••••••@example.com/: refused" {
		t.Error(run.State, run.Reason)
	}
	if strings.Contains(fmt.Sprintf("%+v", run), hunter2) || run.Values["password"] != Masked {
		t.Error("the run shows it")
	}
	gone := New(d.db, nil, Options{}) // which does not know what is secret
	if run, err := gone.Run(d.ctx, run.ID); err != nil || strings.Contains(fmt.Sprintf("%+v", run), hunter2) || run.Known {
		t.Error("a program without the migration shows it", err)
	}
	if strings.Contains(strings.Join(d.log(run.ID), "\n"), hunter2) {
		t.Error("the log shows it")
	}
	for _, table := range []string{"migration_event", "migration_attempt", "migration_failure", "migration_rejection", "migration_task", "migration_request", "migration_run"} {
		for column, cells := range d.cells(table) {
			if table+"."+column != "migration_run.params" && strings.Contains(cells, hunter2) {
				t.Errorf("%s.%s has it", table, column)
			}
		}
	}
}

// cells are all that a table's columns have.
func (d *desk) cells(table string) map[string]string {
	d.t.Helper()
	rows, err := d.db.SQL.Query("SELECT * FROM " + table)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		d.t.Fatal(err)
	}
	all := map[string]string{}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			d.t.Fatal(err)
		}
		for i, cell := range row {
			all[columns[i]] += fmt.Sprintf("%s\n", cell)
		}
	}
	return all
}

func TestRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	listed := func(list string) (runs []id.Run) {
		t.Helper()
		page, _, err := d.Runs(d.ctx, list, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range page {
			runs = append(runs, run.ID)
		}
		return runs
	}
	is := func(run id.Run, list string) {
		t.Helper()
		for _, each := range Lists {
			if slices.Contains(listed(each), run) != (each == list) {
				t.Errorf("run %d is in %s: %v; want it in %s alone", run, each, each != list, list)
			}
		}
	}
	run := d.opened(4)
	is(run.ID, ListActive)
	d.filledBy(d.worker(), run)
	is(run.ID, ListAttention) // it waits for Start
	must[Run](t)(d.StartRun(d.ctx, d.ana, run.ID, 0))
	is(run.ID, ListActive)
	must[Run](t)(d.PauseRun(d.ctx, d.ana, run.ID))
	is(run.ID, ListActive) // somebody holds it
	d.moved(run.ID, Pausing, Paused, Keeper)
	is(run.ID, ListActive)
	must[Run](t)(d.ResumeRun(d.ctx, d.ana, run.ID))
	d.moved(run.ID, Running, Pausing, Keeper)
	is(run.ID, ListAttention) // it paused by itself
	d.moved(run.ID, Pausing, Paused, Keeper)
	is(run.ID, ListAttention)
	must[Run](t)(d.ResumeRun(d.ctx, d.ana, run.ID))
	is(run.ID, ListActive)
	tasks := d.ids(run.ID)
	d.failed(run.ID, tasks[:2])
	d.moved(run.ID, Running, Complete, Keeper)
	is(run.ID, ListAttention) // some tasks failed
	if _, err := d.SkipTasks(d.ctx, d.ana, run.ID, Which{All: true}); err != nil {
		t.Fatal(err)
	}
	is(run.ID, ListFinished)

	other := d.running(5)
	d.failed(other.ID, d.ids(other.ID))
	d.moved(other.ID, Running, Complete, Keeper)
	is(other.ID, ListAttention)
	must[Run](t)(d.DismissRun(d.ctx, d.ana, other.ID))
	is(other.ID, ListFinished)
	must[Run](t)(d.DismissRun(d.ctx, d.ana, other.ID))

	cancelled := d.opened(6)
	must[Run](t)(d.CancelRun(d.ctx, d.ana, cancelled.ID))
	is(cancelled.ID, ListFinished)

	_, _, err := d.Runs(d.ctx, "all", 0)
	refusesAs(t, err, CodeBadList, fault.Invalid)

	t.Run("pages go on where the last one ended", func(t *testing.T) {
		for n := range RunsPerPage + 3 {
			d.opened(100 + n)
		}
		first, more, err := d.Runs(d.ctx, ListActive, 0)
		if err != nil || !more || len(first) != RunsPerPage {
			t.Fatal(len(first), more, err)
		}
		rest, more, err := d.Runs(d.ctx, ListActive, first[RunsPerPage-1].ID)
		if err != nil || more || len(rest) != 3 || rest[0].ID >= first[RunsPerPage-1].ID {
			t.Error(len(rest), more, err)
		}
	})
}
