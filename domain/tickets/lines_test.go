package tickets_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

// text is one with few different lines, so that many of them repeat.
func text(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "d"}), 0, 12).Draw(t, name), "\n")
}

// long is a text whose lines are too many, and repeat too much, to be compared each with each.
func long(t *rapid.T, name string) string {
	part := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "d"}), 1, 6)
	first, then := part.Draw(t, name+" begins with"), part.Draw(t, name+" goes on with")
	n := rapid.IntRange(1500, 3000).Draw(t, name+" times")
	own := rapid.SampledFrom([]string{"a", "only " + name}).Draw(t, name+" ends with")
	return strings.Join(slices.Concat(slices.Repeat(first, n), slices.Repeat(then, n), []string{own}), "\n")
}

// Texts whose common lines are not looked for, because that would take long, merge more coarsely, and
// by the same rules.
func TestMergeOfLongTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base, mine, theirs := long(t, "base"), long(t, "mine"), long(t, "theirs")
		for _, both := range [][2]string{{base, mine}, {mine, base}, {mine, mine}} {
			if merged, missing := tickets.Merge(base, both[0], both[1]).Text(); merged != mine || missing != nil {
				t.Fatalf("who changed nothing takes part: %v", missing)
			}
		}
		merged, _ := tickets.Merge(base, mine, theirs).Text()
		has := strings.Split(merged, "\n")
		for _, own := range []string{"only mine", "only theirs"} {
			if slices.Contains(strings.Split(mine+"\n"+theirs, "\n"), own) && !slices.Contains(has, own) {
				t.Fatalf("the line %q is lost", own)
			}
		}
		for _, pair := range [][2]string{{base, mine}, {mine, theirs}} {
			makesBoth(t, pair[0], pair[1])
		}
	})
}

func TestMerge(t *testing.T) {
	t.Parallel()

	t.Run("with mine unchanged gives theirs, with theirs unchanged mine", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			base, other := text(t, "base"), text(t, "other")
			for _, both := range [][2]string{{base, other}, {other, base}, {other, other}} {
				if merged, missing := tickets.Merge(base, both[0], both[1]).Text(); merged != other || missing != nil {
					t.Fatalf("%q of %q and %q gives %q, %v", base, both[0], both[1], merged, missing)
				}
			}
		})
	})

	t.Run("changes to different lines are both kept", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(5, 40).Draw(t, "lines")
			base := make([]string, n)
			for i := range base {
				base[i] = fmt.Sprint("line ", i)
			}
			i := rapid.IntRange(0, n-3).Draw(t, "mine")
			j := rapid.IntRange(i+2, n-1).Draw(t, "theirs")
			edit := func(into []string, at int, label string) []string {
				switch rapid.IntRange(0, 2).Draw(t, label) {
				case 0:
					return slices.Delete(slices.Clone(into), at, at+1)
				case 1:
					return slices.Insert(slices.Clone(into), at, label+" 1", label+" 2")
				}
				out := slices.Clone(into)
				out[at] = label
				return out
			}
			theirs := edit(base, j, "THEIRS")
			mine := edit(base, i, "MINE")
			want := strings.Join(slices.Concat(mine[:len(mine)-(n-i-2)], theirs[i+2:]), "\n")
			merged, missing := tickets.Merge(strings.Join(base, "\n"), strings.Join(mine, "\n"), strings.Join(theirs, "\n")).Text()
			if missing != nil || merged != want {
				t.Fatalf("%v\n%q\nwant\n%q", missing, merged, want)
			}
		})
	})

	t.Run("of lines that both changed, those are taken that were chosen", func(t *testing.T) {
		t.Parallel()
		merged := tickets.Merge("one\ntwo\nthree\nfour", "one\nmine\nthree\n<<<<<<< HEAD", "one\ntheirs\nthree\nfive")
		if n := merged.Clashes(); n != 2 {
			t.Fatalf("%d clashes: %+v", n, merged)
		}
		for want, choices := range map[string][]tickets.Choice{
			"one\nmine\nthree\nfive":               {{Take: tickets.TakeMine}, {Take: tickets.TakeTheirs}},
			"one\nmine\ntheirs\nthree\nsix\nseven": {{Take: tickets.TakeBoth}, {Take: tickets.TakeOther, Other: "six\nseven"}},
			"one\nthree\n<<<<<<< HEAD":             {{Take: tickets.TakeOther}, {Take: tickets.TakeMine}},
		} {
			if got, missing := merged.Text(choices...); got != want || missing != nil {
				t.Errorf("%v: %q, %v is missing", choices, got, missing)
			}
		}
		for _, choices := range [][]tickets.Choice{nil, {{Take: tickets.TakeBoth}}, {{Take: tickets.TakeBoth}, {Take: "x"}}} {
			got, missing := merged.Text(choices...)
			if got != "one\nmine\ntheirs\nthree\n<<<<<<< HEAD\nfive" || len(missing) == 0 || missing[len(missing)-1] != 1 {
				t.Errorf("%v: %q, %v is missing", choices, got, missing)
			}
		}
	})

	t.Run("around each clash a few lines are shown", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			merged := tickets.Merge(text(t, "base"), text(t, "mine"), text(t, "theirs"))
			for i, around := range merged.Around() {
				n := 0
				for _, l := range around {
					n += max(l.Count, 1)
				}
				if n != len(merged[i].Lines) || merged[i].Clash != (n == 0) || i > 0 && merged[i].Clash == merged[i-1].Clash {
					t.Fatalf("%+v are around piece %d of %+v", around, i, merged)
				}
			}
		})
	})

	t.Run("nothing that either changed is lost where nothing was chosen", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			base, mine, theirs := text(t, "base"), text(t, "mine"), text(t, "theirs")
			merged, _ := tickets.Merge(base, mine, theirs).Text()
			has := strings.Split(merged, "\n")
			for _, one := range [][2]string{{mine, theirs}, {theirs, mine}} {
				for _, line := range strings.Split(one[0], "\n") {
					new := !slices.Contains(strings.Split(base, "\n"), line)
					if new && line != "" && !slices.Contains(has, line) {
						t.Fatalf("the line %q is lost: %q", line, merged)
					}
				}
			}
		})
	})
}

// makesBoth fails if the lines of a difference are not those of its two texts.
func makesBoth(t *rapid.T, old, new string) {
	var before, after []string
	was, is := strings.Split(old, "\n"), strings.Split(new, "\n")
	for _, line := range tickets.Diff(old, new) {
		if line.Op == tickets.Skipped {
			before = append(before, was[len(before):len(before)+line.Count]...)
			after = append(after, is[len(after):len(after)+line.Count]...)
			continue
		}
		if line.Op != tickets.Added {
			before = append(before, line.Text)
		}
		if line.Op != tickets.Removed {
			after = append(after, line.Text)
		}
	}
	if strings.Join(before, "\n") != old || strings.Join(after, "\n") != new {
		t.Fatalf("%q and %q come from %q and %q", before, after, old, new)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()

	t.Run("its lines make the one text and the other", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			makesBoth(t, text(t, "old"), text(t, "new"))
		})
	})

	t.Run("lines far from a change are one line", func(t *testing.T) {
		t.Parallel()
		old := strings.Repeat("same\n", 50) + "old"
		got := tickets.Diff(old, strings.Repeat("same\n", 50)+"new")
		if len(got) != 6 || got[0].Op != tickets.Skipped || got[0].Count != 47 {
			t.Errorf("%v", got)
		}
	})
}

// The worst texts that a description may hold.
func BenchmarkMerge(b *testing.B) {
	short := strings.Repeat("a\nb\n", tickets.MaxDescription/4)
	var shuffled, counted strings.Builder
	for i := 0; shuffled.Len() < tickets.MaxDescription-8; i++ {
		fmt.Fprintf(&shuffled, "%d\n", i*7919%13000)
		fmt.Fprintf(&counted, "%d\n", i%13000)
	}
	for name, texts := range map[string][3]string{
		"empty lines":    {strings.Repeat("\n", 65535), strings.Repeat("\nx", 32767), strings.Repeat("y\n", 32767)},
		"two lines":      {short, strings.Repeat("b\na\n", tickets.MaxDescription/4), "x" + short[1:]},
		"shuffled lines": {counted.String(), shuffled.String(), strings.Repeat("b\na\n", tickets.MaxDescription/4)},
		"a thousand":     {strings.Repeat("a\nb\n", 700), strings.Repeat("b\nb\na\n", 470), strings.Repeat("a\na\nb\n", 470)},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				tickets.Merge(texts[0], texts[1], texts[2])
			}
		})
	}
}

func TestMergeOfManyClashes(t *testing.T) {
	t.Parallel()
	text := func(word string, n int) string { return strings.Repeat(word+"\nkept\n", n) }
	for n, want := range map[int]int{1: 1, 100: 100, 101: 1} {
		merged := tickets.Merge(text("base", n), text("mine", n), text("theirs", n))
		mine, missing := merged.Text(slices.Repeat([]tickets.Choice{{Take: tickets.TakeMine}}, n)...)
		if merged.Clashes() != want || mine != text("mine", n) || missing != nil {
			t.Errorf("%d pieces: %d clashes, %v is missing", n, merged.Clashes(), missing)
		}
	}
}
