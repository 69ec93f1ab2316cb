package feedclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client calls one server with one token. Its zero fields but URL and Token have defaults. Any number of goroutines
// may use it.
type Client struct {
	URL   string // of the server, such as https://tickets.example.com
	Token string // with the scope tickets:read, or boards:read for the feed boards

	// HTTP sends the requests. Its Timeout ends every stream and long poll. Without one, requests other than streams
	// end after a minute, beside the time that they may wait for a change.
	HTTP *http.Client
	// Retrying is called with each failure, and the delay until the retry. It must not block.
	Retrying func(err error, after time.Duration)
	// Quiet is how long a stream may send nothing, not even a heartbeat, until it is reopened: 60 s if it is 0.
	Quiet time.Duration
}

// Item is a row as the feed shows it now.
type Item struct {
	ID       uint64 `json:"id"`
	Position uint64 `json:"feed_sync_id,string"` // grows with each change, over all rows of the feed
	Version  uint64 `json:"version"`             // counts the edits of the row; 0 if it was deleted
	// UpdatedAt is when the row last changed, zero if it was deleted.
	UpdatedAt time.Time       `json:"updated_at"`
	Board     uint64          `json:"board,omitempty"` // the id of the row's board; 0 if it was deleted
	Deleted   bool            `json:"deleted"`
	Reason    string          `json:"reason,omitempty"` // of a deletion, such as LeftFilter, or Joined
	Data      json.RawMessage `json:"data"`             // the resource as in the API; null if it was deleted
}

// Reasons of items that are deleted for this reader. A row that was deleted for all has none.
const (
	LeftFilter = "left_filter" // it left the board of the query
	Swept      = "swept"       // a read from the start did not return it any more; its Position is 0
	Left       = "left"        // the reader does not see its board any more
)

// Joined is the reason of an item without an ID: the reader sees the board now. Read its rows with Snapshot. An item
// without an ID whose reason is Left means all rows of the board. Follow handles both.
const Joined = "joined"

// aboutBoard reports whether an item is about all rows of its board.
func (i Item) aboutBoard() bool { return i.ID == 0 && (i.Reason == Left || i.Reason == Joined) }

// Query selects a part of a feed.
type Query struct {
	Feed     string
	Cursor   string        // from a page or an event, "start", "end", or an RFC 3339 time; "" is the start
	Board    string        // the slug or id of the only board to read, "" for all
	Limit    int           // rows that the server reads, 1 to 1000; 0 is the server's default
	Wait     time.Duration // the timeout of an empty response while it waits for a change, at most 60 s
	Consumer string        // a registered consumer, whose cursor replaces Cursor
}

// Page is a page of a feed, ascending by position. The next begins at Cursor; More says that it has rows already.
type Page struct {
	Items  []Item `json:"items"`
	Cursor string `json:"cursor"`
	More   bool   `json:"has_more"`
	From   string `json:"from"` // the consumer's cursor before
}

// Page reads a page, without retries: a refusal is an *Error.
func (c *Client) Page(ctx context.Context, q Query) (page Page, err error) {
	values := q.values()
	if q.Limit != 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Wait > 0 {
		values.Set("wait", strconv.Itoa(int(q.Wait.Round(time.Second)/time.Second)))
	}
	err = c.within(ctx, q.Wait+patience, http.MethodGet, "/feeds/"+url.PathEscape(q.Feed)+"?"+values.Encode(), nil, &page)
	return page, err
}

func (q Query) values() url.Values {
	values := url.Values{}
	for name, value := range map[string]string{"cursor": q.Cursor, "board": q.Board, "consumer": q.Consumer} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values
}

// Error is a request that the server refuses.
type Error struct {
	Status int           // of HTTP
	Type   string        // such as urn:counterfoil:problem:Consumer.NameConflict
	Detail string        // for users
	After  time.Duration // Retry-After; 0 if there is none
}

func (e *Error) Error() string {
	return fmt.Sprintf("the server answers %d: %s", e.Status, cmp.Or(e.Detail, http.StatusText(e.Status)))
}

// StartOver reports a cursor from which the server cannot read on: it is from before a restore, or so old that
// deletions after it are forgotten. Read from the start, and remove the rows that are not in it, as Follow does.
func (e *Error) StartOver() bool {
	return e.Status == http.StatusGone || e.Type == problem+"Feed.CursorOfEarlierEpoch" ||
		e.Status == http.StatusConflict && e.Type == problem+"Feed.CursorAhead" // of a server of before
}

// problem is the prefix of types; a code follows.
const problem = "urn:counterfoil:problem:"

// Temporary reports that the same request may succeed later.
func (e *Error) Temporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return e.Status >= 500 && e.Status != http.StatusNotImplemented
}

func startOver(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.StartOver()
}

// temporary reports whether a retry may succeed: not if the server refuses for good.
func temporary(err error) bool {
	var refused *Error
	return !errors.As(err, &refused) || refused.Temporary()
}

// longest is the most bytes of a response that are read. The server ends a page at a few MB, or one row.
const longest = 256 << 20

// patience is the timeout of a response, beside the time to wait for a change.
const patience = time.Minute

// call sends a request and reads the answer into out.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	return c.within(ctx, patience, method, path, in, out)
}

// within is call with a timeout for the whole answer: a connection may be dead without notice.
func (c *Client) within(ctx context.Context, most time.Duration, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	response, err := c.send(ctx, method, path, in, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(io.LimitReader(response.Body, longest)).Decode(out); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	return nil
}

// send returns a successful answer, or an *Error.
func (c *Client) send(ctx context.Context, method, path string, in any, head http.Header) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.URL, "/")+"/api/v1"+path, body)
	if err != nil {
		return nil, err
	}
	for name, values := range head {
		request.Header[name] = values
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := cmp.Or(c.HTTP, own).Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK || response.StatusCode == http.StatusCreated {
		return response, nil
	}
	defer response.Body.Close()
	return nil, refusal(response)
}

// own is the default client, not http.DefaultClient, which a program may have changed.
var own = &http.Client{}

func refusal(response *http.Response) *Error {
	refused := &Error{Status: response.StatusCode}
	var said struct{ Type, Detail string }
	if json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&said) == nil {
		refused.Type, refused.Detail = said.Type, said.Detail
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		refused.After = time.Duration(seconds) * time.Second
	}
	return refused
}

// check finds mistakes that no retry mends.
func (c *Client) check() error {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("feedclient: %q is not the URL of a server, such as https://tickets.example.com", c.URL)
	}
	return nil
}
