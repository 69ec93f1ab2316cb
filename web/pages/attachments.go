package pages

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Attach attaches the files of a form to a ticket, each in a transaction of its own: those before one that is refused
// stay. The form of a comment has files without JavaScript; then its text shows them.
func (h *Handlers) Attach(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	if _, _, err := h.ticketToChange(c); err != nil { // who may not attach a file need not send it
		return err
	}
	if !respond.HasFile(c) {
		return h.rejectFile(c, "", respond.UploadMissing())
	}
	form := h.respond.Attachments(c)
	defer form.Close()
	err = form.Receive()
	if err == nil && form.Fields.Has("body") {
		return h.commentWithFiles(c, form, k)
	}
	var attached []workflows.Attached
	if err == nil {
		attached, err = h.attachAll(c, form, k)
	}
	if err != nil {
		return h.rejectFile(c, form.Name, form.Why(err))
	}
	text := views.Count(int64(len(attached)), "file", "files") + " attached."
	message := views.Flash{Text: text, Undo: attached[0].Activity}
	if len(attached) > 1 {
		message.Undo = 0 // which one would it be?
	}
	if respond.Target(c) == views.FilesID {
		return h.showFiles(c, message)
	}
	return h.seeUndo(c, views.TicketPath(respond.Company(c).Slug, k), message.Text, message.Undo)
}

// commentWithFiles adds a comment with the files behind its text.
func (h *Handlers) commentWithFiles(c echo.Context, form *respond.Upload, k tickets.Key) error {
	comment := views.CommentForm{Body: form.Fields.Get("body"), Public: form.Fields.Get("public") != ""}
	body, err := h.withFiles(form, comment.Body)
	if err != nil {
		return h.rejectComment(c, comment, fault.At("body", form.Why(err)))
	}
	said, err := respond.OnceWithFile(c, form, func(once *workflows.Once[tickets.KeyedComment]) (tickets.KeyedComment, error) {
		return h.commentUseCase(comment)(c.Request().Context(), k, body, once)
	})
	if err != nil {
		return h.rejectComment(c, comment, err)
	}
	return h.respond.SeeOther(c, views.CommentPath(respond.Company(c).Slug, said.Key, said.Comment.ID), "")
}

// withFiles receives the files of a form and returns a text with them.
func (h *Handlers) withFiles(form *respond.Upload, text string) (string, error) {
	var err error
	for ; err == nil && form.File != nil; err = form.Next() {
		attachment, err := h.workflows.Upload(form.Context, newFile(form))
		if err != nil {
			return text, err
		}
		text = strings.TrimSpace(text + "\n\n" + attachment.Markdown())
	}
	return text, err
}

// attachAll attaches the files of a form, in its order.
func (h *Handlers) attachAll(c echo.Context, form *respond.Upload, k tickets.Key) (list []workflows.Attached, err error) {
	for ; err == nil && form.File != nil; err = form.Next() {
		var one workflows.Attached
		_, err := respond.OnceWithFile(c, form, func(once *workflows.Once[tickets.Attachment]) (a tickets.Attachment, err error) {
			one, err = h.workflows.Attach(form.Context, k, newFile(form), once)
			return one.Attachment, err
		})
		if err != nil {
			return list, err
		}
		list = append(list, one)
	}
	if err == nil && len(list) == 0 {
		err = respond.UploadMissing()
	}
	return list, err
}

func newFile(form *respond.Upload) workflows.NewFile {
	return workflows.NewFile{Name: form.Name, Content: form.File, Size: form.Size()}
}

// rejectFile shows why a file was not attached: on the ticket's page, or alone to a script.
func (h *Handlers) rejectFile(c echo.Context, name string, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok || messages["file"] == "" || respond.IsFragment(c) {
		return err
	}
	ticket, board, readErr := h.ticketOfPath(c)
	if readErr != nil {
		return readErr
	}
	props, readErr := h.ticketProps(c, ticket, board, 0)
	if readErr != nil {
		return readErr
	}
	props.FileError = messages["file"]
	if name != "" {
		props.FileError = "“" + tickets.FileName(name) + "” was not attached. " + props.FileError
	}
	return respond.Render(c, code, pages.TicketPage(props))
}

// showFiles responds with the files of a ticket and a message.
func (h *Handlers) showFiles(c echo.Context, message views.Flash) error {
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	page := h.respond.Page(c, "")
	page.Flash = []views.Flash{message}
	props := pages.TicketProps{Page: page, Board: board, Ticket: ticket, MaxFile: h.respond.MaxAttachment}
	return respond.Render(c, http.StatusOK, pages.Files(props), views.FlashesOOB(page))
}

// Upload receives a file for a text that is being written, and responds with how the text refers to it.
func (h *Handlers) Upload(c echo.Context) error {
	if err := workflows.MayUpload(c.Request().Context()); err != nil {
		return err
	}
	form, err := h.respond.Attachment(c)
	if err != nil {
		return err
	}
	defer form.Close()
	attachment, err := h.workflows.Upload(form.Context, newFile(form))
	if err != nil {
		return form.Why(err)
	}
	return respond.Render(c, http.StatusCreated, pages.Uploaded(attachment))
}

// DeleteAttachment deletes a file of a ticket. One that is gone is deleted already.
func (h *Handlers) DeleteAttachment(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	attachment, err := pathAttachment(c)
	if err != nil {
		return err
	}
	ticket, entry, err := h.workflows.DeleteAttachment(c.Request().Context(), k, attachment)
	if err != nil {
		return err
	}
	message := views.Flash{Text: "The file is deleted.", Undo: entry.ID}
	if respond.Target(c) == views.FilesID {
		return h.showFiles(c, message)
	}
	return h.seeUndo(c, views.TicketPath(respond.Company(c).Slug, ticket.Key), message.Text, entry.ID)
}

func pathAttachment(c echo.Context) (id.Attachment, error) {
	return respond.RowID[id.Attachment](c.Param("attachment"), tickets.AttachmentNotFound())
}

// Attachment sends a file as it was sent, to be stored by the browser: it is never shown as a page of this server.
func (h *Handlers) Attachment(c echo.Context) error {
	attachment, err := pathAttachment(c)
	if err != nil {
		return err
	}
	a, file, err := h.workflows.OpenAttachment(c.Request().Context(), attachment, workflows.Original)
	if err != nil {
		return err
	}
	defer file.Close()
	respond.Download(c, a, file)
	return nil
}

// AttachedImage shows the picture of a file that was made anew.
func (h *Handlers) AttachedImage(c echo.Context) error { return h.showAttached(c, workflows.Shown) }

// AttachedThumbnail shows its small copy, or the picture if it is small itself.
func (h *Handlers) AttachedThumbnail(c echo.Context) error {
	return h.showAttached(c, workflows.Thumbnail)
}

func (h *Handlers) showAttached(c echo.Context, which workflows.FileCopy) error {
	attachment, err := pathAttachment(c)
	if err != nil {
		return err
	}
	a, file, err := h.workflows.OpenAttachment(c.Request().Context(), attachment, which)
	if err != nil {
		return err
	}
	defer file.Close()
	kind, err := kindOfImage(file)
	if err != nil {
		return err
	}
	respond.Secure(c, `"`+a.File.Hash.String()+"-"+c.Path()[strings.LastIndexByte(c.Path(), '/')+1:]+`"`)
	c.Response().Header().Set(echo.HeaderContentType, kind)
	respond.ServeFile(c, file)
	return nil
}

// kindOfImage is the type of a picture that this server made: the small copy of an animation is a PNG.
func kindOfImage(file io.ReadSeeker) (string, error) {
	start := make([]byte, 16)
	n, err := io.ReadFull(file, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	_, err = file.Seek(0, io.SeekStart)
	return http.DetectContentType(start[:n]), err
}
