package web_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/ops/verify"
	"github.com/counterfoil/counterfoil/web"
)

// sendFiles sends a form with files: a name and a content each.
func (b *browser) sendFiles(path string, pairs ...string) *answer {
	b.env.t.Helper()
	kind, body := filesForm(b.env.t, pairs...)
	r := newRequest(http.MethodPost, path, kind, body)
	if strings.HasSuffix(path, "/acme/attachments") {
		r.Header.Set("HX-Request", "true")
	}
	return b.send(r)
}

func filesForm(t testing.TB, pairs ...string) (kind string, body *bytes.Buffer) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for i := 0; i < len(pairs); i += 2 {
		part := domaintest.OK(w.CreateFormFile("file", pairs[i]))(t)
		domaintest.OK(part.Write([]byte(pairs[i+1])))(t)
	}
	domaintest.Must(t, w.Close())
	return w.FormDataContentType(), body
}

// upload sends a file for a text that is being written, and returns how the text refers to it.
func (b *browser) uploadFor(name, content string) (markdown string) {
	b.env.t.Helper()
	a := b.sendFiles("/acme/attachments", name, content).is(b.env.t, http.StatusCreated)
	markdown, _ = a.page().Find("output").Attr("data-markdown")
	return markdown
}

// verified fails the test if verify finds something, also in the files.
func (e *env) verified() {
	e.t.Helper()
	report := domaintest.OK(verify.Run(context.Background(), e.db, apptest.Keys, e.files.String(), nil))(e.t)
	if !report.OK() {
		report.Text(e.t.Output())
		e.t.Error("verify finds something")
	}
}

const pdf = "%PDF-1.4\nhello"

func TestAttachments(t *testing.T) {
	t.Parallel()
	t.Run("files are attached without JavaScript, listed, downloaded, published, deleted and restored", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		e.publish()
		ana.get("/acme/DEMO-1").has(t, 1, "#files form[enctype='multipart/form-data'] input[type=file][multiple]").has(t, 0, "#files li")
		ana.sendFiles("/acme/DEMO-1/attachments", "Plän.pdf", pdf, "shot.png", string(halves(t, 900, 500))).goesTo(t, "/acme/DEMO-1")
		page := ana.get("/acme/DEMO-1").has(t, 2, "#files li").has(t, 1, "#files img[src='/acme/attachments/2/small']")
		page.textHas(t, "#files li:first-child", "Plän.pdf")
		page.textHas(t, "#files li:first-child .facts", "PDF, 14 bytes")
		page.textIs(t, "#history li:first-child p", "Ana attached “shot.png”")
		e.counts(t, 2, "SELECT attachments FROM ticket WHERE local_id = 1")
		e.counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE local_id = 1 AND feed_sync_id IS NULL")
		ana.get("/acme/boards/DEMO").textHas(t, "#card-1 .plan", "Files: 2")

		file := ana.get("/acme/attachments/1").is(t, http.StatusOK)
		if file.body != pdf || file.header.Get("Content-Type") != "application/pdf" ||
			file.header.Get("Content-Disposition") != "attachment; filename*=utf-8''Pl%C3%A4n.pdf" ||
			file.header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || file.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q %v", file.body, file.header)
		}
		part := newRequest(http.MethodGet, "/acme/attachments/1", "", nil)
		part.Header.Set("Range", "bytes=1-3")
		if a := ana.send(part).is(t, http.StatusPartialContent); a.body != "PDF" {
			t.Errorf("%q", a.body)
		}
		again := newRequest(http.MethodGet, "/acme/attachments/1", "", nil)
		again.Header.Set("If-None-Match", file.header.Get("ETag"))
		ana.send(again).is(t, http.StatusNotModified)
		shown := ana.get("/acme/attachments/2/image").is(t, http.StatusOK)
		if shown.header.Get("Content-Type") != "image/png" || shown.header.Get("Content-Disposition") != "" {
			t.Error(shown.header)
		}
		small := ana.get("/acme/attachments/2/small").is(t, http.StatusOK)
		if len(small.body) == 0 || small.body == shown.body {
			t.Error("there is no small copy")
		}
		ana.get("/acme/attachments/1/image").is(t, http.StatusNotFound) // it is no picture

		e.publish()
		if a := e.program().get("/feeds/tickets").is(t, 200); !strings.Contains(a.body, `"attachments":[{"id":1,"name":"Plän.pdf","bytes":14,"type":"application/pdf"`) {
			t.Error("the feed does not have the files:", a.body)
		}
		ana.post("/acme/DEMO-1/attachments/1/removal").goesTo(t, "/acme/DEMO-1")
		ana.get("/acme/attachments/1").is(t, http.StatusNotFound)
		ana.get("/acme/DEMO-1").has(t, 1, "#files li").textIs(t, "#history li:first-child p", "Ana deleted the file “Plän.pdf”")
		e.unchanged(t, func() { // it is gone
			ana.post("/acme/DEMO-1/attachments/1/removal").is(t, 303)
			ana.post("/acme/DEMO-1/attachments/99/removal").is(t, 404)
			ana.post("/acme/DEMO-2/attachments/2/removal").is(t, 404) // another ticket's
		})
		ana.post("/acme/undo").goesTo(t, "/acme/DEMO-1")
		ana.get("/acme/attachments/1").is(t, http.StatusOK)
		ana.get("/acme/DEMO-1").has(t, 2, "#files li").textIs(t, "#history li:first-child p", "Ana restored the file “Plän.pdf”")
		ana.post("/acme/undo").is(t, 303) // the attaching of the second
		ana.get("/acme/DEMO-1").has(t, 1, "#files li").textIs(t, "#history li:first-child p", "Ana undid attaching “shot.png”")
		e.counts(t, 1, "SELECT attachments FROM ticket WHERE local_id = 1")
		e.verified()
	})
	t.Run("a file that is sent for a text is seen by its author alone until the text is saved", func(t *testing.T) {
		t.Parallel()
		e := newEnvWithRoles(t)
		mia, ana := e.signedIn("mia"), e.ana()
		shot, plan := mia.uploadFor("a[b]_*`c.png", string(halves(t, 700, 10))), mia.uploadFor("plan.pdf", pdf)
		if shot != "![a\\[b\\]\\_\\*\\`c.png](attachment:1)" || plan != "[plan.pdf](attachment:2)" {
			t.Fatalf("%s %s", shot, plan)
		}
		mia.get("/acme/attachments/2").is(t, http.StatusOK)
		ana.get("/acme/attachments/2").is(t, http.StatusNotFound)
		text := "See " + shot + " and\n\n" + plan
		mia.post("/acme/preview", "body", text).has(t, 1, "img[src='/acme/attachments/1/small']").has(t, 1, "a.file[href='/acme/attachments/2']")
		ana.post("/acme/preview", "body", text).has(t, 0, "main img[src*=attachments]").has(t, 0, "a.file")
		e.unchanged(t, func() { mia.post("/acme/DEMO-1/comments", "body", "").is(t, http.StatusUnprocessableEntity) })

		mia.post("/acme/DEMO-1/comments", "body", text).is(t, http.StatusSeeOther)
		page := ana.get("/acme/DEMO-1").has(t, 1, ".comment .prose a.picture[href='/acme/attachments/1/image'] img[src='/acme/attachments/1/small']")
		page.has(t, 1, ".comment a.file[href='/acme/attachments/2'][title='PDF, 14 bytes']").has(t, 2, "#files li")
		page.textHas(t, "#files li:first-child", "in a comment")
		ana.get("/acme/attachments/2").is(t, http.StatusOK)

		// Someone else's text takes nobody's file, and a text of another ticket does not show it.
		stolen := mia.uploadFor("secret.pdf", pdf)
		ana.post("/acme/DEMO-2/comments", "body", stolen+" "+plan).is(t, http.StatusSeeOther)
		ana.get("/acme/DEMO-2").has(t, 0, "#files li").has(t, 0, ".comment a.file")
		ana.get("/acme/attachments/3").is(t, http.StatusNotFound)

		// With the comment its files go, and come back.
		said := fmt.Sprint("/acme/DEMO-1/comments/", e.count("SELECT MAX(comment_id) FROM attachment"))
		mia.post(said+"/removal").is(t, http.StatusSeeOther)
		ana.get("/acme/attachments/2").is(t, http.StatusNotFound)
		ana.get("/acme/DEMO-1").has(t, 0, "#files li")
		e.counts(t, 0, "SELECT attachments FROM ticket WHERE local_id = 1")
		mia.post(said+"/restoration").is(t, http.StatusSeeOther)
		ana.get("/acme/DEMO-1").has(t, 2, "#files li")

		// A new ticket and an edit take files, too.
		opening := mia.uploadFor("new.pdf", pdf)
		mia.post("/acme/boards/DEMO/tickets", "title", "With a file", "description", opening).is(t, http.StatusSeeOther)
		key := "/acme/" + e.newest(t, "DEMO")
		ana.get(key).has(t, 1, "#files li").has(t, 1, "#face a.file")
		more := mia.uploadFor("more.pdf", pdf)
		mia.post(key, "version", "1", "title", "With two", "description", opening+"\n"+more).is(t, http.StatusSeeOther)
		ana.get(key).has(t, 2, "#files li").has(t, 2, "#face a.file")
		e.verified()
	})
	t.Run("what cannot be kept is refused with a sentence, and nothing is left", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t, func(cfg *web.Config) { cfg.MaxAttachment = 1 << 20 })
		ana := e.ana()
		bomb := string(halves(t, 1, 1))
		head := bomb[12:16] + "\x00\x00\xff\x00\x00\x00\xff\x00" + bomb[24:29] // 65,280 pixels wide and high
		bomb = bomb[:12] + head + string(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(head)))) + bomb[33:]
		ana.sendFiles("/acme/DEMO-1/attachments", "first.pdf", pdf) // the place is marked
		before := slices.Sorted(maps.Keys(e.stored()))
		for what, c := range map[string]struct {
			send func() *answer
			code int
			says string
		}{
			"no file": {func() *answer { return ana.sendFiles("/acme/DEMO-1/attachments") }, 422, "Choose a file first."},
			"no form of files": {func() *answer { return ana.post("/acme/DEMO-1/attachments", "file", "x") }, 422,
				"Choose a file first."},
			"an empty one": {func() *answer { return ana.sendFiles("/acme/DEMO-1/attachments", "none.txt", "") }, 422,
				"“none.txt” was not attached. The file is empty. Choose another one."},
			"one that is too large": {func() *answer {
				return ana.sendFiles("/acme/DEMO-1/attachments", "big", strings.Repeat("x", 1<<20+1))
			}, 413, "The file is too large: it may have 1 MB."},
			"a connection that ends": {func() *answer {
				return ana.upload("/acme/DEMO-1/attachments", nil, brokenReader("one"))
			}, 422, "The upload was interrupted"},
			"a picture with too many pixels": {func() *answer { return ana.sendFiles("/acme/DEMO-1/attachments", "bomb.png", bomb) }, 422,
				"The picture has 4261 million pixels; at most 250 million are accepted."},
		} {
			t.Run(what, func(t *testing.T) {
				e.unchanged(t, func() {
					c.send().is(t, c.code).has(t, 1, "#attach-file").textHas(t, "#files [role=alert]", c.says)
				})
				if after := slices.Sorted(maps.Keys(e.stored())); !slices.Equal(after, before) {
					t.Errorf("%v are left of %v", after, before)
				}
			})
		}
		e.unchanged(t, func() {
			ana.sendFiles("/acme/DEMO-99/attachments", "a.pdf", pdf).is(t, http.StatusNotFound)
			ana.sendFiles("/acme/attachments").is(t, http.StatusBadRequest) // a script says so
			ana.get("/acme/attachments/99").is(t, http.StatusNotFound)
			ana.get("/acme/attachments/x").is(t, http.StatusNotFound)
		})
		// Of several, those before the bad one stay.
		ana.sendFiles("/acme/DEMO-2/attachments", "one.pdf", pdf, "two.pdf", "", "three.pdf", pdf).is(t, 422).
			has(t, 1, "#files li").textHas(t, "#files [role=alert]", "“two.pdf” was not attached.")
		e.verified()
	})
	t.Run("what could run as a page of this server is a download", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		for i, c := range [][2]string{
			{"x.svg", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`},
			{"x.png", "<html><script>alert(1)</script>"}, {"x.html", "<!doctype html><p>"}, {"x.gif", "GIF89a"},
		} {
			md := ana.uploadFor(c[0], c[1])
			if strings.HasPrefix(md, "!") {
				t.Errorf("%s is shown", c[0])
			}
			path := fmt.Sprint("/acme/attachments/", i+1)
			a := ana.get(path).is(t, http.StatusOK)
			if !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") || a.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %v", c[0], a.header)
			}
			ana.get(path+"/image").is(t, http.StatusNotFound)
			ana.post("/acme/DEMO-1/comments", "body", "!"+md).is(t, http.StatusSeeOther)
		}
		ana.get("/acme/DEMO-1").has(t, 0, ".comment img").has(t, 4, ".comment a.file")
		for sent, want := range map[string]string{
			"../../etc/passwd": "passwd", `C:\tmp\a.txt`: "a.txt", "\u202egpj.exe": "gpj.exe", "a\r\nSet-Cookie: x": "aSet-Cookie: x", "": "file",
			"\xff.txt": "�.txt", strings.Repeat("n", 300) + ".tar": strings.Repeat("n", 196) + ".tar", `"><script>`: `"><script>`,
		} {
			if got := tickets.FileName(sent); got != want {
				t.Errorf("%q is stored as %q", sent, got)
			}
		}
	})
	t.Run("a company's files take no more than its quota", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.sendFiles("/acme/DEMO-1/attachments", "a.pdf", pdf).is(t, 303)
		ana.get("/acme/settings").textHas(t, "#storage", "14 bytes of 10 GB")
		e.exec("UPDATE company_storage SET quota = 30")
		ana.sendFiles("/acme/DEMO-1/attachments", "b.pdf", pdf).is(t, 303) // the same content counts again
		e.unchanged(t, func() {
			ana.sendFiles("/acme/DEMO-1/attachments", "c.pdf", pdf).is(t, http.StatusRequestEntityTooLarge).
				textHas(t, "#files [role=alert]", "There is no room for this file")
		})
		if n := len(e.stored()); n != 1 {
			t.Errorf("%d files are stored", n)
		}
		ana.post("/acme/DEMO-1/attachments/1/removal").is(t, 303) // which frees no room until it is removed
		ana.sendFiles("/acme/DEMO-1/attachments", "c.pdf", pdf).is(t, http.StatusRequestEntityTooLarge)
		e.verified()
	})
	t.Run("a form that is sent twice attaches once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		nonce := ana.get("/acme/DEMO-1").value(t, "#files [name=nonce]")
		for range 2 {
			ana.upload("/acme/DEMO-1/attachments", [][2]string{{"nonce", nonce}}, strings.NewReader("twice")).goesTo(t, "/acme/DEMO-1")
		}
		e.counts(t, 1, "SELECT attachments FROM ticket WHERE local_id = 1")
		ana.upload("/acme/DEMO-1/attachments", [][2]string{{"nonce", nonce}}, strings.NewReader("another")).is(t, 303)
		e.counts(t, 2, "SELECT attachments FROM ticket WHERE local_id = 1")
		e.verified()
	})
	t.Run("a ticket has 200 files at most", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		ana := e.ana()
		ana.sendFiles("/acme/DEMO-1/attachments", "a.pdf", pdf).is(t, 303)
		e.exec("INSERT INTO attachment (company_id, ticket_id, account_id, hash, name, created_at) SELECT company_id, ticket_id, account_id, hash, name, created_at " +
			"FROM attachment JOIN (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 199) SELECT i FROM n) x")
		e.exec("UPDATE ticket SET attachments = 200 WHERE attachments = 1")
		e.exec("UPDATE company_storage SET used = 14 * 200")
		e.unchanged(t, func() {
			ana.sendFiles("/acme/DEMO-1/attachments", "b.pdf", pdf).is(t, 422).textHas(t, "#files [role=alert]", "up to 200 files")
		})
		ana.get("/acme/DEMO-1").has(t, 200, "#files li")
		one := ana.uploadFor("b.pdf", pdf)
		ana.post("/acme/DEMO-1/comments", "body", one).is(t, 422)
		e.verified()
	})
}

func TestAttachmentsInSight(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	ana, mia, vera := e.ana(), e.signedIn("mia"), e.signedIn("vera")
	ana.sendFiles("/acme/DEMO-1/attachments", "a.png", string(halves(t, 700, 9))).is(t, 303)
	paths := []string{"/acme/attachments/1", "/acme/attachments/1/image", "/acme/attachments/1/small"}
	seen := func(b *browser, code int) {
		t.Helper()
		for _, path := range paths {
			b.get(path).is(t, code)
		}
	}
	seen(mia, 200)
	seen(vera, 200)
	e.unchanged(t, func() { // a viewer reads
		vera.sendFiles("/acme/DEMO-1/attachments", "b.pdf", pdf).is(t, 403)
		vera.sendFiles("/acme/attachments", "b.pdf", pdf).is(t, 403)
		vera.post("/acme/DEMO-1/attachments/1/removal").is(t, 403)
		vera.get("/acme/DEMO-1").has(t, 0, "#files form").has(t, 1, "#files li")
	})
	ana.post("/acme/boards/DEMO/privacy", "private", "yes").is(t, 303)
	seen(mia, 404)
	seen(ana, 200)
	mia.sendFiles("/acme/DEMO-1/attachments", "b.pdf", pdf).is(t, 404)
	e.programOf("mia").get("/tickets/DEMO-1/attachments").is(t, 404)
	ana.post("/acme/boards/DEMO/privacy", "private", "no").is(t, 303)
	seen(mia, 200)
	ana.post("/acme/DEMO-1/deletion").is(t, 303)
	seen(ana, 404)
	ana.post("/acme/DEMO-1/restoration").is(t, 303)
	seen(ana, 200)
	ana.post("/acme/boards/DEMO/archive", "version", fmt.Sprint(e.count("SELECT version FROM board WHERE slug = 'DEMO'")), "archived", "1")
	e.account("rita", "rivals", "owner")
	seen(e.signedIn("rita"), 404)
}

func TestAPIAttachments(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	p := e.program()
	send := func(key string, pairs ...string) *answer {
		kind, body := filesForm(t, pairs...)
		r := newRequest(http.MethodPost, "/api/v1/tickets/DEMO-1/attachments", kind, body)
		r.Header.Set("Authorization", "Bearer "+p.token)
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		return e.send(r)
	}
	first := send("k", "plan.pdf", pdf).is(t, http.StatusCreated)
	if again := send("k", "plan.pdf", pdf).is(t, http.StatusCreated); again.body != first.body {
		t.Errorf("%s\n%s", first.body, again.body)
	}
	send("k", "plan.pdf", pdf+"x").problem(t, 422, "Idempotency-Key")
	send("k", "other.pdf", pdf).problem(t, 422, "Idempotency-Key")
	e.counts(t, 1, "SELECT COUNT(*) FROM attachment")
	if n := len(e.stored()); n != 1 {
		t.Errorf("%d files are stored", n)
	}
	send("").problem(t, 422, "file")
	send("", "none", "").problem(t, 422, "file")
	p.post("/tickets/DEMO-1/attachments", map[string]any{"file": "x"}).problem(t, 422, "file")
	var one struct {
		ID            id.Attachment
		Name, Address string
		Bytes         int64
	}
	p.get("/tickets/DEMO-1/attachments/1").is(t, 200).read(t, &one)
	if one.ID != 1 || one.Name != "plan.pdf" || one.Address != "attachment:1" || one.Bytes != 14 {
		t.Errorf("%+v", one)
	}
	if a := p.get("/tickets/DEMO-1/attachments/1/content").is(t, 200); a.body != pdf {
		t.Errorf("%q", a.body)
	}
	p.get("/tickets/DEMO-2/attachments/1").is(t, 404)
	p.get("/tickets/DEMO-2/attachments/1/content").is(t, 404)
	p.delete("/tickets/DEMO-2/attachments/1").is(t, 404)
	p.delete("/tickets/DEMO-1/attachments/1").is(t, 204)
	p.delete("/tickets/DEMO-1/attachments/1").is(t, 204)
	p.get("/tickets/DEMO-1/attachments/1").is(t, 404)
	if a := p.get("/tickets/DEMO-1/attachments").is(t, 200); !strings.Contains(a.body, `"items":[]`) {
		t.Error(a.body)
	}
	e.verified()
}

// TestLargeAttachment: a file of 100 MB passes through the program without being held in memory.
func TestLargeAttachment(t *testing.T) {
	e := newEnv(t)
	ana := e.ana()
	ana.sendFiles("/acme/DEMO-1/attachments", "first.pdf", pdf).is(t, 303)
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	most := uint64(0)
	content := io.LimitReader(watched{rand.Reader, func() {
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
	}}, 99<<20)
	ana.upload("/acme/DEMO-1/attachments", nil, content).is(t, 303)
	if most > 20<<20 {
		t.Errorf("the upload took %d MB", most>>20)
	}
	e.counts(t, 99<<20, "SELECT bytes FROM stored_file ORDER BY bytes DESC LIMIT 1")
}

// watched calls then now and then while it is read.
type watched struct {
	io.Reader
	then func()
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if len(p) > 0 && p[0] < 8 { // one in 32
		w.then()
	}
	return n, err
}

// TestOtherPlace: a server that keeps files elsewhere than the others takes none.
func TestOtherPlace(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.ana().sendFiles("/acme/DEMO-1/attachments", "a.pdf", pdf).is(t, 303)
	elsewhere := domaintest.OK(blobs.Open(t.Context(), t.TempDir()))(t)
	other := app.New(e.db, apptest.CheapPasswords, apptest.WithKeys, app.WithFiles(elsewhere))
	t.Cleanup(func() { other.Close(context.Background()) })
	attach := func() error {
		file := workflows.NewFile{Name: "b.pdf", Content: strings.NewReader(pdf), Size: -1}
		_, err := other.Workflows.Attach(e.actorContext(t, "Ana"), tickets.Key{Board: "DEMO", Number: 1}, file, nil)
		return err
	}
	err := attach()
	if fault.CodeOf(err) != files.CodeOtherPlace || !strings.Contains(fault.Message(err), "put an empty file named place/") {
		t.Error(err)
	}
	e.counts(t, 1, "SELECT COUNT(*) FROM attachment")
	name := "place/" + domaintest.OK(e.db.FilePlace(context.Background()))(t)
	domaintest.Must(t, elsewhere.Put(t.Context(), name, strings.NewReader(""))) // as the message says
	domaintest.Must(t, attach())
}
