package pages

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Preview shows the Markdown of a form as its page would: alone to the editor, else as a page. Nothing is stored.
func (h *Handlers) Preview(c echo.Context) error {
	text, err := markdownOf(c)
	if err != nil {
		return err
	}
	var html string
	if strings.TrimSpace(text) != "" {
		texts, err := h.texts(c, tickets.Ticket{}, text)
		if err != nil {
			return err
		}
		if html, err = texts.html(text); err != nil {
			return err
		}
	}
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, pages.Preview(html))
	}
	return respond.Render(c, http.StatusOK, pages.PreviewPage(h.respond.Page(c, "Preview"), html))
}

// markdownOf is the Markdown of a form: a comment, or a description, which may be empty.
func markdownOf(c echo.Context) (string, error) {
	if body := c.FormValue("body"); strings.TrimSpace(body) != "" {
		return tickets.ParseComment(body)
	}
	if merged := c.FormValue("merged_description"); merged != "" {
		return tickets.ParseDescription(merged)
	}
	return tickets.ParseDescription(c.FormValue("description"))
}
