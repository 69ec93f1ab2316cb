package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// probes are migrations of every env: one with a parameter of each kind, and one with a file.
func probes() []*migrations.Migration {
	nothing := func(context.Context, *migrations.Work) error { return nil }
	return []*migrations.Migration{
		{
			Name: "count-up", Title: "Count up", Description: "Counts, and does nothing else.",
			Params: []migrations.Param{
				{Name: "to", Label: "Up to", Help: "How far to count.", Kind: migrations.Number, Required: true, Min: 1,
					Max: 100_000},
				{Name: "mode", Label: "Direction", Kind: migrations.Choice, Required: true,
					Choices: func(context.Context) ([]migrations.Option, error) {
						return []migrations.Option{{Value: "up", Label: "Upwards"}, {Value: "down", Label: "Downwards"}}, nil
					}},
				{Name: "label", Label: "Label", Kind: migrations.Text, Max: 20},
				{Name: "loud", Label: "Aloud", Kind: migrations.Flag},
				{Name: "key", Label: "Key", Kind: migrations.Secret},
			},
			Fill: func(ctx context.Context, into migrations.Filler) error {
				to, _ := strconv.Atoi(into.Values()["to"])
				for n := range to {
					if err := into.Add(ctx, migrations.NewTask{Payload: strconv.Itoa(n), Cursor: strconv.Itoa(n)}); err != nil {
						return err
					}
				}
				return nil
			},
			Process: nothing,
			Preview: func(_ context.Context, w *migrations.Work) (string, error) {
				return "would count " + w.Task.Payload, nil
			},
		},
		{
			Name: "read-lines", Title: "Read lines", Description: "Reads a file.", Upload: "A text, one task a line",
			Params: []migrations.Param{{Name: "note", Label: "Note", Kind: migrations.Text}},
			Fill: func(ctx context.Context, into migrations.Filler) error {
				file, err := into.Upload(ctx)
				if err != nil {
					return err
				}
				defer file.Close()
				lines := bufio.NewScanner(file)
				for n := uint64(1); lines.Scan(); n++ {
					if err := into.Add(ctx, migrations.NewTask{Payload: lines.Text(), Line: n, Cursor: fmt.Sprint(n)}); err != nil {
						return err
					}
				}
				return lines.Err()
			},
			Process: nothing,
		},
	}
}

// stored are the files that the server keeps, by name, but for the mark of their place.
func (e *env) stored() map[string]string {
	e.t.Helper()
	found := map[string]string{}
	domaintest.Must(e.t, e.files.Walk(context.Background(), "", func(info blobs.Info) error {
		if strings.HasPrefix(info.Name, "place/") {
			return nil
		}
		file := domaintest.OK(e.files.Open(context.Background(), info.Name))(e.t)
		defer file.Close()
		found[info.Name] = string(domaintest.OK(io.ReadAll(file))(e.t))
		return nil
	}))
	return found
}

// store stores a file as the server would.
func (e *env) store(name, content string) {
	e.t.Helper()
	domaintest.Must(e.t, e.files.Put(context.Background(), name, strings.NewReader(content)))
}

// openRun opens a run as the command line does.
func (e *env) openRun(name string, values migrations.Values) id.Run {
	e.t.Helper()
	run := domaintest.OK(e.workflows.Console.OpenRun(console.AsCommandLine(context.Background()), name, values,
		migrations.Draft{},
		nil))(e.t)
	return run.ID
}

// readyRun is a run that is filled with so many tasks, of which none is there.
func (e *env) readyRun(tasks int) id.Run {
	e.t.Helper()
	runs := e.count("SELECT COUNT(*) FROM migration_run")
	run := e.openRun("count-up", migrations.Values{"to": strconv.Itoa(int(runs) + 100), "mode": "up", "key": "hush"})
	e.exec("UPDATE migration_run SET state = 'ready', total = ? WHERE id = ?", tasks, run)
	return run
}

// worker adds a worker that lives for a minute.
func (e *env) worker(host string) id.Worker {
	e.t.Helper()
	return id.Worker(e.exec(`INSERT INTO migration_worker (host, pid, version, knows, state, in_flight, finished, per_second, started_at, beat_at, lease_until)
		VALUES (?, 4711, '1.0', 'count-up read-lines', 'active', 3, 1234567, 8.25, NOW(6), NOW(6), NOW(6) + INTERVAL 60 SECOND)`, host))
}
