package bench_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/ops/bench"
)

func TestTickets(t *testing.T) {
	const each, writers = 20, 5
	report := domaintest.OK(bench.Tickets(t.Context(), dbtest.Open(t),
		bench.TicketLoad{Boards: 2, Writers: writers, Each: each}))(t)

	rows := map[string]bench.Row{}
	for _, row := range report.Rows {
		rows[row.Strategy] = row
	}
	for _, name := range []string{"serializable", "two commits", "one transaction", "floor", "ours"} {
		t.Run(name+" hands out every number once", func(t *testing.T) {
			row, ran := rows[name]
			if !ran {
				t.Fatal("it did not run")
			}
			full := bench.Board{Count: writers * each, Max: writers * each}
			if !slices.Equal(row.Boards, []bench.Board{full, full}) || row.Duplicates+row.Gaps+row.Errors != 0 ||
				row.PerSecond <= 0 || row.P99 < row.P50 {
				t.Errorf("%+v", row)
			}
		})
	}
	t.Run("max+1 is counted for what it does: each duplicate is a refused insert", func(t *testing.T) {
		row := rows["max+1"]
		if row.Duplicates != row.Errors || row.Boards[0].Count > writers*each {
			t.Errorf("%+v", row)
		}
	})
	t.Run("JSON is one line with the members that scripts read", func(t *testing.T) {
		var out bytes.Buffer
		domaintest.Must(t, report.JSON(&out))
		var parsed struct {
			Engine string
			Cores  int
			Rows   []map[string]any
		}
		if err := json.Unmarshal(out.Bytes(), &parsed); err != nil || strings.Count(out.String(), "\n") != 1 {
			t.Fatalf("%v: %s", err, &out)
		}
		for _, name := range []string{"strategy", "per_second", "p50_ms", "p99_ms", "duplicates", "gaps", "deadlocks",
			"errors"} {
			if _, ok := parsed.Rows[0][name]; !ok {
				t.Errorf("%s is missing", name)
			}
		}
		if !strings.HasPrefix(parsed.Engine, "MariaDB ") && !strings.HasPrefix(parsed.Engine, "MySQL ") {
			t.Errorf("engine is %q", parsed.Engine)
		}
	})
	t.Run("the table compares with the floor", func(t *testing.T) {
		var out bytes.Buffer
		domaintest.Must(t, report.Table(&out))
		if !strings.Contains(out.String(), "1.00 ×") || !strings.Contains(out.String(), "expected to fail") {
			t.Error(out.String())
		}
	})
}
