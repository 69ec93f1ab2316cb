// Package color has the twelve colours of labels, initials and columns. Each passes contrast in light and dark, and none
// says anything alone.
package color

import "slices"

// Color is one of the colours.
type Color uint8

// Names are the names of all colours.
var Names = []string{"gray", "red", "orange", "amber", "yellow", "green", "teal", "cyan", "blue", "indigo", "purple", "pink"}

// All are all colours.
func All() []Color {
	all := make([]Color, len(Names))
	for i := range all {
		all[i] = Color(i)
	}
	return all
}

// String returns the name of the colour, such as teal. An unknown one is gray; ops/verify reports it.
func (c Color) String() string {
	if int(c) >= len(Names) {
		return Names[0]
	}
	return Names[c]
}

// Parse reads what String returns; ok is false for anything else.
func Parse(text string) (c Color, ok bool) {
	n := slices.Index(Names, text)
	return Color(max(n, 0)), n >= 0
}
