package admin

import (
	"slices"
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
)

func TestCancellation(t *testing.T) {
	t.Parallel()
	run := migrations.Run{ID: 7, State: migrations.Running, Total: 10,
		Progress: migrations.Progress{Open: 2, Waiting: 1, Processing: 1, Complete: 1, Failed: 3, Skipped: 2}}
	want := []string{"Of 10 tasks, 1 is done and stays so.", "3 tasks will not be done.", "3 tasks failed.",
		"2 tasks were skipped.", "1 task processing now will be finished first."}
	if got := cancellation(run).Lines; !slices.Equal(got[:len(got)-1], want) {
		t.Errorf("%q", got)
	}
}
