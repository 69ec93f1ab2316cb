package refs

import (
	"strings"
	"sync"

	"github.com/sqids/sqids-go"
)

// looks are digits that pass for letters; what looks alike is one letter to Offensive.
var looks = strings.NewReplacer("0", "o", "1", "i", "l", "i", "2", "z", "3", "e", "4", "a", "5", "s", "6", "g", "7", "t", "8", "b", "9", "g")

// fold makes one of what looks alike: ukrEP and UKR3P are ukrep.
func fold(text string) string { return looks.Replace(strings.ToLower(text)) }

// shortestWord is the shortest that is looked for within a code.
const shortestWord = 3

// offensive are words of many languages that nobody wants on a receipt, folded. The list is kept by the Sqids
// project for such identifiers.
var offensive = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, word := range sqids.Blocklist() {
		if word = fold(word); len(word) >= shortestWord && len(word) <= Long {
			words[word] = true
		}
	}
	return words
})

// Offensive reports whether a code has an offensive word in it, in whatever case and with digits for letters.
func Offensive(code Code) bool {
	text, words := fold(string(code)), offensive()
	for from := 0; from+shortestWord <= len(text); from++ {
		for to := from + shortestWord; to <= len(text); to++ {
			if words[text[from:to]] {
				return true
			}
		}
	}
	return false
}
