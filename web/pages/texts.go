package pages

import (
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// texts renders Markdown with the keys and members of a company.
type texts struct {
	link   markup.Linker
	people markup.Namer
	images markup.Pictures

	reactedTo func(comments ...tickets.Comment) (map[id.Comment][]tickets.Reacted, error)
}

// texts returns a renderer of these texts of a ticket, the zero ticket for none yet: it reads what they refer to once.
func (h *Handlers) texts(c echo.Context, ticket tickets.Ticket, sources ...string) (texts, error) {
	refs, err := h.workflows.References(c.Request().Context(), ticket.ID, sources...)
	if err != nil {
		return texts{}, err
	}
	files := ticket.Attachments
	if ticket.ID == 0 {
		if files, err = h.workflows.Attachments(c.Request().Context(), sources...); err != nil {
			return texts{}, err
		}
	}
	slug := respond.Company(c).Slug
	return texts{
		link: linker(slug, refs), people: func(handle string) string { return refs.Names[handle] },
		images: imagesOf(slug, h.respond.Base(c), refs.Copies, files),
		reactedTo: func(comments ...tickets.Comment) (map[id.Comment][]tickets.Reacted, error) {
			return h.workflows.ReactedTo(c.Request().Context(), comments...)
		},
	}, nil
}

// imagesOf returns the pictures of addresses: of images here, also by their whole address, of copies, and of files of the
// ticket.
func imagesOf(slug, base string, copies map[string]images.Hash, files []tickets.Attachment) markup.Pictures {
	return func(address string) markup.Picture {
		if wanted, ok := markup.AttachmentID(address); ok {
			return attachedPicture(slug, id.Attachment(wanted), files)
		}
		path := strings.TrimPrefix(address, base)
		if copied, ok := copies[address]; ok {
			path = images.Image{Hash: copied}.Path(slug)
		}
		if small := images.ThumbnailOf(slug, path); small != "" {
			return markup.Picture{Path: path, Small: small}
		}
		return markup.Picture{}
	}
}

// attachedPicture is a file of a ticket as its texts show it.
func attachedPicture(slug string, wanted id.Attachment, files []tickets.Attachment) markup.Picture {
	for _, a := range files {
		switch {
		case a.ID != wanted:
		case a.File.Shown():
			return markup.Picture{Path: views.AttachedImagePath(slug, a.ID), Small: views.AttachedThumbnailPath(slug, a.ID)}
		default:
			return markup.Picture{Path: views.AttachmentPath(slug, a.ID), File: true, Title: views.FileFacts(a)}
		}
	}
	return markup.Picture{}
}

func (t texts) html(source string) (string, error) {
	return markup.Render(source, t.link, t.people, t.images)
}

// describe renders the description of a ticket, with boxes to check if the user may. A requester's stays plain text.
func (t texts) describe(props *pages.TicketProps) (err error) {
	ticket := props.Ticket
	if ticket.FromRequester {
		return nil
	}
	if props.HTML, err = t.html(ticket.Description); err != nil || !props.Page.Writes(props.Board) {
		return err
	}
	boxes := views.Boxes{Form: views.ChecklistID, Target: views.FaceID,
		Path:  views.ChecklistPath(props.Page.Actor.Company.Slug, ticket.Key),
		Child: views.ItemTicketPath(props.Page.Actor.Company.Slug, ticket.Key)}
	props.HTML, props.Checkable = markup.Checkable(props.HTML, ticket.Description, boxes.Button)
	return nil
}

// drawn are comments of a ticket with their Markdown rendered, with boxes to check if the user may.
func (t texts) drawn(
	page views.Page, board boards.Board, key tickets.Key, list []tickets.Comment,
) ([]views.Comment, error) {
	reacted, err := t.reactedTo(list...)
	if err != nil {
		return nil, err
	}
	drawn := make([]views.Comment, len(list))
	for i, one := range list {
		if one.FromRequester { // shown as plain text
			drawn[i] = views.Comment{Comment: one, Reacted: reacted[one.ID]}
			continue
		}
		html, err := t.html(one.Body)
		if err != nil {
			return nil, err
		}
		drawn[i] = views.Comment{Comment: one, HTML: html, Reacted: reacted[one.ID]}
		if page.Writes(board) {
			boxes := views.Boxes{Form: views.CommentChecklistID(one.ID), Target: views.CommentTextID(one.ID),
				Path: views.CommentChecklistPath(page.Actor.Company.Slug, key, one.ID)}
			drawn[i].HTML, drawn[i].Checkable = markup.Checkable(html, one.Body, boxes.Button)
		}
	}
	return drawn, nil
}

// bodies are the Markdown of comments.
func bodies(list []tickets.Comment) (texts []string) {
	for _, one := range list {
		if !one.FromRequester {
			texts = append(texts, one.Body)
		}
	}
	return texts
}

// linker links the keys of a company's boards, except those of purged tickets.
func linker(company string, refs workflows.References) markup.Linker {
	return func(text string) string {
		key, err := tickets.ParseKey(text)
		if err != nil || !refs.Boards[key.Board] || refs.Gone[key] {
			return ""
		}
		return views.TicketPath(company, key)
	}
}
