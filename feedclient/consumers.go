package feedclient

import (
	"context"
	"net/http"
	"net/url"
)

// Consumer is a reader whose cursor the server keeps.
type Consumer struct {
	Feed       string  `json:"feed"`
	Name       string  `json:"name"`
	Cursor     string  `json:"cursor"`
	State      string  `json:"state"`
	Paused     bool    `json:"paused"`
	LagRows    uint64  `json:"lag_rows"`    // positions behind the head: at least the rows
	LagSeconds float64 `json:"lag_seconds"` // age of the oldest unread change
}

// Register makes the server keep a cursor for a new consumer; from is as Query.Cursor. Like all changes of consumers
// it needs the scope tickets:write. A name that is taken is an *Error of status 409.
func (c *Client) Register(ctx context.Context, feed, name, from string) (consumer Consumer, err error) {
	err = c.call(ctx, http.MethodPost, "/feeds/"+url.PathEscape(feed)+"/consumers",
		map[string]string{"name": name, "from": from}, &consumer)
	return consumer, err
}

// Consumer returns a consumer; a missing one is an *Error of status 404.
func (c *Client) Consumer(ctx context.Context, feed, name string) (consumer Consumer, err error) {
	err = c.call(ctx, http.MethodGet, consumerPath(feed, name), nil, &consumer)
	return consumer, err
}

// Advance moves a consumer's cursor after its work is done. If the cursor is not at from any more, because another
// process works for it too, that is an *Error of status 409, and it was not moved.
func (c *Client) Advance(ctx context.Context, feed, name, from, to string) (consumer Consumer, err error) {
	err = c.call(ctx, http.MethodPut, consumerPath(feed, name)+"/cursor", map[string]string{"from": from, "to": to},
		&consumer)
	return consumer, err
}

// Seek sets a consumer's cursor; to is as Query.Cursor.
func (c *Client) Seek(ctx context.Context, feed, name, to string) (consumer Consumer, err error) {
	err = c.call(ctx, http.MethodPut, consumerPath(feed, name)+"/cursor", map[string]string{"to": to}, &consumer)
	return consumer, err
}

func consumerPath(feed, name string) string {
	return "/feeds/" + url.PathEscape(feed) + "/consumers/" + url.PathEscape(name)
}
