package images

import (
	"context"
	"crypto/sha256"
	"image"

	"golang.org/x/image/draw"
)

// Square makes a square picture anew from the middle of another one, side pixels wide: of an animation from its first
// frame. Like Convert it keeps nothing else of the file, and checks the declared size first, of limits.Pixels. It returns
// Unfit, with the reason, or the context's error.
func Square(ctx context.Context, content []byte, side int, limits Limits) (Picture, error) {
	kind, free, err := admit(ctx, content, limits)
	if err != nil {
		return Picture{}, err
	}
	defer free()
	picture, lossy, err := decodeStill(content, kind)
	if err != nil {
		return Picture{}, err
	}
	out := Picture{Type: "image/png", Width: side, Height: side}
	if lossy {
		out.Type = "image/jpeg"
	}
	square := image.NewNRGBA(image.Rect(0, 0, side, side))
	draw.CatmullRom.Scale(square, square.Bounds(), picture, middle(picture.Bounds()), draw.Src, nil)
	out.Content, err = encode(square, lossy)
	out.Hash = sha256.Sum256(out.Content)
	return out, err
}

// middle is the largest square in the middle of a rectangle.
func middle(b image.Rectangle) image.Rectangle {
	side := min(b.Dx(), b.Dy())
	corner := b.Min.Add(image.Pt((b.Dx()-side)/2, (b.Dy()-side)/2))
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(side, side))}
}
