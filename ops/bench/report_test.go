package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestFlat(t *testing.T) {
	t.Parallel()
	for large, uneven := range map[float64]bool{1000: false, 500: false, 499: true, 4000: false, 0: true} {
		report := Report{Rows: []Row{{Measure: "a", Strategy: "floor", PerSecond: 1},
			{Measure: "a", Strategy: "ours", PerSecond: 1000}, {Measure: "b", Strategy: "ours", PerSecond: large}}}
		report.flat("Reading", "a", "b", 2)
		if err := report.Uneven(); (err != nil) != uneven || len(report.remarks) != 1 {
			t.Errorf("from 1000 to %g rows a second: %v", large, err)
		}
	}
}

func TestDeadlocks(t *testing.T) {
	t.Parallel()
	look := func(n int64) db.Load { return db.Load{Deadlocks: db.ServerValue{Value: n, Known: true}} }
	if n := deadlocks(look(3), look(5)); n == nil || *n != 2 {
		t.Error("what the server counted is not told")
	}
	for _, after := range []db.Load{{}, look(5)} {
		if deadlocks(db.Load{}, after) != nil {
			t.Error("what our account may not read is told to be known")
		}
	}
	report := Report{Rows: []Row{{Strategy: "ours"}, {Strategy: "floor", Deadlocks: to(uint64(7))}}}
	var table, line bytes.Buffer
	domaintest.Must(t, report.Table(&table))
	domaintest.Must(t, report.JSON(&line))
	if rows := strings.Split(table.String(), "\n"); strings.Count(rows[3], "—") != 2 ||
		strings.Count(rows[4], "—") != 1 || !strings.Contains(rows[4], " 7 ") {
		t.Error(table.String())
	}
	if !strings.Contains(line.String(), `"deadlocks":null`) || !strings.Contains(line.String(), `"deadlocks":7`) {
		t.Error(line.String())
	}
}
