package worker

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/migrations"
)

func TestErrorsAreGroupedByFingerprint(t *testing.T) {
	t.Parallel()
	alike := [][]string{
		{`Get "http://10.0.0.1/1.png": context deadline exceeded`,
			`Get "http://images.example/x y.png": context deadline exceeded`},
		{"fetch https://a.example/1.png: 503 Service Unavailable",
			"fetch https://b.example/2.png?q=1: 503 Service Unavailable"},
		{"dial tcp 127.0.0.1:8080: connect: connection refused", "dial tcp 10.1.2.3:443: connect: connection refused"},
		{"dial tcp [::1]:8080: connect: connection refused", "dial tcp [2001:db8::7]:443: connect: connection refused"},
		{"Duplicate entry '12-abc' for key 'uq_x'", "Duplicate entry '13-def' for key 'uq_y'"},
		{"panic: runtime error: index out of range [7] with length 3",
			"panic: runtime error: index out of range [12] with length 12"},
		{"invalid memory address 0xc000123400", "invalid memory address 0xdeadbeef"},
		{"hash 9f86d081884c7d65 differs", "hash 60303ae22b998861 differs"},
		{"nobody has 6f1ed002-ab5e-4d1c-9a0a-12d0e0b5c5aa", "nobody has 00000000-0000-0000-0000-000000000000"},
		{"no account ann@example.com", "no account ben@example.org"},
		{"took 1.5 s of 3", "took 20 s of 40"},
	}
	seen := map[[8]byte]string{}
	for _, pair := range alike {
		first, second := fingerprintOf(pair[0]), fingerprintOf(pair[1])
		if first != second {
			t.Errorf("%q and %q are apart", pair[0], pair[1])
		}
		if other, taken := seen[first]; taken {
			t.Errorf("%q and %q are in one group", pair[0], other)
		}
		seen[first] = pair[0]
	}
	if fingerprintOf("it can't be read, and won't be") == fingerprintOf("it can't be written, and won't be") {
		t.Error("apostrophes within words quote what is between them")
	}
}

func TestStoredErrorsFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, n := rapid.OneOf(rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text"),
			rapid.IntRange(1, 50).Draw(t, "n")
		kept := migrations.Cut(text, n)
		if !utf8.ValidString(kept) || utf8.RuneCountInString(kept) > n {
			t.Fatalf("%q of %q", kept, text)
		}
		fingerprintOf(text)
	})
	if kept := problemOf(migrations.PanicError{Value: strings.Repeat("ü", 5000), Stack: strings.Repeat("x", 50_000)},
		migrations.Run{}.Mask); utf8.RuneCountInString(kept.message) != maxMessage || len(kept.detail) > 65_535 {
		t.Error("an error is kept in full")
	}
}

// The cut of a message must not leave half of a secret.
func TestSecretsAtTheCutOfAMessage(t *testing.T) {
	t.Parallel()
	masked := func(text string) string {
		return migrations.WithoutSecrets(`{"secret": {"password": "correct-horse-battery"}}`, text)
	}
	p := problemOf(errors.New(strings.Repeat("x", maxMessage-10)+"correct-horse-battery"), masked)
	if strings.Contains(p.message, "correct") || !strings.Contains(p.message, "•") {
		t.Error(p.message[maxMessage-20:])
	}
}
