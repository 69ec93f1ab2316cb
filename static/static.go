package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// Prefix is where Handler is mounted.
const Prefix = "/static/"

//go:embed css js vendor img
var files embed.FS

type asset struct {
	kind    string
	etag    string
	content []byte
	gzipped func() []byte // nil if it would not be smaller
}

// bundle is all assets of a build, with their hash.
type bundle struct {
	assets map[string]asset
	hash   string
}

// current is made when it is first asked for: most commands show no page.
var current = sync.OnceValue(func() bundle { return load(files) })

// Path is the URL path of an asset, such as css/app.css. It changes whenever any asset does, and
// what an asset imports by a relative path has the same hash.
func Path(name string) string { return Prefix + Build() + "/" + name }

// Build names the assets of this build all together.
func Build() string { return current().hash }

// Handler serves the assets. A page of an older build still gets a response, but one that is not cached.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		under, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
		a, ok := current().assets[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		head := w.Header()
		head.Set("Cache-Control", "public, max-age=60")
		if under == Build() {
			head.Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		head.Set("Content-Type", a.kind)
		head.Set("X-Content-Type-Options", "nosniff")
		content, etag := a.content, a.etag
		if packed := a.gzipped(); packed != nil {
			head.Set("Vary", "Accept-Encoding")
			if acceptsGzip(r) {
				head.Set("Content-Encoding", "gzip")
				content, etag = packed, a.etag+"-gzip"
			}
		}
		head.Set("ETag", `"`+etag+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
}

// acceptsGzip leaves ranges alone: they count the bytes of the plain file.
func acceptsGzip(r *http.Request) bool {
	if r.Header.Get("Range") != "" {
		return false
	}
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";")
		if name == "gzip" {
			return strings.Trim(weight, "q=0.") != "" || weight == ""
		}
	}
	return false
}

func load(files fs.FS) bundle {
	assets := map[string]asset{}
	all := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		all.Write([]byte(name))
		all.Write(sum[:])
		assets[name] = asset{kind: kind(name), etag: hex.EncodeToString(sum[:8]), content: content,
			gzipped: sync.OnceValue(func() []byte { return gzipped(content) })}
		return nil
	})
	if err != nil {
		panic("static: " + err.Error()) // the files are in the binary
	}
	return bundle{assets, hex.EncodeToString(all.Sum(nil)[:6])}
}

// kind does not ask the machine's own table first: some say text/plain for .js, which browsers refuse.
func kind(name string) string {
	switch ext := path.Ext(name); ext {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case "":
		return "text/plain; charset=utf-8"
	default:
		return mime.TypeByExtension(ext)
	}
}

func gzipped(content []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = w.Write(content)
	_ = w.Close()
	if b.Len() >= len(content) {
		return nil
	}
	return b.Bytes()
}
