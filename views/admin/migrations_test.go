package admin

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/views"
)

func TestSegments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string) int64 {
			return rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(-3, 5_000_000_000)).Draw(t, name)
		}
		p := migrations.Progress{Open: n("open"), Processing: n("processing"), Waiting: n("waiting"), Complete: n("complete"),
			Failed: n("failed"), Skipped: n("skipped")}
		shown := map[string]bool{}
		var end int64
		for _, s := range segments(migrations.Run{Progress: p}) {
			if s.x != end || s.width < barSliver {
				t.Fatalf("%s begins at %d, not %d, and is %d wide", s.class, s.x, end, s.width)
			}
			end, shown[s.class] = s.x+s.width, true
		}
		if end != barWidth && len(shown) > 0 {
			t.Fatalf("the bar ends at %d", end)
		}
		for class, n := range map[string]int64{"open": p.Open, "processing": p.Processing, "waiting": p.Waiting,
			"complete": p.Complete, "failed": p.Failed, "skipped": p.Skipped} {
			if shown[class] != (n > 0) {
				t.Fatalf("%d %s: shown is %t", n, class, shown[class])
			}
		}
	})
}

func TestMarksOfAChart(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return began.Add(time.Duration(second) * time.Second) }
	c := chartOf(monitor.Statistics{
		Samples: []monitor.Sample{{At: at(2)}, {At: at(52)}, {At: at(102)}},
		Marks: []migrations.Event{{Kind: "running", At: at(0)}, {Kind: "pausing", At: at(52)},
			{Kind: "paused", At: at(103)}},
	})
	var got []string
	for _, m := range c.marks {
		got = append(got, m.at+" "+m.label)
	}
	if want := "0.0% 1, 50.0% 2, 100.0% 3"; strings.Join(got, ", ") != want {
		t.Errorf("%v, not %s", got, want)
	}
}

func TestEveryStateHasALook(t *testing.T) {
	t.Parallel()
	for _, state := range append(migrations.Active, migrations.Cancelled, migrations.Complete) {
		if look, ok := stateLooks[state]; !ok || !views.HasIcon(look.icon) {
			t.Errorf("%s has no word or no icon", state)
		}
	}
}

func TestEventsHaveWords(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		"open", "filling", "ready", "running", "pausing", "paused", "throttled", "cancelling", "cancelled", "complete",
		"knob", "retry", "skip", "drain", "undrain", "dismiss", "stop-all", "release", migrations.EventClock,
	} {
		if word := eventWord(migrations.Event{Kind: kind}); word == kind {
			t.Errorf("%q has none", kind)
		}
	}
}
