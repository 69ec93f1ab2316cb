package bench_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/ops/bench"
)

func TestFeed(t *testing.T) {
	report, err := bench.Feed(t.Context(), dbtest.Open(t), bench.FeedLoad{Rows: 2500, Changed: 1200, Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]bench.Row{}
	for _, row := range report.Rows {
		ran[row.Measure+", "+row.Strategy] = row
	}
	for _, name := range []string{"publish, one row at a time", "publish, floor", "publish, ours", "read, floor", "read, ours", "read, ours, shuffled"} {
		t.Run(name+": every row once", func(t *testing.T) {
			row, ok := ran[name]
			if !ok {
				t.Fatal("it did not run")
			}
			if row.Duplicates+row.Gaps+row.Errors != 0 || row.PerSecond <= 0 || row.P50 <= 0 || row.P99 < row.P50 {
				t.Errorf("%+v", row)
			}
		})
	}
	t.Run("the table compares ours with the floor of the same measure, and JSON says what was measured", func(t *testing.T) {
		var table, line bytes.Buffer
		if err := report.Table(&table); err != nil {
			t.Fatal(err)
		}
		if text := table.String(); strings.Count(text, " 1.00 ×") != 2 || !strings.Contains(text, "Publishing: ours at ") || !strings.Contains(text, "Reading a page: ours at ") {
			t.Error(text)
		}
		if err := report.JSON(&line); err != nil {
			t.Fatal(err)
		}
		var parsed struct{ Rows []map[string]any }
		if err := json.Unmarshal(line.Bytes(), &parsed); err != nil || parsed.Rows[0]["measure"] != "publish" {
			t.Errorf("%v: %s", err, &line)
		}
	})
}
