package images

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"runtime"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Picture is a picture as it is kept.
type Picture struct {
	Hash          Hash
	Type          string
	Content       []byte
	Width, Height int
	Thumbnail     []byte // nil if the picture is small itself
}

// Limits bound conversions.
type Limits struct {
	Pixels    int64 // of the picture, all frames of an animation together
	Thumbnail int   // width of the small copy
}

// The largest side that an encoder can write.
const maxSide = 65_000

// quality of photographs, which were made with some loss before.
const quality = 90

// conversionSlots allows as many conversions as there are processors: each may take hundreds of megabytes.
var conversionSlots = make(chan struct{}, runtime.GOMAXPROCS(0))

// Convert re-encodes a picture, so that nothing else in the file is kept: no metadata, text or script. A JPEG or a
// lossy WebP becomes a JPEG, rotated as its EXIF says; a GIF stays one, with its frames; any other becomes a lossless
// PNG. It checks the declared size before it allocates memory. The same bytes always give the same result. It waits
// for a processor until ctx ends. It returns Unfit, with the reason, or the context's error.
func Convert(ctx context.Context, content []byte, limits Limits) (Picture, error) {
	kind, free, err := admit(ctx, content, limits)
	if err != nil {
		return Picture{}, err
	}
	defer free()
	var out Picture
	var picture image.Image
	if kind.name == "GIF" {
		out, picture, err = convertGIF(content, limits)
	} else {
		out, picture, err = convertStill(content, kind)
	}
	if err != nil {
		return Picture{}, err
	}
	out.Hash = sha256.Sum256(out.Content)
	out.Width, out.Height = picture.Bounds().Dx(), picture.Bounds().Dy()
	out.Thumbnail, err = thumbnail(picture, limits.Thumbnail, out.Type == "image/jpeg")
	return out, err
}

// admit returns the kind of a picture whose declared size is within the limits, once a processor is free for it: free
// gives that back. It returns Unfit or the context's error.
func admit(ctx context.Context, content []byte, limits Limits) (of kind, free func(), err error) {
	if of, err = kindOf(content); err != nil {
		return of, nil, err
	}
	config, err := of.config(bytes.NewReader(content))
	if err != nil {
		return of, nil, broken(of.name, err)
	}
	if err := fits(config, limits); err != nil {
		return of, nil, err
	}
	select {
	case conversionSlots <- struct{}{}:
		return of, func() { <-conversionSlots }, nil
	case <-ctx.Done():
		return of, nil, ctx.Err()
	}
}

// Pixels returns how many pixels a picture declares, all of an animation's frames as one; ok is false for what is no
// picture that Convert accepts. It reads no more than the beginning of the file.
func Pixels(beginning []byte) (n int64, ok bool) {
	of, err := kindOf(beginning)
	if err != nil {
		return 0, false
	}
	config, err := of.config(bytes.NewReader(beginning))
	if err != nil {
		return 0, false
	}
	return int64(config.Width) * int64(config.Height), true
}

type kind struct {
	name   string
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// kindOf goes by the content, not by the declared type.
func kindOf(content []byte) (kind, error) {
	switch {
	case bytes.HasPrefix(content, []byte("\x89PNG\r\n\x1a\n")):
		return kind{"PNG", png.DecodeConfig, png.Decode}, nil
	case bytes.HasPrefix(content, []byte("\xff\xd8\xff")):
		return kind{"JPEG", jpeg.DecodeConfig, jpeg.Decode}, nil
	case bytes.HasPrefix(content, []byte("GIF87a")), bytes.HasPrefix(content, []byte("GIF89a")):
		return kind{"GIF", gif.DecodeConfig, gif.Decode}, nil
	case len(content) >= 16 && string(content[:4]) == "RIFF" && string(content[8:12]) == "WEBP":
		return kind{"WebP", webp.DecodeConfig, webp.Decode}, nil
	}
	return kind{}, Unfit(describe(content))
}

// describe describes content that is no image to keep.
func describe(content []byte) string {
	const kept = "PNG, JPEG, GIF and WebP are."
	head := strings.ToLower(string(content[:min(len(content), 4096)]))
	is := func(kind string) bool { return strings.HasPrefix(http.DetectContentType(content), kind) }
	switch {
	case len(content) == 0:
		return "The response is empty."
	case strings.Contains(head, "<svg"):
		return "This is an SVG. It can contain scripts and is not supported; " + kept
	case strings.Contains(head, "<html"), is("text/html"):
		return "This is a web page, not an image."
	case is("text/"):
		return "This is text, not an image."
	case is("image/"), strings.Contains(head[:min(len(head), 32)], "ftyp"):
		return "This kind of image is not supported; " + kept
	}
	return "This is not an image."
}

func broken(name string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		strings.Contains(err.Error(), "not enough image data") || strings.Contains(err.Error(), "not enough pixel data") {
		return unfit("The %s is cut off.", name)
	}
	return unfit("The %s is damaged or not supported: %v.", name, err)
}

func fits(config image.Config, limits Limits) error {
	switch {
	case config.Width < 1 || config.Height < 1:
		return unfit("The image has no pixels.")
	case int64(config.Width)*int64(config.Height) > limits.Pixels, config.Width > maxSide, config.Height > maxSide:
		return unfit("The image has %d × %d pixels. At most %d are accepted.", config.Width, config.Height,
			limits.Pixels)
	}
	return nil
}

func convertStill(content []byte, kind kind) (Picture, image.Image, error) {
	picture, lossy, err := decodeStill(content, kind)
	if err != nil {
		return Picture{}, nil, err
	}
	out := Picture{Type: "image/png"}
	if lossy {
		out.Type = "image/jpeg"
	}
	out.Content, err = encode(picture, lossy)
	return out, picture, err
}

// decodeStill decodes a picture, of an animation the first frame, and turns it as its EXIF says. lossy says that it was
// stored with some loss.
func decodeStill(content []byte, kind kind) (picture image.Image, lossy bool, err error) {
	if kind.name == "JPEG" && scansOf(content) > maxScans {
		return nil, false, unfit("The JPEG is drawn in more than %d passes, each over the whole picture. Save it again.",
			maxScans)
	}
	if picture, err = kind.decode(bytes.NewReader(content)); err != nil {
		return nil, false, broken(kind.name, err)
	}
	if kind.name == "JPEG" {
		return rotate(picture, orientation(content)), true, nil
	}
	_, lossy = picture.(*image.YCbCr) // lossy WebP without transparency
	return picture, lossy, nil
}

func encode(picture image.Image, lossy bool) ([]byte, error) {
	var out bytes.Buffer
	var err error
	if lossy {
		err = jpeg.Encode(&out, picture, &jpeg.Options{Quality: quality})
	} else {
		err = png.Encode(&out, picture)
	}
	if err != nil {
		return nil, fmt.Errorf("encode image: %w", err)
	}
	return out.Bytes(), nil
}

// thumbnail returns a copy of that width, or nil for a picture that is no wider. It is at most four times
// as high as it is wide.
func thumbnail(picture image.Image, width int, lossy bool) ([]byte, error) {
	w, h := picture.Bounds().Dx(), picture.Bounds().Dy()
	if width < 1 || !larger(w, h, width) {
		return nil, nil
	}
	height := max(h*width/w, 1)
	if height > 4*width {
		width, height = max(w*4*width/h, 1), 4*width
	}
	small := image.Rect(0, 0, width, height)
	if lossy {
		to := image.NewRGBA(small)
		draw.CatmullRom.Scale(to, small, picture, picture.Bounds(), draw.Src, nil)
		return encode(to, true)
	}
	to := image.NewNRGBA(small)
	draw.CatmullRom.Scale(to, small, picture, picture.Bounds(), draw.Src, nil)
	return encode(to, false)
}

// larger reports whether a picture has a small copy of that width.
func larger(w, h, width int) bool { return w > width || h > 4*width }

// HasThumbnail reports whether a picture of that size is stored with a small copy.
func HasThumbnail(width, height int) bool { return larger(width, height, ThumbnailWidth) }

// rotate returns a picture rotated by its EXIF orientation.
func rotate(picture image.Image, orientation int) image.Image {
	if orientation < 2 || orientation > 8 {
		return picture
	}
	b := picture.Bounds()
	w, h := b.Dx(), b.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewRGBA(size)
	for y := range h {
		for x := range w {
			toX, toY := x, y
			switch orientation {
			case 2:
				toX = w - 1 - x
			case 3:
				toX, toY = w-1-x, h-1-y
			case 4:
				toY = h - 1 - y
			case 5:
				toX, toY = y, x
			case 6:
				toX, toY = h-1-y, x
			case 7:
				toX, toY = h-1-y, w-1-x
			case 8:
				toX, toY = y, w-1-x
			}
			out.SetRGBA(toX, toY, color.RGBAModel.Convert(picture.At(b.Min.X+x, b.Min.Y+y)).(color.RGBA))
		}
	}
	return out
}
