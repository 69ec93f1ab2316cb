package worker

import (
	"crypto/sha256"
	"errors"
	"regexp"
	"strings"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

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
func problemOf(err error, mask func(text string) string) problem {
	keep := func(text string, n int) string { return migrations.Cut(mask(text), n) }
	message := err.Error()
	if strings.TrimSpace(message) == "" {
		message = "an error without a message"
	}
	p := problem{message: keep(message, maxMessage)}
	var detailed migrations.DetailedError
	cause := fault.Cause(err) // of db.Unavailable: the server's message
	switch {
	case errors.As(err, &detailed):
		p.detail = keep(detailed.Detail(), maxDetail)
	case cause != nil:
		p.detail = keep(cause.Error(), maxDetail)
	}
	p.fingerprint = fingerprintOf(p.message)
	return p
}

// The variable parts of errors that are alike, in the order of their removal. An apostrophe within a word begins no
// quotation.
var variableParts = []struct {
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
	for _, v := range variableParts {
		message = v.find.ReplaceAllString(message, v.with)
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(message)))
	return [8]byte(sum[:8])
}
