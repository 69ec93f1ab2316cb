package images

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
)

// convertGIF keeps the frames of an animation, how long each is shown and how often. Nothing else that
// was in the file is kept.
func convertGIF(content []byte, limits Limits) (Picture, image.Image, error) {
	plain, pixels, frames := plainGIF(content)
	if pixels > limits.Pixels || frames > 10_000 {
		return Picture{}, nil,
			unfit("The animation has %d frames with %d pixels together. At most %d are accepted.", frames, pixels,
				limits.Pixels)
	}
	all, err := gif.DecodeAll(bytes.NewReader(plain))
	if err != nil {
		return Picture{}, nil, broken("GIF", err)
	}
	if len(all.Image) == 1 {
		still, err := encode(all.Image[0], false)
		return Picture{Type: "image/png", Content: still}, all.Image[0], err
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, all); err != nil {
		return Picture{}, nil, fmt.Errorf("encode image: %w", err)
	}
	// The first frame may be smaller than the picture.
	first := image.NewNRGBA(image.Rect(0, 0, all.Config.Width, all.Config.Height))
	for y := all.Image[0].Rect.Min.Y; y < all.Image[0].Rect.Max.Y; y++ {
		for x := all.Image[0].Rect.Min.X; x < all.Image[0].Rect.Max.X; x++ {
			first.Set(x, y, all.Image[0].At(x, y))
		}
	}
	return Picture{Type: "image/gif", Content: out.Bytes()}, first, nil
}

// plainGIF counts the frames of a GIF and their pixels by the headers alone: to decode a file of a few megabytes may
// take gigabytes. It stops at what it cannot parse, as the decoder does.
//
// Only what was counted is decoded, copied block by block: the decoder and this parser do not read every extension
// alike, and one of a wrong length can hide thousands of frames from one of them.
func plainGIF(content []byte) (plain []byte, pixels int64, frames int) {
	r := gifReader{content}
	// since is what was read since at.
	since := func(at []byte) []byte { return at[:len(at)-len(r.rest)] }
	if !r.skip(10) {
		return content, 0, 0
	}
	flags, ok := r.byte()
	if !ok || !r.skip(2) || !r.skipTable(flags) {
		return content, 0, 0
	}
	plain = append(make([]byte, 0, len(content)), since(content)...)
	for {
		at := r.rest
		block, ok := r.byte()
		if !ok {
			return plain, pixels, frames
		}
		switch block {
		case 0x21: // an extension
			if !r.skip(1) || !r.skipBlocks() {
				return plain, pixels, frames
			}
			if extension := since(at); isTiming(extension) || isLoop(extension) {
				plain = append(plain, extension...)
			}
		case 0x2c: // a frame
			if len(r.rest) < 9 {
				return plain, pixels, frames
			}
			width, height := int64(r.rest[4])|int64(r.rest[5])<<8, int64(r.rest[6])|int64(r.rest[7])<<8
			pixels += width * height
			frames++
			flags := r.rest[8]
			if !r.skip(9) || !r.skipTable(flags) || !r.skip(1) || !r.skipBlocks() {
				return append(plain, at...), pixels, frames // a truncated file
			}
			plain = append(plain, since(at)...)
		default: // the end, or an unknown block
			return append(plain, block), pixels, frames
		}
	}
}

// isTiming reports whether an extension has the delay of the next frame.
func isTiming(extension []byte) bool {
	return len(extension) == 8 && extension[1] == 0xf9 && extension[2] == 4
}

// isLoop reports whether an extension has the number of repetitions.
func isLoop(extension []byte) bool {
	return len(extension) == 19 && bytes.HasPrefix(extension[1:], []byte("\xff\x0bNETSCAPE2.0\x03\x01"))
}

type gifReader struct{ rest []byte }

func (r *gifReader) byte() (byte, bool) {
	if len(r.rest) == 0 {
		return 0, false
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, true
}

func (r *gifReader) skip(n int) bool {
	if len(r.rest) < n {
		return false
	}
	r.rest = r.rest[n:]
	return true
}

// skipTable goes over the colours that flags announce.
func (r *gifReader) skipTable(flags byte) bool {
	return flags&0x80 == 0 || r.skip(3<<(flags&7+1))
}

func (r *gifReader) skipBlocks() bool {
	for {
		n, ok := r.byte()
		if !ok || !r.skip(int(n)) {
			return false
		}
		if n == 0 {
			return true
		}
	}
}
