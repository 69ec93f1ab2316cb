package pages

import (
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestLines(t *testing.T) {
	draw := func(n int) string {
		var b strings.Builder
		domaintest.Must(t, Lines("Changed lines", slices.Repeat([]tickets.Line{{Op: tickets.Added, Text: "x"}}, n)).
			Render(t.Context(), &b))
		return b.String()
	}
	if got := draw(maxLines); strings.Count(got, "<ins>") != maxLines || strings.Contains(got, "too many") {
		t.Error("not all of what fits is shown")
	}
	if got := draw(65_000); len(got) > 500_000 || !strings.Contains(got, "61000 more lines, too many to show") {
		t.Errorf("%d bytes, which end with %s", len(got), got[len(got)-100:])
	}
}
