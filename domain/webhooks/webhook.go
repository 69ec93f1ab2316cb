package webhooks

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/outbound"
)

const (
	// Max is how many webhooks a company may have.
	Max = 50
	// MaxURL and MaxNote are how many characters an address and a note may have.
	MaxURL, MaxNote = 2000, 255
)

// State says whether a webhook is sent to.
type State string

// States of a webhook. Counterfoil stops one whose receiver accepts nothing.
const (
	On      State = "on"
	Off     State = "off"
	Stopped State = "stopped"
)

// Webhook is an address that a company's changes are sent to, in order.
type Webhook struct {
	ID          id.Webhook
	Company     id.Company
	CompanySlug string // only in lists of all companies
	URL, Note   string
	Feeds       []string
	Board       id.Board // 0: all of the company's
	BoardSlug   string
	Filter      string     // a text of domain/query, which tickets must meet; "" for all
	ComparedTo  *id.Ticket // up to it all tickets were compared with the filter; nil: all were
	State       State
	Reason      string // why it was stopped
	Version     uint64
	Failures    int           // since it answered last
	Failing     *time.Time    // since when it does not answer; nil while it does
	Wait        time.Duration // until the next attempt
	OldSecret   *time.Time    // until when messages are signed with the one before, too
	Cursors     []Cursor
	CreatedAt   time.Time
}

// Cursor is a webhook's cursor in a feed. Its fields are those of feeds.Cursor, so that the one converts to the other.
type Cursor struct {
	Epoch    uint64
	Feed     string
	Position uint64
	Began    uint64
}

// Host is the part of the address that may be shown: its path may be a secret.
func (w Webhook) Host() string { return host(w.URL) }

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// ReasonWithHosts is Reason for those who may not see the addresses in it: each is its host alone, and a part of one,
// as a redirect may have, is left out.
func (w Webhook) ReasonWithHosts() string {
	return addresses.ReplaceAllStringFunc(w.Reason, func(text string) string {
		text = strings.Trim(text, `"`)
		if at := host(text); at != "" {
			return at
		}
		if strings.ContainsAny(text, "/?#") {
			return "…"
		}
		return text
	})
}

// addresses are quoted texts, in which messages have addresses, also where one was cut off, and addresses elsewhere.
var addresses = regexp.MustCompile(`"(?:[^"\\]|\\.)*(?:"|$)|https?://\S+`)

// Draft is the content of a webhook.
type Draft struct {
	URL, Note string
	Feeds     []string
	Board     string // slug, "" for all of the company's
	Filter    string // a text of domain/query, which the caller checks; "" for all tickets
}

// Check returns the draft as it can be stored, or all its errors: BadURL, NotHTTPS, BadNote, BadFilter, NoFeeds or
// BadFeed. feeds are those that exist. It does no lookup: the address of a name is checked when a message is sent.
func Check(draft Draft, feeds []string, client *outbound.Client) (Draft, error) {
	var wrong []error
	draft.URL = strings.TrimSpace(draft.URL)
	if err := CheckURL(draft.URL, client); err != nil {
		wrong = append(wrong, err)
	}
	note, length, ok := markup.Line(draft.Note)
	if !ok || length > MaxNote || length == 0 && note != "" {
		wrong = append(wrong, BadNote(length))
	} else {
		draft.Note = note
	}
	filter, _, ok := markup.Line(draft.Filter)
	if !ok {
		wrong = append(wrong, BadFilter())
	}
	draft.Filter = filter
	if len(draft.Feeds) == 0 {
		wrong = append(wrong, NoFeeds())
	}
	for _, feed := range draft.Feeds {
		if !slices.Contains(feeds, feed) {
			wrong = append(wrong, BadFeed(feed))
			break
		}
	}
	draft.Feeds = slices.DeleteFunc(slices.Clone(feeds), func(feed string) bool { return !slices.Contains(draft.Feeds, feed) }) // each once, in their order
	if err := fault.Join(wrong...); err != nil {
		return Draft{}, err
	}
	return draft, nil
}

// CheckURL returns BadURL or NotHTTPS for an address that nothing may be sent to.
func CheckURL(address string, client *outbound.Client) error {
	if address == "" {
		return BadURL("Enter an address, such as https://example.com/hook.")
	}
	if utf8.RuneCountInString(address) > MaxURL {
		return BadURL(fmt.Sprintf("The address is too long. Shorten it to %d characters.", MaxURL))
	}
	_, err := client.Check(address)
	switch {
	case errors.As(err, new(outbound.PlainAddress)):
		return NotHTTPS(err.Error())
	case err != nil:
		return BadURL(err.Error())
	}
	return nil
}

// Refusal returns why the rules for addresses refuse one, without its path, which may be a secret; "" if they do not.
func Refusal(address string, client *outbound.Client) string {
	_, err := client.Check(address)
	return refusal(err)
}

func refusal(err error) string {
	if !outbound.IsRefused(err) {
		return ""
	}
	var bad outbound.BadAddress
	if errors.As(err, &bad) {
		return "Nothing can be sent to its address: " + bad.Why + "."
	}
	return err.Error()
}

// isFailing reports whether a webhook that is on does not answer at present.
func (w Webhook) isFailing() bool { return w.State == On && w.Failing != nil }

// Condition is the state in a word: on, failing, off or stopped.
func (w Webhook) Condition() string {
	if w.isFailing() {
		return "failing"
	}
	return string(w.State)
}
