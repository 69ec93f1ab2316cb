// Package bench measures our workflows beside rival strategies, whose SQL is here. Start at bench.go.
package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

// Row is the measurement of one strategy. Duplicates and Gaps come from its answers and the table together: numbers
// handed out twice, and numbers up to the highest without a ticket; tasks completed twice, and tasks not completed;
// rows published or read twice, and rows left out. P50 and P99 are those of opening a ticket, of claiming a block with
// its commit, of a batch or a page of a feed, or of a change until a reader has it.
type Row struct {
	Measure    string  `json:"measure,omitempty"` // an additional measure; strategies of one are compared
	Strategy   string  `json:"strategy"`
	Workers    int     `json:"workers,omitempty"`
	Block      int     `json:"block,omitempty"`
	Tasks      uint64  `json:"tasks,omitempty"`
	Done       uint64  `json:"done,omitempty"` // of Tasks; fewer if the strategy was stopped
	PerSecond  float64 `json:"per_second"`
	Most       float64 `json:"most_per_second,omitempty"` // the possible speed, if tasks wait
	P50        float64 `json:"p50_ms"`
	P99        float64 `json:"p99_ms"`
	Slowest    float64 `json:"slowest_ms,omitempty"`
	BytesEach  int64   `json:"bytes_each,omitempty"` // of the server's memory, per stream
	Boards     []Board `json:"boards,omitempty"`
	Duplicates uint64  `json:"duplicates"`
	Gaps       uint64  `json:"gaps"`
	Deadlocks  *uint64 `json:"deadlocks"` // nil if our account may not read them
	Errors     uint64  `json:"errors"`
	Note       string  `json:"note,omitempty"`
}

// Board is the tickets in the table of one board, and their highest number.
type Board struct {
	Count uint64 `json:"count"`
	Max   uint64 `json:"max"`
}

// counts are count/max of each board, of four at most.
func (r Row) counts() string {
	var b strings.Builder
	for i, board := range r.Boards {
		if i == 4 {
			return b.String() + " …"
		}
		fmt.Fprintf(&b, " %d/%d", board.Count, board.Max)
	}
	return strings.TrimSpace(b.String())
}

// Report is a whole run. Its JSON form is the contract of `counterfoil bench … --json`.
type Report struct {
	Engine   string            `json:"engine"`
	Cores    int               `json:"cores"`
	Settings map[string]string `json:"settings"` // the server's durability settings
	Rows     []Row             `json:"rows"`

	unit    string   // the unit: tickets, tasks
	remarks []string // below the table
	uneven  []error
}

// Uneven lists costs that grow with a size that they should not depend on; nil if none does.
func (r Report) Uneven() error { return errors.Join(r.uneven...) }

func newReport(ctx context.Context, d *db.DB) (Report, error) {
	server, err := d.Server(ctx)
	if err != nil {
		return Report{}, err
	}
	return Report{Engine: server.String(), Cores: runtime.NumCPU(), Settings: server.Durability, unit: "tickets"}, nil
}

// JSON writes the report in one line.
func (r Report) JSON(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// Table writes the report as text, with each strategy's speed against the floor's.
func (r Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%s, %d cores", r.Engine, r.Cores)
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		fmt.Fprintf(w, ", %s=%s", name, r.Settings[name])
	}
	fmt.Fprint(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i, row := range r.Rows {
		if i == 0 || row.Measure != r.Rows[i-1].Measure {
			if err := t.Flush(); err != nil {
				return err
			}
			fmt.Fprintf(t, "%s\t%s%s/s\tof floor\tp50 ms\tp99 ms\t%sduplicates\tgaps\tdeadlocks\terrors\t \n",
				cmp.Or(row.Measure, "strategy"),
				row.crew("workers\tblock\tdone\t"), r.unit, row.shelves("count/max by board\t"))
		}
		fmt.Fprintf(t, "%s\t%s%.0f\t%s\t%.2f\t%.2f\t%s%d\t%d\t%s\t%d\t %s\n", row.Strategy,
			row.crew(fmt.Sprintf("%d\t%d\t%s\t", row.Workers, row.Block, row.share())),
			row.PerSecond, r.ofFloor(row), row.P50, row.P99, row.shelves(
				row.counts()+"\t"), row.Duplicates, row.Gaps, row.deadlocked(), row.Errors, row.Note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, remark := range r.remarks {
		fmt.Fprint(w, "\n", remark)
	}
	if len(r.remarks) > 0 {
		fmt.Fprintln(w)
	}
	return nil
}

// crew fills the columns of rows with workers, shelves those of rows with boards.
func (r Row) crew(cells string) string {
	if r.Workers == 0 || r.Measure != "" {
		return ""
	}
	return cells
}

func (r Row) shelves(cells string) string {
	if len(r.Boards) == 0 {
		return ""
	}
	return cells
}

// stopped reports whether the strategy left tasks.
func (r Row) stopped() bool { return r.Done < r.Tasks }

// share is the share of the tasks that were done.
func (r Row) share() string {
	if r.stopped() {
		return fmt.Sprintf("%d of %d", r.Done, r.Tasks)
	}
	return "all"
}

func (r Row) deadlocked() string {
	if r.Deadlocks == nil {
		return "—"
	}
	return fmt.Sprint(*r.Deadlocks)
}

// counted measures a row, and adds the deadlocks on the server meanwhile.
func counted(ctx context.Context, d *db.DB, measure func() (Row, error)) (Row, error) {
	before, err := d.Load(ctx)
	if err != nil {
		return Row{}, err
	}
	row, err := measure()
	if err != nil {
		return row, err
	}
	after, err := d.Load(ctx)
	row.Deadlocks = deadlocks(before, after)
	return row, err
}

// deadlocks is the server's count of deadlocks; nil if it has none.
func deadlocks(before, after db.Load) *uint64 {
	if !before.Deadlocks.Known || !after.Deadlocks.Known {
		return nil
	}
	return to(uint64(max(0, after.Deadlocks.Value-before.Deadlocks.Value)))
}

// floor is the speed of the floor under the same load, 0 if there is none.
func (r Report) floor(of Row) float64 {
	for _, row := range r.Rows {
		if row.Strategy == "floor" && row.Measure == of.Measure && row.Workers == of.Workers && row.Block == of.Block {
			return row.PerSecond
		}
	}
	return 0
}

func (r Report) ofFloor(row Row) string {
	floor := r.floor(row)
	if floor == 0 {
		return "—"
	}
	return fmt.Sprintf("%.2f ×", row.PerSecond/floor)
}

// crowd runs writers at once, each calling do with its number and the round, and returns the duration of each
// successful call, and of everything.
func crowd(
	writers, rounds int, do func(writer, round int) error,
) (times []time.Duration, all time.Duration, errs []error) {
	var mu sync.Mutex
	var group sync.WaitGroup
	start := make(chan struct{})
	for writer := range writers {
		group.Go(func() {
			mine := make([]time.Duration, 0, rounds)
			var failed []error
			<-start
			for round := range rounds {
				began := time.Now()
				if err := do(writer, round); err != nil {
					failed = append(failed, err)
					continue
				}
				mine = append(mine, time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			times, errs = append(times, mine...), append(errs, failed...)
		})
	}
	began := time.Now()
	close(start)
	group.Wait()
	return times, time.Since(began), errs
}

// quantile returns the q-quantile of sorted times in milliseconds.
func quantile(sorted []time.Duration, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := min(int(q*float64(len(sorted))), len(sorted)-1)
	return float64(sorted[i]) / float64(time.Millisecond)
}
