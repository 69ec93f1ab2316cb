package images_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/images"
)

// Files small to send and large to decode are refused before they are decoded.

func checkRefused(t *testing.T, content []byte, text string) {
	t.Helper()
	c, err := images.Convert(context.Background(), content, usual)
	if !errors.Is(err, images.CodeUnfit) || !strings.Contains(err.Error(), text) {
		t.Errorf("%s of %d × %d pixels, %v", c.Type, c.Width, c.Height, err)
	}
}

// animation has so many frames of 200 × 200 pixels.
func animation(t *testing.T, frames int) []byte {
	t.Helper()
	all := &gif.GIF{}
	for range frames {
		all.Image, all.Delay = append(all.Image,
			image.NewPaletted(image.Rect(0, 0, 200, 200), color.Palette{color.Black, color.White})), append(all.Delay, 1)
	}
	var out bytes.Buffer
	domaintest.Must(t, gif.EncodeAll(&out, all))
	return out.Bytes()
}

// A decoder takes the head of a text extension to have 13 bytes, whatever its length field: a reader of the length
// sees the end of the file where the decoder sees fifty frames more.
func TestFramesBehindAnExtension(t *testing.T) {
	t.Parallel()
	many := animation(t, 50)
	const head = 13 // and there is no table of colours for all frames
	if many[10]&0x80 != 0 {
		t.Fatal("there is one")
	}
	one := animation(t, 1)
	one = one[:len(one)-1] // without its end
	for name, extension := range map[string]string{
		"an end within its head": "\x21\x01\x00\x3b" + strings.Repeat("\x00", 11) + "\x00",
		"no end at all":          "\x21\x01\xff" + strings.Repeat("\x00", 12) + "\x00",
	} {
		hidden := bytes.Join([][]byte{one, []byte(extension), many[head:]}, nil)
		all, err := gif.DecodeAll(bytes.NewReader(hidden))
		if err != nil || len(all.Image) != 51 {
			t.Fatalf("%s: the decoder sees %d frames: %v", name, len(all.Image), err)
		}
		c, err := images.Convert(context.Background(), hidden, usual)
		if err != nil {
			if !errors.Is(err, images.CodeUnfit) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if kept, err := gif.DecodeAll(bytes.NewReader(c.Content)); err == nil && len(kept.Image) > 25 {
			t.Errorf("%s: %d frames were decoded", name, len(kept.Image))
		}
	}
}

// A pass over a picture takes some bytes to ask for.
func TestPassesOfAJPEG(t *testing.T) {
	t.Parallel()
	passes := func(n int) []byte {
		var b bytes.Buffer
		segment := func(marker byte, content ...byte) {
			b.Write([]byte{0xff, marker})
			_ = binary.Write(&b, binary.BigEndian, uint16(len(content)+2))
			b.Write(content)
		}
		b.WriteString("\xff\xd8")
		segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...) // quantization
		segment(0xc2, 8, 0, 64, 0, 64, 1, 1, 0x11, 0)                       // progressive, 64 × 64, grey
		code := func(class, symbol byte) []byte { return append(append([]byte{class, 1}, make([]byte, 15)...), symbol) }
		segment(0xc4, code(0x00, 0)...)    // 0 is a difference of 0
		segment(0xc4, code(0x10, 0x60)...) // 0 and six bits: so many blocks, and 64, have nothing
		segment(0xda, 1, 1, 0x00, 0, 0, 0)
		b.Write(make([]byte, 8)) // 64 differences
		for range n {
			segment(0xda, 1, 1, 0x00, 1, 63, 0)
			b.WriteByte(0x01) // 0 000000: 64 blocks
		}
		b.WriteString("\xff\xd9")
		return b.Bytes()
	}
	if _, err := jpeg.Decode(bytes.NewReader(passes(5000))); err != nil {
		t.Fatalf("the decoder does not go over it: %v", err)
	}
	checkRefused(t, passes(5000), "passes")
	if c, err := images.Convert(context.Background(), passes(50), usual); err != nil || c.Width != 64 {
		t.Errorf("a JPEG with 51 passes: %v", err)
	}
	t.Run("data that only resembles passes counts as none", func(t *testing.T) {
		whole := passes(3)
		comment := append([]byte("\xff\xfe\x10\x02"), bytes.Repeat([]byte("\xff\xda"), 0x1000/2)...)
		with := bytes.Join([][]byte{whole[:2], comment, whole[2:], bytes.Repeat([]byte("\xff\xda\x00\x02"), 1000)}, nil)
		if _, err := images.Convert(context.Background(), with, usual); err != nil {
			t.Error(err)
		}
	})
}

// A WebP states its size twice: the first is checked, the second is decoded.
func TestTwoSizesOfAWebP(t *testing.T) {
	t.Parallel()
	chunk := func(name, content string) string {
		if len(content)%2 == 1 {
			content += "\x00"
		}
		return name + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + content
	}
	size := binary.LittleEndian.AppendUint32(nil, 16383|16383<<14) // 16384 × 16384
	body := "WEBP" + chunk("VP8X", strings.Repeat("\x00", 10)) +
		chunk("VP8L", "\x2f"+string(size)+strings.Repeat("\x00", 60))
	checkRefused(t, []byte(chunk("RIFF", body)), "WebP")
}
