package refs

import (
	"strings"
	"sync"

	"github.com/sqids/sqids-go"
)

// lookalikes maps digits to the letters that they pass for.
var lookalikes = strings.NewReplacer("0", "o", "1", "i", "l", "i", "2", "z", "3", "e", "4", "a", "5", "s", "6", "g",
	"7", "t", "8", "b", "9", "g")

// fold maps characters that look alike to one: ukrEP and UKR3P are ukrep.
func fold(text string) string { return lookalikes.Replace(strings.ToLower(text)) }

// shortestWord is the length of the shortest word that is searched for.
const shortestWord = 3

// offensive are words of many languages that do not belong on a receipt, folded. The list is the Sqids project's.
var offensive = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, word := range sqids.Blocklist() {
		if word = fold(word); len(word) >= shortestWord && len(word) <= Long {
			words[word] = true
		}
	}
	return words
})

// Offensive reports whether a code contains an offensive word, in any case and with digits for letters.
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
