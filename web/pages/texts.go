package pages

import (
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

// texts renders Markdown with the keys and members of a company.
type texts struct {
	link   markup.Linker
	people markup.Namer
	small  markup.Shrinker
}

// texts returns a renderer of these texts: it reads what they refer to once.
func (h *Handlers) texts(c echo.Context, sources ...string) (texts, error) {
	refs, err := h.workflows.References(c.Request().Context(), sources...)
	if err != nil {
		return texts{}, err
	}
	slug := respond.Company(c).Slug
	return texts{
		link: linker(slug, refs), people: func(handle string) string { return refs.Names[handle] },
		small: func(address string) string { return images.ThumbnailOf(slug, address) },
	}, nil
}

func (t texts) html(source string) (string, error) {
	return markup.Render(source, t.link, t.people, t.small)
}

// drawn are comments with their Markdown rendered.
func (t texts) drawn(list []tickets.Comment) ([]views.Comment, error) {
	drawn := make([]views.Comment, len(list))
	for i, one := range list {
		if one.FromRequester { // shown as plain text
			drawn[i] = views.Comment{Comment: one}
			continue
		}
		html, err := t.html(one.Body)
		if err != nil {
			return nil, err
		}
		drawn[i] = views.Comment{Comment: one, HTML: html}
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
