package migrations

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// Permanent is an error of a task that no further attempt would mend.
type Permanent struct{ Err error }

func (e Permanent) Error() string { return e.Err.Error() }
func (e Permanent) Unwrap() error { return e.Err }

// Later puts a task off: it comes again after a while, and that costs no attempt; unless its host let
// nothing through for an hour: then it is a failed attempt, as with any error.
type Later struct {
	After  time.Duration
	Host   string // that asked for it; "" where none did
	Reason string
}

func (e Later) Error() string {
	if e.Host == "" {
		return fmt.Sprintf("put off for %s: %s", e.After, e.Reason)
	}
	return fmt.Sprintf("%s: put off for %s: %s", e.Host, e.After, e.Reason)
}

// Detailed is an error with more to say than its message, such as what an upstream answered; the
// attempt keeps it.
type Detailed interface {
	error
	Detail() string
}

// Panicked is a panic of a processor.
type Panicked struct {
	Value any
	Stack string
}

func (e Panicked) Error() string  { return fmt.Sprintf("panic: %v", e.Value) }
func (e Panicked) Detail() string { return e.Stack }

// Overdue is an attempt that took longer than its run allows.
type Overdue struct {
	Timeout time.Duration
	Stuck   bool // it did not end when it was told to
}

func (e Overdue) Error() string {
	if e.Stuck {
		return fmt.Sprintf("took longer than the run's timeout of %s, and did not stop when told to", e.Timeout)
	}
	return fmt.Sprintf("took longer than the run's timeout of %s", e.Timeout)
}
func (Overdue) Unwrap() error { return context.DeadlineExceeded }

// How much of an error is kept. The columns hold more bytes than these characters take.
const (
	maxMessage = 2000 // characters
	maxDetail  = 16_000
	maxNote    = 1000
)

// problem is an error as it is kept.
type problem struct {
	message, detail string
	fingerprint     [8]byte
}

// problemOf leaves secrets out, and cuts then: half a secret is one that is not found.
func problemOf(err error, secrets ...string) problem {
	keep := func(text string, n int) string { return cut(mask(secrets, text), n) }
	message := err.Error()
	if strings.TrimSpace(message) == "" {
		message = "an error without a message"
	}
	p := problem{message: keep(message, maxMessage)}
	var detailed Detailed
	cause := fault.Cause(err) // of db.Unavailable: what the server said
	switch {
	case errors.As(err, &detailed):
		p.detail = keep(detailed.Detail(), maxDetail)
	case cause != nil:
		p.detail = keep(cause.Error(), maxDetail)
	}
	p.fingerprint = fingerprintOf(p.message)
	return p
}

// What differs between errors that are alike, in the order in which it is taken out. An apostrophe
// within a word begins no quotation.
var varying = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile("\"[^\"]*\"|`[^`]*`|“[^”]*”|‘[^’]*’|«[^»]*»"), "…"},
	{regexp.MustCompile(`(^|[\s(\[{=:,])'[^']*'`), "$1…"},
	{regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://\S+`), "…"},
	{regexp.MustCompile(`\S+@\S+`), "…"},
	{regexp.MustCompile(`\[?[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*(%\w+)?\]?(:\d+)?`), "…"},                 // IPv6, MAC addresses, times
	{regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}(:\d+)?`), "…"},                                                // IPv4
	{regexp.MustCompile(`\b([A-Za-z0-9-]+\.)+[A-Za-z]{2,}:\d+`), "…"},                                          // host:port
	{regexp.MustCompile(`\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}`), "#"}, // UUID
	{regexp.MustCompile(`\b0[xX][0-9A-Fa-f]+|\b[0-9A-Fa-f]{8,}\b`), "#"},
	{regexp.MustCompile(`[+-]?\d+([.,]\d+)*`), "#"},
	{regexp.MustCompile(`\s+`), " "},
}

// fingerprintOf is the same for messages that differ in numbers, quoted texts and addresses only.
func fingerprintOf(message string) [8]byte {
	for _, v := range varying {
		message = v.find.ReplaceAllString(message, v.with)
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(message)))
	return [8]byte(sum[:8])
}

// cut returns the beginning of a text, at most n characters, as the database can store it.
func cut(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
