package tickets_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestParseKey(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]tickets.Key{
		"NINJA-42":                       {Board: "NINJA", Number: 42},
		"ninja-42":                       {Board: "NINJA", Number: 42},
		"nInJa-1":                        {Board: "NINJA", Number: 1},
		"A1-9":                           {Board: "A1", Number: 9},
		"ABCDEFGHIJ-9223372036854775807": {Board: "ABCDEFGHIJ", Number: 1<<63 - 1},
	} {
		if got, err := tickets.ParseKey(s); err != nil || got != want {
			t.Errorf("%q is %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "-", "NINJA", "NINJA-", "-42", "NINJA-0", "NINJA-042", "NINJA--1", "NINJA-+1",
		"NINJA-1.0", "NINJA-1e3", "N-1", "1A-1", "ABCDEFGHIJK-1",
		" NINJA-1", "NINJA-1 ", "NINJA-1\n", "NINJA -1", "NINJA-9223372036854775808", "NINJA-99999999999999999999", "NINJA-١",
		"NİNJA-1", "NINJAſ-1", "NIN/JA-1", "NINJA-1-2",
		"NINJA_1", "NINJA-1;DROP TABLE ticket", "\xff-1", "NINJA-1\x00"} {
		_, err := tickets.ParseKey(s)
		if !errors.Is(err, tickets.CodeNotFound) || !errors.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"NINJA-42", "ninja-1", "A1-9223372036854775807", "A1-9223372036854775808", "N-1",
		"NINJA-007", "ſſ-1", "\xff-1", "", "-", "NINJA-1\n", "K2-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, err := tickets.ParseKey(s)
		if err != nil {
			if key != (tickets.Key{}) {
				t.Errorf("%q is none, and yet %v", s, key)
			}
			return
		}
		if key.Number < 1 || key.Number > 1<<63-1 || len(key.Board) < 2 || len(key.Board) > 10 ||
			strings.Trim(key.Board, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			t.Errorf("%q became %v", s, key)
		}
		if key.String() != strings.ToUpper(s) {
			t.Errorf("%q became %s", s, key)
		}
		if again, err := tickets.ParseKey(key.String()); err != nil || again != key {
			t.Errorf("%s read again is %v, %v", key, again, err)
		}
	})
}
