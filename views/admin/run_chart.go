package admin

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/views"
)

// chart is the throughput of a run, ready to be drawn: x is in thousandths of its width, y in hundredths of the height
// of its band.
type chart struct {
	tasks, errors band
	from, to      time.Time
	marks         []chartMark
}

// band is a line of rates over the time.
type band struct {
	path string // of an SVG, down to the base at both ends; it breaks if a sample is missing
	top  float64
	now  float64
	most float64
}

// chartMark is an event of the log. Number is 0 for one that the list leaves out.
type chartMark struct {
	at     string // percent of the width
	number int
	label  string // the number at its line, or a range such as 2–4 if others are right beside it
	class  string
	event  migrations.Event
}

// gap is the time without a sample from which on the line breaks.
const gap = 20 * time.Second

// marksListed is the number of marks with a number and a line below the chart.
const marksListed = 5

// besides is the distance at which marks share a label, in thousandths of the width.
const besides = 45

// chartOf makes a chart of the samples.
func chartOf(p monitor.Statistics) chart {
	if len(p.Samples) < 2 {
		return chart{}
	}
	c := chart{from: p.Samples[0].At, to: p.Samples[len(p.Samples)-1].At}
	if !c.to.After(c.from) {
		return chart{}
	}
	finished := func(s monitor.Sample) int64 { return s.Complete + s.Failed }
	c.tasks = c.band(p.Samples, finished)
	c.errors = c.band(p.Samples, func(s monitor.Sample) int64 { return s.Errors })
	var seen []migrations.Event
	for _, e := range p.Marks {
		if !e.At.After(c.to.Add(gap)) {
			seen = append(seen, e)
		}
	}
	start, from := 0, 0. // of the marks with a shared label
	for i, e := range seen {
		m := chartMark{at: strconv.FormatFloat(c.x(e.At)/10, 'f', 1, 64) + "%", class: markClass(e.Kind), event: e}
		m.number = max(0, i-max(0, len(seen)-marksListed)+1)
		c.marks = append(c.marks, m)
		if m.number == 0 {
			continue
		}
		if x := c.x(e.At); m.number == 1 || x-from > besides {
			start, from = i, x
		}
		first := &c.marks[start]
		if first.label = views.Number(uint64(first.number)); start < i {
			first.label += "–" + views.Number(uint64(m.number))
		}
	}
	return c
}

func markClass(kind string) string {
	switch migrations.State(kind) {
	case migrations.Throttled, migrations.Pausing, migrations.Paused, migrations.Cancelling, migrations.Cancelled:
		return "held"
	}
	return ""
}

// x is the position of a time, or the edge.
func (c chart) x(at time.Time) float64 {
	return min(max(0, 1000*at.Sub(c.from).Seconds()/c.to.Sub(c.from).Seconds()), 1000)
}

func (c chart) band(samples []monitor.Sample, n func(monitor.Sample) int64) band {
	var runs [][]point
	fresh := true
	for i := 1; i < len(samples); i++ {
		took := samples[i].At.Sub(samples[i-1].At)
		if took <= 0 {
			continue
		}
		if took > gap {
			fresh = true
			continue
		}
		rate := math.Max(0, float64(n(samples[i])-n(samples[i-1]))/took.Seconds()) // a retry reduces the failed tasks
		if fresh {
			runs, fresh = append(runs, nil), false
			runs[len(runs)-1] = append(runs[len(runs)-1], point{c.x(samples[i-1].At), rate})
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], point{c.x(samples[i].At), rate})
	}
	return bandOf(runs)
}

// point is a point of a line: x in thousandths of the width, and the rate there.
type point struct{ x, y float64 }

// bandOf is a line that breaks at gaps.
func bandOf(runs [][]point) (b band) {
	for _, run := range runs {
		for _, p := range run {
			b.most, b.now = math.Max(b.most, p.y), p.y
		}
	}
	b.top = roundUp(b.most)
	var path strings.Builder
	for _, run := range runs {
		fmt.Fprintf(&path, "M%.0f 100", run[0].x)
		for _, p := range run {
			fmt.Fprintf(&path, "L%.0f %.0f", p.x, 100-100*p.y/b.top)
		}
		fmt.Fprintf(&path, "L%.0f 100", run[len(run)-1].x)
	}
	b.path = path.String()
	return b
}

// roundUp is the next of 1, 2, 5, 10, 20, …, so that the scale stays while the numbers change.
func roundUp(n float64) float64 {
	if n <= 1 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(n)))
	for _, step := range []float64{1, 2, 5, 10} {
		if n <= step*power {
			return step * power
		}
	}
	return 10 * power
}

// words describe the chart to screen readers.
func (c chart) words() string {
	return fmt.Sprintf("Tasks per second from %s to %s UTC: %s at the end, %s at most. Errors per second: %s at the end, "+
		"%s at most.",
		clockTime(c.from), clockTime(c.to), Rate(c.tasks.now), Rate(c.tasks.most), Rate(c.errors.now), Rate(c.errors.most))
}

// listed are the marks with a number, the newest first.
func (c chart) listed() (list []chartMark) {
	for i := len(c.marks) - 1; i >= 0 && c.marks[i].number > 0; i-- {
		list = append(list, c.marks[i])
	}
	return list
}
