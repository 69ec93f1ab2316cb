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

// Merged is a text with the changes of two others to their base.
type Merged []Piece

// Piece is a part of a merged text: its lines, or those of both if both changed them.
type Piece struct {
	Clash        bool
	Lines        []string
	Mine, Theirs []string // of a clash
}

// The choices for the lines that both changed.
const (
	TakeMine   = "mine"
	TakeTheirs = "theirs"
	TakeBoth   = "both"
	TakeOther  = "other"
)

// Choice is what is taken for the lines that both changed; Other is the text of TakeOther.
type Choice struct{ Take, Other string }

// maxClashes is the most pieces that anyone chooses one by one.
const maxClashes = 100

// Merge merges the changes of two texts to their base. With more than 100 clashes it is one, of the whole texts.
//
// It is diff3 (Khanna, Kunal, Pierce: A Formal Investigation of Diff3).
func Merge(base, mine, theirs string) (m Merged) {
	o, a, b := lines(base), lines(mine), lines(theirs)
	inA, inB := match(o, a), match(o, b)
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
		m.add(mergePart(o[i:next], a[j:endA], b[k:endB]))
		if next == len(o) {
			break
		}
		m.add(Piece{Lines: o[next : next+1]})
		i, j, k = next+1, endA+1, endB+1
	}
	if m.Clashes() > maxClashes {
		return Merged{{Clash: true, Mine: a, Theirs: b}}
	}
	return m
}

func (m *Merged) add(p Piece) {
	if last := len(*m) - 1; last >= 0 && !p.Clash && !(*m)[last].Clash {
		(*m)[last].Lines = append((*m)[last].Lines, p.Lines...)
		return
	}
	if p.Clash || len(p.Lines) > 0 {
		p.Lines = slices.Clone(p.Lines) // of a text that stays as it is
		*m = append(*m, p)
	}
}

func mergePart(base, mine, theirs []string) Piece {
	switch {
	case slices.Equal(mine, base):
		return Piece{Lines: theirs}
	case slices.Equal(theirs, base), slices.Equal(mine, theirs):
		return Piece{Lines: mine}
	}
	return Piece{Clash: true, Mine: mine, Theirs: theirs}
}

// Both are the lines of both, the own first.
func (p Piece) Both() []string { return slices.Concat(p.Mine, p.Theirs) }

func (p Piece) choose(c Choice) (chosen []string, ok bool) {
	switch c.Take {
	case TakeMine:
		return p.Mine, true
	case TakeTheirs:
		return p.Theirs, true
	case TakeBoth:
		return p.Both(), true
	case TakeOther:
		return lines(c.Other), true
	}
	return p.Both(), false
}

// Clashes is how many pieces both changed.
func (m Merged) Clashes() (n int) {
	for _, p := range m {
		if p.Clash {
			n++
		}
	}
	return n
}

// Text is the text with a choice for each clash, in order. Where there is none it has the lines of both, and missing
// the number of the clash, from 0.
func (m Merged) Text(choices ...Choice) (text string, missing []int) {
	var all []string
	n := 0
	for _, p := range m {
		if !p.Clash {
			all = append(all, p.Lines...)
			continue
		}
		var choice Choice
		if n < len(choices) {
			choice = choices[n]
		}
		chosen, ok := p.choose(choice)
		if !ok {
			missing = append(missing, n)
		}
		all = append(all, chosen...)
		n++
	}
	return strings.Join(all, "\n"), missing
}

// Around are the lines of each piece that has no clash, without those far from one.
func (m Merged) Around() [][]Line {
	var all []Line
	for _, p := range m {
		if p.Clash {
			all = append(all, Line{Op: Removed})
		}
		for _, text := range p.Lines {
			all = append(all, Line{Op: Kept, Text: text})
		}
	}
	around := make([][]Line, len(m))
	at := 0
	for _, l := range shorten(all) {
		if l.Op == Kept || l.Op == Skipped {
			around[at] = append(around[at], l)
			continue
		}
		if !m[at].Clash {
			at++
		}
		at++ // between two clashes is a piece without
	}
	return around
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
