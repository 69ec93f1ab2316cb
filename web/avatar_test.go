package web_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
)

// sendAvatar sends the form of the user's picture with a file.
func (b *browser) sendAvatar(t testing.TB, name string, content []byte) *answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part := domaintest.OK(w.CreateFormFile("file", name))(t)
	domaintest.OK(part.Write(content))(t)
	domaintest.Must(t, w.Close())
	return b.send(newRequest(http.MethodPost, "/account/avatar", w.FormDataContentType(), &body))
}

// halves is a picture of a width and a height, red on its left and blue on its right.
func halves(t testing.TB, width, height int) []byte {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.Set(x, y, color.NRGBA{R: 255, A: 255})
			if x >= width/2 {
				picture.Set(x, y, color.NRGBA{B: 255, A: 255})
			}
		}
	}
	var out bytes.Buffer
	domaintest.Must(t, png.Encode(&out, picture))
	return out.Bytes()
}

func TestAvatar(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	ana, mia := e.ana(), e.signedIn("mia")
	src := func(a *answer, selector string) string {
		t.Helper()
		return a.has(t, 1, selector).page().Find(selector).AttrOr("src", "")
	}
	const key = "DEMO-1"
	ana.get("/account").has(t, 0, ".avatar-form img").has(t, 0, "header .avatar img")
	e.assign(key, "ana")

	ana.sendAvatar(t, "me.png", halves(t, 400, 200)).goesTo(t, "/account")
	page := ana.get("/account").has(t, 1, ".avatar-form > img").has(t, 1, "header .avatar img")
	own := src(page, ".avatar-form > img")
	got := ana.get(own).is(t, 200)
	picture, kind, err := image.Decode(strings.NewReader(got.body))
	if err != nil || kind != "png" || picture.Bounds().Dx() != 128 || picture.Bounds().Dy() != 128 {
		t.Fatalf("%s, %v, %v", kind, picture, err)
	}
	left, _, _, _ := picture.At(2, 64).RGBA()
	_, _, right, _ := picture.At(125, 64).RGBA()
	if left < 0xf000 || right < 0xf000 {
		t.Errorf("%x and %x: it is not the middle of the picture", left, right)
	}
	if head := got.header.Get("Content-Security-Policy"); head != "default-src 'none'; sandbox" || got.header.Get("Content-Type") != "image/png" {
		t.Errorf("%q, %q", head, got.header.Get("Content-Type"))
	}

	// Members of the company see it where they see the name, nobody else does.
	shown := strings.Replace(own, "/account/avatar/", "/acme/avatars/1/", 1)
	for path, where := range map[string]string{
		"/acme/" + key: ".comment .avatar img", "/acme/people": "#members .avatar img", "/acme/boards/DEMO": ".card .on img",
		"/acme/" + key + "/assignees": ".people i img", "/acme/people/mentions?q=ana": ".suggestions i img",
	} {
		if got := src(mia.get(path).is(t, 200), where); got != shown {
			t.Errorf("%s shows %q, not %q", path, got, shown)
		}
	}
	mia.get(shown).is(t, 200)
	e.signedIn("sam").get(shown).is(t, 404) // of another company
	e.visitor().get(shown).is(t, 303)
	mia.get("/acme/avatars/2/"+own[len(own)-16:]).is(t, 404)
	mia.get(own).is(t, 404) // her own has none

	// What cannot be shown is refused with what to do, and the picture stays.
	for name, bad := range map[string]struct {
		content []byte
		says    string
	}{
		"an empty file":    {nil, "The file is empty. Choose another."},
		"text":             {[]byte("hello, world"), "This is text, not an image."},
		"SVG":              {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "It can contain scripts and is not supported"},
		"one that is cut":  {halves(t, 400, 200)[:60], "is cut off"},
		"too many pixels":  {outboundtest.Bomb(20000, 20000), "are accepted"},
		"more than 5 MB":   {bytes.Repeat([]byte("x"), 5<<20+1), "it may have 5 MB"},
		"a name with HTML": {[]byte("<b>"), "is"},
	} {
		a := ana.sendAvatar(t, "<b data-evil>.png", bad.content)
		if a.code != 422 && a.code != 413 {
			t.Errorf("%s: %d", name, a.code)
		}
		a.textHas(t, "#avatar-file-error", bad.says)
		a.has(t, 0, "[data-evil]").has(t, 1, ".avatar-form > img")
	}
	ana.post("/account/avatar").is(t, 422).textHas(t, "#avatar-file-error", "Choose a file")
	ana.get(own).is(t, 200)

	// Another one has another address; the earlier one is gone.
	ana.sendAvatar(t, "me.jpg", outboundtest.RotatedJPEG()).goesTo(t, "/account")
	other := src(ana.get("/account"), ".avatar-form > img")
	if other == own {
		t.Error("both have the address " + own)
	}
	got = ana.get(other).is(t, 200)
	if strings.Contains(got.body, outboundtest.Secret) || got.header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("%s, with what else the file had", got.header.Get("Content-Type"))
	}
	ana.get(own).is(t, 404)
	ana.post("/account/avatar/removal").goesTo(t, "/account")
	ana.get("/account").has(t, 0, ".avatar-form img")
	ana.get(other).is(t, 404)
	e.counts(t, 0, "SELECT COUNT(*) FROM account_avatar")
}
