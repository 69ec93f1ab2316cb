package pages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestMostUrgent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	due := func(days int) tickets.Date { return tickets.Date{At: time.Date(2026, 3, 2+days, 0, 0, 0, 0, time.UTC)} }
	list := []tickets.Work{
		{Title: "never"}, {Title: "never, urgent", Priority: tickets.Urgent}, {Title: "in a month", Due: due(30)},
		{Title: "in a month, high", Due: due(30), Priority: tickets.High}, {Title: "in 6 days", Due: due(6)},
		{Title: "tomorrow", Due: due(1)}, {Title: "today", Due: due(0)}, {Title: "today, low", Due: due(0), Priority: tickets.Low},
		{Title: "yesterday", Due: due(-1)}, {Title: "a year ago", Due: due(-365)},
	}
	var got strings.Builder
	for _, g := range MostUrgent(list, now) {
		fmt.Fprintf(&got, "%s:", g.Name)
		for _, w := range g.Tickets {
			fmt.Fprintf(&got, " %s;", w.Title)
		}
		got.WriteString("\n")
	}
	const want = "Overdue: a year ago; yesterday;\nToday: today, low; today;\nNext 7 days: tomorrow; in 6 days;\n" +
		"Later, or without a due date: never, urgent; in a month, high;\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
	if list[0].Title != "never" {
		t.Error("the list was sorted")
	}
}
