package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// saysWithFiles sends the form of a comment as a browser without JavaScript does: the text, then files, a name and a
// content each.
func (b *browser) saysWithFiles(key, text, nonce string, files ...string) *answer {
	b.env.t.Helper()
	body := &bytes.Buffer{}
	w := multipart.NewWriter(body)
	domaintest.Must(b.env.t, w.WriteField("nonce", nonce))
	domaintest.Must(b.env.t, w.WriteField("body", text))
	for i := 0; i < len(files); i += 2 {
		part := domaintest.OK(w.CreateFormFile("file", files[i]))(b.env.t)
		domaintest.OK(part.Write([]byte(files[i+1])))(b.env.t)
	}
	domaintest.Must(b.env.t, w.Close())
	return b.send(newRequest(http.MethodPost, "/acme/"+key+"/attachments", w.FormDataContentType(), body))
}

func TestCommentWithFiles(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("vic", "acme", accounts.Viewer)
	ana, vic := e.ana(), e.signedIn("vic")
	page := ana.get("/acme/DEMO-1").is(t, 200)
	page.has(t, 1, "#comment-form input[type=file][name=file]").has(t, 1, "#comment-form button.nojs[formaction='/acme/DEMO-1/attachments'][formenctype='multipart/form-data']")
	nonce := page.value(t, "#comment-form [name=nonce]")
	for range 2 { // a double click
		ana.saysWithFiles("DEMO-1", "See these.", nonce, "plan.txt", "a plan", "list.txt", "a list").is(t, 303)
	}
	e.counts(t, 1, "SELECT COUNT(*) FROM comment WHERE body LIKE 'See these.%plan.txt%list.txt%'")
	e.counts(t, 2, "SELECT COUNT(*) FROM attachment WHERE ticket_id IS NOT NULL AND comment_id IS NOT NULL")
	ana.get("/acme/DEMO-1").has(t, 2, ".comment a[href^='/acme/attachments/']")
	ana.saysWithFiles("DEMO-1", "Without files", "").is(t, 303)
	e.counts(t, 1, "SELECT COUNT(*) FROM comment WHERE body = 'Without files'")

	said := e.count("SELECT COUNT(*) FROM comment")
	ana.saysWithFiles("DEMO-1", "Kept text", "", "empty.txt", "").is(t, 422).has(t, 1, "#comment-body[aria-invalid=true]").
		textHas(t, "#comment-body", "Kept text")
	ana.saysWithFiles("DEMO-1", "   ", "").is(t, 422).has(t, 1, "#comment-body[aria-invalid=true]")
	ana.saysWithFiles("DEMO-1", strings.Repeat("x", 70_000), "", "plan.txt", "a plan").is(t, 422).has(t, 1, "#comment-body[aria-invalid=true]")
	vic.saysWithFiles("DEMO-1", "No", "", "plan.txt", "a plan").is(t, 403)
	ana.saysWithFiles("DEMO-99", "No", "", "plan.txt", "a plan").is(t, 404)
	e.counts(t, int(said), "SELECT COUNT(*) FROM comment")
}
