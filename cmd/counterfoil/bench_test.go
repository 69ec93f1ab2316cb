package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
)

func TestBenchFeed(t *testing.T) {
	t.Parallel()
	url := dbtest.Empty(t)
	i := &install{env: []string{"COUNTERFOIL_DATA=" + t.TempDir()}}
	code, out := i.command(t, "bench", "feed", "--json", "--on-url", url, "--rows", "600", "--changed", "500", "--rounds",
		"1", "--rate", "50", "--seconds", "1", "--streams", "20")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var report struct {
		Rows []struct {
			Measure, Strategy        string
			Duplicates, Gaps, Errors int
			Slowest                  float64 `json:"slowest_ms"`
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &report); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ran := map[string]bool{}
	for _, row := range report.Rows {
		ran[row.Measure+", "+row.Strategy] = row.Slowest > 0
		if row.Duplicates+row.Gaps+row.Errors != 0 {
			t.Errorf("%+v", row)
		}
	}
	for _, name := range []string{"streams, ours", "latency, ours, one process", "latency, ours, across processes"} {
		if !ran[name] {
			t.Errorf("%s did not run\n%s", name, out)
		}
	}
}

func TestBenchFeedOfTwoSizes(t *testing.T) {
	t.Parallel()
	for flat, want := range map[string]int{"1000000000": 0, "0.000000001": 1} { // whatever the machine does
		i := &install{env: []string{"COUNTERFOIL_DATA=" + t.TempDir()}}
		code, out := i.command(t, "bench", "feed", "--on-url", dbtest.Empty(t), "--rows", "600,700", "--changed", "500",
			"--rounds", "1", "--live=false", "--flat", flat)
		if code != want || !strings.Contains(out, "read of 700") || strings.Contains(out, "more than") != (want == 1) {
			t.Errorf("exit code %d\n%s", code, out)
		}
	}
}

func TestBenchFeedRefusesSizesThatDoNotGrow(t *testing.T) {
	t.Parallel()
	for _, rows := range []string{"20,10", "10,10", "10,30,20"} {
		i := &install{env: []string{"COUNTERFOIL_DATA=" + t.TempDir()}}
		if code, out := i.command(t, "bench", "feed", "--rows", rows, "--live=false"); code != 2 ||
			!strings.Contains(out, "--rows grows") {
			t.Errorf("%s: exit code %d\n%s", rows, code, out)
		}
	}
}
