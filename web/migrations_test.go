package web_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"sync"

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

// memory keeps uploads.
type memory struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (m *memory) Put(_ context.Context, name string, r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string][]byte{}
	}
	m.files[name] = content
	return nil
}

func (m *memory) Open(_ context.Context, name string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, ok := m.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(content)), nil
}

func (m *memory) Delete(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
	return nil
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
