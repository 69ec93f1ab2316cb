package migrations_test

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
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/migrationstest"
)

func TestNew(t *testing.T) {
	t.Parallel()
	fill := func(context.Context, migrations.Filler) error { return nil }
	process := func(context.Context, *migrations.Work) error { return nil }
	with := func(p migrations.Param) *migrations.Migration {
		return &migrations.Migration{Name: "a", Fill: fill, Process: process, Params: []migrations.Param{p}}
	}
	for why, list := range map[string][]*migrations.Migration{
		"a name with capitals":        {{Name: "Import", Fill: fill, Process: process}},
		"no name":                     {{Fill: fill, Process: process}},
		"a name that is too long":     {{Name: strings.Repeat("a", 61), Fill: fill, Process: process}},
		"two of one name":             {{Name: "a", Fill: fill, Process: process}, {Name: "a", Fill: fill, Process: process}},
		"nothing that fills":          {{Name: "a", Process: process}},
		"nothing that processes":      {{Name: "a", Fill: fill}},
		"a parameter without a label": {with(migrations.Param{Name: "p", Kind: migrations.Text})},
		"a parameter of no kind":      {with(migrations.Param{Name: "p", Label: "P"})},
		"a choice without choices":    {with(migrations.Param{Name: "p", Label: "P", Kind: migrations.Choice})},
		"a number from 2 to 1":        {with(migrations.Param{Name: "p", Label: "P", Kind: migrations.Number, Min: 2, Max: 1})},
		"a secret with a default":     {with(migrations.Param{Name: "p", Label: "P", Kind: migrations.Secret, Default: "x"})},
		"two parameters of one name":  {{Name: "a", Fill: fill, Process: process, Params: []migrations.Param{{Name: "p", Label: "P", Kind: migrations.Text}, {Name: "p", Label: "P", Kind: migrations.Text}}}},
	} {
		t.Run(why, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was registered")
				}
			}()
			migrations.New(nil, nil, nil, list...)
		})
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	ctx, check := context.Background(), migrations.New(nil, nil, nil, migrationstest.Numbers, migrationstest.Lines).Check
	t.Run("a value is stored as it is understood", func(t *testing.T) {
		values, err := check(ctx, "numbers", migrations.Values{"upto": " +007 ", "title": " x ", "colour": "blue",
			"loud": "on", "password": " p "})
		want := migrations.Values{"upto": "7", "title": "x", "colour": "blue", "loud": "true", "password": " p "}
		if err != nil || fmt.Sprint(values) != fmt.Sprint(want) {
			t.Error(values, err)
		}
	})
	t.Run("missing values have their defaults", func(t *testing.T) {
		values, err := check(ctx, "numbers", nil)
		want := migrations.Values{"upto": "3", "title": "", "colour": "", "loud": "false", "password": ""}
		if err != nil || fmt.Sprint(values) != fmt.Sprint(want) {
			t.Error(values, err)
		}
	})
	t.Run("all that is wrong is said at once, each with its field", func(t *testing.T) {
		_, err := check(ctx, "numbers", migrations.Values{"upto": "1000001", "title": "12345678901", "colour": "green",
			"loud": "perhaps", "password": "\x00", "nothing": "1"})
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
			if _, err := check(ctx, "numbers", migrations.Values{field: value}); fault.Field(err) != field {
				t.Error(err)
			}
		})
	}
	t.Run("a number beyond all bounds is out of its range", func(t *testing.T) {
		if _, err := check(ctx, "numbers",
			migrations.Values{"upto": "99999999999999999999"}); fault.Message(err) != "Up to must be from 0 to 1000000." {
			t.Error(fault.Message(err))
		}
	})
	t.Run("missing required values are errors", func(t *testing.T) {
		if _, err := check(ctx, "lines", nil); fault.Message(err) != "Token is missing." || fault.Field(err) != "token" {
			t.Error(err)
		}
	})
}

func TestOpenRun(t *testing.T) {
	t.Parallel()
	t.Run("a run waits for a worker to fill it, and has its actor and parameters", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Must(d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "5", "password": migrationstest.Hunter2},
			migrations.Draft{}))
		if run.State != migrations.Open || run.Listed != migrations.ListActive || run.Actor != "Ana" ||
			run.Values["upto"] != "5" || !run.Known || run.Title != "Numbers" || run.Knobs != migrations.DefaultKnobs ||
			run.Dry {
			t.Errorf("%+v", run)
		}
		if got := strings.Join(d.Log(run.ID), "\n"); got != "Ana open upto = 5, loud = false, password = ••••••" {
			t.Error(got)
		}
	})
	t.Run("an unknown migration is answered with those that there are", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		_, err := d.OpenRun(d.Ctx, d.Ana, "nothing", nil, migrations.Draft{})
		refusesAs(t, err, migrations.CodeUnknownMigration, fault.NotFound)
		if got := fault.Message(err); got != "There is no migration “nothing” here. There are: lines, numbers." {
			t.Error(got)
		}
	})
	t.Run("other parameters, another secret, and a dry run", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		d.Opened(5)
		d.Opened(6)
		_, err := d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "5", "password": "other"}, migrations.Draft{})
		refuses[migrations.ActiveRun](t, err, fault.Conflict) // the same work with another key to the door
		d.Must(d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "5"}, migrations.Draft{Dry: true}))
	})
	t.Run("a migration that cannot preview has no dry run", func(t *testing.T) {
		t.Parallel()
		blind := *migrationstest.Numbers
		blind.Preview = nil
		d := newEnv(t, &blind)
		_, err := d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "many"}, migrations.Draft{Dry: true})
		all := refuses[fault.Several](t, err, fault.Invalid)
		if len(all) != 2 || fault.Field(all[0]) != "upto" || fault.Field(all[1]) != "dry" {
			t.Error(all)
		}
	})
	t.Run("a check of the parameters together refuses", func(t *testing.T) {
		t.Parallel()
		checked := *migrationstest.Numbers
		checked.Check = func(_ context.Context, values migrations.Values) error {
			return migrations.BadParam("title", "Not for "+values["upto"]+".")
		}
		d := newEnv(t, &checked)
		_, err := d.OpenRun(d.Ctx, d.Ana, "numbers", nil, migrations.Draft{})
		if fault.Message(err) != "Not for 3." || fault.Field(err) != "title" {
			t.Error(err)
		}
	})
}

func TestOpenRunTwice(t *testing.T) {
	t.Parallel()
	t.Run("of two that open the same at once, one gets the other's run", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		var wait sync.WaitGroup
		runs, errs := make([]migrations.Run, 8), make([]error, 8)
		for i := range runs {
			wait.Go(func() {
				runs[i], errs[i] = d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "5"}, migrations.Draft{})
			})
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
			if err != nil && refuses[migrations.ActiveRun](t, err, fault.Conflict).Run != opened {
				t.Error(err)
			}
		}
	})
	t.Run("once it is over, the same can be opened again", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Opened(5)
		d.Must(d.CancelRun(d.Ctx, d.Ana, run.ID))
		d.Opened(5)
	})
	t.Run("a migration that allows several has several", func(t *testing.T) {
		t.Parallel()
		several := *migrationstest.Numbers
		several.Several = true
		d := newEnv(t, &several)
		d.Opened(5)
		d.Opened(5)
	})
	t.Run("behind a run that has begun waits one more, until that is over, and no third", func(t *testing.T) {
		t.Parallel()
		again := *migrationstest.Numbers
		again.Behind = true
		d := newEnv(t, &again)
		worker := d.Worker()
		isThere := func(want id.Run) {
			t.Helper()
			_, err := d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "5"}, migrations.Draft{})
			if there := refuses[migrations.ActiveRun](t, err, fault.Conflict).Run; there != want {
				t.Errorf("run %d is named, not %d", there, want)
			}
		}
		first := d.Running(5)
		second := d.Opened(5)
		isThere(second.ID)
		for range 2 {
			if mine, err := d.Fill(d.Ctx, worker, second); mine || err != nil {
				t.Error(mine, err)
			}
		}
		if now := d.Now(second.ID); now.State != migrations.Open ||
			now.Reason != fmt.Sprintf("It starts when run %d, which does the same, has ended.", first.ID) {
			t.Errorf("%s: %s", now.State, now.Reason)
		}
		d.Must(d.CancelRun(d.Ctx, d.Ana, first.ID))
		d.Put(first.ID, migrations.Cancelled)
		if now := d.FilledBy(worker, second); now.State != migrations.Ready || now.Reason != "" {
			t.Errorf("%s: %s", now.State, now.Reason)
		}
		d.Must(d.StartRun(d.Ctx, d.Ana, second.ID, 0, nil))
		third := d.Opened(5) // in place of the first
		isThere(third.ID)
		if mine, err := d.Fill(d.Ctx, worker, third); mine || err != nil {
			t.Error(mine, err)
		}
		d.Must(d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "6"}, migrations.Draft{}))
	})
	t.Run("of many that open the same at once with Behind, two at most are opened", func(t *testing.T) {
		t.Parallel()
		again := *migrationstest.Numbers
		again.Behind = true
		d := newEnv(t, &again)
		var wait sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wait.Go(func() {
				_, errs[i] = d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"upto": "5"}, migrations.Draft{})
			})
		}
		wait.Wait()
		opened := 0
		for _, err := range errs {
			if err == nil {
				opened++
			} else if refuses[migrations.ActiveRun](t, err, fault.Conflict).Run == 0 {
				t.Error(err)
			}
		}
		if opened < 1 || opened > 2 {
			t.Errorf("%d were opened", opened)
		}
	})
}

func TestUploads(t *testing.T) {
	t.Parallel()
	csv := func(text string) migrations.Draft {
		return migrations.Draft{Upload: strings.NewReader(text), UploadName: `C:\mine\list.csv`}
	}
	t.Run("a file is stored with its run", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		run := d.Must(d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": migrationstest.Hunter2}, csv("a\n1\n2\n")))
		if run.Upload != "list.csv" || len(d.StoredFiles()) != 1 || strings.Contains(d.StoredFiles()[0], "list") {
			t.Error(run.Upload, d.StoredFiles())
		}
		run = d.FilledBy(d.Worker(), run)
		if run.State != migrations.Ready || run.Total != 2 {
			t.Errorf("%+v", run)
		}
	})
	t.Run("of a run that is refused no file is left", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		d.Must(d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": migrationstest.Hunter2}, csv("a\n1\n2\n")))
		for why, try := range map[string]func() error{
			"the same is active": func() error {
				_, err := d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": "another"}, csv("a\n1\n2\n"))
				return err
			},
			"a parameter is missing": func() error { _, err := d.OpenRun(d.Ctx, d.Ana, "lines", nil, csv("a\n3\n")); return err },
			"the file is empty": func() error {
				_, err := d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": "x"}, csv(""))
				return err
			},
			"there is no file": func() error {
				_, err := d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": "x"}, migrations.Draft{})
				return err
			},
			"no file is wanted": func() error { _, err := d.OpenRun(d.Ctx, d.Ana, "numbers", nil, csv("a\n3\n")); return err },
			"the upload breaks off": func() error {
				broken := io.MultiReader(strings.NewReader("a\n"+strings.Repeat("1\n", 100_000)), brokenOff{})
				_, err := d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": "x"}, migrations.Draft{Upload: broken})
				return err
			},
		} {
			if err := try(); err == nil {
				t.Error("taken although", why)
			}
			if len(d.StoredFiles()) != 1 {
				t.Fatal(why, d.StoredFiles())
			}
		}
	})
	t.Run("another file is another run", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		d.Must(d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": "x"}, csv("a\n1\n")))
		d.Must(d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": "x"}, csv("a\n2\n")))
	})
	t.Run("a file that no run has is swept once it is old", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		d.Must(d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": migrationstest.Hunter2}, csv("a\n1\n2\n")))
		files := domaintest.OK(blobs.Open(d.Ctx, d.Folder))(t)
		t.Cleanup(func() { files.Close() })
		for _, name := range []string{"uploads/nobodys", "images/picture"} {
			domaintest.Must(t, files.Put(d.Ctx, name, strings.NewReader("x")))
		}
		if n, err := d.SweepUploads(d.Ctx, files, time.Now().Add(-24*time.Hour)); n != 0 || err != nil ||
			len(d.StoredFiles()) != 3 {
			t.Errorf("%d files of this hour were swept, %v", n, err)
		}
		for _, name := range d.StoredFiles() {
			old := time.Now().Add(-25 * time.Hour)
			domaintest.Must(t, os.Chtimes(name, old, old))
		}
		if n, err := d.SweepUploads(d.Ctx, files, time.Now().Add(-24*time.Hour)); n != 1 || err != nil {
			t.Errorf("%d swept, %v", n, err)
		}
		if left := d.StoredFiles(); len(left) != 2 || strings.Contains(strings.Join(left, " "), "nobodys") {
			t.Errorf("left %q", left)
		}
	})
	t.Run("without a place for files there are none", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		none := migrations.New(d.DB, nil, nil, migrationstest.Lines)
		_, err := none.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": "x"}, csv("a\n1\n"))
		refusesAs(t, err, migrations.CodeNoFiles, fault.Unavailable)
	})
	t.Run("a dry run is done for real with its file and its secret", func(t *testing.T) {
		t.Parallel()
		d := newEnv(t)
		draft := csv("a\n1\n2\n")
		draft.Dry = true
		dry := d.Must(d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": migrationstest.Hunter2}, draft))
		if dry = d.FilledBy(d.Worker(), dry); dry.State != migrations.Running || !dry.Dry {
			t.Fatal(dry.State)
		}
		run := d.Must(d.OpenRun(d.Ctx, d.Ana, "lines", migrations.Values{"token": migrations.Masked},
			migrations.Draft{From: dry.ID}))
		if run.Dry || run.Upload != "list.csv" || len(d.StoredFiles()) != 1 {
			t.Errorf("%+v", run)
		}
		row := domaintest.OK(func() (migrations.Values, error) {
			row, err := d.Row(d.Ctx, run.ID)
			if err != nil {
				return nil, err
			}
			return migrations.ClearValues(row.Params)
		}())(t)
		if row["token"] != migrationstest.Hunter2 {
			t.Error(row)
		}
		if run = d.FilledBy(d.Worker(), run); run.Total != 2 || run.State != migrations.Ready {
			t.Errorf("%+v", run)
		}
		_, err := d.OpenRun(d.Ctx, d.Ana, "numbers", nil, migrations.Draft{From: dry.ID})
		refusesAs(t, err, migrations.CodeBadFrom, fault.Invalid)
		_, err = d.OpenRun(d.Ctx, d.Ana, "lines", nil, migrations.Draft{From: 99})
		refusesAs(t, err, migrations.CodeRunNotFound, fault.NotFound)
	})
}

type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	leaky := *migrationstest.Numbers
	leaky.Fill = func(_ context.Context, into migrations.Filler) error {
		return fmt.Errorf("GET https://x:%s@example.com/: refused", into.Values()["password"])
	}
	d := newEnv(t, &leaky)
	run := d.Must(d.OpenRun(d.Ctx, d.Ana, "numbers", migrations.Values{"password": migrationstest.Hunter2},
		migrations.Draft{}))
	run = d.FilledBy(d.Worker(), run)
	if run.State != migrations.Cancelled ||
		run.Reason != "It could not be filled: GET https://x:••••••@example.com/: refused" {
		t.Error(run.State, run.Reason)
	}
	if strings.Contains(fmt.Sprintf("%+v", run), migrationstest.Hunter2) || run.Values["password"] != migrations.Masked {
		t.Error("the run shows it")
	}
	missing := migrations.New(d.DB, nil, nil) // which does not know what is secret
	if run, err := missing.Run(d.Ctx, run.ID); err != nil ||
		strings.Contains(fmt.Sprintf("%+v", run), migrationstest.Hunter2) || run.Known {
		t.Error("a program without the migration shows it", err)
	}
	if strings.Contains(strings.Join(d.Log(run.ID), "\n"), migrationstest.Hunter2) {
		t.Error("the log shows it")
	}
	for _, table := range []string{"migration_event", "migration_attempt", "migration_failure", "migration_rejection",
		"migration_task", "migration_request", "migration_run"} {
		for column, cells := range d.cells(table) {
			if table+"."+column != "migration_run.params" && strings.Contains(cells, migrationstest.Hunter2) {
				t.Errorf("%s.%s has it", table, column)
			}
		}
	}
}

// cells are all that a table's columns have.
func (d *env) cells(table string) map[string]string {
	d.T.Helper()
	rows := domaintest.OK(d.DB.SQL.Query("SELECT * FROM " + table))(d.T)
	defer rows.Close()
	columns := domaintest.OK(rows.Columns())(d.T)
	all := map[string]string{}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		domaintest.Must(d.T, rows.Scan(into...))
		for i, cell := range row {
			all[columns[i]] += fmt.Sprintf("%s\n", cell)
		}
	}
	return all
}

func TestRuns(t *testing.T) {
	t.Parallel()
	d := newEnv(t)
	listed := func(list string) (runs []id.Run) {
		t.Helper()
		page, _, err := d.Runs(d.Ctx, list, 0)
		domaintest.Must(t, err)
		for _, run := range page {
			runs = append(runs, run.ID)
		}
		return runs
	}
	is := func(run id.Run, list string) {
		t.Helper()
		for _, each := range migrations.Lists {
			if slices.Contains(listed(each), run) != (each == list) {
				t.Errorf("run %d is in %s: %v; want it in %s alone", run, each, each != list, list)
			}
		}
	}
	run := d.Opened(4)
	is(run.ID, migrations.ListActive)
	d.FilledBy(d.Worker(), run)
	is(run.ID, migrations.ListAttention) // it waits for Start
	d.Must(d.StartRun(d.Ctx, d.Ana, run.ID, 0, nil))
	is(run.ID, migrations.ListActive)
	d.Must(d.PauseRun(d.Ctx, d.Ana, run.ID))
	is(run.ID, migrations.ListActive) // an operator paused it
	d.MustMove(run.ID, migrations.Pausing, migrations.Paused, migrations.Keeper)
	is(run.ID, migrations.ListActive)
	d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID))
	d.MustMove(run.ID, migrations.Running, migrations.Pausing, migrations.Keeper)
	is(run.ID, migrations.ListAttention) // the engine paused it
	d.MustMove(run.ID, migrations.Pausing, migrations.Paused, migrations.Keeper)
	is(run.ID, migrations.ListAttention)
	d.Must(d.ResumeRun(d.Ctx, d.Ana, run.ID))
	is(run.ID, migrations.ListActive)
	tasks := d.Ids(run.ID)
	d.Fail(run.ID, tasks[:2])
	d.MustMove(run.ID, migrations.Running, migrations.Complete, migrations.Keeper)
	is(run.ID, migrations.ListAttention) // some tasks failed
	domaintest.OK(d.SkipTasks(d.Ctx, d.Ana, run.ID, migrations.Selection{All: true}))(t)
	is(run.ID, migrations.ListFinished)

	other := d.Running(5)
	d.Fail(other.ID, d.Ids(other.ID))
	d.MustMove(other.ID, migrations.Running, migrations.Complete, migrations.Keeper)
	is(other.ID, migrations.ListAttention)
	d.Must(d.DismissRun(d.Ctx, d.Ana, other.ID))
	is(other.ID, migrations.ListFinished)
	d.Must(d.DismissRun(d.Ctx, d.Ana, other.ID))

	cancelled := d.Opened(6)
	d.Must(d.CancelRun(d.Ctx, d.Ana, cancelled.ID))
	is(cancelled.ID, migrations.ListFinished)

	_, _, err := d.Runs(d.Ctx, "all", 0)
	refusesAs(t, err, migrations.CodeBadList, fault.Invalid)

	t.Run("pages continue at the end of the last one", func(t *testing.T) {
		for n := range migrations.RunsPerPage + 3 {
			d.Opened(100 + n)
		}
		first, more, err := d.Runs(d.Ctx, migrations.ListActive, 0)
		if err != nil || !more || len(first) != migrations.RunsPerPage {
			t.Fatal(len(first), more, err)
		}
		rest, more, err := d.Runs(d.Ctx, migrations.ListActive, first[migrations.RunsPerPage-1].ID)
		if err != nil || more || len(rest) != 3 || rest[0].ID >= first[migrations.RunsPerPage-1].ID {
			t.Error(len(rest), more, err)
		}
	})
}
