package admin

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Storage shows the space that is taken and left.
func (h *Handlers) Storage(c echo.Context) error {
	ctx := c.Request().Context()
	storage, err := h.console.Storage(ctx)
	if err != nil {
		return err
	}
	props := admin.StorageProps{
		Page: h.controlRoom(c, "Storage"), Where: h.where(), DatabaseBytes: storage.DatabaseBytes, Files: h.about.Files,
		Images: storage.Images, ImagesCounted: console.ImagesCounted, ImageBytes: storage.ImageBytes,
		Companies: storage.Companies,
	}
	props.Findings, _ = h.examine(ctx)
	for _, t := range storage.Tables {
		props.Tables = append(props.Tables, admin.TableSize(t))
	}
	return respond.Render(c, http.StatusOK, admin.StoragePage(props))
}
