package webhooks

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// Patience is how long a webhook may fail before it is stopped.
	Patience = 5 * 24 * time.Hour
	// MaxResponse is how many bytes are kept of an answer.
	MaxResponse = 2000
	maxError    = 500
	// maxRetryAfter is how long an answer can make us wait.
	maxRetryAfter = 12 * time.Hour
)

// waits are the delays between attempts; the last repeats.
var waits = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour,
}

// Outcome is the result of an attempt.
type Outcome struct {
	Status     int    // 0: no answer came
	Error      string // why it is a failure, for users; "" if it is none
	Response   []byte // how the answer's body began
	RetryAfter time.Duration
	Took       time.Duration
	Refused    bool // the rules for addresses stood against it
}

// ResponseOutcome is the outcome of a response. A redirect is a failure, and not followed.
func ResponseOutcome(status int, location string, response []byte, retryAfter, took time.Duration) Outcome {
	o := Outcome{Status: status, Response: response[:min(len(response), MaxResponse)], RetryAfter: retryAfter, Took: took}
	switch {
	case status >= 200 && status < 300:
	case status == http.StatusGone:
		o.Error = "It answered 410 Gone: it no longer accepts messages."
	case redirects(status) && location == "":
		o.Error = statusError(status) + " Redirects are not followed: use the final address."
	case status >= 300 && status < 400 && location != "":
		o.Error = shorten(fmt.Sprintf(
			"It answered %d and leads to %.300q. Redirects are not followed: use the final address.", status, location))
	default:
		o.Error = statusError(status)
	}
	return o
}

func statusError(status int) string {
	return strings.TrimSuffix(fmt.Sprintf("It answered %d %s", status, http.StatusText(status)), " ") + "."
}

// redirects reports whether a status leads to another address.
func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return true
	}
	return false
}

// StatusOutcome is ResponseOutcome of a receiver on a private network: nothing of its answer but the status is kept.
func StatusOutcome(status int, retryAfter, took time.Duration) Outcome {
	return ResponseOutcome(status, "", nil, retryAfter, took)
}

// ErrorOutcome is the outcome without a response.
func ErrorOutcome(err error, took time.Duration) Outcome {
	return Outcome{Error: shorten(err.Error()), Took: took, Refused: outbound.IsRefused(err)}
}

func shorten(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if utf8.RuneCountInString(s) <= maxError {
		return s
	}
	return string([]rune(s)[:maxError-1]) + "…"
}

// OK reports whether the message was accepted.
func (o Outcome) OK() bool { return o.Error == "" }

// Gone reports whether the receiver wants no more messages.
func (o Outcome) Gone() bool { return o.Status == http.StatusGone }

// Wait returns the delay of the next attempt after so many failures in a row before this one: the schedule's, with a
// jitter of a fifth, or the one that the response asked for if that is longer.
func (o Outcome) Wait(failures int) time.Duration {
	return max(wait.Jitter(waits[min(failures, len(waits)-1)], 0.2), min(o.RetryAfter, maxRetryAfter))
}
