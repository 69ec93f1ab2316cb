package delivery_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// pictureEnv is an environment that may fetch from one host on this machine, and from no other.
type pictureEnv struct {
	*env
	host *outboundtest.Server
	base string
}

func newPictureEnv(t testing.TB) pictureEnv {
	t.Helper()
	host := outboundtest.New()
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	t.Cleanup(host.Close)
	u := domaintest.OK(url.Parse(server.URL))(t)
	allow := domaintest.OK(outbound.ParseAllowlist(u.Host))(t)
	e := newEnv(t, apptest.Files(t), app.WithPictures(outbound.New(outbound.Options{Purpose: outbound.Pictures, Allow: allow})))
	e.Delivery.LimitPictures(outbound.Limits{Redirects: 3, Header: 2 * time.Second, Total: 4 * time.Second,
		Bytes: 1 << 20, Pace: 300 * time.Millisecond})
	return pictureEnv{e, host, server.URL}
}

// shows opens a ticket that shows a picture.
func (e pictureEnv) shows(t testing.TB, address string) tickets.Ticket {
	t.Helper()
	return domaintest.OK(e.Workflows.OpenTicket(e.Ctx, e.Practice.Slug,
		tickets.Draft{Title: "x", Description: "![a](" + address + ")"}, nil))(t)
}

// fetch fetches all that is due.
func (e pictureEnv) fetch(t testing.TB) {
	t.Helper()
	for n := 1; n > 0; {
		n = domaintest.OK(e.Delivery.FetchPictures(e.Ctx))(t)
	}
}

func (e pictureEnv) state(t testing.TB, address string) string {
	t.Helper()
	var state string
	domaintest.Must(t, e.DB.SQL.QueryRow("SELECT IF(hash IS NOT NULL, 'stored', IF(due_at IS NULL, 'given up', 'waiting')) "+
		"FROM picture WHERE url = ?", address).Scan(&state))
	return state
}

func TestPictures(t *testing.T) {
	t.Parallel()
	t.Run("what a text shows is fetched and stored anew, and what is no picture never", func(t *testing.T) {
		t.Parallel()
		e := newPictureEnv(t)
		for address, want := range map[string]string{
			"/image/1.png": "stored", "/wide.png": "stored", "/photo.jpg": "stored", "/animated.gif": "stored",
			"/picture.webp": "stored", "/bytes.bin": "stored", "/to?/image/2.png": "stored",
			"/script.svg": "given up", "/svg.png": "given up", "/page.png": "given up", "/text.png": "given up",
			"/empty.png": "given up", "/plain.html": "given up", "/film.mp4": "given up", "/bomb.png": "given up",
			"/bomb.gif": "given up", "/huge": "given up", "/endless": "given up",
			"/truncated.png": "given up", "/loop": "given up", "/status/404": "given up", "/status/403": "given up",
			"/to?http://127.0.0.1:9/x.png": "given up", "/to?http://169.254.169.254/latest": "given up",
			"/to?file:///etc/passwd": "given up",
			"/stall":                 "waiting", "/stall-body": "waiting", "/late": "waiting", "/status/503": "waiting", "/status/429": "waiting", "/reset": "waiting",
		} {
			t.Run(address, func(t *testing.T) {
				e.shows(t, e.base+address)
				e.fetch(t)
				if state := e.state(t, e.base+address); state != want {
					t.Errorf("it is %s, want %s", state, want)
				}
			})
		}
		t.Run("/gzip-bomb.png", func(t *testing.T) { // it is too long, or too slow on a machine that is
			e.shows(t, e.base+"/gzip-bomb.png")
			e.fetch(t)
			if state := e.state(t, e.base+"/gzip-bomb.png"); state == "stored" {
				t.Errorf("it is %s", state)
			}
		})
		var content []byte
		domaintest.Must(t, e.DB.SQL.QueryRow("SELECT i.hash FROM picture p JOIN image i ON i.company_id = p.company_id "+
			"AND i.hash = p.hash WHERE p.url = ?", e.base+"/photo.jpg").Scan(&content))
		image, file, err := e.Workflows.Image(e.Ctx, fmt.Sprintf("%x", content), false)
		domaintest.Must(t, err)
		defer file.Close()
		if image.Type != "image/jpeg" || image.Width != 20 || image.Height != 60 || image.Everyone {
			t.Errorf("%+v", image)
		}
	})
	t.Run("what must not be asked is not even queued", func(t *testing.T) {
		t.Parallel()
		e := newPictureEnv(t)
		for _, address := range []string{"http://127.0.0.1:9/x.png", "http://[::1]/x", "http://169.254.169.254/x",
			"http://10.1.2.3/x", "https://user:word@a.example/x", "ftp://a.example/x", "http://a.example:22/x",
			"data:image/png;base64,AAAA", "/acme/x.png", "https://a.example/" + strings.Repeat("x", 2000)} {
			e.shows(t, address)
		}
		e.Counts(t, 0, "SELECT COUNT(*) FROM picture")
	})
	t.Run("what webhooks alone may be sent to is not asked", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, apptest.Files(t), app.WithWebhooks(outboundtest.Here(t)))
		domaintest.OK(e.Workflows.OpenTicket(e.Ctx, e.Practice.Slug,
			tickets.Draft{Title: "x", Description: "![a](http://127.0.0.1:9/x.png)"}, nil))(t)
		e.Counts(t, 0, "SELECT COUNT(*) FROM picture")
	})
	t.Run("a name that leads here is refused when it is asked", func(t *testing.T) {
		t.Parallel()
		e := newPictureEnv(t)
		address := strings.Replace(e.base, "127.0.0.1", "localhost", 1) + "/image/1.png"
		e.shows(t, strings.Replace(address, "localhost:", "localhost:1", 1)) // another port than the allowed one
		e.fetch(t)
		e.Counts(t, 0, "SELECT COUNT(*) FROM picture WHERE hash IS NOT NULL")
		if n := e.host.Requests(); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("it is tried three times, and again when its text is saved an hour later", func(t *testing.T) {
		t.Parallel()
		e := newPictureEnv(t)
		address := e.base + "/status/500"
		ticket := e.shows(t, address)
		for attempt := 1; attempt <= 4; attempt++ {
			e.Exec(t, "UPDATE picture SET due_at = due_at - INTERVAL 1 HOUR")
			e.fetch(t)
			if want := min(attempt, 3); e.host.RequestCount("/status/500") != want {
				t.Errorf("after %d it was asked %d times", attempt, e.host.RequestCount("/status/500"))
			}
		}
		save := func() {
			domaintest.OK(e.Workflows.Comment(e.Ctx, ticket.Key, "![b]("+address+")", nil))(t)
			e.fetch(t)
		}
		save()
		e.Exec(t, "UPDATE picture SET queued_at = queued_at - INTERVAL 61 MINUTE")
		save()
		if n := e.host.RequestCount("/status/500"); n != 4 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("once for a ticket, by one process", func(t *testing.T) {
		t.Parallel()
		e := newPictureEnv(t)
		ticket := e.shows(t, e.base+"/image/3.png")
		for range 2 {
			domaintest.OK(e.Workflows.Comment(e.Ctx, ticket.Key, "![b]("+e.base+"/image/3.png)", nil))(t)
		}
		done := make(chan error)
		for range 4 {
			go func() { _, err := e.Delivery.FetchPictures(e.Ctx); done <- err }()
		}
		for range 4 {
			domaintest.Must(t, <-done)
		}
		if n := e.host.Requests(); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("of a text fifty, of an account a hundred at once, and the others later", func(t *testing.T) {
		t.Parallel()
		e := newPictureEnv(t)
		for text := range 3 {
			var many strings.Builder
			for i := range 60 {
				fmt.Fprintf(&many, "![x](%s/same/%d.png)\n", e.base, 60*text+i)
			}
			domaintest.OK(e.Workflows.OpenTicket(e.Ctx, e.Practice.Slug,
				tickets.Draft{Title: "x", Description: many.String()}, nil))(t)
		}
		e.Counts(t, 150, "SELECT COUNT(*) FROM picture")
		e.fetch(t)
		if n := e.host.Requests(); n < 100 || n > 102 { // some time goes by
			t.Errorf("%d requests", n)
		}
		e.Counts(t, 150-e.host.Requests(), "SELECT COUNT(*) FROM picture WHERE hash IS NULL AND due_at > NOW(6) AND attempts = 0")
		e.Counts(t, 1, "SELECT COUNT(*) FROM image")
	})
	t.Run("slow hosts of one company delay no other's", func(t *testing.T) {
		t.Parallel()
		e := newPictureEnv(t)
		e.Exec(t, "INSERT INTO company (slug, name, created_at) VALUES ('rivals', 'Rivals', '2026-01-01')")
		var many strings.Builder
		for i := range 48 {
			fmt.Fprintf(&many, "![x](%s/stall?%d)\n", e.base, i)
		}
		domaintest.OK(e.Workflows.OpenTicket(e.Ctx, e.Practice.Slug, tickets.Draft{Title: "x", Description: many.String()}, nil))(t)
		e.shows(t, e.base+"/image/1.png")
		e.Exec(t, "UPDATE picture SET due_at = due_at - INTERVAL 1 MINUTE WHERE url LIKE '%/stall?%'")
		e.Exec(t, "UPDATE picture SET company_id = 2 WHERE url LIKE '%/image/1.png'")
		domaintest.OK(e.Delivery.FetchPictures(e.Ctx))(t)
		if state := e.state(t, e.base+"/image/1.png"); state != "stored" {
			t.Errorf("it is %s", state)
		}
		if n := e.host.Requests(); n != 3 {
			t.Errorf("%d requests at once", n)
		}
	})
	t.Run("one whose process died three times is given up", func(t *testing.T) {
		t.Parallel()
		e := newPictureEnv(t)
		e.shows(t, e.base+"/image/1.png")
		e.Exec(t, "UPDATE picture SET attempts = 3")
		e.fetch(t)
		if state, n := e.state(t, e.base+"/image/1.png"), e.host.Requests(); state != "given up" || n != 0 {
			t.Errorf("it is %s after %d requests", state, n)
		}
	})
	t.Run("of an account a thousand wait; what they show again needs no more room", func(t *testing.T) {
		t.Parallel()
		e := newPictureEnv(t)
		var text string
		for i := range 22 {
			text = ""
			for k := range 50 {
				text += fmt.Sprintf("![x](%s/same/%d.png)\n", e.base, 50*i+k)
			}
			ticket := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, e.Practice.Slug, tickets.Draft{Title: "x", Description: text}, nil))(t)
			domaintest.OK(e.Workflows.Comment(e.Ctx, ticket.Key, text, nil))(t)
		}
		if n := e.Count(t, "SELECT COUNT(*) FROM picture"); n < 1000 || n > 1010 { // some time goes by
			t.Errorf("%d wait", n)
		}
	})
}
