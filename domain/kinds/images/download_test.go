package images_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// webEnv is an environment that downloads images from a host of its own.
type webEnv struct {
	*apptest.Env
	host   *outboundtest.Server
	base   string            // of the host's addresses
	meet   map[string]func() // by path: done when it is asked for
	folder string            // where files are
	work   *app.App          // with an engine that works
	board  boards.Board
}

func newWebEnv(t testing.TB) *webEnv {
	t.Helper()
	g := &webEnv{Env: apptest.New(t), host: outboundtest.New(), meet: map[string]func(){}, folder: t.TempDir()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if meet := g.meet[r.URL.Path]; meet != nil {
			meet()
			r.URL.Path = "/image/1.png"
		}
		g.host.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(g.host.Close)
	u := domaintest.OK(url.Parse(server.URL))(t)
	g.base = server.URL
	store := domaintest.OK(blobs.Open(context.Background(), g.folder))(t)
	g.work = app.New(g.DB, apptest.WithKeys, app.WithFiles(store), app.WithDownloads(outboundtest.Client(t, outbound.Downloads, u.Host)))
	t.Cleanup(func() { g.work.Close(context.Background()) })
	g.board = g.Board(t, "ART")
	return g
}

// works has the engine work until the test ends.
func (g *webEnv) works(t testing.TB) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := g.work.Worker.Work(ctx); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { stop(); <-done })
}

func (g *webEnv) until(t testing.TB, run id.Run, state migrations.State) migrations.Run {
	t.Helper()
	var r migrations.Run
	domaintest.Until(t, "the run is "+string(state), func() bool {
		var err error
		if r, err = g.work.Console.Run(g.Ctx, run); err != nil {
			t.Fatal(err)
		}
		if r.State != state && (!r.State.IsActive() || r.State == migrations.Paused) {
			t.Fatalf("the run is %s (%s) and not %s: %+v", r.State, r.Reason, state, r.Progress)
		}
		return r.State == state
	}, func() string { return fmt.Sprintf("it is %s (%s): %+v", r.State, r.Reason, r.Progress) })
	return r
}

func (g *webEnv) values(pairs ...string) migrations.Values {
	values := migrations.Values{"company": "acme", "timeout": "6"}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return values
}

// download does a run, of the file if there is one, and returns the results of the tasks by path: a note, or an error
// with a ! before it.
func (g *webEnv) download(
	t testing.TB, values migrations.Values, file string, dry bool,
) (migrations.Run, map[string]string) {
	t.Helper()
	draft := migrations.Draft{Dry: dry}
	if file != "" {
		draft.Upload, draft.UploadName = strings.NewReader(file), "images.csv"
	}
	run := domaintest.OK(g.work.Console.OpenRun(g.Ctx, "download-images", values, draft, nil))(t)
	if !dry {
		g.until(t, run.ID, migrations.Ready)
		change := migrations.KnobChange{"error_share": 0, "same_error": 0, "attempts": 2, "backoff": 0.01, "block": 3,
			"per_host": 0}
		domaintest.OK(g.work.Console.ChangeKnobs(g.Ctx, run.ID, change))(t)
		domaintest.OK(g.work.Console.StartRun(g.Ctx, run.ID, 0, nil))(t)
	}
	run = g.until(t, run.ID, migrations.Complete)
	comment := map[string]string{}
	for filter := (migrations.TaskFilter{}); ; {
		page := domaintest.OK(g.work.Console.RunTasks(g.Ctx, run.ID, filter))(t)
		for _, task := range page.Tasks {
			var job struct {
				URL, Key string
				Comment  int
			}
			domaintest.Must(t, json.Unmarshal([]byte(task.Payload), &job))
			name := strings.TrimPrefix(job.URL, g.base)
			if job.Comment != 0 {
				name += " c"
			}
			note := task.Note
			if task.State == migrations.TaskFailed {
				_, attempts, err := g.work.Console.RunTask(g.Ctx, run.ID, task.ID)
				if err != nil || len(attempts) == 0 {
					t.Fatalf("%d attempts of task %d: %v", len(attempts), task.ID, err)
				}
				note = fmt.Sprintf("!%d %s", len(attempts), attempts[0].Message)
			}
			comment[name] = note
		}
		if filter.After = page.Next; page.Next == 0 {
			return run, comment
		}
	}
}

// describe opens a ticket with a text in which {} is the host, and returns its key.
func (g *webEnv) describe(t testing.TB, text string) tickets.Key {
	t.Helper()
	ticket := domaintest.OK(g.Workflows.OpenTicket(g.Ctx, "ART",
		tickets.Draft{Title: "A picture", Description: strings.ReplaceAll(text, "{}", g.base)}, nil))(t)
	return ticket.Key
}

func (g *webEnv) comment(t testing.TB, key tickets.Key, text string) id.Comment {
	t.Helper()
	comment := domaintest.OK(g.Workflows.Comment(g.Ctx, key, strings.ReplaceAll(text, "{}", g.base), nil))(t)
	return comment.Comment.ID
}

// path is the path of the stored copy of content.
func (g *webEnv) path(t testing.TB, content []byte) string {
	t.Helper()
	c := domaintest.OK(images.Convert(context.Background(), content,
		images.Limits{Pixels: 1 << 20, Thumbnail: images.ThumbnailWidth}))(t)
	return images.Image{Hash: c.Hash}.Path("acme")
}

// reads fails if a ticket's description is another; {} is the host.
func (g *webEnv) reads(t testing.TB, key tickets.Key, want string) tickets.Ticket {
	t.Helper()
	ticket := domaintest.OK(g.Workflows.Ticket(g.Ctx, key))(t)
	if want = strings.ReplaceAll(want, "{}", g.base); ticket.Description != want {
		t.Errorf("%s reads %q, not %q", key, ticket.Description, want)
	}
	return ticket
}

// stored are the images' files.
func (g *webEnv) stored(t testing.TB) (list []string) {
	t.Helper()
	domaintest.Must(t, filepath.WalkDir(filepath.Join(g.folder, "images"), func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, entry.Name())
		}
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}))
	return list
}

func TestDownloadImages(t *testing.T) {
	t.Parallel()
	g := newWebEnv(t)
	photo, alpha, same, five := g.path(t, outboundtest.RotatedJPEG()), g.path(t, outboundtest.Transparent()),
		g.path(t, outboundtest.Picture(1, "x.png")), g.path(t, outboundtest.Wide())
	one := g.describe(t, "Look: ![photo]({}/photo.jpg) and ![twice](<{}/photo.jpg> 'x').\n\n`![code]({}/photo.jpg)` [link]({}/photo.jpg) ![ref][r]\n\n[r]: {}/alpha.png")
	two := g.describe(t, "![a]({}/same/1.png) ![b]({}/same/2.png) ![lost]({}/status/404) ![ours](/acme/images/x)")
	none := g.describe(t, "nothing here but {}/photo.jpg")
	comment := g.comment(t, one, "> ![a]({}/wide.png)\n\nas I said")
	before := g.Ticket(t, one.String())
	g.Exec(t, "INSERT INTO company (slug, name, created_at) VALUES ('rivals', 'Rivals', '2026-01-01')")
	g.Exec(t, "INSERT INTO board (company_id, slug, title, created_at, updated_at) SELECT id, 'ART', 'Art', '2026-01-01', '2026-01-01' FROM company WHERE slug = 'rivals'")
	g.Exec(t, `INSERT INTO ticket (board_id, local_id, title, description, created_by, created_at, updated_at, moved_at)
		SELECT b.id, 1, 'x', CONCAT('![a](', ?, '/image/9.png)'), 1, '2026-01-01', '2026-01-01', '2026-01-01' FROM board b JOIN company c ON c.id = b.company_id WHERE c.slug = 'rivals'`, g.base)
	g.works(t)

	t.Run("a dry run sends no request, changes nothing, and lists its tasks' effects", func(t *testing.T) {
		_, said := g.download(t, g.values(), "", true)
		if g.host.Requests() != 0 || len(g.stored(t)) != 0 {
			t.Errorf("%d requests, %d files", g.host.Requests(), len(g.stored(t)))
		}
		if len(said) != 6 ||
			said["/photo.jpg"] != "Would fetch an image from 127.0.0.1 and show it in the description of "+one.String()+"." ||
			said["/wide.png c"] != "Would fetch an image from 127.0.0.1 and show it in a comment of "+one.String()+"." {
			t.Errorf("%q", said)
		}
		g.reads(t, one, before.Description)
	})
	run, said := g.download(t, g.values(), "", false)
	t.Run("texts show the stored copies, and nothing else of them changes", func(t *testing.T) {
		g.reads(t, one, "Look: ![photo]("+photo+") and ![twice](<"+photo+"> 'x').\n\n`![code]({}/photo.jpg)` [link]({}/photo.jpg) ![ref][r]\n\n[r]: "+alpha)
		g.reads(t, two, "![a]("+same+") ![b]("+same+") ![lost]({}/status/404) ![ours](/acme/images/x)")
		g.reads(t, none, "nothing here but {}/photo.jpg")
		if c, err := g.Workflows.CommentOf(g.Ctx, before, comment); err != nil ||
			c.Body != "> ![a]("+five+")\n\nas I said" || c.Version != 2 {
			t.Errorf("%+v, %v", c, err)
		}
	})
	t.Run("the tasks have their results", func(t *testing.T) {
		if want := photo + " has 20 × 60 pixels, "; !strings.HasPrefix(said["/photo.jpg"], want) ||
			!strings.HasSuffix(said["/photo.jpg"], "; the description of "+one.String()+" shows it.") {
			t.Errorf("%q", said["/photo.jpg"])
		}
		if want := "!1 \"" + g.base + "/…\" answers 404 Not Found."; said["/status/404"] != want {
			t.Errorf("%q", said["/status/404"])
		}
		if run.Progress.Complete != 5 || run.Progress.Failed != 1 {
			t.Errorf("%+v", run.Progress)
		}
	})
	t.Run("one picture of two addresses is stored once, with its small copy", func(t *testing.T) {
		if files := g.stored(t); len(files) != 4+1 ||
			!slices.Contains(files, strings.TrimPrefix(five, "/acme/images/")+".640") {
			t.Errorf("%q", files)
		}
		if n, m := g.Count(t, "SELECT COUNT(*) FROM image"), g.Count(t, "SELECT COUNT(*) FROM image_source"); n != 4 ||
			m != 5 {
			t.Errorf("%d images of %d addresses", n, m)
		}
	})
	t.Run("the list of images of runs has each with its address", func(t *testing.T) {
		list := domaintest.OK(images.OfRuns(g.Ctx, g.DB.Queries, accounts.ActorFrom(g.Ctx).Account.ID, 0, 100))(t)
		var addresses []string
		for _, one := range list {
			if one.Run != run.ID || one.Company != "acme" || one.Bytes == 0 || !one.Visible {
				t.Errorf("%+v", one)
			}
			addresses = append(addresses, strings.TrimPrefix(one.Address, g.base))
		}
		if len(addresses) != 5 || !slices.Contains(addresses, "/photo.jpg") {
			t.Errorf("%q", addresses)
		}
	})
	t.Run("the company shows them, and only they", func(t *testing.T) {
		hash := strings.TrimPrefix(photo, "/acme/images/")
		for small, dx := range map[bool]string{false: "image/jpeg", true: "image/jpeg"} {
			image, file, err := g.work.Workflows.Image(g.Ctx, hash, small)
			domaintest.Must(t, err)
			content, err := io.ReadAll(file)
			file.Close()
			if err != nil || image.Type != dx || http.DetectContentType(content) != dx ||
				!small && int64(len(content)) != image.Bytes || bytes.Contains(content, []byte(outboundtest.Secret)) {
				t.Errorf("%+v, %v", image, err)
			}
		}
		_, file, err := g.work.Workflows.Image(g.Ctx, strings.TrimPrefix(five, "/acme/images/"), true)
		domaintest.Must(t, err)
		defer file.Close()
		if small, err := png.DecodeConfig(file); err != nil || small.Width != images.ThumbnailWidth {
			t.Errorf("%+v, %v", small, err)
		}
		rival := accounts.ActorFrom(g.Ctx)
		rival.Company.ID++
		if _, _, err := g.work.Workflows.Image(accounts.WithActor(g.Ctx, rival), hash, false); err != (images.NotFound()) {
			t.Errorf("%v", err)
		}
	})
	t.Run("the history knows the edits, so that an edit from before them is merged", func(t *testing.T) {
		current := g.Ticket(t, one.String())
		if current.Version != before.Version+2 {
			t.Fatalf("version %d", current.Version)
		}
		conflict, err := g.Workflows.Conflict(g.Ctx, current, before.Version)
		if err != nil || !conflict.Known || conflict.Since.Description != before.Description ||
			len(conflict.Since.By) != 1 || conflict.Since.By[0] != "Ana" {
			t.Fatalf("%+v, %v", conflict.Since, err)
		}
		mine := strings.NewReplacer("[link]", "[my link]")
		conflict.Resolve(before.Title, mine.Replace(before.Description))
		if merged, missing := conflict.Merged.Text(); merged != mine.Replace(current.Description) || missing != nil {
			t.Errorf("%q, %v", merged, missing)
		}
	})
	t.Run("recent downloads are not fetched again", func(t *testing.T) {
		requests := g.host.RequestCount("/photo.jpg")
		again := g.describe(t, "![x]({}/photo.jpg)")
		if _, said := g.download(t, g.values(), "", false); !strings.Contains(said["/photo.jpg"],
			again.String()+" shows it") {
			t.Errorf("%q", said)
		}
		g.reads(t, again, "![x]("+photo+")")
		if g.host.RequestCount("/photo.jpg") != requests || g.host.RequestCount("/image/9.png") != 0 {
			t.Error("it was")
		}
	})
	g.Exec(t, "DELETE t FROM ticket t JOIN board b ON b.id = t.board_id JOIN company c ON c.id = b.company_id WHERE c.slug = 'rivals'")
	g.Exec(t, "DELETE b FROM board b JOIN company c ON c.id = b.company_id WHERE c.slug = 'rivals'")
	g.Sound(t)
}

func TestDownloadImagesFromFile(t *testing.T) {
	t.Parallel()
	g := newWebEnv(t)
	other := g.path(t, outboundtest.Picture(2, "x.png"))
	key := g.describe(t, "![a]({}/image/2.png) ![b]({}/image/3.png)")
	for range 30 { // more than a page of comments
		g.comment(t, key, "no image")
	}
	last := g.comment(t, key, "![a]({}/image/2.png)")
	g.works(t)
	file := "Key,URL\n,{}/image/1.png\n" + strings.ToLower(key.String()) +
		",{}/image/2.png\nART-99,{}/image/4.png\nART-x,{}/image/5.png\n,\n,http://10.0.0.1/x.png\n,file:///etc/passwd\n,http://user@example.com/\n"
	run, comment := g.download(t, g.values("source", "file"), strings.ReplaceAll(file, "{}", g.base), false)
	g.reads(t, key, "![a]("+other+") ![b]({}/image/3.png)")
	if c, err := g.Workflows.CommentOf(g.Ctx, g.Ticket(t, key.String()), last); err != nil || c.Body != "![a]("+other+")" {
		t.Errorf("%+v, %v", c, err)
	}
	for path, want := range map[string]string{"/image/1.png": `^/acme/images/[0-9a-f]{64} has 48 × 32 pixels, \d+ bytes\.$`, "/image/2.png": "the texts of " + key.String() + ` shows it\.$`, "/image/4.png": `^!1 This ticket does not exist`} {
		if !regexp.MustCompile(want).MatchString(comment[path]) {
			t.Errorf("%s: %q", path, comment[path])
		}
	}
	if run.Total != 3 || run.Rejected != 5 || g.host.RequestCount("/image/4.png") != 0 {
		t.Errorf("%d tasks, %d rejected", run.Total, run.Rejected)
	}
	if n := g.Count(t, `SELECT COUNT(*) FROM migration_task WHERE run_id = ? AND payload LIKE CONCAT('%"key":"ART-%"board":',
		(SELECT id FROM board WHERE slug = 'ART'), '%')`, run.ID); n != 2 {
		t.Errorf("%d tasks name the board, not 2", n)
	}
	rejected, _, err := g.work.Console.RunRejections(g.Ctx, run.ID, 0)
	if err != nil || len(rejected) != 5 || rejected[0].Line != 5 {
		t.Errorf("%+v, %v", rejected, err)
	}
}

// Faults of a host, each with the task's error and its number of attempts.
func TestDownloadImagesFromAHostileHost(t *testing.T) {
	t.Parallel()
	g := newWebEnv(t)
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	defer inner.Close()
	want := map[string]string{
		"/truncated.png":         "!1 .*cut off",
		"/truncated.jpg":         "!1 .*cut off",
		"/cut.png":               "!2 .*cannot be reached",
		"/bomb.png":              "!1 .*100000 × 100000 pixels",
		"/bomb.gif":              "!1 .*60000 × 60000 pixels",
		"/script.svg":            "!1 .*SVG",
		"/svg.png":               "!1 .*SVG",
		"/page.png":              "!1 .*web page",
		"/text.png":              "!1 .*text",
		"/empty.png":             "!1 .*empty",
		"/plain.html":            "!1 .*no image.*text/html",
		"/film.mp4":              "!1 .*no image.*video/mp4",
		"/bytes.bin":             "^/acme/images/",
		"/bytes.octets":          "^/acme/images/",
		"/untyped":               "^/acme/images/",
		"/endless":               "!1 .*larger than 64 KiB",
		"/gzip-bomb.png":         "!1 .*larger than 64 KiB",
		"/stall":                 "!2 .*too slow",
		"/stall-body":            "!2 .*too slow",
		"/drip":                  "^/acme/images/", // 200 bytes come in time after all
		"/loop":                  "!1 .*more than 5 redirects",
		"/reset":                 "!2 .*cannot be reached",
		"/status/401":            "!1 .*401 Unauthorized",
		"/status/410":            "!1 .*410 Gone",
		"/status/500":            "!2 .*500 Internal",
		"/status/503":            "!2 .*503 Service",
		"/status/204":            "!1 .*204",
		"/limited/1.png":         "^/acme/images/",
		"/busy/2.png":            "^/acme/images/",
		"/to?/image/3.png":       "^/acme/images/",
		"/to?" + inner.URL:       "!1 .*redirects: .*is blocked.*COUNTERFOIL_DOWNLOAD_ALLOW",
		"/to?file:///etc/passwd": "!1 .*only http and https",
		"/to?http://169.254.169.254/latest/meta-data/": "!1 .*169.254.169.254",
	}
	file := "url\n"
	for path := range want {
		file += g.base + path + "\n"
	}
	g.works(t)
	run, comment := g.download(t, g.values("source", "file", "max_kib", "64"), file, false)
	good := 0
	for path, pattern := range want {
		if !regexp.MustCompile(pattern).MatchString(comment[path]) {
			t.Errorf("%s: %q", path, comment[path])
		}
		if strings.HasPrefix(pattern, "^") {
			good++
		}
	}
	if run.Progress.Complete != int64(good) || run.Progress.Failed != int64(len(want)-good) {
		t.Errorf("%+v", run.Progress)
	}
	domaintest.Counts(t, g.DB, 1, "SELECT COUNT(*) FROM migration_attempt WHERE message LIKE '%401 Unauthorized%'")
	domaintest.Counts(t, g.DB, 0, "SELECT COUNT(*) FROM migration_attempt WHERE detail <> ''") // of a private network
	if files := g.stored(t); len(files) != good {                                              // all are small
		t.Errorf("%d files of %d images", len(files), good)
	}
}

func TestTextsThatChangeMeanwhile(t *testing.T) {
	t.Parallel()
	g := newWebEnv(t)
	stored := g.path(t, outboundtest.Picture(1, "x.png"))
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	keys, comments := map[string]tickets.Key{}, map[string]id.Comment{}
	for _, what := range []string{"edited", "emptied", "deleted", "long"} {
		keys[what] = g.describe(t, "![a]({}/"+what+".png)")
	}
	for _, what := range []string{"reworded", "withdrawn"} {
		keys[what] = g.describe(t, "none")
		comments[what] = g.comment(t, keys[what], "![a]({}/"+what+".png)")
	}
	g.board = g.Board(t, "OLD")
	old, err := g.Workflows.OpenTicket(g.Ctx, "OLD",
		tickets.Draft{Title: "x", Description: "![a](" + g.base + "/archived.png)"}, nil)
	must(err)
	edit := func(what, text string) func() {
		return func() {
			ticket := g.Ticket(t, keys[what].String())
			_, err := g.Workflows.EditTicket(g.Ctx, keys[what], tickets.Edit{Description: &text, Version: ticket.Version})
			must(err)
		}
	}
	g.meet["/edited.png"] = edit("edited", "Before.\n\n![a]("+g.base+"/edited.png)\n\nAfter.")
	g.meet["/emptied.png"] = edit("emptied", "gone")
	g.meet["/long.png"] = edit("long",
		"![a]("+g.base+"/long.png)"+strings.Repeat("x", tickets.MaxDescription-len("![a]("+g.base+"/long.png)")))
	g.meet["/deleted.png"] = func() {
		err := g.Workflows.DeleteTicket(g.Ctx, keys["deleted"])
		must(err)
	}
	g.meet["/reworded.png"] = func() {
		_, err := g.Workflows.EditComment(g.Ctx, keys["reworded"], comments["reworded"], "Now ![a]("+g.base+"/reworded.png)",
			1)
		must(err)
	}
	g.meet["/withdrawn.png"] = func() {
		_, err := g.Workflows.DeleteComment(g.Ctx, keys["withdrawn"], comments["withdrawn"])
		must(err)
	}
	g.meet["/archived.png"] = func() {
		g.Exec(t, "UPDATE board SET archived_at = '2026-01-01' WHERE slug = 'OLD'")
	}
	g.works(t)
	run, comment := g.download(t, g.values(), "", false)
	if run.Progress.Complete != 7 {
		t.Errorf("%+v: %q", run.Progress, comment)
	}
	g.reads(t, keys["edited"], "Before.\n\n![a]("+stored+")\n\nAfter.")
	g.reads(t, keys["emptied"], "gone")
	if c, err := g.Workflows.CommentOf(g.Ctx, g.Ticket(t, keys["reworded"].String()), comments["reworded"]); err != nil ||
		c.Body != "Now ![a]("+stored+")" || c.Version != 3 {
		t.Errorf("%+v, %v", c, err)
	}
	g.reads(t, old.Key, "![a]({}/archived.png)")
	for path, want := range map[string]string{
		"/edited.png": "shows it.", "/emptied.png": "does not show it any more.", "/deleted.png": "is gone.",
		"/reworded.png c":  "shows it.",
		"/withdrawn.png c": "does not show it any more.", "/archived.png": "is archived, so its texts stay as they are, and show it.",
		"/long.png": "cannot show it: ",
	} {
		if !strings.Contains(comment[path], want) {
			t.Errorf("%s: %q", path, comment[path])
		}
	}
	again := (&apptest.Env{App: g.work, DB: g.DB}).BareRun(t, "download-images", 1, g.values())
	if len(again.Tasks) != 0 { // those whose texts stay as they are have their copies
		t.Errorf("another run fetches %d", len(again.Tasks))
	}
}

func TestImagesAreFoundOnce(t *testing.T) {
	t.Parallel()
	g := newWebEnv(t)
	want := 0
	for i := range 7 {
		key := g.describe(t, strings.Repeat(fmt.Sprintf("![a]({}/image/%d.png) ", i),
			2)+"![b](//cdn.example/x.png)![c](HTTP://cdn.example/y.png)")
		g.comment(t, key, fmt.Sprintf("![a]({}/image/%d.png)", i))
		want += 4
	}
	missing := g.describe(t, "![a]({}/image/99.png)")
	domaintest.Must(t, g.Workflows.DeleteTicket(g.Ctx, missing))
	whole := (&apptest.Env{App: g.work, DB: g.DB}).BareRun(t, "download-images", 1, g.values())
	if len(whole.Tasks) != want {
		t.Fatalf("%d tasks", len(whole.Tasks))
	}
	t.Run("wherever filling is interrupted", func(t *testing.T) {
		for n := 1; n <= want; n++ {
			part := whole.Again(n)
			if err := part.Fill(context.Background(), part); (n < want) != (err != nil) {
				t.Fatalf("%d: %v", n, err)
			}
			part.Until = 0
			domaintest.Must(t, part.Fill(context.Background(), part))
			if fmt.Sprint(part.Tasks) != fmt.Sprint(whole.Tasks) {
				t.Fatalf("interrupted after %d, there are %d tasks", n, len(part.Tasks))
			}
		}
	})
}

func TestImageRunsThatCannotBe(t *testing.T) {
	t.Parallel()
	g := newWebEnv(t)
	for what, values := range map[string]migrations.Values{
		"no company": {}, "an unknown company": g.values("company", "nobody"),
		"an unknown source": g.values("source", "mail"),
		"no pixels":         g.values("max_pixels", "0"), "too many bytes": g.values("max_kib", "999999999"),
		"something else": g.values("colour", "red"),
	} {
		if run, err := g.work.Console.OpenRun(g.Ctx, "download-images", values, migrations.Draft{}, nil); err == nil {
			t.Errorf("%s: run %d", what, run.ID)
		}
	}
	if _, err := g.Console.OpenRun(g.Ctx, "download-images", g.values(), migrations.Draft{}, nil); err == nil {
		t.Error("without a place for files there is a run")
	}
	t.Run("a file without a column of addresses cancels its run and says so", func(t *testing.T) {
		g.works(t)
		run := domaintest.OK(g.work.Console.OpenRun(g.Ctx, "download-images", g.values("source", "file"),
			migrations.Draft{Upload: strings.NewReader("address\nx\n"), UploadName: "x.csv"}, nil))(t)
		if run = g.until(t, run.ID, migrations.Cancelled); !strings.Contains(run.Reason, "no column url") {
			t.Errorf("%q", run.Reason)
		}
	})
}

// A text has room for hundreds of images, and each that is fetched leaves two more versions of it behind.
func TestTextOfHundredsOfImages(t *testing.T) {
	t.Parallel()
	g := newWebEnv(t)
	var text strings.Builder
	for n := range 450 {
		fmt.Fprintf(&text, "![](%s/image/%d.png)\n", g.base, n)
	}
	if text.Len() > tickets.MaxDescription {
		t.Fatal("it is too long")
	}
	key := g.describe(t, text.String())
	run, err := g.work.Console.OpenRun(g.Ctx, "download-images", g.values(), migrations.Draft{}, nil)
	domaintest.Must(t, err)
	g.works(t)
	run = g.until(t, run.ID, migrations.Ready)
	if run.Total != 200 || run.Rejected != 1 {
		t.Errorf("%d tasks, %d rejected", run.Total, run.Rejected)
	}
	list, _, err := g.work.Console.RunRejections(g.Ctx, run.ID, 0)
	if err != nil || len(list) != 1 || !strings.Contains(list[0].Reason, "450 images") ||
		!strings.Contains(list[0].Reason, key.String()) {
		t.Errorf("%+v, %v", list, err)
	}
	if g.host.Requests() != 0 {
		t.Errorf("%d requests", g.host.Requests())
	}
}

func TestImagesBehindARedirect(t *testing.T) {
	t.Parallel()
	g := newWebEnv(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(g.base, "http://"))
	g.Exec(t, "INSERT INTO migration_upstream (host, blocked_until, reason) VALUES ('localhost', NOW(6) + INTERVAL 1 HOUR, 'it answers 429 Too Many Requests')")
	file := "url\n"
	for n := range 5 {
		file += fmt.Sprintf("%s/to?http://localhost:%s/image/%d.png\n", g.base, port, n)
	}
	g.works(t)
	run := domaintest.OK(g.work.Console.OpenRun(g.Ctx, "download-images", g.values("source", "file"),
		migrations.Draft{Upload: strings.NewReader(file), UploadName: "images.csv"}, nil))(t)
	g.until(t, run.ID, migrations.Ready)
	domaintest.OK(g.work.Console.StartRun(g.Ctx, run.ID, 0, nil))(t)
	domaintest.Until(t, "all tasks wait", func() bool {
		p := g.until(t, run.ID, migrations.Running).Progress
		if p.Errors > 0 {
			t.Fatalf("tasks for a host that wants to be left alone, behind one that does not: %+v", p)
		}
		return p.Waiting == 5
	})
	if n := g.host.Requests(); n != 5 {
		t.Errorf("%d requests, not one for each redirect", n)
	}
}
