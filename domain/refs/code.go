package refs

import (
	"strings"
)

// Code is a reference code. Letters of either case are different.
type Code string

const (
	// alphabet is the characters of minted codes: without 0 O 1 l I, which look alike. Its order is that of the
	// database, so numbers and codes ascend together.
	alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	// readable is the characters of loaded codes.
	readable = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// The lengths of codes.
const (
	Short = 5
	Long  = 6
)

// Space is how many codes of a length there are.
func Space(length int) uint64 {
	n := uint64(1)
	for range length {
		n *= uint64(len(alphabet))
	}
	return n
}

// Parse returns the code that a text is, or BadCode. Space around it does not count, case does.
func Parse(text string) (Code, error) {
	text = strings.TrimSpace(text)
	if len(text) != Short && len(text) != Long || strings.Trim(text, readable) != "" {
		return "", BadCode()
	}
	return Code(text), nil
}

// nth is the code of a length with a number below Space.
func nth(n uint64, length int) string {
	var code [Long]byte
	for i := length - 1; i >= 0; i-- {
		code[i] = alphabet[n%uint64(len(alphabet))]
		n /= uint64(len(alphabet))
	}
	return string(code[:length])
}

// lengths counts the codes by length.
func lengths(codes []string) map[int]int {
	n := map[int]int{}
	for _, code := range codes {
		n[len(code)]++
	}
	return n
}

// Parts divides all codes, loaded ones too, by their first characters, 0 to 2: each part is "from to" in the order of
// the database, without to; the last has no end.
func Parts(characters int) (parts []string) {
	starts := []string{""}
	for range characters {
		var longer []string
		for _, start := range starts {
			for _, next := range readable {
				longer = append(longer, start+string(next))
			}
		}
		starts = longer
	}
	for i, start := range starts {
		next := ""
		if i+1 < len(starts) {
			next = starts[i+1]
		}
		parts = append(parts, start+" "+next)
	}
	return parts
}

// PartsFor is by how many characters so many codes are divided into parts of at most some thousands.
func PartsFor(codes uint64) int {
	switch {
	case codes < 20_000:
		return 0
	case codes < 1_000_000:
		return 1
	}
	return 2
}
