package bulkedits

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestWithoutKey(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"NINJA-1 is closed already.":              "It is closed already.",
		"Ana changed NINJA-1 since.":              "Ana changed it since.",
		"NINJA-12 has five levels above NINJA-1.": "NINJA-12 has five levels above it.",
		"The board is archived.":                  "The board is archived.",
		"":                                        "",
	} {
		if got := withoutKey(reason, tickets.Key{Board: "NINJA", Number: 1}); got != want {
			t.Errorf("%q: %q, not %q", reason, got, want)
		}
	}
}
