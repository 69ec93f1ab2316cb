package refs

import (
	"bufio"
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	"github.com/sqids/sqids-go"
	"pgregory.net/rapid"
)

// alike are characters that pass for one another, in whatever case.
var alike = []string{"oO0", "iI1lL", "zZ2", "eE3", "aA4", "sS5", "gG69", "tT7", "bB8"}

// passFor are the characters that pass for one.
func passFor(char rune) string {
	for _, group := range alike {
		if strings.ContainsRune(group, char) {
			return group
		}
	}
	return strings.ToLower(string(char)) + strings.ToUpper(string(char))
}

func TestBlocklist(t *testing.T) {
	t.Parallel()
	var words []string
	for _, word := range sqids.Blocklist() {
		if len(word) >= 3 && len(word) <= Long {
			words = append(words, word)
		}
	}
	if len(words) < 250 {
		t.Fatalf("%d words", len(words))
	}
	rapid.Check(t, func(t *rapid.T) {
		dice := rapid.Uint64().Draw(t, "dice")
		roll := func(n int) int { // one draw for all words, that is enough for each
			dice = dice*6364136223846793005 + 1442695040888963407
			return int((dice >> 33) % uint64(n))
		}
		for _, word := range words {
			var written strings.Builder
			for _, char := range word {
				chars := passFor(char)
				written.WriteByte(chars[roll(len(chars))])
			}
			length := max(Short+roll(2), len(word))
			code := []byte(nth(uint64(roll(int(Space(Short)))), Long)[Long-length:])
			copy(code[roll(length-len(word)+1):], written.String())
			if !Offensive(Code(code)) {
				t.Fatalf("%s in %s is not found", word, code)
			}
		}
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	t.Run("numbers and codes ascend together", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			length := rapid.SampledFrom([]int{Short, Long}).Draw(t, "length")
			a := rapid.Uint64Range(0, Space(length)-2).Draw(t, "a")
			b := rapid.Uint64Range(a+1, Space(length)-1).Draw(t, "b")
			for _, n := range []uint64{a, b} {
				if code := nth(n, length); len(code) != length || strings.Trim(code, alphabet) != "" {
					t.Fatalf("%d is %q", n, code)
				}
			}
			if nth(a, length) >= nth(b, length) || nth(a, length) >= nth(a+1, length) {
				t.Fatalf("%d is %s, and %d is %s", a, nth(a, length), b, nth(b, length))
			}
		})
		if nth(0, Short) != "22222" || nth(Space(Long)-1, Long) != "zzzzzz" {
			t.Error("the first or the last is another")
		}
	})
	t.Run("drawn codes are of the slice, in order, and new", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			slice := Slice{Length: Short, From: rapid.Uint64Range(0, Space(Short)-1).Draw(t, "from")}
			slice.To = rapid.Uint64Range(slice.From+1, min(Space(Short), slice.From+500)).Draw(t, "to")
			dice := bufio.NewReader(rand.Reader)
			seen := slice.draw(dice, 100, nil)
			drawn := slice.draw(dice, 100, seen)
			for _, numbers := range [][]uint64{seen, drawn} {
				if !slices.IsSorted(numbers) || len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
					t.Fatalf("%v", numbers)
				}
				for _, n := range numbers {
					if n < slice.From || n >= slice.To {
						t.Fatalf("%d of %+v", n, slice)
					}
				}
			}
			for _, n := range drawn {
				if slices.Contains(seen, n) {
					t.Fatalf("%d was seen", n)
				}
			}
		})
	})
}
