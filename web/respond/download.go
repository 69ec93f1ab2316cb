package respond

import (
	"cmp"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Download sends a file of a ticket, or the part that is asked for, for a browser to store: it shows nothing of it.
func Download(c echo.Context, a tickets.Attachment, file io.ReadSeeker) {
	Secure(c, `"`+a.File.Hash.String()+`"`)
	head := c.Response().Header()
	head.Set(echo.HeaderContentType, a.File.Type)
	head.Set(echo.HeaderContentDisposition, cmp.Or(mime.FormatMediaType("attachment", map[string]string{"filename": a.Name}), "attachment"))
	ServeFile(c, file)
}

// Secure sets the headers of a file that someone sent: browsers may keep it, but ask each time whether it may still be
// seen, and opened as a page of its own it can do nothing.
func Secure(c echo.Context, tag string) {
	head := c.Response().Header()
	head.Set("Cache-Control", "private, no-cache")
	head.Set("ETag", tag)
	head.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// ServeFile sends a file whose headers are set. It may take any time while data is taken.
func ServeFile(c echo.Context, file io.ReadSeeker) {
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, patient{file, http.NewResponseController(c.Response())})
}

// patient moves the deadline of a response with each part that is read for it.
type patient struct {
	io.ReadSeeker
	connection *http.ResponseController
}

func (p patient) Read(b []byte) (int, error) {
	_ = p.connection.SetWriteDeadline(time.Now().Add(2 * stallLimit)) // a recorder has none
	return p.ReadSeeker.Read(b)
}
