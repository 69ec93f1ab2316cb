package admin

import (
	"strconv"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// KnobsForm is what was typed into the settings of a run. Was is what stood there before.
type KnobsForm struct {
	Values, Was map[string]string
	Errors      views.Errors
}

// Knob is a setting of a run in its form.
type Knob struct{ Name, Label, Unit, Hint string }

// Knobs are the settings of a run that are numbers. One that may be left empty then sets no limit.
var Knobs = []Knob{
	{"concurrency", "Concurrency", "tasks at a time, each worker", ""},
	{"block", "Block", "tasks in a claim", ""},
	{"rate", "Rate", "tasks/s, all workers", "empty: no limit"},
	{"per_host", "Rate per host", "requests/s", "empty: no limit"},
	{"attempts", "Attempts", "of a task", ""},
	{"backoff", "Backoff", "s, doubles", ""},
	{"timeout", "Timeout", "s, an attempt", ""},
	{"lease", "Lease", "s", ""},
	{"max_threads", "Threads running", "at most", "empty: no limit"},
	{"max_history", "History list", "at most", "empty: no limit"},
	{"max_lag", "Replica lag", "s, at most", "empty: no limit"},
	{"error_share", "Error share", "% of 100 attempts", "empty: no limit"},
	{"same_error", "Same error", "times in a row", "empty: no limit"},
}

// KnobsFormOf is the form with the settings as they are.
func KnobsFormOf(k migrations.Knobs) KnobsForm {
	whole := func(n int64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	part := func(n float64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	values := map[string]string{
		"concurrency": whole(int64(k.Concurrency)), "block": whole(int64(k.Block)), "attempts": whole(int64(k.Attempts)),
		"backoff": part(k.Backoff.Seconds()), "timeout": part(k.Timeout.Seconds()), "lease": part(k.Lease.Seconds()),
		"rate": part(k.Rate), "per_host": part(k.PerHost), "max_threads": whole(int64(k.MaxThreads)), "max_history": whole(k.MaxHistory),
		"max_lag": part(k.MaxLag.Seconds()), "error_share": percent(k.ErrorShare), "same_error": whole(int64(k.SameError)),
		"throttled": "",
	}
	if k.Throttled {
		values["throttled"] = "1"
	}
	return KnobsForm{Values: values, Was: values}
}

// percent is a share as it is typed.
func percent(share float64) string {
	if share == 0 {
		return ""
	}
	return strconv.FormatFloat(share*100, 'g', 6, 64)
}

// KnobNames are the fields of the form, from top to bottom.
func KnobNames() (names []string) {
	for _, k := range Knobs {
		names = append(names, k.Name)
	}
	return append(names, "throttled")
}
