package images

import (
	"errors"
	"fmt"
	"testing"
)

func TestErrorsNameHostsOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		fmt.Sprintf("%q answers 404 Not Found.", "https://a.example/secret/plan.png"):                          `"https://a.example/…" answers 404 Not Found.`,
		fmt.Sprintf("%q redirects: %q cannot be requested", "http://u:p@a.example:8080?x=secret", `//b/"q"/x`): `"http://a.example:8080/…" redirects: "//b/…" cannot be requested`,
		`"a.example" is blocked`: `"a.example" is blocked`,
	} {
		if got := (hostsOnly{errors.New(text)}).Error(); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
