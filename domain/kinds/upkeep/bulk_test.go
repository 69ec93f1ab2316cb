package upkeep_test

import (
	"context"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// A run of 200 tasks at a time, each of which waits for the database, keeps no page and no operator waiting.
func TestPagesAnswerWhileABigRunReads(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Board(t, "NINJA")
	if _, err := e.DB.SQL.Exec("UPDATE board_ticket_incrementer SET max_ticket_id = 20000"); err != nil { // tasks for 200 slots
		t.Fatal(err)
	}
	// A database of its own for the blocker: a table that is locked holds all that read it.
	other := e.DB.WithPool(1)
	conn, err := other.SQL.Conn(t.Context())
	domaintest.Must(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(apptest.AsCommandLine(t.Context()), 10*time.Minute)
	defer cancel()
	working, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Worker.Work(working) }()
	defer func() { end(); <-done }()
	run, err := e.Console.OpenRun(ctx, "re-render-markdown", migrations.Values{"company": "acme"}, migrations.Draft{}, nil)
	domaintest.Must(t, err)
	domaintest.Until(t, "the run is ready", func() bool {
		if run, err = e.Console.Run(ctx, run.ID); err != nil {
			t.Fatal(err)
		}
		return run.State == migrations.Ready
	})
	domaintest.OK(e.Console.ChangeKnobs(ctx, run.ID, migrations.KnobChange{"concurrency": 200, "block": 200}))(t)
	domaintest.OK(conn.ExecContext(ctx, "LOCK TABLES ticket WRITE"))(t)
	defer conn.ExecContext(context.Background(), "UNLOCK TABLES") //nolint:errcheck // the test is over
	domaintest.OK(e.Console.StartRun(ctx, run.ID, 0, nil))(t)
	waiting := e.DB.WithPool(1)
	domaintest.Until(t, "the run's connections wait for the table", func() bool {
		return dbtest.Others(t, waiting.SQL, func(c dbtest.Connection) bool {
			return c.State == "Waiting for table metadata lock"
		}) >= db.BulkConnections
	})
	asks, over := context.WithTimeout(ctx, 2*time.Minute)
	defer over()
	for run.Progress.Processing < 150 {
		if run, err = e.Console.Run(asks, run.ID); err != nil {
			t.Fatal("who looks at the run: ", err)
		}
	}
	reads, stop := context.WithTimeout(e.Ctx, 2*time.Minute)
	defer stop()
	if _, err := e.Workflows.Boards(reads); err != nil {
		t.Fatal("a page: ", err)
	}
	if _, err := e.Console.PauseRun(asks, run.ID); err != nil {
		t.Fatal("an operator: ", err)
	}
}
