package bench_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/ops/bench"
)

func measured(t *testing.T) bench.Report {
	t.Helper()
	return domaintest.OK(bench.Migrations(t.Context(), dbtest.Open(t),
		bench.TaskLoad{Tasks: 300, Workers: []int{3}, Blocks: []int{10, 50}, Patience: 10 * time.Minute}))(t)
}

func deadlocked(report bench.Report) bool {
	return slices.ContainsFunc(report.Rows,
		func(row bench.Row) bool { return row.Strategy == "ours" && row.Deadlocks != nil && *row.Deadlocks > 0 })
}

func TestMigrations(t *testing.T) {
	report := measured(t)
	for range 3 { // the server counts the deadlocks of all: tests beside this one may provoke some
		if !deadlocked(report) {
			break
		}
		report = measured(t)
	}
	if deadlocked(report) {
		t.Error("ours has deadlocks, again and again")
	}
	for _, name := range []string{"original", "skip locked", "floor", "ours"} {
		t.Run(name+" does every task once", func(t *testing.T) {
			ran := 0
			for _, row := range report.Rows {
				if row.Strategy != name {
					continue
				}
				ran++
				if row.Duplicates+row.Gaps+row.Errors != 0 || row.PerSecond <= 0 || row.P99 < row.P50 || row.Done != 300 ||
					row.Tasks != 300 || row.Workers != 3 || row.Block == 0 {
					t.Errorf("%+v", row)
				}
				if row.Deadlocks == nil {
					t.Errorf("%+v", row)
				}
			}
			if ran != 2 {
				t.Errorf("it ran %d times", ran)
			}
		})
	}
	t.Run("the table says how ours stands beside the original, and JSON has who did what", func(t *testing.T) {
		var table, line bytes.Buffer
		domaintest.Must(t, report.Table(&table))
		for _, remark := range []string{"3 workers: ours at block 50 is ",
			"1 worker, waiting 50ms in each task, 200 at a time: "} {
			if !strings.Contains(table.String(), remark) {
				t.Error(table.String())
			}
		}
		domaintest.Must(t, report.JSON(&line))
		var parsed struct{ Rows []map[string]any }
		if err := json.Unmarshal(line.Bytes(), &parsed); err != nil || parsed.Rows[0]["workers"] != 3.0 ||
			parsed.Rows[0]["block"] != 10.0 {
			t.Errorf("%v: %s", err, &line)
		}
		waiting := parsed.Rows[len(parsed.Rows)-1]
		if speed, _ := waiting["per_second"].(float64); waiting["measure"] != "waiting" ||
			waiting["strategy"] != "ours, waiting" || waiting["most_per_second"] != 4000.0 || speed <= 0 {
			t.Errorf("tasks that wait: %v", waiting)
		}
		if strings.Contains(table.String(), "stopped") {
			t.Error(table.String())
		}
	})
}

func TestAStrategyThatIsStoppedSaysSo(t *testing.T) {
	const tasks = 300
	report := domaintest.OK(bench.Migrations(t.Context(), dbtest.Open(t),
		bench.TaskLoad{Tasks: tasks, Workers: []int{2}, Blocks: []int{10}, Patience: time.Nanosecond}))(t)
	for _, row := range report.Rows {
		switch row.Strategy {
		case "ours", "ours, waiting":
			if row.Done != tasks {
				t.Errorf("ours was stopped: %+v", row)
			}
		default: // a block for each worker at most
			if row.Done == 0 || row.Done > 20 || row.Tasks != tasks || row.Gaps != 0 {
				t.Errorf("%+v", row)
			}
		}
	}
	var table bytes.Buffer
	domaintest.Must(t, report.Table(&table))
	for _, says := range []string{" of 300 ", "the original at block 10, measured with its first ",
		"With --patience 0 every strategy does all."} {
		if !strings.Contains(table.String(), says) {
			t.Errorf("%q is missing in\n%s", says, &table)
		}
	}
}
