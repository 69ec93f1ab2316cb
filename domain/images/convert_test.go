package images_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
)

var usual = images.Limits{Pixels: 1_000_000, Thumbnail: 16}

func convert(t *testing.T, content []byte) (images.Picture, image.Image) {
	t.Helper()
	c, err := images.Convert(context.Background(), content, usual)
	domaintest.Must(t, err)
	picture, kind, err := image.Decode(bytes.NewReader(c.Content))
	if err != nil || "image/"+kind != c.Type || picture.Bounds().Dx() != c.Width || picture.Bounds().Dy() != c.Height ||
		c.Hash != sha256.Sum256(c.Content) {
		t.Fatalf("%s, %d × %d, of %v, %v", c.Type, c.Width, c.Height, picture.Bounds(), err)
	}
	return c, picture
}

func reddish(c color.Color) bool { r, _, b, _ := c.RGBA(); return r > 2*b }

func TestConvert(t *testing.T) {
	t.Parallel()
	t.Run("a lossless image stays as it is, to the pixel", func(t *testing.T) {
		c, picture := convert(t, outboundtest.Transparent())
		want, _ := png.Decode(bytes.NewReader(outboundtest.Transparent()))
		for y := range 30 {
			for x := range 40 {
				if color.NRGBAModel.Convert(picture.At(x, y)) != color.NRGBAModel.Convert(want.At(x, y)) {
					t.Fatalf("%d,%d is %v", x, y, picture.At(x, y))
				}
			}
		}
		if c.Type != "image/png" || c.Width != 40 || c.Height != 30 {
			t.Errorf("%s, %d × %d", c.Type, c.Width, c.Height)
		}
	})
	t.Run("a photograph is rotated, and loses its place", func(t *testing.T) {
		if !bytes.Contains(outboundtest.RotatedJPEG(), []byte(outboundtest.Secret)) {
			t.Fatal("the photograph has no secret to begin with")
		}
		c, picture := convert(t, outboundtest.RotatedJPEG())
		if c.Type != "image/jpeg" || c.Width != 20 || c.Height != 60 || !reddish(picture.At(10, 5)) ||
			reddish(picture.At(10, 50)) {
			t.Errorf("%s, %d × %d, %v above %v", c.Type, c.Width, c.Height, picture.At(10, 5), picture.At(10, 50))
		}
		small, err := jpeg.Decode(bytes.NewReader(c.Thumbnail))
		if err != nil || small.Bounds().Dx() != 16 || small.Bounds().Dy() != 48 || !reddish(small.At(8, 4)) {
			t.Errorf("the small copy: %v", err)
		}
		for _, content := range [][]byte{c.Content, c.Thumbnail} {
			if bytes.Contains(content, []byte("52.5200")) || bytes.Contains(content, []byte("Exif")) {
				t.Error("it is still in there")
			}
		}
	})
	t.Run("an animation stays one", func(t *testing.T) {
		c, _ := convert(t, outboundtest.AnimatedGIF())
		all, err := gif.DecodeAll(bytes.NewReader(c.Content))
		if err != nil || c.Type != "image/gif" || len(all.Image) != 2 || all.Delay[1] != 50 ||
			!reddish(all.Image[0].At(3, 3)) || reddish(all.Image[1].At(3, 3)) {
			t.Errorf("%s with %d frames: %v", c.Type, len(all.Image), err)
		}
		if small, err := png.Decode(bytes.NewReader(c.Thumbnail)); err != nil || small.Bounds().Dx() != 16 ||
			!reddish(small.At(3, 3)) {
			t.Errorf("the small copy: %v", err)
		}
	})
	t.Run("a still GIF or WebP becomes a PNG", func(t *testing.T) {
		for _, content := range [][]byte{outboundtest.Picture(5, "x.gif"), outboundtest.WebP()} {
			if c, _ := convert(t, content); c.Type != "image/png" {
				t.Errorf("%s", c.Type)
			}
		}
	})
	t.Run("a picture that is small needs no smaller copy", func(t *testing.T) {
		if c, err := images.Convert(context.Background(), outboundtest.Picture(5, "x.png"),
			images.Limits{Pixels: 10_000, Thumbnail: 48}); err != nil || c.Thumbnail != nil {
			t.Errorf("%d bytes, %v", len(c.Thumbnail), err)
		}
	})
	t.Run("the same picture becomes the same, whatever else was sent with it; another does not", func(t *testing.T) {
		one, _ := convert(t, outboundtest.Picture(5, "x.png"))
		again, _ := convert(t, append(outboundtest.Picture(5, "x.png"), "something behind its end"...))
		other, _ := convert(t, outboundtest.Picture(6, "x.png"))
		if one.Hash != again.Hash || one.Hash == other.Hash {
			t.Errorf("%v, %v, %v", one.Hash, again.Hash, other.Hash)
		}
	})
	t.Run("a very high picture has a small copy that is not", func(t *testing.T) {
		var tall bytes.Buffer
		domaintest.Must(t, png.Encode(&tall, image.NewGray(image.Rect(0, 0, 10, 20_000))))
		c, _ := convert(t, tall.Bytes())
		if small, err := png.Decode(bytes.NewReader(c.Thumbnail)); err != nil || small.Bounds().Dy() != 64 ||
			small.Bounds().Dx() != 1 {
			t.Errorf("%v, %v", small.Bounds(), err)
		}
	})
}

func TestUnfit(t *testing.T) {
	t.Parallel()
	many := &gif.GIF{}
	for range 50 {
		many.Image, many.Delay = append(many.Image,
			image.NewPaletted(image.Rect(0, 0, 200, 200), color.Palette{color.Black, color.White})), append(many.Delay, 1)
	}
	var frames bytes.Buffer
	domaintest.Must(t, gif.EncodeAll(&frames, many))
	broken := bytes.Clone(outboundtest.Picture(1, "x.png"))
	broken[len(broken)-20] ^= 0xff
	half := func(name string) []byte { p := outboundtest.Picture(1, name); return p[:len(p)/2] }
	for what, c := range map[string]struct {
		content []byte
		says    string
	}{
		"nothing":                    {nil, "response is empty"},
		"text":                       {[]byte("not here any more"), "text"},
		"a web page":                 {[]byte("<!doctype html><title>x</title>"), "web page"},
		"a web page, with a comment": {[]byte("<!-- x --><HTML>"), "web page"},
		"an SVG":                     {[]byte(outboundtest.Script), "SVG"},
		"an SVG with a head":         {[]byte("<?xml version='1.0'?><!DOCTYPE svg>\n<svg/>"), "SVG"},
		"another kind":               {[]byte("BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00"), "kind of image"},
		"bytes":                      {[]byte("\x00\x01\x02\x03\x04"), "not an image"},
		"half a PNG":                 {half("x.png"), "cut off"},
		"half a JPEG":                {half("x.jpg"), "cut off"},
		"half a GIF":                 {half("x.gif"), "cut off"},
		"only a signature":           {[]byte("\x89PNG\r\n\x1a\n"), "cut off"},
		"a damaged PNG":              {broken, "damaged"},
		"a PNG of many pixels":       {outboundtest.Bomb(100_000, 100_000), "100000 × 100000 pixels"},
		"a PNG that is too wide":     {outboundtest.Bomb(900_000, 1), "pixels"},
		"an animation of many":       {frames.Bytes(), "50 frames"},
		"a PNG without any":          {outboundtest.Bomb(0, 0), "damaged"},
	} {
		got, err := images.Convert(context.Background(), c.content, usual)
		if !errors.Is(err, images.CodeUnfit) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", what, got.Type, err)
		}
	}
}

// Any content gets a result, and no panic.
func TestConvertBearsDamage(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, content := range [][]byte{
		outboundtest.Picture(1, "x.png"), outboundtest.Picture(1, "x.jpg"), outboundtest.Picture(1, "x.gif"),
		outboundtest.AnimatedGIF(), outboundtest.RotatedJPEG(), outboundtest.WebP(),
	} {
		for range 500 {
			damaged := bytes.Clone(content)
			for range 1 + random.IntN(4) {
				damaged[random.IntN(len(damaged))] = byte(random.IntN(256))
			}
			c, err := images.Convert(context.Background(), damaged[:random.IntN(len(damaged)+1)], usual)
			if err == nil && int64(c.Width)*int64(c.Height) > usual.Pixels || err != nil && !errors.Is(err, images.CodeUnfit) {
				t.Errorf("%d × %d, %v", c.Width, c.Height, err)
			}
		}
	}
}

func TestParseHash(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("0123456789abcdef", 4)
	if h, ok := images.ParseHash(whole); !ok || h.String() != whole {
		t.Errorf("%v, %v", h, ok)
	}
	for _, s := range []string{"", whole[1:], whole + "0", strings.ToUpper(whole), "x" + whole[1:], "../" + whole[3:]} {
		if _, ok := images.ParseHash(s); ok {
			t.Errorf("%q is one", s)
		}
	}
}

func TestSquare(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{
		"a lossless image": outboundtest.Transparent(), "a rotated photograph": outboundtest.RotatedJPEG(),
		"an animation": outboundtest.AnimatedGIF(), "a WebP": outboundtest.WebP(), "a wide one": outboundtest.Wide(),
	} {
		got, err := images.Square(context.Background(), content, 16, images.Limits{Pixels: 100_000_000})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		picture, kind, err := image.Decode(bytes.NewReader(got.Content))
		if err != nil || "image/"+kind != got.Type || picture.Bounds() != image.Rect(0, 0, 16, 16) || got.Hash != sha256.Sum256(got.Content) {
			t.Errorf("%s: %s of %v, %v", name, got.Type, picture, err)
		}
		if bytes.Contains(got.Content, []byte(outboundtest.Secret)) {
			t.Errorf("%s has its secret", name)
		}
	}
	if _, err := images.Square(context.Background(), outboundtest.Bomb(30_000, 30_000), 16, usual); !errors.Is(err, images.CodeUnfit) {
		t.Errorf("a bomb: %v", err)
	}
}
