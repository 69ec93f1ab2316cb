package api

import (
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Attachments are all files of a ticket: it has at most tickets.MaxAttachments.
func (h *Handlers) Attachments(c echo.Context) error {
	ticket, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, listResource[workflows.AttachmentResource]{Items: h.respond.Links(c).Ticket(ticket).Attachments})
}

// Attach attaches a file to a ticket: the form's field file.
func (h *Handlers) Attach(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	if err := h.workflows.MayAttach(c.Request().Context(), k); err != nil { // who may not need not send a file
		return err
	}
	form, err := h.respond.Attachment(c)
	if err != nil {
		return err
	}
	defer form.Close()
	links := h.respond.Links(c)
	key, err := once(c, nil, func(a tickets.Attachment) any { return links.Attachment(a) })
	if err != nil {
		return err
	}
	if key != nil {
		form.OnEnd = func() { // the same request is the same file, too
			key.Request = fmt.Appendf(key.Request, "%s\n%s", form.Name, hex.EncodeToString(form.Sum.Sum(nil)))
		}
	}
	attached, err := h.workflows.Attach(form.Context, k, workflows.NewFile{Name: form.Name, Content: form.File,
		Size: form.Size()}, key)
	return created(c, links.Attachment(attached.Attachment), form.Why(err))
}

// attachmentOfPath returns the file that the path names, of the ticket that it names.
func (h *Handlers) attachmentOfPath(c echo.Context) (tickets.Attachment, error) {
	wanted, err := respond.RowID[id.Attachment](c.Param("attachment"), tickets.AttachmentNotFound())
	if err != nil {
		return tickets.Attachment{}, err
	}
	ticket, err := h.ticketOfPath(c)
	if err != nil {
		return tickets.Attachment{}, err
	}
	for _, a := range ticket.Attachments {
		if a.ID == wanted {
			return a, nil
		}
	}
	return tickets.Attachment{}, tickets.AttachmentNotFound()
}

func (h *Handlers) Attachment(c echo.Context) error {
	a, err := h.attachmentOfPath(c)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.respond.Links(c).Attachment(a))
}

// AttachmentContent sends the file as it was sent, or the part that is asked for.
func (h *Handlers) AttachmentContent(c echo.Context) error {
	a, err := h.attachmentOfPath(c)
	if err != nil {
		return err
	}
	a, file, err := h.workflows.OpenAttachment(c.Request().Context(), a.ID, workflows.Original)
	if err != nil {
		return err
	}
	defer file.Close()
	respond.Download(c, a, file)
	return nil
}

func (h *Handlers) DeleteAttachment(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	wanted, err := respond.RowID[id.Attachment](c.Param("attachment"), tickets.AttachmentNotFound())
	if err != nil {
		return err
	}
	if _, _, err := h.workflows.DeleteAttachment(c.Request().Context(), k, wanted); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
