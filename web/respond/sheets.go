package respond

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// SheetFile responds with a file about the run of the path.
func (r *Responder) SheetFile(c echo.Context,
	sheet func(ctx context.Context, run id.Run) (*migrations.Sheet, error)) error {
	run, err := PathRun(c)
	if err != nil {
		return err
	}
	file, err := sheet(c.Request().Context(), run)
	if err != nil {
		return err
	}
	return r.SendSheet(c, file)
}

// SendSheet sends rows while they are read. Each batch has the time of a request; the file may take any. An error in
// the middle breaks the response off, so half a file does not pass for the whole.
func (r *Responder) SendSheet(c echo.Context, file *migrations.Sheet) error {
	header := c.Response().Header()
	header.Set("Content-Type", "text/csv; charset=utf-8")
	header.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", file.Name))
	header.Set("Cache-Control", "private, no-store")
	c.Response().WriteHeader(http.StatusOK)
	out, connection := csv.NewWriter(c.Response()), http.NewResponseController(c.Response())
	for more := true; more; {
		_ = connection.SetWriteDeadline(time.Now().Add(r.Patience + time.Minute)) // a recorder in a test has none
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), r.Patience)
		var err error
		more, err = file.WriteSome(ctx, out)
		cancel()
		if err != nil { // or the client has left
			panic(http.ErrAbortHandler)
		}
		c.Response().Flush()
	}
	return nil
}
