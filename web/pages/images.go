package pages

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// Image shows an image that the company keeps.
func (h *Handlers) Image(c echo.Context) error { return h.showImage(c, false) }

// Thumbnail shows the small copy of an image, or the image if it is small itself.
func (h *Handlers) Thumbnail(c echo.Context) error { return h.showImage(c, true) }

// showImage never sends another picture under the same address, so browsers may keep it. Opened as a page of
// its own it can do nothing.
func (h *Handlers) showImage(c echo.Context, small bool) error {
	image, file, err := h.workflows.Image(c.Request().Context(), c.Param("hash"), small)
	if err != nil {
		return err
	}
	defer file.Close()
	tag := `"` + image.Hash.String() + `"`
	if small {
		tag = `"` + image.Hash.String() + `-small"`
	}
	head := c.Response().Header()
	head.Set("Cache-Control", "private, max-age=31536000, immutable")
	head.Set("ETag", tag)
	head.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	if strings.Contains(c.Request().Header.Get("If-None-Match"), tag) {
		return c.NoContent(http.StatusNotModified)
	}
	kind := image.Type
	if small && kind == "image/gif" {
		// The small copy of an animation is a PNG; without one, it is the animation.
		start := make([]byte, 8)
		n, err := io.ReadFull(file, start)
		if err != nil && n == 0 {
			return err
		}
		kind = http.DetectContentType(start[:n])
		return c.Stream(http.StatusOK, kind, io.MultiReader(strings.NewReader(string(start[:n])), file))
	}
	if !small {
		head.Set("Content-Length", strconv.FormatInt(image.Bytes, 10))
	}
	return c.Stream(http.StatusOK, kind, file)
}
