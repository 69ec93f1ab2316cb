package webhooks_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/domain/webhooks"
)

const address = "https://example.com/hook"

var (
	feeds  = []string{"tickets", "comments", "boards"}
	public = outbound.New(outbound.Options{Purpose: outbound.Webhooks})
)

func TestCheck(t *testing.T) {
	t.Parallel()
	full := address + strings.Repeat("x", webhooks.MaxURL-len(address))
	t.Run("an address that cannot be reached is a BadURL of its field", func(t *testing.T) {
		t.Parallel()
		for _, wrong := range []string{"", " ", "nonsense", "http://", "ftp://example.com/", "https://u:p@example.com/",
			"https://example.com:22/", "http://127.0.0.1/x", "http://[::1]/", "https://10.0.0.7/hook",
			"http://169.254.169.254/latest", "http://localhost:8080/", "http://LOCALHOST/", "http://my.localhost/",
			full + "x"} {
			_, err := webhooks.Check(webhooks.Draft{URL: wrong, Feeds: feeds}, feeds, public)
			if !errors.Is(err, webhooks.CodeBadURL) || fault.Field(err) != "url" {
				t.Errorf("%.60q: %v", wrong, err)
			}
		}
	})
	t.Run("a public address is kept without the spaces around it", func(t *testing.T) {
		t.Parallel()
		for typed, want := range map[string]string{address: address, " " + address + "\n": address, full: full,
			"https://example.com:8080/?a=b": "https://example.com:8080/?a=b",
			"https://localhost.example/":    "https://localhost.example/"} {
			draft, err := webhooks.Check(webhooks.Draft{URL: typed, Feeds: feeds}, feeds, public)
			if err != nil || draft.URL != want {
				t.Errorf("%.60q is %.60q, %v", typed, draft.URL, err)
			}
		}
	})
	t.Run("http is for hosts of one's own that an operator lists, with their ports", func(t *testing.T) {
		t.Parallel()
		listed := outboundtest.Client(t, outbound.Webhooks, "chat.internal, build.internal:8080, 10.0.0.0/8, 8.8.4.4")
		for url, want := range map[string]error{
			"http://chat.internal/": nil, "http://CHAT.internal.:80/": nil, "http://build.internal:8080/x": nil,
			"http://10.1.2.3/": nil, "http://10.1.2.3:443/": nil, "https://10.1.2.3/": nil, "https://example.com:8443/": nil,
			"http://example.com/": webhooks.CodeNotHTTPS, "HTTP://example.com:8080/": webhooks.CodeNotHTTPS,
			"http://8.8.8.8/": webhooks.CodeNotHTTPS, "http://[2606:4700::1111]/": webhooks.CodeNotHTTPS,
			"http://8.8.4.4/": webhooks.CodeNotHTTPS, "http://x.chat.internal/": webhooks.CodeNotHTTPS,
			"http://chat.internal:8080/": webhooks.CodeBadURL, "http://build.internal/": webhooks.CodeBadURL,
			"http://10.1.2.3:8080/": webhooks.CodeBadURL, "https://10.1.2.3:8443/": webhooks.CodeBadURL,
		} {
			_, err := webhooks.Check(webhooks.Draft{URL: url, Feeds: feeds}, feeds, listed)
			if !errors.Is(err, want) || err != nil && fault.Field(err) != "url" {
				t.Errorf("%s: %v", url, err)
			}
		}
	})
	t.Run("a refusal tells no path, and is none if the address is fine", func(t *testing.T) {
		t.Parallel()
		for url, want := range map[string]string{
			address: "", "http://example.com/s3cret": "by https only", "http://10.0.0.7/s3cret": "not a public one",
			"https://u:s3cret@example.com/s3cret": "user name", "https://example.com:22/s3cret": "ports below 1024",
		} {
			got := webhooks.Refusal(url, public)
			if (got == "") != (want == "") || !strings.Contains(got, want) || strings.Contains(got, "s3cret") {
				t.Errorf("%s: %q", url, got)
			}
		}
	})
	t.Run("this machine's names are fine if its address is allowed", func(t *testing.T) {
		t.Parallel()
		reaching := outboundtest.Here(t)
		domaintest.OK(webhooks.Check(webhooks.Draft{URL: "http://localhost:8080/", Feeds: feeds}, feeds, reaching))(t)
	})
	t.Run("a note is one line of at most 255 characters", func(t *testing.T) {
		t.Parallel()
		long := strings.Repeat("ä", webhooks.MaxNote)
		for typed, want := range map[string]string{"": "", " For \n the  chat": "For the chat", long: long} {
			draft, err := webhooks.Check(webhooks.Draft{URL: address, Note: typed, Feeds: feeds}, feeds, public)
			if err != nil || draft.Note != want {
				t.Errorf("%q is %q, %v", typed, draft.Note, err)
			}
		}
		for _, wrong := range []string{long + "x", "\xff", "a\x00", "\u202eevil", strings.Repeat("\u200b", 300)} {
			_, err := webhooks.Check(webhooks.Draft{URL: address, Note: wrong, Feeds: feeds}, feeds, public)
			if !errors.Is(err, webhooks.CodeBadNote) || fault.Field(err) != "note" {
				t.Errorf("%.20q: %v", wrong, err)
			}
		}
	})
	t.Run("feeds are those that exist, each once, in their order", func(t *testing.T) {
		t.Parallel()
		draft := webhooks.Draft{URL: address, Feeds: []string{"boards", "tickets", "boards"}}
		checked, err := webhooks.Check(draft, feeds, public)
		if err != nil || fmt.Sprint(checked.Feeds) != "[tickets boards]" {
			t.Errorf("%v, %v", checked.Feeds, err)
		}
		for _, wrong := range []string{"people", "", "Tickets", "tickets "} {
			_, err := webhooks.Check(webhooks.Draft{URL: address, Feeds: []string{"tickets", wrong}}, feeds, public)
			if !errors.Is(err, webhooks.CodeBadFeed) || fault.Field(err) != "feeds" {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		domaintest.Fails(webhooks.Check(webhooks.Draft{URL: address}, feeds, public))(t, webhooks.CodeNoFeeds)
	})
	t.Run("all wrong fields are named at once, and nothing of the draft is returned", func(t *testing.T) {
		t.Parallel()
		draft, err := webhooks.Check(webhooks.Draft{URL: "nonsense", Note: "\xff", Feeds: []string{"x", "y"}}, feeds, public)
		var several fault.Several
		var fields []string
		if errors.As(err, &several) {
			for _, one := range several {
				fields = append(fields, fault.Field(one))
			}
		}
		if fmt.Sprint(fields) != "[url note feeds]" || draft.URL+draft.Note != "" || draft.Feeds != nil {
			t.Errorf("%v: %v, %+v", fields, err, draft)
		}
	})
}

func TestRowMessage(t *testing.T) {
	t.Parallel()
	t.Run("no two messages have one id, even if a restored database uses a position again", func(t *testing.T) {
		t.Parallel()
		known := map[string]bool{}
		for _, m := range []webhooks.Message{
			webhooks.RowMessage("tickets", 1, 7, 5), webhooks.RowMessage("tickets", 2, 7, 5),
			webhooks.RowMessage("tickets", 1, 7, 6), webhooks.RowMessage("tickets", 1, 8, 5),
			webhooks.RowMessage("comments", 1, 7, 5), webhooks.RowMessage("tickets", 17, 5, 5),
		} {
			if known[m.ID] {
				t.Errorf("%s is the id of two messages", m.ID)
			}
			known[m.ID] = true
		}
	})
	t.Run("its type names the row and what became of it", func(t *testing.T) {
		t.Parallel()
		got := []string{webhooks.TypeOf("tickets", false, false), webhooks.TypeOf("comments", true, false),
			webhooks.TypeOf("tickets", false, true), webhooks.TypeOf("tickets", true, true)}
		if fmt.Sprint(got) != "[ticket.changed comment.deleted ticket.left ticket.left]" {
			t.Error(got)
		}
	})
	t.Run("its body has the type, the time in UTC and the data", func(t *testing.T) {
		t.Parallel()
		at := time.Date(2026, 11, 21, 13, 0, 0, 0, time.FixedZone("", 3600))
		body, err := webhooks.Message{Type: "ticket.changed", At: at, Data: []int{1}}.Body()
		if want := `{"type":"ticket.changed","timestamp":"2026-11-21T12:00:00Z","data":[1]}`; err != nil ||
			string(body) != want {
			t.Errorf("%s, %v", body, err)
		}
		if _, err := (webhooks.Message{Data: make(chan int)}).Body(); err == nil {
			t.Error("a channel was written")
		}
	})
}

func TestSign(t *testing.T) {
	t.Parallel()
	one, two, body := []byte("the first secret"), []byte("the second secret"), []byte(`{"a":1}`)
	for name, c := range map[string]struct {
		keys     webhooks.Keys
		verified []bool // by one, by two
	}{
		"with one secret only that one verifies":     {webhooks.Keys{one}, []bool{true, false}},
		"during a rotation both secrets verify":      {webhooks.Keys{two, one}, []bool{true, true}},
		"after a rotation only the new one verifies": {webhooks.Keys{two}, []bool{false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, header := time.Now(), http.Header{}
			domaintest.Must(t, c.keys.Sign(header, "tickets:1:7:5", at, body))
			if n := len(strings.Fields(header.Get("webhook-signature"))); n != len(c.keys) ||
				header.Get("webhook-id") != "tickets:1:7:5" || header.Get("webhook-timestamp") != fmt.Sprint(at.Unix()) {
				t.Errorf("%d signatures: %v", n, header)
			}
			var verified []bool
			for _, key := range [][]byte{one, two} {
				signer := domaintest.OK(standardwebhooks.NewWebhookRaw(key))(t)
				verified = append(verified, signer.Verify(body, header) == nil)
				if signer.Verify([]byte(`{"a":2}`), header) == nil {
					t.Error("another body is signed too")
				}
			}
			if !slices.Equal(verified, c.verified) {
				t.Errorf("%v", verified)
			}
		})
	}
}

func TestResponseOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status   int
		location string
		reason   string // part of; "" for success
	}{
		{200, "", ""}, {204, "", ""}, {299, "", ""}, {201, "https://example.com/made", ""},
		{301, "https://example.com/", "Redirects are not followed"}, {308, "/x", "Redirects are not followed"},
		{304, "", "304 Not Modified"}, {199, "", "199"}, {400, "", "400 Bad Request"}, {410, "", "410 Gone"},
		{429, "", "429 Too Many Requests"}, {500, "", "500 Internal Server Error"}, {503, "/x", "503"},
		{599, "", "It answered 599."},
		{302, strings.Repeat(`"`, 5000), "302"}, {302, strings.Repeat("\xff", 5000), "302"},
	} {
		o := webhooks.ResponseOutcome(c.status, c.location, make([]byte, 5000), 0, 0)
		if o.OK() != (c.reason == "") || !strings.Contains(o.Error, c.reason) || o.Gone() != (c.status == 410) {
			t.Errorf("%d to %.20q: %+v", c.status, c.location, o.Error)
		}
		if len(o.Response) != webhooks.MaxResponse || len([]rune(o.Error)) > 500 {
			t.Errorf("%d: %d bytes of the answer and %d characters are kept", c.status, len(o.Response), len([]rune(o.Error)))
		}
	}
	o := webhooks.ErrorOutcome(errors.New("\xff"+strings.Repeat("ä", 5000)), time.Second)
	if o.OK() || o.Gone() || o.Status != 0 || o.Took != time.Second || len([]rune(o.Error)) != 500 ||
		!strings.HasPrefix(o.Error, "\ufffdä") {
		t.Errorf("%+v", o)
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	t.Run("it grows with the failures up to ten hours, give or take a fifth", func(t *testing.T) {
		t.Parallel()
		want := []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
			2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 10 * time.Hour}
		for failures, d := range want {
			if got := (webhooks.Outcome{}).Wait(failures); got < d-d/5 || got > d+d/5 {
				t.Errorf("after %d failures %v", failures, got)
			}
		}
		if got := (webhooks.Outcome{}).Wait(1e6); got > 12*time.Hour {
			t.Error(got)
		}
	})
	t.Run("an answer can make it longer, up to twelve hours, and never shorter", func(t *testing.T) {
		t.Parallel()
		for asked, want := range map[time.Duration]time.Duration{time.Hour: time.Hour, 12 * time.Hour: 12 * time.Hour,
			24 * 365 * time.Hour: 12 * time.Hour} {
			if got := (webhooks.Outcome{RetryAfter: asked}).Wait(0); got != want {
				t.Errorf("%v instead of %v", got, asked)
			}
		}
		if got := (webhooks.Outcome{RetryAfter: time.Second}).Wait(7); got < 8*time.Hour {
			t.Error(got)
		}
	})
}

func TestReasonWithHosts(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		`"https://hooks.example:8443/T0/s3cret?x=s3cret" cannot be reached: timeout.`: `hooks.example:8443 cannot be reached: timeout.`,
		`It answered 302 and leads to "/T0/s3cret". Redirects are not followed.`:      `It answered 302 and leads to …. Redirects are not followed.`,
		`It answered 302 and leads to "?x=s3cret".`:                                   `It answered 302 and leads to ….`,
		`Last: "https://hooks.example/\"s3cret" is too slow: no head.`:                `Last: hooks.example is too slow: no head.`,
		`Last: "https://hooks.example/T0/s3cr…`:                                       `Last: hooks.example`,
		`Get https://hooks.example/s3cret: refused`:                                   `Get hooks.example refused`,
		`"hooks.internal" is blocked: that address is not a public one.`:              `hooks.internal is blocked: that address is not a public one.`,
		`It answered 410 Gone: it no longer accepts messages.`:                        `It answered 410 Gone: it no longer accepts messages.`,
	} {
		if got := (webhooks.Webhook{Reason: reason}).ReasonWithHosts(); got != want {
			t.Errorf("%s\nis   %s\nwant %s", reason, got, want)
		}
	}
}
