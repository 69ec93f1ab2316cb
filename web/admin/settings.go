package admin

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Settings shows the environment of this server.
func (h *Handlers) Settings(c echo.Context) error {
	return respond.Render(c, http.StatusOK,
		admin.SettingsPage(admin.SettingsProps{Page: h.controlRoom(c, "Server settings"), Settings: h.about.Settings}))
}
