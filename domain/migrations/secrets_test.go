package migrations

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// Errors write a secret as it is sent, not as it was typed.
func TestSecretsInOtherForms(t *testing.T) {
	t.Parallel()
	const secret = `p@ss/wörd "1"&<x>`
	s := storedParams{Secret: Values{"password": secret, "pin": "1"}}
	inJSON, _ := json.Marshal(map[string]string{"key": secret})
	for _, text := range []string{
		"said " + secret,
		"GET " + (&url.URL{Scheme: "https", Host: "example.com", Path: "/", User: url.UserPassword("me", secret)}).String(),
		"GET https://example.com/?" + url.Values{"key": {secret}}.Encode(),
		(&url.Error{Op: "Get", URL: "https://example.com/" + url.PathEscape(secret), Err: errors.New("refused")}).Error(),
		fmt.Sprintf("sent %q", secret),
		"sent " + string(inJSON),
	} {
		if got := mask(s.secrets(), text); strings.Contains(got, "rd") || !strings.Contains(got, Masked) {
			t.Errorf("%s", got)
		}
	}
	if got := mask(s.secrets(), "1 of 11"); got != "1 of 11" {
		t.Error(got)
	}
}
