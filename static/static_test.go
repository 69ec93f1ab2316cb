package static

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://example.com/", nil)
	r.URL.Path = path
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r io.Reader) string {
	t.Helper()
	b := domaintest.OK(io.ReadAll(r))(t)
	return string(b)
}

func TestHandler(t *testing.T) {
	t.Run("an asset is kept for ever under its hash", func(t *testing.T) {
		r := get(t, Path("js/app.js"))
		if r.StatusCode != http.StatusOK || r.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%d, %q", r.StatusCode, r.Header.Get("Cache-Control"))
		}
		if got := r.Header.Get("Content-Type"); got != "text/javascript; charset=utf-8" {
			t.Error(got)
		}
		if again := get(t, Path("js/app.js"), "If-None-Match",
			r.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("with its ETag: %d", again.StatusCode)
		}
	})
	t.Run("an older hash is answered for a short time", func(t *testing.T) {
		if r := get(t, "/static/0123456789ab/css/app.css"); r.StatusCode != http.StatusOK ||
			strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%d, %q", r.StatusCode, r.Header.Get("Cache-Control"))
		}
	})
	t.Run("gzip goes only to those who take it", func(t *testing.T) {
		plain := get(t, Path("css/app.css"), "Accept-Encoding", "br, gzip;q=0")
		packed := get(t, Path("css/app.css"), "Accept-Encoding", "br, gzip;q=0.8")
		if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" ||
			packed.Header.Get("Vary") != "Accept-Encoding" {
			t.Fatal(plain.Header, packed.Header)
		}
		unpacked := domaintest.OK(gzip.NewReader(packed.Body))(t)
		if body(t, unpacked) != body(t, plain.Body) {
			t.Error("the two differ")
		}
		if plain.Header.Get("ETag") == packed.Header.Get("ETag") {
			t.Error("they share an ETag")
		}
	})
	t.Run("nothing but assets is served", func(t *testing.T) {
		for _, path := range []string{"/static/", "/static/" + Build(), Path(""), Path("css"), Path("../static.go"),
			Path("..%2fstatic.go"), Path("css/../../go.mod"), "/static/../static.go"} {
			if r := get(t, path); r.StatusCode != http.StatusNotFound {
				t.Errorf("%s: %d", path, r.StatusCode)
			}
		}
	})
}

func TestAssets(t *testing.T) {
	t.Run("every import of a script is there", func(t *testing.T) {
		imports := regexp.MustCompile(`(?:from|import) '([^']+)'`)
		found := 0
		for name, a := range current().assets {
			if !strings.HasPrefix(name, "js/") {
				continue
			}
			for _, m := range imports.FindAllStringSubmatch(string(a.content), -1) {
				found++
				if _, ok := current().assets[path.Join(path.Dir(name), m[1])]; !ok {
					t.Errorf("%s imports %s", name, m[1])
				}
			}
		}
		if found == 0 {
			t.Error("no import found")
		}
	})
	t.Run("each vendored library has its version and licence", func(t *testing.T) {
		for name := range current().assets {
			if dir, _, ok := strings.Cut(strings.TrimPrefix(name, "vendor/"), "/"); ok && strings.HasPrefix(name, "vendor/") {
				for _, file := range []string{"VERSION", "LICENSE"} {
					if _, ok := current().assets["vendor/"+dir+"/"+file]; !ok {
						t.Errorf("%s has no %s", dir, file)
					}
				}
			}
		}
	})
}

// A brace lost in a merge puts all that follows into the layer before, where it loses against everything.
func TestStylesAreClosed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"css/app.css", "css/migrations.css"} {
		depth := 0
		for i, line := range strings.Split(string(current().assets[name].content), "\n") {
			if strings.HasPrefix(line, "@layer") && depth != 0 {
				t.Errorf("%s:%d: a layer within another", name, i+1)
			}
			depth += strings.Count(line, "{") - strings.Count(line, "}")
		}
		if depth != 0 {
			t.Errorf("%s: %d braces are open at its end", name, depth)
		}
	}
}
