package admin

import (
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// stateLook is the look of a state: never its colour alone.
type stateLook struct{ word, icon, class string }

var stateLooks = map[migrations.State]stateLook{
	migrations.Open:       {"Open", "circle-dashed", "idle"},
	migrations.Filling:    {"Filling", "list-plus", "busy"},
	migrations.Ready:      {"Ready", "circle-play", "busy"},
	migrations.Running:    {"Running", "play", "busy"},
	migrations.Pausing:    {"Pausing", "pause", "held"},
	migrations.Paused:     {"Paused", "pause", "held"},
	migrations.Throttled:  {"Throttled", "gauge", "held"},
	migrations.Cancelling: {"Stopping", "ban", "held"},
	migrations.Cancelled:  {"Stopped", "ban", "idle"},
	migrations.Complete:   {"Complete", "circle-check", "done"},
}

func lookOf(r migrations.Run) stateLook {
	look, ok := stateLooks[r.State]
	switch {
	case !ok:
		return stateLook{string(r.State), "circle-dashed", "idle"}
	case onlyLooked(r):
		return stateLook{"Previewed", "circle-dashed", "idle"}
	case r.State == migrations.Cancelled && r.Total == 0 && r.Rejected > 0:
		return stateLook{"Nothing to do", "triangle-alert", "failed"}
	case r.State == migrations.Complete && r.Progress.Failed > 0:
		return stateLook{"Complete with failures", "triangle-alert", "failed"}
	}
	return look
}

// reasonInList is the reason of a run's state, or what it waits for.
func reasonInList(r migrations.Run) string {
	switch {
	case r.Reason != "":
		return r.Reason
	case r.State == migrations.Ready:
		return "Ready to start."
	case onlyLooked(r):
		return "Not started."
	}
	return ""
}

// segment is a part of a progress bar, in thousandths of its width.
type segment struct {
	class    string
	x, width int64
}

func (s segment) at() string   { return strconv.FormatInt(s.x, 10) }
func (s segment) wide() string { return strconv.FormatInt(s.width, 10) }

const (
	barWidth  = 1000
	barSliver = 6 // a share above 0 is always visible
)

// segments divides a bar among the states of a run's tasks. Each state with tasks is visible, so a bar is full only
// when nothing is left to do.
func segments(r migrations.Run) []segment {
	p := r.Progress
	parts := [...]struct {
		class string
		n     int64
	}{
		{"complete", p.Complete}, {"failed", p.Failed}, {"skipped", p.Skipped},
		{"processing", p.Processing}, {"waiting", p.Waiting}, {"open", p.Open},
	}
	var total, widths int64
	for i := range parts {
		parts[i].n = max(0, parts[i].n)
		total += parts[i].n
	}
	if total == 0 {
		return nil
	}
	var list []segment
	for _, part := range parts {
		if part.n > 0 {
			width := max(barSliver, int64(float64(part.n)/float64(total)*barWidth))
			list, widths = append(list, segment{class: part.class, width: width}), widths+width
		}
	}
	widest := slices.IndexFunc(list, func(s segment) bool {
		return !slices.ContainsFunc(list, func(other segment) bool { return other.width > s.width })
	})
	list[widest].width += barWidth - widths
	for i := 1; i < len(list); i++ {
		list[i].x = list[i-1].x + list[i-1].width
	}
	return list
}

// inWords is a progress bar in words.
func inWords(r migrations.Run) string {
	p := r.Progress
	switch {
	case r.State == migrations.Open:
		return "Not filled yet"
	case r.State == migrations.Filling:
		return views.Counted(int64(r.Total), "task", "tasks") + " so far"
	case r.Total == 0:
		return "No tasks"
	}
	words := []string{views.Thousands(p.Done()) + " of " + views.Counted(int64(r.Total), "task", "tasks") + " done"}
	for _, part := range []struct {
		n    int64
		word string
	}{{p.Failed, "failed"}, {p.Skipped, "skipped"}, {p.Processing, "processing"}, {p.Waiting, "waiting"}} {
		if part.n > 0 {
			words = append(words, views.Thousands(part.n)+" "+part.word)
		}
	}
	return strings.Join(words, ", ")
}

// UnlistedRejections says that the list of a run's rejected lines is cut, "" if it is not.
func UnlistedRejections(r migrations.Run) string {
	if r.Unlisted() == 0 {
		return ""
	}
	return "Only the first " + views.Thousands(migrations.MaxRejections) + " are listed: " +
		views.Counted(int64(r.Unlisted()), "more line was rejected.", "more lines were rejected.")
}
