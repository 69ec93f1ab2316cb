package bench_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/ops/bench"
)

func TestFeed(t *testing.T) {
	report := domaintest.OK(bench.Feed(t.Context(), dbtest.Open(t), bench.FeedLoad{Rows: []int{2500}, Changed: 1200,
		Rounds: 2}))(t)
	ran := map[string]bench.Row{}
	for _, row := range report.Rows {
		ran[row.Measure+", "+row.Strategy] = row
	}
	for _, name := range []string{"publish, one row at a time", "publish, floor", "publish, ours", "read, floor",
		"read, ours", "read, ours, shuffled"} {
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
		domaintest.Must(t, report.Table(&table))
		if text := table.String(); strings.Count(text, " 1.00 ×") != 2 || !strings.Contains(text, "Publishing: ours at ") ||
			!strings.Contains(text, "Reading a page: ours at ") {
			t.Error(text)
		}
		domaintest.Must(t, report.JSON(&line))
		var parsed struct{ Rows []map[string]any }
		if err := json.Unmarshal(line.Bytes(), &parsed); err != nil || parsed.Rows[0]["measure"] != "publish" {
			t.Errorf("%v: %s", err, &line)
		}
	})
}

func TestFeedOfTwoSizes(t *testing.T) {
	for flat, even := range map[float64]bool{1e9: true, 1e-9: false} { // whatever the machine does
		report := domaintest.OK(bench.Feed(t.Context(), dbtest.Open(t), bench.FeedLoad{Rows: []int{600, 1300}, Changed: 500,
			Rounds: 1, Flat: flat}))(t)
		ours := map[string]bool{}
		for _, row := range report.Rows {
			if row.Duplicates+row.Gaps+row.Errors != 0 {
				t.Errorf("%+v", row)
			}
			if row.Strategy == "ours" {
				ours[row.Measure] = true
			}
		}
		if len(ours) != 4 || !ours["publish of 600"] || !ours["read of 1300"] {
			t.Errorf("%v was measured", ours)
		}
		var table bytes.Buffer
		domaintest.Must(t, report.Table(&table))
		for _, what := range []string{"Publishing: a row costs ", "Reading: a row costs "} {
			if !strings.Contains(table.String(), what) {
				t.Errorf("no %q in %s", what, &table)
			}
			if err := report.Uneven(); (err == nil) != even || err != nil && !strings.Contains(err.Error(), what) {
				t.Errorf("up to %g ×: %v", flat, err)
			}
		}
	}
}
