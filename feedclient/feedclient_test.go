package feedclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	const text = ": hello\nretry: 1000\n\nid: c1\nevent: change\ndata: {\"id\":7,\ndata: \"feed_sync_id\":\"9\"}\n\n:\r\nid: c2\r\n\r\nid:c3\nevent: other\ndata: x\n\nid: cut\ndata: off"
	for name, r := range map[string]*bufio.Reader{"at once": bufio.NewReader(strings.NewReader(text)),
		"byte by byte": bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(text)), 16)} {
		t.Run("items, cursors and what is neither are told apart, "+name, func(t *testing.T) {
			e := &events{r: r}
			var got []string
			for {
				said, err := e.next()
				if err != nil {
					break
				}
				event, ok, err := said.event()
				domaintest.Must(t, err)
				if !ok {
					continue
				}
				if event.Item != nil {
					got = append(got, fmt.Sprintf("%d at %d", event.Item.ID, event.Item.Position))
				}
				got = append(got, event.Cursor)
			}
			if want := []string{"7 at 9", "c1", "c2", "c3"}; !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		})
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	t.Run("a stream that breaks or falls silent is opened anew behind the last event", func(t *testing.T) {
		t.Parallel()
		var asked []string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.Query().Get("cursor"))
			n := len(asked)
			if n == 2 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			fmt.Fprintf(w, "id: c%d\nevent: change\ndata: {\"id\":1,\"feed_sync_id\":\"%d\"}\n\nid: lost\nevent: change\nda", n,
				n)
			w.(http.Flusher).Flush()
			if n == 3 {
				<-r.Context().Done() // sends nothing more
			}
		}))
		defer s.Close()
		client := &Client{URL: s.URL, Token: "x", Quiet: 5 * time.Second}
		enough := errors.New("enough")
		var got []string
		err := client.Stream(t.Context(), Query{Feed: "tickets", Cursor: "c0"}, func(event Event) error {
			if got = append(got, event.Cursor); len(got) == 3 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || !slices.Equal(got, []string{"c1", "c3", "c4"}) ||
			!slices.Equal(asked, []string{"c0", "c1", "c1", "c3"}) {
			t.Errorf("%v: got %q, asked for %q", err, got, asked)
		}
	})
}

// asked is a transport that keeps each request without an answer.
type asked struct{ requests []*http.Request }

func (a *asked) RoundTrip(r *http.Request) (*http.Response, error) {
	a.requests = append(a.requests, r)
	return nil, errors.New("nobody is there")
}

func TestCallsEnd(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	wire := &asked{}
	c := &Client{URL: "http://127.0.0.1", HTTP: &http.Client{Transport: wire},
		Retrying: func(error, time.Duration) { stop() }}
	for name, call := range map[string]func() error{
		"Page":     func() error { _, err := c.Page(ctx, Query{Feed: "tickets", Wait: time.Hour}); return err },
		"Register": func() error { _, err := c.Register(ctx, "tickets", "crm", "start"); return err },
		"Consumer": func() error { _, err := c.Consumer(ctx, "tickets", "crm"); return err },
		"Advance":  func() error { _, err := c.Advance(ctx, "tickets", "crm", "a", "b"); return err },
		"Seek":     func() error { _, err := c.Seek(ctx, "tickets", "crm", "start"); return err },
		"Audit":    func() error { _, err := c.Audit(ctx, "tickets", "", "a"); return err },
	} {
		began := time.Now()
		if err := call(); err == nil {
			t.Error(name, "succeeded")
		}
		ends, ok := wire.requests[len(wire.requests)-1].Context().Deadline()
		switch left := ends.Sub(began); {
		case !ok:
			t.Errorf("%s never ends", name)
		case left < patience || (name == "Page") != (left > time.Hour):
			t.Errorf("%s ends after %s", name, left)
		}
	}
	domaintest.Is(t, c.Stream(ctx, Query{Feed: "tickets"}, func(Event) error { return nil }), context.Canceled)
	if _, ok := wire.requests[len(wire.requests)-1].Context().Deadline(); ok {
		t.Error("a stream ends")
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	t.Run("pauses grow, have an end, and are as long as the server asks", func(t *testing.T) {
		t.Parallel()
		var b backoff
		for i := range 100 {
			most := min(firstPause<<min(i, 10), longestPause)
			if pause := b.next(nil); pause < most/2 || pause > most {
				t.Fatalf("pause %d is %s", i, pause)
			}
		}
		b.reset()
		if pause := b.next(&Error{Status: 503, After: time.Minute}); pause < time.Minute {
			t.Errorf("%s, though the server asks for a minute", pause)
		}
		if pause := b.next(&Error{Status: 503, After: 24 * time.Hour}); pause > longestAfter {
			t.Errorf("%s, because the server asks for a day", pause)
		}
	})
}

func TestFile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "store")
	f := domaintest.OK(OpenFile(path))(t)
	place := Place{Feed: "tickets", Cursor: "c", Round: 2, Whole: true}
	domaintest.Must(t, f.Save(ctx, place, []Mark{{ID: 1, Round: 1, Position: 5}, {ID: 2, Round: 2, Position: 6},
		{ID: 3, Round: 1}}))
	domaintest.Must(t, f.Save(ctx, place, []Mark{{ID: 3, Gone: true}}))
	t.Run("a saved cursor is there when it is opened again, and nothing else is left", func(t *testing.T) {
		again, err := OpenFile(path)
		domaintest.Must(t, err)
		if p, err := again.Place(ctx); p != place || err != nil {
			t.Errorf("%+v, %v", p, err)
		}
		marks, err := again.Marks(ctx, []uint64{1, 2, 3})
		if err != nil || len(marks) != 2 || marks[2] != (Mark{ID: 2, Round: 2, Position: 6}) {
			t.Errorf("%+v, %v", marks, err)
		}
		if rows, err := again.Before(ctx, 2, 10); err != nil || !slices.Equal(rows, []uint64{1}) {
			t.Errorf("of earlier rounds are %v, %v", rows, err)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("%v, %v", left, err)
		}
	})
	t.Run("a file that is none of its own is refused", func(t *testing.T) {
		other := filepath.Join(t.TempDir(), "other")
		domaintest.Must(t, os.WriteFile(other, []byte("hello"), 0o600))
		if _, err := OpenFile(other); err == nil {
			t.Error("it was opened")
		}
	})
	t.Run("a store that cannot be written is an error, also later", func(t *testing.T) {
		lost := domaintest.OK(OpenFile(filepath.Join(t.TempDir(), "none", "store")))(t)
		for range 2 {
			if err := lost.Save(ctx, place, nil); err == nil {
				t.Error("it was saved")
			}
		}
	})
}
