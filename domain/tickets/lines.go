package tickets

import (
	"slices"
	"strings"
)

// The kinds of lines in a comparison.
const (
	Kept    = ' '
	Removed = '-'
	Added   = '+'
	Skipped = '…' // Count lines that were kept
)

// Line is a line of a difference between two texts.
type Line struct {
	Op    rune
	Text  string
	Count int
}

// around is how many kept lines a difference shows on each side of a change.
const around = 3

// Diff returns the lines that turn a text into another, with a few around them.
func Diff(old, new string) []Line {
	a, b := lines(old), lines(new)
	var all []Line
	j := 0
	for i, at := range match(a, b) {
		if at < 0 {
			all = append(all, Line{Op: Removed, Text: a[i]})
			continue
		}
		for ; j < at; j++ {
			all = append(all, Line{Op: Added, Text: b[j]})
		}
		all = append(all, Line{Op: Kept, Text: a[i]})
		j = at + 1
	}
	for ; j < len(b); j++ {
		all = append(all, Line{Op: Added, Text: b[j]})
	}
	return shorten(all)
}

// shorten puts one line in the place of those kept far from any change.
func shorten(all []Line) (short []Line) {
	changed := func(l Line) bool { return l.Op != Kept }
	for i := 0; i < len(all); {
		if changed(all[i]) {
			short = append(short, all[i])
			i++
			continue
		}
		end := i
		for end < len(all) && !changed(all[end]) {
			end++
		}
		from, to := i+around, end-around // the skipped lines
		if i == 0 {
			from = 0
		}
		if end == len(all) {
			to = end
		}
		if to-from < 2 {
			short = append(short, all[i:end]...)
		} else {
			short = append(short, all[i:from]...)
			short = append(short, Line{Op: Skipped, Count: to - from})
			short = append(short, all[to:end]...)
		}
		i = end
	}
	return short
}

// Marks around lines that both sides changed.
const (
	markMine   = "<<<<<<< yours"
	markMiddle = "======="
	markTheirs = ">>>>>>> theirs"
)

// Merge returns a text with the changes of two others to their base. Lines that both changed are there twice, between
// marker lines, and clean is false.
//
// It is diff3 (Khanna, Kunal, Pierce: A Formal Investigation of Diff3).
func Merge(base, mine, theirs string) (merged string, clean bool) {
	o, a, b := lines(base), lines(mine), lines(theirs)
	inA, inB := match(o, a), match(o, b)
	var out []string
	clean = true
	i, j, k := 0, 0, 0 // in o, a, b
	for {
		// The next line that all three have.
		next := i
		for next < len(o) && (inA[next] < j || inB[next] < k) {
			next++
		}
		endA, endB := len(a), len(b)
		if next < len(o) {
			endA, endB = inA[next], inB[next]
		}
		part, ok := mergePart(o[i:next], a[j:endA], b[k:endB])
		out, clean = append(out, part...), clean && ok
		if next == len(o) {
			return strings.Join(out, "\n"), clean
		}
		out = append(out, o[next])
		i, j, k = next+1, endA+1, endB+1
	}
}

func mergePart(base, mine, theirs []string) (merged []string, ok bool) {
	switch {
	case slices.Equal(mine, base):
		return theirs, true
	case slices.Equal(theirs, base), slices.Equal(mine, theirs):
		return mine, true
	}
	return slices.Concat([]string{markMine}, mine, []string{markMiddle}, theirs, []string{markTheirs}), false
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// Bounds of the work that match does, so that no text takes it long.
const (
	deepest = 16      // levels of lines that occur once
	cells   = 1 << 20 // of the tables of longest common subsequences, in all
)

// matcher pairs lines of two texts, given as numbers that are the same for the same line.
type matcher struct {
	a, b   []int
	pairs  []int // for each of a, its line of b or -1
	countA []int // by number, all 0 between uses
	countB []int
	indexB []int
	budget int
}

// match returns for each line of a the matching line of b, -1 for none: a common subsequence. Lines that occur once in
// both are paired first (patience), those between them by the longest common subsequence if that is small enough.
func match(a, b []string) []int {
	numbers := map[string]int{}
	number := func(text []string) []int {
		out := make([]int, len(text))
		for i, line := range text {
			n, ok := numbers[line]
			if !ok {
				n = len(numbers)
				numbers[line] = n
			}
			out[i] = n
		}
		return out
	}
	m := &matcher{a: number(a), b: number(b), budget: cells}
	m.pairs = slices.Repeat([]int{-1}, len(a))
	m.countA, m.countB, m.indexB = make([]int, len(numbers)), make([]int, len(numbers)), make([]int, len(numbers))
	m.match(0, len(a), 0, len(b), deepest)
	return m.pairs
}

func (m *matcher) match(a0, a1, b0, b1, depth int) {
	for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
		m.pairs[a0] = b0
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
		a1, b1 = a1-1, b1-1
		m.pairs[a1] = b1
	}
	if a0 == a1 || b0 == b1 {
		return
	}
	var anchors []int // lines of a
	if depth > 0 {
		anchors = m.anchors(a0, a1, b0, b1)
	}
	if len(anchors) == 0 {
		m.longest(a0, a1, b0, b1)
		return
	}
	for _, at := range anchors {
		m.match(a0, at, b0, m.pairs[at], depth-1)
		a0, b0 = at+1, m.pairs[at]+1
	}
	m.match(a0, a1, b0, b1, depth-1)
}

// anchors pairs the lines that occur once in both parts and are in the same order in both.
func (m *matcher) anchors(a0, a1, b0, b1 int) []int {
	for i := a0; i < a1; i++ {
		m.countA[m.a[i]]++
	}
	for j := b0; j < b1; j++ {
		m.countB[m.b[j]]++
		m.indexB[m.b[j]] = j
	}
	var once, at []int // lines of a, and theirs of b
	for i := a0; i < a1; i++ {
		if n := m.a[i]; m.countA[n] == 1 && m.countB[n] == 1 {
			once, at = append(once, i), append(at, m.indexB[n])
		}
	}
	for i := a0; i < a1; i++ {
		m.countA[m.a[i]] = 0
	}
	for j := b0; j < b1; j++ {
		m.countB[m.b[j]] = 0
	}
	var anchors []int
	for _, x := range longestIncreasing(at) {
		m.pairs[once[x]] = at[x]
		anchors = append(anchors, once[x])
	}
	return anchors
}

// longestIncreasing returns the places of a longest increasing subsequence.
func longestIncreasing(values []int) []int {
	before := make([]int, len(values))
	var tails []int // the place with the least value that ends a sequence of each length
	for i, v := range values {
		n, _ := slices.BinarySearchFunc(tails, v, func(tail, v int) int { return values[tail] - v })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	positions := make([]int, len(tails))
	for n, i := len(tails)-1, -1; n >= 0; n-- {
		if i < 0 {
			i = tails[n]
		} else {
			i = before[i]
		}
		positions[n] = i
	}
	return positions
}

// longest pairs a longest common subsequence, or nothing if its table would be too large.
func (m *matcher) longest(a0, a1, b0, b1 int) {
	height, width := a1-a0+1, b1-b0+1
	if height > cells/width || height*width > m.budget {
		return
	}
	m.budget -= height * width
	table := make([]uint16, height*width) // how much the rests have in common; under 65,536 lines as a text has fewer bytes
	for i := height - 2; i >= 0; i-- {
		for j := width - 2; j >= 0; j-- {
			if m.a[a0+i] == m.b[b0+j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < height-1 && j < width-1; {
		switch {
		case m.a[a0+i] == m.b[b0+j]:
			m.pairs[a0+i] = b0 + j
			i, j = i+1, j+1
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			i++
		default:
			j++
		}
	}
}
