package api

import (
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

type auditEntry struct {
	ID      id.Audit             `json:"id"`
	At      time.Time            `json:"at"`
	Kind    string               `json:"kind"`
	User    *auditUser           `json:"user"` // null if it was no account
	Event   string               `json:"event"`
	Detail  accounts.AuditDetail `json:"detail"`
	Address string               `json:"address"`

	Position uint64 `json:"position"` // in the chain of the list; 0 while it is not sealed
	Seal     string `json:"seal"`
}

type auditUser struct {
	ID    accounts.ID `json:"id"`
	Name  string      `json:"name"`
	Email string      `json:"email"`
}

// Audit answers with a page of the audit list of the token's company.
func (h *Handlers) Audit(c echo.Context) error { return showAudit(c, h.workflows.Audit) }

// InstanceAudit answers with a page of the audit list of the instance.
func (h *Handlers) InstanceAudit(c echo.Context) error { return showAudit(c, h.console.Audit) }

// AuditFile answers with the audit list of the token's company as CSV.
func (h *Handlers) AuditFile(c echo.Context) error {
	name := accounts.ActorFrom(c.Request().Context()).Company.Slug + "-audit.csv"
	return h.auditFile(c, name, h.workflows.Audit)
}

// InstanceAuditFile answers with the audit list of the instance as CSV.
func (h *Handlers) InstanceAuditFile(c echo.Context) error {
	return h.auditFile(c, "server-audit.csv", h.console.Audit)
}

func (h *Handlers) auditFile(c echo.Context, name string, read respond.AuditReader) error {
	sheet, err := respond.AuditSheet(c.Request().Context(), name, read)
	if err != nil {
		return err
	}
	return h.respond.SendSheet(c, sheet)
}

func showAudit(c echo.Context, read respond.AuditReader) error {
	before, err := respond.Cursor[id.Audit](c, "after")
	if err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	list, more, err := read(c.Request().Context(), before)
	if err != nil {
		return err
	}
	page := listResource[auditEntry]{Items: make([]auditEntry, len(list))}
	for i, e := range list {
		page.Items[i] = auditEntry{ID: e.ID, At: e.At, Kind: e.Kind, Event: views.AuditText(e), Detail: e.Detail,
			Address: e.Address, Position: e.Position, Seal: hex.EncodeToString(e.Seal)}
		if e.Account.ID != 0 {
			page.Items[i].User = &auditUser{ID: e.Account.ID, Name: e.Account.Name, Email: e.Account.Email}
		}
	}
	if more {
		next := strconv.FormatUint(uint64(list[len(list)-1].ID), 10)
		page.Next = &next
	}
	return answer(c, http.StatusOK, page)
}
