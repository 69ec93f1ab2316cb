package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web"
)

func digits[T ~uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

func runTasks(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("migrations tasks", flag.ContinueOnError)
	state := flags.String("state", "", strings.Join(migrations.TaskStates, ", "))
	worker := flags.Uint64("worker", 0, "those that a worker had last, by its number")
	iteration := flags.Int("iteration", 0, "those that are done for the first time, the second …")
	after := flags.Uint64("after", 0, "those behind a task: the next page")
	asJSON := flags.Bool("json", false, "one line of JSON, as the API gives it")
	run, err := oneRun(env, flags, args)
	if err != nil {
		return err
	}
	if *iteration < 0 {
		return usageError{"an iteration is a number from 1."}
	}
	filter := migrations.TaskFilter{State: *state, Worker: id.Worker(*worker), Iteration: *iteration, After: id.Task(*after)}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		page, err := w.RunTasks(ctx, run, filter)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(env.stdout).Encode(web.TasksJSON(page))
		}
		rows := make([][]string, len(page.Tasks))
		for i, t := range page.Tasks {
			rows[i] = []string{
				digits(t.ID), t.State, strconv.Itoa(t.Iteration), strconv.Itoa(t.Attempt), digits(t.Line), digits(t.Worker), cutTo(t.Payload, 80), cutTo(t.Note, 80),
			}
		}
		if len(rows) == 0 && page.Next == 0 {
			_, err = fmt.Fprintln(env.stdout, "There are no such tasks.")
			return err
		}
		if err := table(env, "TASK STATE ITERATION ATTEMPT LINE WORKER PAYLOAD NOTE", rows); err != nil || page.Next == 0 {
			return err
		}
		_, err = fmt.Fprintf(env.stderr, "Go on with --after %d\n", page.Next)
		return err
	})
}

func runTask(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("migrations task", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "one line of JSON, as the API gives it")
	found, err := words(env, flags, args)
	if err != nil {
		return err
	}
	if len(found) != 2 {
		return usageError{fmt.Sprintf("%d words are given, but it takes the numbers of a run and of a task.", len(found))}
	}
	run, err := runNumber(found[0])
	if err != nil {
		return err
	}
	task, err := numbered[id.Task](found[1], "task", "tasks")
	if err != nil {
		return err
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		t, attempts, err := w.RunTask(ctx, run, task)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(env.stdout).Encode(web.TaskJSON(t, attempts))
		}
		return printTask(env, t, attempts)
	})
}

func printTask(env environment, t migrations.Task, attempts []migrations.Attempt) error {
	parts := []string{fmt.Sprintf("task %d of run %d", t.ID, t.Run), t.State, fmt.Sprintf("iteration %d", t.Iteration), fmt.Sprintf("attempt %d", t.Attempt)}
	if t.Line != 0 {
		parts = append(parts, fmt.Sprintf("line %d", t.Line))
	}
	if t.Worker != 0 {
		parts = append(parts, fmt.Sprintf("worker %d", t.Worker))
	}
	if t.DueAt != nil {
		parts = append(parts, "due at "+stamp(*t.DueAt))
	}
	fmt.Fprintln(env.stdout, strings.Join(parts, ", "))
	if t.Note != "" {
		fmt.Fprintln(env.stdout, indented(t.Note))
	}
	_, err := fmt.Fprintln(env.stdout, "payload:\n"+indented(t.Payload))
	for _, a := range attempts {
		fmt.Fprintf(env.stdout, "iteration %d, attempt %d: %s on %s at %s after %s\n", a.Iteration, a.Attempt, a.Outcome, oneLine(a.Worker), stamp(a.StartedAt), a.Took)
		for _, text := range []string{a.Message, a.Detail} {
			if text != "" {
				_, err = fmt.Fprintln(env.stdout, indented(text))
			}
		}
	}
	return err
}

// indented is a text of several lines that cannot pass for what stands around it, nor reach the terminal as a
// command to it.
func indented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = "  " + strings.TrimRight(oneLine(line), " ")
	}
	return strings.Join(lines, "\n")
}

func runEvents(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("migrations events", flag.ContinueOnError)
	before := flags.Uint64("before", 0, "those before an event: the next page")
	asJSON := flags.Bool("json", false, "one line of JSON, as the API gives it")
	run, err := oneRun(env, flags, args)
	if err != nil {
		return err
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		list, more, err := w.RunEvents(ctx, run, id.Event(*before))
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(env.stdout).Encode(web.EventsJSON(list, more))
		}
		rows := make([][]string, len(list))
		for i, e := range list {
			rows[i] = []string{digits(e.ID), stamp(e.At), e.Actor, e.Kind, e.Detail}
		}
		if err := table(env, "EVENT AT BY WHAT DETAIL", rows); err != nil || !more {
			return err
		}
		_, err = fmt.Fprintf(env.stderr, "Go on with --before %d\n", list[len(list)-1].ID)
		return err
	})
}

// choosing is a command about tasks that are failed or wait. others says what those are that it leaves alone.
func choosing(done, others string, act func(*workflows.Workflows, context.Context, id.Run, migrations.Which) (int64, error)) func(context.Context, environment, []string) error {
	return func(ctx context.Context, env environment, args []string) error {
		flags := flag.NewFlagSet("migrations", flag.ContinueOnError)
		all := flags.Bool("all", false, "all failed tasks")
		fingerprint := flags.String("fingerprint", "", "those that failed alike, as “failures” shows it")
		waiting := flags.Bool("waiting", false, "all tasks that wait for their next attempt")
		list := flags.String("task", "", "tasks by their numbers, with commas between; of several, those that it can be done to")
		run, err := oneRun(env, flags, args)
		if err != nil {
			return err
		}
		tasks, err := tasksIn(*list)
		if err != nil {
			return err
		}
		slices.Sort(tasks)
		given, tasks := 0, slices.Compact(tasks)
		flags.Visit(func(*flag.Flag) { given++ })
		if given != 1 || !*all && !*waiting && *fingerprint == "" && tasks == nil {
			return usageError{"say which tasks: one of --all, --fingerprint, --waiting and --task."}
		}
		which := migrations.Which{Tasks: tasks, Fingerprint: strings.ToLower(*fingerprint), All: *all, Waiting: *waiting}
		if len(tasks) == 1 {
			which.Task, which.Tasks = tasks[0], nil
		}
		return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
			n, err := act(w, ctx, run, which)
			if err != nil {
				return err
			}
			said := fmt.Sprintf("%s of run %d %s.", views.Counted(n, "task", "tasks"), run, done)
			if left := int64(len(which.Tasks)) - n; left > 0 {
				said += fmt.Sprintf(" %s %s.", views.Counted(left, "other is", "others are"), others)
			}
			_, err = fmt.Fprintln(env.stdout, said)
			return err
		})
	}
}

func tasksIn(list string) (tasks []id.Task, err error) {
	if list == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		task, err := numbered[id.Task](strings.TrimSpace(part), "task", "tasks")
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}

func runFailures(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("migrations failures", flag.ContinueOnError)
	asCSV := flags.Bool("csv", false, "every failed task with its payload and error, as CSV")
	fingerprint := flags.String("fingerprint", "", "with --csv: those that failed alike")
	run, err := oneRun(env, flags, args)
	if err != nil {
		return err
	}
	if *asCSV {
		return printSheet(ctx, env, func(ctx context.Context, w *workflows.Workflows) (*migrations.Sheet, error) {
			return w.FailureSheet(ctx, run, strings.ToLower(*fingerprint))
		})
	}
	if *fingerprint != "" {
		return usageError{"--fingerprint goes with --csv."}
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		list, err := w.RunFailures(ctx, run)
		if err != nil {
			return err
		}
		if err := printRejected(ctx, env, w, run); err != nil {
			return err
		}
		if len(list) == 0 {
			_, err = fmt.Fprintf(env.stdout, "Run %d has no failed tasks.\n", run)
			return err
		}
		rows := make([][]string, len(list))
		for i, f := range list {
			rows[i] = []string{
				f.Fingerprint, views.Thousands(int64(f.Failed)), views.Thousands(int64(f.Errors)), digits(f.Task), stamp(f.LastAt), cutTo(f.Message, 120),
			}
		}
		return table(env, "FINGERPRINT FAILED ERRORS TASK LAST MESSAGE", rows)
	})
}

// printRejected prints the first lines that no task was made of.
func printRejected(ctx context.Context, env environment, w *workflows.Workflows, run id.Run) error {
	const shown = 10
	list, more, err := w.RunRejections(ctx, run, 0)
	if err != nil || len(list) == 0 {
		return err
	}
	rows := make([][]string, 0, shown)
	for _, r := range list[:min(len(list), shown)] {
		rows = append(rows, []string{digits(r.Line), oneLine(r.Reason), cutTo(oneLine(r.Content), 60)})
	}
	if err := table(env, "LINE REJECTED BEGINS", rows); err != nil {
		return err
	}
	if more || len(list) > shown {
		fmt.Fprintf(env.stdout, "and more: “migrations rejections %d” prints all that are listed\n", run)
		r, err := w.Run(ctx, run)
		if err != nil {
			return err
		}
		if unlisted := views.UnlistedRejections(r); unlisted != "" {
			fmt.Fprintln(env.stdout, unlisted)
		}
	}
	_, err = fmt.Fprintln(env.stdout)
	return err
}

func cutTo(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

// printing is a command that prints a file about a run.
func printing(sheet func(*workflows.Workflows, context.Context, id.Run) (*migrations.Sheet, error)) func(context.Context, environment, []string) error {
	return func(ctx context.Context, env environment, args []string) error {
		run, err := oneRun(env, flag.NewFlagSet("migrations", flag.ContinueOnError), args)
		if err != nil {
			return err
		}
		return printSheet(ctx, env, func(ctx context.Context, w *workflows.Workflows) (*migrations.Sheet, error) {
			return sheet(w, ctx, run)
		})
	}
}

func printSheet(ctx context.Context, env environment, open func(ctx context.Context, w *workflows.Workflows) (*migrations.Sheet, error)) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		sheet, err := open(ctx, w)
		if err != nil {
			return err
		}
		out := csv.NewWriter(env.stdout)
		for more := true; more && err == nil; {
			more, err = sheet.WriteSome(ctx, out)
		}
		return err
	})
}

func listWorkers(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("migrations workers", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "one line of JSON, as the API gives it")
	found, err := words(env, flags, args)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return usageError{"it takes no words."}
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		list, err := w.Workers(ctx)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(env.stdout).Encode(web.WorkersJSON(list))
		}
		if len(list) == 0 {
			_, err = fmt.Fprintln(env.stdout, "No worker was ever started. Start “counterfoil serve” or “counterfoil work” with this database.")
			return err
		}
		rows := make([][]string, len(list))
		for i, one := range list {
			rows[i] = []string{
				digits(one.ID), one.Host, strconv.Itoa(one.PID), one.Version, views.WorkerWord(one), strconv.Itoa(one.InFlight), views.Thousands(int64(one.Finished)),
				strconv.FormatFloat(one.PerSecond, 'f', 1, 64), stamp(one.StartedAt), stamp(one.BeatAt),
			}
		}
		return table(env, "WORKER HOST PID VERSION STATE IN-HAND DONE PER-SECOND STARTED SEEN", rows)
	})
}

// draining is a command that has a worker claim nothing more, or claim again.
func draining(drain bool) func(context.Context, environment, []string) error {
	said := "Worker %d works again.\n"
	if drain {
		said = "Worker %d finishes what it has in hand, and takes nothing new.\n"
	}
	return func(ctx context.Context, env environment, args []string) error {
		found, err := words(env, flag.NewFlagSet("migrations", flag.ContinueOnError), args)
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return usageError{fmt.Sprintf("%d words are given, but it takes the number of a worker.", len(found))}
		}
		worker, err := numbered[id.Worker](found[0], "worker", "workers")
		if err != nil {
			return err
		}
		return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
			if err := w.DrainWorker(ctx, worker, drain); err != nil {
				return err
			}
			_, err := fmt.Fprintf(env.stdout, said, worker)
			return err
		})
	}
}
