package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

// migrate is what the command migrations does: what the pages and the API do, on the database itself.
func migrate(ctx context.Context, env environment, args []string) error {
	return runVerb(ctx, env, "migrations", migrationCommands, args)
}

var migrationCommands = []command{
	{"list", "list [--all] [--json]", listRuns},
	{"start", "start NAME [key=value …] [--file FILE | --from RUN] [--dry] [--canary N] [--prepare], or: start RUN [--canary N]", startRun},
	{"status", "status RUN [--json]", runStatus},
	{"pause", "pause RUN", controlling("pauses", (*workflows.Workflows).PauseRun)},
	{"resume", "resume RUN", controlling("goes on", (*workflows.Workflows).ResumeRun)},
	{"cancel", "cancel RUN", controlling("is ended for good", (*workflows.Workflows).CancelRun)},
	{"dismiss", "dismiss RUN", controlling("needs no attention any more", (*workflows.Workflows).DismissRun)},
	{"knob", "knob RUN name=value …", turnKnobs},
	{"tasks", "tasks RUN [--state STATE] [--worker N] [--iteration N] [--after TASK] [--json]", runTasks},
	{"task", "task RUN TASK [--json]", runTask},
	{"failures", "failures RUN [--csv [--fingerprint F]]", runFailures},
	{"retry", "retry RUN --all | --fingerprint F | --waiting | --task N[,N…]", choosing("opened again", "not failed any more", (*workflows.Workflows).RetryTasks)},
	{"skip", "skip RUN --all | --fingerprint F | --waiting | --task N[,N…]", choosing("skipped", "in work or done by now", (*workflows.Workflows).SkipTasks)},
	{"rejections", "rejections RUN", printing((*workflows.Workflows).RejectionSheet)},
	{"report", "report RUN", printing((*workflows.Workflows).ReportSheet)},
	{"events", "events RUN [--before EVENT] [--json]", runEvents},
	{"workers", "workers [--json]", listWorkers},
	{"drain", "drain WORKER", draining(true)},
	{"undrain", "undrain WORKER", draining(false)},
}

// words parses options that stand anywhere among the words of a command line, and returns the words.
func words(env environment, flags *flag.FlagSet, args []string) ([]string, error) {
	flags.SetOutput(env.stderr)
	flags.Usage = func() {}
	var found []string
	for {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				flags.PrintDefaults()
				return nil, err
			}
			return nil, usageError{err.Error() + "."}
		}
		if flags.NArg() == 0 {
			return found, nil
		}
		found, args = append(found, flags.Arg(0)), flags.Args()[1:]
	}
}

// oneRun is words where the only one is a run.
func oneRun(env environment, flags *flag.FlagSet, args []string) (id.Run, error) {
	found, err := words(env, flags, args)
	if err != nil {
		return 0, err
	}
	if len(found) != 1 {
		return 0, usageError{fmt.Sprintf("%d words are given, but it takes the number of a run.", len(found))}
	}
	return runNumber(found[0])
}

func runNumber(text string) (id.Run, error) { return numbered[id.Run](text, "run", "list") }

// numbered reads the number of a thing, of which a verb has the list.
func numbered[T ~uint64](text, thing, list string) (T, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 10, 63)
	if err != nil || n == 0 {
		return 0, usageError{fmt.Sprintf("%q is no number of a %s; “migrations %s” shows them.", text, thing, list)}
	}
	return T(n), nil
}

// withWorkflows opens the database and has whoever runs the program ask.
func withWorkflows(ctx context.Context, env environment, do func(ctx context.Context, w *workflows.Workflows) error) (err error) {
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	w, err := env.workflows(ctx, d)
	if err != nil {
		return err
	}
	defer w.Close(context.WithoutCancel(ctx))
	return do(workflows.AsCommandLine(ctx), w)
}

// table writes rows in columns.
func table(env environment, head string, rows [][]string) error {
	w := tabwriter.NewWriter(env.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, strings.ReplaceAll(head, " ", "\t"))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// oneLine is a text that cannot break a table, nor reach the terminal as a command to it.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}

func listRuns(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("migrations list", flag.ContinueOnError)
	all := flags.Bool("all", false, "finished runs, too: the newest")
	asJSON := flags.Bool("json", false, "one line of JSON")
	found, err := words(env, flags, args)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return usageError{"it takes no words."}
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		kinds, err := w.Migrations(ctx)
		if err != nil {
			return err
		}
		lists := []string{migrations.ListAttention, migrations.ListActive}
		if *all {
			lists = append(lists, migrations.ListFinished)
		}
		runs := []migrations.Run{}
		for _, list := range lists {
			part, more, err := w.Runs(ctx, list, 0)
			if err != nil {
				return err
			}
			if more { // not in the way of what a program reads
				fmt.Fprintf(env.stderr, "Of the runs in the list “%s” only the newest %d are shown; /admin/migrations has all.\n", list, migrations.RunsPerPage)
			}
			runs = append(runs, part...)
		}
		if *asJSON {
			return json.NewEncoder(env.stdout).Encode(web.RunsJSON(env.base(), kinds, runs))
		}
		return printRuns(env, kinds, runs)
	})
}

func printRuns(env environment, kinds []migrations.Info, runs []migrations.Run) error {
	if len(runs) > 0 {
		rows := make([][]string, len(runs))
		for i, r := range runs {
			rows[i] = []string{
				digits(r.ID), r.Name, stateOf(r), views.Thousands(r.Progress.Done()), views.Thousands(int64(r.Total)),
				views.Thousands(r.Progress.Failed), stamp(r.StateSince), r.Actor, paramsOf(r),
			}
		}
		if err := table(env, "RUN MIGRATION STATE DONE TASKS FAILED SINCE BY PARAMETERS", rows); err != nil {
			return err
		}
		fmt.Fprintln(env.stdout)
	} else {
		fmt.Fprint(env.stdout, "No run is active or needs attention.\n\n")
	}
	rows := make([][]string, len(kinds))
	for i, kind := range kinds {
		var params []string
		for _, p := range kind.Params {
			params = append(params, paramUsage(p))
		}
		if kind.Upload != "" {
			params = append(params, "--file FILE")
		}
		rows[i] = []string{kind.Name, kind.Title, strings.Join(params, " ")}
	}
	return table(env, "MIGRATION TITLE TAKES", rows)
}

// paramUsage is a parameter as a command line has it.
func paramUsage(p migrations.ParamInfo) string {
	text := p.Name + "=" + strings.ToUpper(string(p.Kind))
	if p.Kind == migrations.Flag {
		text = p.Name + "=true"
	}
	if !p.Required {
		return "[" + text + "]"
	}
	return text
}

func stateOf(r migrations.Run) string {
	if r.Dry {
		return string(r.State) + " (dry)"
	}
	return string(r.State)
}

func paramsOf(r migrations.Run) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Values)) {
		if r.Values[name] != "" {
			parts = append(parts, name+"="+r.Values[name])
		}
	}
	if r.Upload != "" {
		parts = append(parts, "file="+r.Upload)
	}
	return strings.Join(parts, " ")
}

func runStatus(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("migrations status", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "one line of JSON, as the API gives it")
	run, err := oneRun(env, flags, args)
	if err != nil {
		return err
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		r, err := w.Run(ctx, run)
		if err != nil {
			return err
		}
		pulse, err := w.RunPulse(ctx, run)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(env.stdout).Encode(web.RunJSON(env.base(), r, pulse))
		}
		_, err = fmt.Fprintln(env.stdout, oneLine(statusLine(r, pulse)))
		return err
	})
}

// statusLine is a run in a line.
func statusLine(r migrations.Run, pulse migrations.Pulse) string {
	p := r.Progress
	parts := []string{fmt.Sprintf("run %d", r.ID), r.Name, stateOf(r)}
	if r.Reason != "" {
		parts[2] += ": " + strings.TrimSuffix(r.Reason, ".")
	}
	parts = append(parts, views.Thousands(p.Done())+" of "+views.Thousands(int64(r.Total))+" done")
	for _, part := range []struct {
		n    int64
		word string
	}{{p.Failed, "failed"}, {p.Skipped, "skipped"}, {p.Processing, "in hand"}, {p.Waiting, "waiting"}, {int64(r.Rejected), "rejected"}} {
		if part.n > 0 {
			parts = append(parts, views.Thousands(part.n)+" "+part.word)
		}
	}
	if r.State == migrations.Running {
		parts = append(parts, strconv.FormatFloat(pulse.Now, 'f', 1, 64)+"/s")
	}
	if pulse.ETA.Known {
		parts = append(parts, fmt.Sprintf("%s to %s left", pulse.ETA.Low.Round(time.Second), pulse.ETA.High.Round(time.Second)))
	}
	return strings.Join(parts, ", ")
}

// controlling is a command that moves a run to another state.
func controlling(done string, act func(*workflows.Workflows, context.Context, id.Run) (migrations.Run, error)) func(context.Context, environment, []string) error {
	return func(ctx context.Context, env environment, args []string) error {
		run, err := oneRun(env, flag.NewFlagSet("migrations", flag.ContinueOnError), args)
		if err != nil {
			return err
		}
		return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
			r, err := act(w, ctx, run)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(env.stdout, "Run %d %s; it is %s.\n", r.ID, done, r.State)
			return err
		})
	}
}

// codeBadValues: a run cannot be opened with these values. Correct each option that the message names.
const codeBadValues fault.Code = "Run.BadValues"

func badValues(bad fault.Several) error {
	return fault.Error{Kind: fault.Invalid, Code: codeBadValues, Message: badValuesMessage(bad)}
}

func badValuesMessage(bad fault.Several) string {
	var b strings.Builder
	b.WriteString("The run cannot be opened:")
	for _, err := range bad {
		b.WriteString("\n  ")
		switch field := fault.Field(err); field {
		case "":
		case "upload":
			b.WriteString("--file: ")
		case "dry":
			b.WriteString("--dry: ")
		default:
			b.WriteString(field + ": ")
		}
		b.WriteString(err.Error())
	}
	return b.String()
}

func startRun(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("migrations start", flag.ContinueOnError)
	file := flags.String("file", "", "the file that it is filled from; - is standard input")
	from := flags.Uint64("from", 0, "an earlier run, whose file and values it takes where none are given")
	dry := flags.Bool("dry", false, "go through all tasks and report what each would do; change nothing")
	canary := flags.Int("canary", 0, "do so many tasks, then pause and ask")
	prepare := flags.Bool("prepare", false, "fill it and say how many tasks it has; start it later")
	found, err := words(env, flags, args)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return usageError{"say which migration, or the number of a run that is ready."}
	}
	if *canary < 0 {
		return usageError{"a canary is a number of tasks from 1."}
	}
	if run, err := runNumber(found[0]); err == nil {
		if len(found) > 1 || *file != "" || *from != 0 || *dry || *prepare {
			return usageError{"a run that is there has its values; only --canary can be given."}
		}
		return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error { return begin(ctx, env, w, run, *canary) })
	}
	values, err := keyValues(found[1:])
	if err != nil {
		return err
	}
	draft := migrations.Draft{Dry: *dry, From: id.Run(*from)}
	switch *file {
	case "":
	case "-":
		draft.Upload, draft.UploadName = env.stdin, "standard input"
	default:
		opened, err := os.Open(*file)
		if err != nil {
			return usageError{fmt.Sprintf("the file cannot be read: %v.", err)}
		}
		defer opened.Close()
		draft.Upload, draft.UploadName = opened, *file
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		r, err := w.OpenRun(ctx, found[0], values, draft)
		var bad fault.Several
		if errors.As(err, &bad) {
			return badValues(bad)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(env.stdout, "Run %d is open. Its tasks are counted.\n", r.ID)
		if r, err = filled(ctx, env, w, r.ID); err != nil {
			return err
		}
		sayFilled(env, w, r)
		if r.State != migrations.Ready || *prepare {
			return nil
		}
		return begin(ctx, env, w, r.ID, *canary)
	})
}

func keyValues(words []string) (migrations.Values, error) {
	values := migrations.Values{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, usageError{fmt.Sprintf("%q is no key=value.", word)}
		}
		if _, twice := values[key]; twice {
			return nil, usageError{fmt.Sprintf("%s is given twice.", key)}
		}
		values[key] = value
	}
	return values, nil
}

// codeNoWorker: no worker is running, so a run is not filled. Start serve or work with this database.
const codeNoWorker fault.Code = "Worker.NoneRunning"

func noWorker(run id.Run) error {
	return fault.Error{
		Kind: fault.Unavailable, Code: codeNoWorker,
		Message: fmt.Sprintf("No worker is running, so nobody counts the tasks of run %d. It waits: start “counterfoil serve” or “counterfoil work” with this database, then “counterfoil migrations start %d”.", run, run),
	}
}

// filled waits until a worker has filled a run.
func filled(ctx context.Context, env environment, w *workflows.Workflows, run id.Run) (migrations.Run, error) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	var alone time.Time // since when no worker lives
	for {
		r, err := w.Run(ctx, run)
		if err != nil || r.State != migrations.Open && r.State != migrations.Filling {
			return r, err
		}
		workers, err := w.Workers(ctx)
		if err != nil {
			return r, err
		}
		switch living := views.Living(workers) > 0; {
		case living:
			alone = time.Time{}
		case alone.IsZero():
			alone = time.Now()
			fmt.Fprintln(env.stderr, "No worker is running on this database; one is waited for a moment.")
		case time.Since(alone) > env.patience:
			return r, noWorker(run)
		}
		select {
		case <-ctx.Done():
			return r, fmt.Errorf("run %d stays as it is; “counterfoil migrations start %d” starts it: %w", run, run, ctx.Err())
		case <-ticker.C:
		}
	}
}

func sayFilled(env environment, w *workflows.Workflows, r migrations.Run) {
	host, database := w.Where()
	fmt.Fprintf(env.stdout, "It has %s on db host %s, database %s.", views.Counted(int64(r.Total), "task", "tasks"), host, database)
	if r.Rejected > 0 {
		fmt.Fprintf(env.stdout, " %s rejected.", views.Counted(int64(r.Rejected), "line was", "lines were"))
	}
	fmt.Fprintln(env.stdout)
	if r.State == migrations.Ready {
		return
	}
	if r.Dry {
		fmt.Fprintln(env.stdout, "It is a dry run, which begins by itself: nothing is changed.")
	}
	fmt.Fprintln(env.stdout, strings.TrimSpace(oneLine(fmt.Sprintf("It is %s. %s", r.State, r.Reason))))
}

// begin starts a run that is ready.
func begin(ctx context.Context, env environment, w *workflows.Workflows, run id.Run, canary int) error {
	r, err := w.StartRun(ctx, run, canary)
	if err != nil {
		return err
	}
	what := views.Counted(int64(r.Total), "task", "tasks")
	if canary > 0 {
		what = views.Counted(int64(canary), "task", "tasks") + " first, of " + views.Thousands(int64(r.Total))
	}
	fmt.Fprintf(env.stdout, "Run %d is started: %s. “counterfoil migrations status %d” says how it goes.\n", run, what, run)
	return nil
}

// turnKnobs changes settings of a run, named as in the API.
func turnKnobs(ctx context.Context, env environment, args []string) error {
	found, err := words(env, flag.NewFlagSet("migrations knob", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	if len(found) < 2 {
		return usageError{"say which run, and name=value of each setting to change."}
	}
	run, err := runNumber(found[0])
	if err != nil {
		return err
	}
	values, err := keyValues(found[1:])
	if err != nil {
		return err
	}
	change, err := knobChange(values)
	if err != nil {
		return err
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		r, err := w.TurnKnobs(ctx, run, change)
		if err != nil {
			return err
		}
		return json.NewEncoder(env.stdout).Encode(web.KnobsJSON(r.Knobs))
	})
}

// knobChange reads settings as people write them: 4, 2.5, 30s, true.
func knobChange(values migrations.Values) (migrations.KnobChange, error) {
	var c migrations.KnobChange
	knobs := map[string]func(string) error{
		"concurrency": reads(&c.Concurrency, strconv.Atoi), "block": reads(&c.Block, strconv.Atoi), "attempts": reads(&c.Attempts, strconv.Atoi),
		"backoff": reads(&c.Backoff, time.ParseDuration), "timeout": reads(&c.Timeout, time.ParseDuration), "lease": reads(&c.Lease, time.ParseDuration),
		"rate": reads(&c.Rate, parseFloat), "per_host": reads(&c.PerHost, parseFloat), "max_threads": reads(&c.MaxThreads, strconv.Atoi),
		"max_history": reads(&c.MaxHistory, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }), "max_lag": reads(&c.MaxLag, time.ParseDuration),
		"error_share": reads(&c.ErrorShare, parseFloat), "same_error": reads(&c.SameError, strconv.Atoi), "throttled": reads(&c.Throttled, strconv.ParseBool),
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		read, ok := knobs[name]
		if !ok {
			return c, usageError{fmt.Sprintf("there is no setting %q; there are %s.", name, strings.Join(slices.Sorted(maps.Keys(knobs)), ", "))}
		}
		if err := read(values[name]); err != nil {
			return c, usageError{fmt.Sprintf("%s cannot be %q; write numbers as 4 or 2.5, time spans as 30s, truths as true.", name, values[name])}
		}
	}
	return c, nil
}

func parseFloat(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

func reads[T any](to **T, parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		value, err := parse(text)
		*to = &value
		return err
	}
}
