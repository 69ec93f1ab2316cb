package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// noImage is the hash of no image.
var noImage = hex.EncodeToString(make([]byte, sha256.Size))

func TestImages(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.account("rita", "rivals", "owner")
	keep := func(kind string, content, small string) string {
		sum := sha256.Sum256([]byte(content))
		hash := hex.EncodeToString(sum[:])
		e.exec("INSERT INTO image (company_id, hash, content_type, bytes, width, height, created_at) VALUES (1, ?, ?, ?, 9, "+
			"9, UTC_TIMESTAMP(6))", sum[:], kind, len(content))
		e.store("images/"+hash[:2]+"/"+hash, content)
		if small != "" {
			e.store("images/"+hash[:2]+"/"+hash+".640", small)
		}
		return "/acme/images/" + hash
	}
	const png = "\x89PNG\r\n\x1a\n"
	photo := keep("image/jpeg", "a photograph", "small")
	little := keep("image/png", "an icon", "")
	moving := keep("image/gif", "GIF89a an animation", png+"its first frame")
	tiny := keep("image/gif", "GIF89a", "")

	t.Run("a member sees the image and its small copy, and nothing can run in it", func(t *testing.T) {
		for path, want := range map[string][2]string{
			photo: {"image/jpeg", "a photograph"}, photo + "/640": {"image/jpeg", "small"},
			little: {"image/png", "an icon"}, little + "/640": {"image/png", "an icon"},
			moving: {"image/gif", "GIF89a an animation"}, moving + "/640": {"image/png", png + "its first frame"},
			tiny + "/640": {"image/gif", "GIF89a"},
		} {
			a := e.ana().with("Accept-Encoding", "gzip").get(path).is(t, 200)
			head := a.header
			if head.Get("Content-Type") != want[0] || a.body != want[1] || head.Get("Content-Encoding") != "" {
				t.Errorf("%s is %q of type %s, encoded as %q", path, a.body, head.Get("Content-Type"), head.Get("Content-Encoding"))
			}
			for name, value := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
				"Cache-Control": "private, max-age=31536000, immutable", "Cross-Origin-Resource-Policy": "same-origin",
			} {
				if head.Get(name) != value {
					t.Errorf("%s: %s is %q", path, name, head.Get(name))
				}
			}
		}
	})
	t.Run("an image that the browser has is not sent again", func(t *testing.T) {
		for _, path := range []string{photo, photo + "/640"} {
			tag := e.ana().get(path).is(t, 200).header.Get("ETag")
			if a := e.ana().with("If-None-Match", tag).get(path).is(t, 304); a.body != "" {
				t.Errorf("%q", a.body)
			}
			e.ana().with("If-None-Match", `"another"`).get(path).is(t, 200)
		}
	})
	t.Run("to others there is no such image, whether they have its like or not", func(t *testing.T) {
		e.visitor().get(photo).is(t, 303)
		for _, path := range []string{photo, photo + "/640", "/rivals" + photo[len("/acme"):]} {
			e.signedIn("rita").get(path).is(t, 404)
		}
	})
	t.Run("an image of another company is not found", func(t *testing.T) {
		for _, path := range []string{"/acme/images/" + noImage, "/acme/images/x", photo + "0", "/acme/images/" +
			string(bytes.ToUpper([]byte(photo[len("/acme/images/"):]))), "/acme/images/..%2f..%2fetc%2fpasswd"} {
			e.ana().get(path).is(t, 404)
		}
	})
	t.Run("a text shows its small copy, which leads to the whole one", func(t *testing.T) {
		e.exec("UPDATE ticket SET description = ? WHERE local_id = 1", "![a photo]("+photo+")")
		e.ana().get("/acme/DEMO-1").is(t, 200).has(t, 1, `.prose a[href="`+photo+`"] img[src="`+photo+`/640"][alt="a photo"]`)
	})
}
