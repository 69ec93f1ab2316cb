package requests_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/limits"
	"github.com/counterfoil/counterfoil/domain/requests"
)

func TestParseIntro(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("ü", requests.MaxIntro)
	for s, want := range map[string]string{
		"":                         "",
		" \r\n\t ":                 "",
		" one\r\ntwo\rthree\n\n":   "one\ntwo\nthree",
		"a\tb  c":                  "a\tb  c",
		most:                       most,
		" " + most + "\n":          most,
		"<b>'; DROP TABLE company": "<b>'; DROP TABLE company",
	} {
		if got, err := requests.ParseIntro(s); err != nil || got != want {
			t.Errorf("%.20q is %.20q, %v", s, got, err)
		}
	}
	for s, says := range map[string]string{
		most + "x": "2001 characters; shorten it to 2000", strings.Repeat("\x00", 2001): "2001 characters",
		"a\x00b": "invalid", "a\x1bb": "invalid", "a\x7fb": "invalid", "a\u0085b": "invalid", "a\xffb": "invalid",
		"\xed\xa0\x80": "invalid",
	} {
		got, err := requests.ParseIntro(s)
		domaintest.Is(t, err, requests.CodeBadIntro)
		if got != "" || fault.Field(err) != "intro" || !strings.Contains(fault.Message(err), says) {
			t.Errorf("%.20q is %.20q, %v", s, got, err)
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("A", 22)
	for s, want := range map[string]bool{
		zeros: true, "abcdefghij-_0123456789": false, "abcdefghij-_012345678w": true, "": false, zeros[1:]: false,
		zeros + "A": false, zeros + "==": false, zeros[:21] + "B": false, // bits beyond the last byte
		zeros[:21] + "+": false, zeros[:21] + " ": false, zeros + "\n": false, zeros[:9] + "\r\n" + zeros[9:]: false,
		zeros[:21] + "é": false,
	} {
		if requests.IsToken(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
	token := requests.NewToken()
	if !requests.IsToken(token) || token == requests.NewToken() {
		t.Errorf("%q is new", token)
	}
	raw := domaintest.OK(base64.RawURLEncoding.DecodeString(token))(t)
	if hash := requests.HashToken(token); len(hash) != 32 || bytes.Contains(hash, raw) ||
		bytes.Equal(hash, requests.HashToken(token+"=")) {
		t.Errorf("%q has the hash %x", token, hash)
	}
}

func TestSubmissionToken(t *testing.T) {
	t.Parallel()
	sent := requests.Submission{Company: "acme", Board: "NINJA", Nonce: "n", Title: "a", Description: "b c", Email: "c"}
	if token := sent.Token(); !requests.IsToken(token) || token != sent.Token() {
		t.Errorf("sent again it is another: %q", token)
	}
	seen := map[string]bool{sent.Token(): true}
	for what, change := range map[string]func(s *requests.Submission){
		"company":         func(s *requests.Submission) { s.Company = "acmf" },
		"board":           func(s *requests.Submission) { s.Board = "NINJB" },
		"nonce":           func(s *requests.Submission) { s.Nonce = "m" },
		"title":           func(s *requests.Submission) { s.Title = "A" },
		"description":     func(s *requests.Submission) { s.Description = "B" },
		"email":           func(s *requests.Submission) { s.Email = "" },
		"all in a title":  func(s *requests.Submission) { s.Title, s.Description = "ab c", "" },
		"none in a title": func(s *requests.Submission) { s.Title, s.Description = "", "ab c" },
		"a moved space":   func(s *requests.Submission) { s.Title, s.Description = "a b", "c" },
	} {
		other := sent
		change(&other)
		if token := other.Token(); seen[token] {
			t.Errorf("%s: it is the token of another form", what)
		} else {
			seen[token] = true
		}
	}
}

func TestOriginGroupOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]requests.OriginGroup{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2::3": "2001:db8:1::/48",
		"2001:db8:1:ffff::": "2001:db8:1::/48", "2001:db8:2::1": "2001:db8:2::/48", "": "",
	} {
		if group := requests.OriginGroupOf(limits.OriginOf(address)); group != want {
			t.Errorf("%q is of the group %q", address, group)
		}
	}
}

func TestTooMany(t *testing.T) {
	t.Parallel()
	for wait, says := range map[time.Duration]string{
		0: "again in a minute.", time.Minute - 1: "again in a minute.", time.Minute: "again in a minute or two.",
		time.Minute + 1: "again in 2 minutes.", time.Hour - 1: "again in 60 minutes.",
	} {
		for lookup, about := range map[bool]string{true: "codes or links", false: "Nothing was sent"} {
			err := fmt.Errorf("use case: %w", requests.TooMany{Wait: wait, Lookup: lookup})
			var retry interface{ RetryAfter() time.Duration }
			if !errors.As(err, &retry) || retry.RetryAfter() != wait || fault.KindOf(err) != fault.RateLimited ||
				!strings.Contains(fault.Message(err), says) || !strings.Contains(fault.Message(err), about) {
				t.Errorf("%v: %v", wait, err)
			}
		}
	}
}
