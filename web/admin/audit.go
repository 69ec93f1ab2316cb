package admin

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Audit(c echo.Context) error {
	before, err := respond.Cursor[id.Audit](c, "before")
	if err != nil {
		return err
	}
	entries, more, err := h.console.Audit(c.Request().Context(), before)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK,
		admin.AuditPage(admin.AuditProps{Page: h.controlRoom(c, "Audit log"), Entries: entries, More: more}))
}

// AuditFile sends the whole audit list of the instance as CSV.
func (h *Handlers) AuditFile(c echo.Context) error {
	sheet, err := respond.AuditSheet(c.Request().Context(), "server-audit.csv", h.console.Audit)
	if err != nil {
		return err
	}
	return h.respond.SendSheet(c, sheet)
}
