package admin

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/views"
)

// RunProps is a run's page.
type RunProps struct {
	Page views.Page
	Live RunLive
}

// RunLive is the present state of a run.
type RunLive struct {
	Run        migrations.Run
	Params     []RunParam
	Asks       bool      // its migration reads a sample of the file before it asks for the rest
	Board      *RunBoard // of an import, nil for other runs
	Alert      string    // the reason why an action was refused
	Statistics monitor.Statistics
	Failures   []migrations.Failure
	Workers    []monitor.RunWorker
	Health     monitor.Health
	Events     []migrations.Event
	Older      bool       // there are older events
	Knobs      *KnobsForm // nil: the settings on the page stay
	Tasks      *RunTasks  // likewise
}

// RunParam is a parameter of a run; a secret is masked. Usual: it has its default.
type RunParam struct {
	Label, Value string
	Usual        bool
}

// RunParams are the parameters of a run that have a value, with their labels: the file, then as the migration has them.
func RunParams(run migrations.Run, info migrations.Info) (list []RunParam) {
	if run.Upload != "" {
		list = append(list, RunParam{Label: "File", Value: run.Upload})
	}
	left := maps.Clone(run.Values)
	for _, p := range info.Params {
		if value := left[p.Name]; value != "" {
			list = append(list, RunParam{p.Label, inPlain(p, value),
				value == p.Default || p.Kind == migrations.Flag && value == "false"})
		}
		delete(left, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if left[name] != "" {
			list = append(list, RunParam{Label: name, Value: left[name]})
		}
	}
	return list
}

// inPlain is a value as the form of a new run shows it.
func inPlain(p migrations.ParamInfo, value string) string {
	switch p.Kind {
	case migrations.Flag:
		if value == "true" {
			return "yes"
		}
		return "no"
	case migrations.Number:
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return views.Thousands(n)
		}
	case migrations.Choice:
		for _, o := range p.Options {
			if o.Value == value {
				return o.Label
			}
		}
	}
	return value
}

// changedParams are the first most parameters without their defaults, or all if there are no more than most; whole is
// false if others are left out.
func changedParams(list []RunParam, most int) (shown []RunParam, whole bool) {
	if len(list) <= most {
		return list, true
	}
	for _, p := range list {
		if !p.Usual && len(shown) < most {
			shown = append(shown, p)
		}
	}
	return shown, len(shown) == len(list)
}

// onlyLooked reports whether a finished run only read a sample of its file.
func onlyLooked(r migrations.Run) bool {
	return r.Dry && r.State == migrations.Cancelled && r.StartedAt == nil && r.Total+r.Rejected == 0 && r.Upload != ""
}

// dismissable reports whether a run is over and still needs attention.
func dismissable(r migrations.Run) bool {
	return r.Listed == migrations.ListAttention && !r.State.IsActive()
}

// RunTasks is a page of a run's tasks.
type RunTasks struct {
	Run     migrations.Run
	Filter  views.TaskFilter
	Tasks   []migrations.Task
	Labels  map[id.Task]string // the subject of each, in a few words
	Next    id.Task            // of the next page; 0 at the end
	Looked  bool               // the search ended before the end of the run: there may be more
	Message string             // the reason for an empty list
}

// every is the interval in milliseconds at which a run's page refreshes itself; 0 is never.
func every(state migrations.State) int {
	switch state {
	case migrations.Complete, migrations.Cancelled:
		return 0
	case migrations.Paused, migrations.Ready:
		return restTime
	}
	return 2000
}

const restTime = 6000

// restEvery is every for lists and forms, which should hold still.
func restEvery(state migrations.State) int {
	if every(state) == 0 {
		return 0
	}
	return restTime
}

// liveEvery makes an element live (static/js/live.js).
func liveEvery(milliseconds int) templ.Attributes {
	if milliseconds == 0 {
		return nil
	}
	return templ.Attributes{"data-live": strconv.Itoa(milliseconds)}
}

// A button of a run's head.
type runAction struct {
	label, icon, path, name, value, class string
	key                                   views.Command
}

// actionsOf are the actions that an operator has for a run now, besides stopping it.
func actionsOf(r migrations.Run) []runAction {
	pause := runAction{"Pause", "pause", views.RunPausePath(r.ID), "paused", "1", "primary", views.KeyPause}
	resume := runAction{"Resume", "play", views.RunPausePath(r.ID), "paused", "0", "primary", views.KeyPause}
	switch r.State {
	case migrations.Running, migrations.Throttled:
		return []runAction{pause}
	case migrations.Pausing, migrations.Paused:
		return []runAction{resume}
	}
	return nil
}

// inRun makes a form on the run's page show its result there. On a page of its own the form is sent without htmx, and
// the answer leads to the run.
func inRun(path string, page bool) templ.Attributes {
	if page {
		return nil
	}
	return templ.Attributes{"hx-post": path, "hx-swap": "none", "hx-sync": "this:drop"}
}

// stoppable reports whether a run can be stopped for good.
func stoppable(r migrations.Run) bool { return r.State.IsActive() && r.State != migrations.Cancelling }

// tally are the numbers beside the bar, in its order.
func tally(r migrations.Run) []tallied {
	p := r.Progress
	return []tallied{
		{"complete", "Complete", p.Complete}, {"processing", "Processing", p.Processing}, {"waiting", "Waiting", p.Waiting},
		{"failed", "Failed", p.Failed}, {"skipped", "Skipped", p.Skipped}, {"open", "Open", p.Open},
	}
}

type tallied struct {
	state, label string
	n            int64
}

// share is the share of tasks done, never 100 % before all are.
func share(r migrations.Run) string {
	done := r.Progress.Done()
	if r.Total == 0 || r.State == migrations.Open || r.State == migrations.Filling {
		return none
	}
	return strconv.FormatFloat(math.Floor(1000*float64(done)/float64(r.Total))/10, 'f', 1, 64) + " %"
}

const none = "—"

// Rate is a rate per second, to three digits at most below 1,000.
func Rate(r float64) string {
	switch {
	case r <= 0 || math.IsNaN(r) || math.IsInf(r, 0):
		return "0"
	case r < .095:
		return strconv.FormatFloat(r, 'f', 2, 64)
	case r < 9.95:
		return strconv.FormatFloat(r, 'f', 1, 64)
	}
	return views.Thousands(int64(math.Round(r)))
}

// nowRate is the rate of a running run, or a dash.
func nowRate(r migrations.Run, rate float64) string {
	if r.State != migrations.Running && r.State != migrations.Pausing && rate <= 0 {
		return none
	}
	return Rate(rate)
}

// eta is the expected end of a run, as a range.
func eta(e monitor.ETA) string {
	if !e.Known {
		return none
	}
	low, high := Spell(e.Low), Spell(e.High)
	if low == high {
		return "about " + low
	}
	a, unit, _ := strings.Cut(low, " ")
	if _, other, _ := strings.Cut(high, " "); unit == other {
		return a + " to " + high // 21 to 26 min
	}
	return low + " to " + high
}

// Spell is a time span in words: 3.1 s, 12 min, 2 h 5 min.
func Spell(d time.Duration) string {
	switch {
	case d < 0:
		return "−" + Spell(-d)
	case d == 0:
		return "0 s"
	case d < time.Millisecond:
		return strconv.FormatInt(d.Microseconds(), 10) + " µs"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second:
		return strings.TrimSuffix(strconv.FormatFloat(math.Round(d.Seconds()*10)/10, 'f', 1, 64), ".0") + " s"
	case d < 100*time.Second:
		return strconv.FormatInt(int64(math.Round(d.Seconds())), 10) + " s"
	case d < 100*time.Minute:
		return strconv.FormatInt(int64(math.Round(d.Minutes())), 10) + " min"
	case d < 48*time.Hour:
		return pairOf(int64(math.Round(d.Minutes())), 60, "h", "min")
	}
	return pairOf(int64(math.Round(d.Hours())), 24, "d", "h")
}

func pairOf(n, per int64, large, small string) string {
	if n%per == 0 {
		return fmt.Sprintf("%d %s", n/per, large)
	}
	return fmt.Sprintf("%d %s %d %s", n/per, large, n%per, small)
}

// idleText is the number of idle workers while a run pauses or stops.
func idleText(live RunLive) string {
	p := live.Statistics
	switch {
	case live.Run.State != migrations.Pausing && live.Run.State != migrations.Cancelling:
		return ""
	case p.Living == 0:
		return "no worker is running"
	}
	return fmt.Sprintf("%s of %s idle", views.Thousands(int64(p.Idle)),
		views.Counted(int64(p.Living), "worker", "workers"))
}

// reasonOf is the sentence beside the state of a run.
func reasonOf(live RunLive) string {
	parts := []string{}
	if text := idleText(live); text != "" {
		parts = append(parts, text)
	}
	if live.Run.Reason != "" {
		parts = append(parts, live.Run.Reason)
	}
	switch {
	case len(parts) > 0:
	case onlyLooked(live.Run):
		parts = append(parts, "only its file was previewed; not started")
	case live.Run.State == migrations.Open:
		parts = append(parts, "a worker will fill it as soon as one is free")
	case live.Run.State == migrations.Filling:
		parts = append(parts, views.Counted(int64(live.Run.Total), "task", "tasks")+" so far")
	case live.Run.State == migrations.Ready:
		parts = append(parts, views.Counted(int64(live.Run.Total), "task", "tasks")+"; nothing happens before Start")
	}
	return strings.Join(parts, " · ")
}

// shownWorkers are the workers on a run's page; more is the number of others.
func shownWorkers(list []monitor.RunWorker) (shown []monitor.RunWorker, more int) {
	const most = 10
	slices.SortStableFunc(list, func(a, b monitor.RunWorker) int { return cmp.Compare(b.Claimed, a.Claimed) })
	shown = slices.Clone(list[:min(most, len(list))])
	slices.SortFunc(shown, func(a, b monitor.RunWorker) int { return cmp.Compare(a.ID, b.ID) })
	return shown, len(list) - len(shown)
}

// leaseLeft is the rest of a worker's lease.
func leaseLeft(w migrations.Worker) string {
	if w.Left <= 0 {
		return "ended"
	}
	return Spell(w.Left.Truncate(time.Second))
}

// drained reports whether there are workers, and all are draining.
func drained(list []monitor.RunWorker) bool {
	n := 0
	for _, w := range list {
		if views.Lives(w.Worker) {
			if w.State != migrations.WorkerDraining {
				return false
			}
			n++
		}
	}
	return n > 0
}

// shortened are entries of a log with long details cut; the page of the log has them whole.
func shortened(list []migrations.Event) []migrations.Event {
	list = slices.Clone(list)
	for i := range list {
		list[i].Detail = brief(list[i].Detail, 160)
	}
	return list
}

// groupsShown is the number of groups of failures on a run's page.
const groupsShown = 5

// failedOf is the number of failed tasks.
func failedOf(r migrations.Run) int64 { return max(0, r.Progress.Failed) }

// brief is the beginning of a text, on one line.
func brief(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

var eventWords = map[string]string{
	"open": "Opened", "filling": "Filling", "ready": "Filled", "running": "Running", "pausing": "Pause",
	"paused": "Paused", "throttled": "Throttled",
	"cancelling": "Stop", "cancelled": "Stopped", "complete": "Complete", "knob": "Setting", "retry": "Retry",
	"skip": "Skip", "drain": "Drain", "undrain": "Undrain", "dismiss": "Dismissed", "stop-all": "All stopped", "release": "Released", migrations.EventClock: "Clock",
}

// eventWord is the subject of an entry of a run's log.
func eventWord(e migrations.Event) string {
	if word, ok := eventWords[e.Kind]; ok {
		return word
	}
	return e.Kind
}

// clockTime is the time of day, as in logs.
func clockTime(t time.Time) string { return t.UTC().Format("15:04:05") }

// dated is clockTime with the day.
func dated(t time.Time) string { return t.UTC().Format("2 Jan 15:04:05") }

// Number formats of the strip about the database.
func inWhole(n float64) string   { return views.Thousands(int64(math.Round(n))) }
func inSeconds(n float64) string { return Spell(time.Duration(n * float64(time.Second))) }

// planWord is a claim's plan if it is not good.
func planWord(p monitor.ClaimPlan) string {
	if p.Known {
		return "not by its index"
	}
	return none
}

// stamp is a time for programs.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// since reports whether the time of a run's state is not among its other times.
func since(r migrations.Run) bool {
	return r.State != migrations.Running || r.StartedAt == nil || r.StateSince.Sub(*r.StartedAt) > 2*time.Second
}

// opensBoard reports whether a run has a link to its board: an import from its start on.
func (l RunLive) opensBoard() bool {
	return l.Board != nil && l.Board.Path != "" && !l.Run.Dry && l.Run.StartedAt != nil
}

// importedText is the result of an import that has ended, "" before that and for other runs.
func importedText(live RunLive) string {
	r := live.Run
	if live.Board == nil || r.Dry || r.State != migrations.Complete {
		return ""
	}
	text := "The import is done: " + views.Counted(r.Progress.Complete, "row", "rows") + " went through"
	if r.Progress.Failed > 0 {
		text += ", " + views.Thousands(r.Progress.Failed) + " failed"
	}
	if r.Progress.Skipped > 0 {
		text += ", " + views.Thousands(r.Progress.Skipped) + " were skipped"
	}
	if r.Rejected > 0 {
		text += ", " + views.Counted(int64(r.Rejected), "line", "lines") + " rejected"
	}
	return text + "."
}
