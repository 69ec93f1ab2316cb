// Package outboundtest serves images as the web does: mostly well, and badly in every known way. It is for tests, and
// for trying a download by hand.
package outboundtest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server is an http.Handler with these paths; N is any number.
//
//	/image/N.png /image/N.jpg /image/N.gif    a picture of its own for each N
//	/same/N.png                               one picture for all N
//	/wide.png                                 1,300 × 40 pixels
//	/alpha.png /photo.jpg /animated.gif /picture.webp   transparent; turned by EXIF, with a place in it; two frames; WebP
//	/rough/N.png                              as /image/N.png, but see Rough
//	/status/N                                 that status
//	/limited/N.png                            429 with Retry-After: 1 until it was asked again, after that an image
//	/busy/N.png                               the same with 503
//	/stall /stall-body /drip /endless         nothing comes; half an image, then nothing; byte by byte; for ever
//	/truncated.png /truncated.jpg             the first half, told to be all of it
//	/cut.png                                  the first half of what is announced
//	/bomb.png /bomb.gif                       100,000 × 100,000 and 60,000 × 60,000 pixels in a few bytes
//	/script.svg /svg.png /page.png /empty.png /text.png    SVG with a script, also under another type; HTML; nothing; text
//	/plain.html /film.mp4 /bytes.bin /bytes.octets /untyped    an image that says it is HTML, a film, bytes, bytes, nothing
//	/gzip-bomb.png                            many MiB of nothing, packed
//	/loop /to?SCHEME://…                      redirects: to itself; to there
//	/late /huge                               200 after a minute; 200 with a body of 1 GiB
//	/reset                                    the connection ends without an answer
type Server struct {
	// Rough makes /rough/N.png fail the first time by N: of each hundred, N%100 in
	// 0–9 get 500, 10–19 get 429 with Retry-After: 1, 20–24 break off, 25–29 stall, and 30–34 are not
	// found for good. The rest, and all but the last of these the second time, are images.
	mu       sync.Mutex
	requests map[string]int
	done     chan struct{}
	once     sync.Once
}

// New returns a server.
func New() *Server { return &Server{requests: map[string]int{}, done: make(chan struct{})} }

// Close ends stalled responses.
func (s *Server) Close() { s.once.Do(func() { close(s.done) }) }

// RequestCount returns how often a path was asked for.
func (s *Server) RequestCount(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[path]
}

// Requests returns how many requests came.
func (s *Server) Requests() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, times := range s.requests {
		n += times
	}
	return n
}

func (s *Server) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[path]++
	return s.requests[path]
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	times := s.count(r.URL.Path)
	folder, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	number, _, _ := strings.Cut(name, ".")
	n, _ := strconv.Atoi(number)
	switch folder {
	case "image":
		send(w, name, Picture(n, name))
	case "same":
		send(w, "x.png", Picture(1, "x.png"))
	case "rough":
		s.rough(w, r, n, times)
	case "status":
		http.Error(w, "as asked for", n)
	case "limited", "busy":
		if times == 1 {
			later(w, map[string]int{"limited": 429, "busy": 503}[folder])
			return
		}
		send(w, "x.png", Picture(n, "x.png"))
	default:
		s.odd(w, r, folder)
	}
}

func later(w http.ResponseWriter, status int) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, "not so fast", status)
}

func (s *Server) rough(w http.ResponseWriter, r *http.Request, n, times int) {
	switch kind := n % 100; {
	case kind >= 30 && kind < 35:
		http.NotFound(w, r)
	case times > 1 || kind >= 35:
		send(w, "x.png", Picture(n, "x.png"))
	case kind < 10:
		http.Error(w, "out of order", http.StatusInternalServerError)
	case kind < 20:
		later(w, http.StatusTooManyRequests)
	case kind < 25:
		panic(http.ErrAbortHandler)
	default:
		s.stall(r)
	}
}

func send(w http.ResponseWriter, name string, content []byte) {
	types := map[string]string{"jpg": "image/jpeg", "svg": "image/svg+xml"}
	extension := name[strings.LastIndexByte(name, '.')+1:]
	kind := types[extension]
	if kind == "" {
		kind = "image/" + extension
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content)
}

// Script is an SVG that runs a script.
const Script = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><rect width="9" height="9"/></svg>`

func (s *Server) odd(w http.ResponseWriter, r *http.Request, name string) {
	picture := Picture(7, name)
	switch name {
	case "wide.png":
		send(w, name, Wide())
	case "alpha.png":
		send(w, name, Transparent())
	case "photo.jpg":
		send(w, name, RotatedJPEG())
	case "animated.gif":
		send(w, name, AnimatedGIF())
	case "picture.webp":
		send(w, name, WebP())
	case "truncated.png", "truncated.jpg":
		send(w, name, picture[:len(picture)/2])
	case "cut.png":
		w.Header().Set("Content-Length", strconv.Itoa(len(picture)))
		_, _ = w.Write(picture[:len(picture)/2])
	case "bomb.png":
		send(w, name, Bomb(100_000, 100_000))
	case "bomb.gif":
		send(w, name, append(
			[]byte("GIF89a\x60\xea\x60\xea\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x60\xea\x60\xea\x00\x02\x02"),
			"\x44\x01\x00;"...))
	case "script.svg", "svg.png":
		send(w, name, []byte(Script))
	case "page.png":
		send(w, name, []byte("<!doctype html><title>Not found</title><script>alert(1)</script>"))
	case "empty.png":
		send(w, name, nil)
	case "plain.html", "film.mp4", "bytes.bin", "bytes.octets", "untyped":
		w.Header()["Content-Type"] = map[string][]string{
			"plain.html": {"text/html; charset=utf-8"}, "film.mp4": {"video/mp4"}, "bytes.bin": {"Application/Octet-Stream; x"},
			"bytes.octets": {"binary/octet-stream"}, "untyped": nil,
		}[name]
		_, _ = w.Write(Picture(100+len(name), name)) // of its own
	case "text.png":
		send(w, name, []byte("not here any more"))
	case "loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
	case "to":
		w.Header().Set("Location", r.URL.RawQuery)
		w.WriteHeader(http.StatusFound)
	case "reset":
		panic(http.ErrAbortHandler)
	case "gzip-bomb.png":
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zeros())
	default:
		s.slow(w, r, name, picture)
	}
}

func (s *Server) slow(w http.ResponseWriter, r *http.Request, name string, picture []byte) {
	switch name {
	case "stall":
		s.stall(r)
	case "late":
		if s.wait(r, time.Minute) {
			w.WriteHeader(http.StatusOK)
		}
	case "huge":
		w.Header().Set("Content-Length", strconv.Itoa(1<<30))
		for block := make([]byte, 1<<16); r.Context().Err() == nil; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	case "stall-body", "drip":
		w.Header().Set("Content-Type", "image/png")
		if name == "stall-body" {
			_, _ = w.Write(picture[:len(picture)/2])
			flush(w)
			s.stall(r)
			return
		}
		for i := range picture {
			_, _ = w.Write(picture[i : i+1])
			flush(w)
			if !s.wait(r, 5*time.Millisecond) {
				return
			}
		}
	case "endless":
		w.Header().Set("Content-Type", "image/png")
		for block := slices.Concat(picture, make([]byte, 1<<16)); r.Context().Err() == nil; {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	default:
		http.NotFound(w, r)
	}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// stall waits until the client gives up.
func (s *Server) stall(r *http.Request) {
	s.wait(r, time.Hour)
	panic(http.ErrAbortHandler)
}

func (s *Server) wait(r *http.Request, d time.Duration) bool {
	_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the client left
	select {
	case <-r.Context().Done():
		return false
	case <-s.done:
		return false
	case <-time.After(d):
		return true
	}
}

// Picture returns a picture of its own for each number, in the kind of the name's extension.
func Picture(n int, name string) []byte {
	const width, height = 48, 32
	palette := color.Palette{color.White, color.Black, color.RGBA{uint8(n), uint8(n >> 8), uint8(n >> 16), 255},
		color.RGBA{200, 40, 60, 255}}
	img := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	for i := range img.Pix {
		x, y := i%width, i/width
		img.Pix[i] = uint8((x/16 + y/16) % 4)
		if y < 8 && x < 32 && n>>(x%32)&1 == 1 { // the number, in bars
			img.Pix[i] = 1
		}
	}
	var out bytes.Buffer
	var err error
	switch {
	case strings.HasSuffix(name, ".jpg"):
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: 95})
	case strings.HasSuffix(name, ".gif"):
		err = gif.Encode(&out, img, nil)
	default:
		err = png.Encode(&out, img)
	}
	if err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Transparent returns a PNG of 40 × 30 pixels with many colours, half of them transparent.
func Transparent() []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for y := range 30 {
		for x := range 40 {
			img.SetNRGBA(x, y, color.NRGBA{uint8(6 * x), uint8(8 * y), 90, uint8(6 * x)})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Secret is in the metadata of the photograph of Turned.
const Secret = "52.5200 N 13.4050 E, Ana's camera"

// RotatedJPEG returns a JPEG of 60 × 20 pixels, its left third red and the rest blue, whose EXIF data rotate it by a
// quarter clockwise: shown, it is 20 × 60 with red at the top. It contains Secret.
func RotatedJPEG() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 60, 20))
	for y := range 20 {
		for x := range 60 {
			c := color.RGBA{20, 20, uint8(180 + x), 255}
			if x < 20 {
				c = color.RGBA{uint8(200 + y), 20, 20, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 95}); err != nil {
		panic(err)
	}
	plain := out.Bytes()
	// TIFF in big-endian order with two entries: ImageDescription (270, text) and Orientation (274) = 6.
	text := Secret + "\x00"
	exif := []byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x02")
	exif = binary.BigEndian.AppendUint32(exif, 270<<16|2)
	exif = binary.BigEndian.AppendUint32(exif, uint32(len(text)))
	exif = binary.BigEndian.AppendUint32(exif, 8+2+2*12+4)
	exif = append(exif, "\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"...)
	exif = append(exif, text...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return bytes.Join([][]byte{plain[:2], segment, exif, plain[2:]}, nil)
}

// AnimatedGIF returns a GIF of two frames, the first red, the second blue.
func AnimatedGIF() []byte {
	red, blue := color.RGBA{220, 0, 0, 255}, color.RGBA{0, 0, 220, 255}
	all := &gif.GIF{}
	for i := range 2 {
		frame := image.NewPaletted(image.Rect(0, 0, 24, 24), color.Palette{red, blue})
		for at := range frame.Pix {
			frame.Pix[at] = uint8(i)
		}
		all.Image, all.Delay = append(all.Image, frame), append(all.Delay, 50)
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, all); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// WebP returns a lossless WebP of one pixel.
func WebP() []byte {
	return []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
}

// Bomb returns a PNG that declares so many pixels, and has none.
func Bomb(width, height uint32) []byte {
	header := binary.BigEndian.AppendUint32(nil, width)
	header = binary.BigEndian.AppendUint32(header, height)
	header = append(header, 8, 6, 0, 0, 0)
	out := []byte("\x89PNG\r\n\x1a\n")
	for kind, content := range map[string][]byte{"IHDR": header} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(content)))
		out = append(append(out, kind...), content...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(append([]byte(kind), content...)))
	}
	return append(out, "\x00\x00\x00\x0cIDAT\x78\x9c\x63\x00\x01\x00\x00\x05\x00\x01\x0d\x0a\x2d\xb4"...)
}

// zeros returns 48 MiB of zeros in a few KiB.
var zeros = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.CopyN(w, zeroReader{}, 48<<20); err != nil {
		panic(fmt.Sprint("pack: ", err))
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
})

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Wide is a picture that is wider than a page shows it.
func Wide() []byte {
	img := image.NewPaletted(image.Rect(0, 0, 1300, 40), color.Palette{color.White, color.RGBA{200, 40, 60, 255}})
	for x := 0; x < 1300; x += 2 {
		img.SetColorIndex(x, x%40, 1)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err)
	}
	return out.Bytes()
}
