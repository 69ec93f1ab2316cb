package pages

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) BoardSettings(c echo.Context) error {
	board, err := h.boardOfPath(c)
	if err != nil {
		return err
	}
	return h.showSettings(c, http.StatusOK, settingsOf(board))
}

// settingsOf are a board's present settings.
func settingsOf(board boards.Board) pages.BoardSettingsProps {
	props := pages.BoardSettingsProps{Board: board,
		Form: pages.BoardForm{Slug: board.Slug, Title: board.Title, Version: board.Version}}
	for _, column := range board.Columns {
		form := pages.ColumnForm{Column: column, Name: column.Name, Done: column.Done, WIP: column.WIP()}
		if column.Limit != nil {
			form.Limit = strconv.Itoa(*column.Limit)
		}
		if column.StaleDays > 0 {
			form.Stale = strconv.Itoa(column.StaleDays)
		}
		if column.Color != nil {
			form.Color = column.Color.String()
		}
		props.Columns = append(props.Columns, form)
	}
	return props
}

func (h *Handlers) showSettings(c echo.Context, code int, props pages.BoardSettingsProps) error {
	props.Page = h.respond.Page(c, "Settings of "+props.Board.Title)
	var err error
	if props.Stopped, err = h.workflows.StoppedChanges(c.Request().Context(), props.Board); err != nil {
		return err
	}
	if respond.Target(c) == views.ChangesID {
		props.Fragment = true
		return respond.Render(c, code, pages.ColumnChanges(props))
	}
	if err := h.addPublicForm(c, &props); err != nil {
		return err
	}
	return respond.Render(c, code, pages.BoardSettingsPage(props))
}

func (h *Handlers) RenameBoard(c echo.Context) error {
	form := pages.BoardForm{Slug: c.FormValue("slug"), Title: c.FormValue("title")}
	names := boards.Names{Title: &form.Title}
	if c.Request().Form.Has("slug") {
		names.Slug = &form.Slug
	}
	var board boards.Board
	var err error
	if form.Version, err = respond.Version(c); err == nil {
		board, err = h.workflows.RenameBoard(c.Request().Context(), c.Param("board"), names, form.Version)
	} else {
		err = fault.Join(names.Check(), err)
	}
	if err != nil {
		return h.rejectSettings(c, err, func(props *pages.BoardSettingsProps, messages views.Errors) {
			if names.Slug == nil {
				form.Slug = props.Board.Slug
			}
			form.Errors = messages
			if errors.Is(err, boards.CodeStale) {
				form.Version = props.Board.Version // the user has seen the other title and may save again
			}
			props.Form = form
		})
	}
	return h.respond.SeeOther(c, views.BoardPath(respond.Company(c).Slug, board.Slug), "The board is saved.")
}

// rejectSettings shows the present settings, with the input of the rejected form.
func (h *Handlers) rejectSettings(c echo.Context, err error,
	typed func(props *pages.BoardSettingsProps, messages views.Errors)) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	board, err := h.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return err
	}
	props := settingsOf(board)
	typed(&props, messages)
	return h.showSettings(c, code, props)
}

// DuplicateBoard opens a board like another.
func (h *Handlers) DuplicateBoard(c echo.Context) error {
	form := pages.BoardForm{Slug: c.FormValue("slug"), Title: c.FormValue("title"), Tickets: c.FormValue("tickets")}
	board, err := respond.Once(c, func(once *workflows.Once[boards.Board]) (boards.Board, error) {
		draft := boards.Draft{Slug: form.Slug, Title: form.Title, Like: c.Param("board"), Tickets: form.Tickets}
		return h.workflows.OpenBoard(c.Request().Context(), draft, once)
	})
	if err != nil {
		return h.rejectSettings(c, err, func(props *pages.BoardSettingsProps, messages views.Errors) {
			form.Errors = formErrors(messages, "title", "slug", "tickets")
			props.Copy = form
		})
	}
	done := "The board " + board.Slug + " was created."
	if form.Tickets != "" {
		done += " Its tickets come as they are copied."
	}
	return h.respond.SeeOther(c, views.BoardPath(respond.Company(c).Slug, board.Slug), done)
}

// ArchiveBoard archives a board, or restores it if the form does not say archived.
func (h *Handlers) ArchiveBoard(c echo.Context) error {
	seen, err := respond.Version(c)
	archived := c.FormValue("archived") != ""
	var board boards.Board
	if err == nil {
		board, err = h.workflows.ArchiveBoard(c.Request().Context(), c.Param("board"), archived, &seen)
	}
	if err != nil {
		return h.rejectSettings(c, err, func(props *pages.BoardSettingsProps, messages views.Errors) {
			props.Archive = formErrors(messages)
		})
	}
	if archived {
		return h.respond.SeeOther(c, views.HomePath(respond.Company(c).Slug),
			"“"+board.Title+"” is archived. It is at the end of this page.")
	}
	return h.respond.SeeOther(c, views.BoardPath(respond.Company(c).Slug, board.Slug), "The board is restored.")
}

// formErrors are messages about a form as a whole: it has no field for them.
func formErrors(messages views.Errors, fields ...string) views.Errors {
	all := views.Errors{}
	for _, field := range slices.Sorted(maps.Keys(messages)) {
		name := ""
		if slices.Contains(fields, field) {
			name = field
		}
		all[name] = strings.TrimSpace(all[name] + " " + messages[field])
	}
	return all
}

// readColumn reads the form of a column.
func readColumn(c echo.Context) (form pages.ColumnForm, edit boards.ColumnEdit, seen uint64, err error) {
	form = pages.ColumnForm{Name: c.FormValue("name"), Done: c.FormValue("done") != "", WIP: c.FormValue("wip"),
		Limit: c.FormValue("wip_limit"), Stale: c.FormValue("stale_days"), Color: c.FormValue("color")}
	edit = boards.ColumnEdit{Name: &form.Name, Done: &form.Done}
	if form.WIP != "" {
		edit.WIP = &form.WIP
	}
	if form.WIP == boards.LimitSoft || form.WIP == boards.LimitHard {
		limit, _ := strconv.Atoi(form.Limit) // 0 is none, as is a word
		edit.Limit = &limit
	}
	if c.Request().Form.Has("stale_days") { // not of a new column
		days, err := strconv.Atoi(cmp.Or(form.Stale, "0"))
		if err != nil {
			days = -1 // a word
		}
		edit.StaleDays = &days
	}
	if c.Request().Form.Has("color") {
		edit.Color = &form.Color
	}
	if position, err := strconv.Atoi(c.FormValue("position")); err == nil {
		edit.Position = &position
	}
	if seen, err = respond.Version(c); err != nil {
		_, wrong := edit.Parse(boards.Column{})
		err = fault.Join(wrong, err)
	}
	return form, edit, seen, err
}

func (h *Handlers) OpenColumn(c echo.Context) error {
	form, edit, seen, err := readColumn(c)
	board := boards.Board{Slug: c.Param("board")} // as a repeated form knows it
	if err == nil {
		_, err = respond.Once(c, func(once *workflows.Once[boards.Column]) (opened boards.Column, err error) {
			present, opened, err := h.workflows.OpenColumn(c.Request().Context(), board.Slug, edit, &seen, once)
			if err == nil {
				board = present
			}
			return opened, err
		})
	}
	if err != nil {
		return h.rejectSettings(c, err, func(props *pages.BoardSettingsProps, messages views.Errors) {
			form.Errors = formErrors(messages, "name")
			props.Add = form
		})
	}
	return h.respond.SeeOther(c, views.BoardSettingsPath(respond.Company(c).Slug, board.Slug),
		"The column “"+form.Name+"” is added.")
}

func (h *Handlers) SaveColumn(c echo.Context) error {
	columnID, err := respond.PathColumn(c)
	if err != nil {
		return err
	}
	form, edit, seen, err := readColumn(c)
	var board boards.Board
	if err == nil {
		err = h.checkUnusedLimit(c, columnID, form)
	}
	if err == nil {
		board, err = h.workflows.EditColumn(c.Request().Context(), c.Param("board"), columnID, edit, &seen)
	}
	if err != nil {
		return h.rejectColumn(c, columnID, form, err)
	}
	message := "The column “" + form.Name + "” is saved."
	if column, ok := board.Column(columnID); ok && column.Change != nil {
		message += " It has many tickets: this page shows how far they are."
	}
	return h.respond.SeeOther(c, views.BoardSettingsPath(respond.Company(c).Slug, board.Slug), message)
}

// SetColumnPosition moves a column among those of its board: to where it was dropped.
func (h *Handlers) SetColumnPosition(c echo.Context) error {
	columnID, err := respond.PathColumn(c)
	if err != nil {
		return err
	}
	position, err := strconv.Atoi(c.FormValue("position"))
	if err != nil {
		position = 0 // which is refused
	}
	board, err := h.workflows.EditColumn(c.Request().Context(), c.Param("board"), columnID,
		boards.ColumnEdit{Position: &position}, nil)
	if err != nil {
		return err
	}
	if respond.IsFragment(c) {
		return c.NoContent(http.StatusNoContent)
	}
	return h.respond.SeeOther(c, views.BoardSettingsPath(respond.Company(c).Slug, board.Slug), "The column is moved.")
}

// FoldColumn folds a column for the user, or with folded=0 unfolds it.
func (h *Handlers) FoldColumn(c echo.Context) error {
	columnID, err := respond.PathColumn(c)
	if err != nil {
		return err
	}
	board, err := h.workflows.FoldColumn(c.Request().Context(), c.Param("board"), columnID, c.FormValue("folded") != "0")
	if err != nil {
		return err
	}
	if respond.IsFragment(c) {
		return c.NoContent(http.StatusNoContent)
	}
	return respond.Redirect(c, views.FilteredPath(respond.Company(c).Slug, board.Slug, filterOf(c)))
}

// checkUnusedLimit returns UnusedLimit if a limit was typed beside “No limit”. That of the column itself is what the
// form showed.
func (h *Handlers) checkUnusedLimit(c echo.Context, columnID id.Column, form pages.ColumnForm) error {
	if form.WIP != boards.LimitNone || strings.TrimSpace(form.Limit) == "" {
		return nil
	}
	board, err := h.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return err
	}
	column, _ := board.Column(columnID)
	if column.Limit != nil && strconv.Itoa(*column.Limit) == form.Limit {
		return nil
	}
	return boards.UnusedLimit()
}

func (h *Handlers) rejectColumn(c echo.Context, columnID id.Column, form pages.ColumnForm, err error) error {
	return h.rejectSettings(c, err, func(props *pages.BoardSettingsProps, messages views.Errors) {
		for i, current := range props.Columns {
			if current.Column.ID == columnID {
				form.Column, form.Errors = current.Column, formErrors(messages, "name", "wip", "wip_limit", "stale_days", "color")
				props.Columns[i] = form
				return
			}
		}
		props.Lost = messages // the column has gone
	})
}

// RemovalForm asks for the column that takes the tickets of a removed one.
func (h *Handlers) RemovalForm(c echo.Context) error {
	board, err := h.boardToChange(c)
	if err != nil {
		return err
	}
	return h.showRemoval(c, http.StatusOK, board, pages.RemovalForm{Version: board.Version})
}

func (h *Handlers) showRemoval(c echo.Context, code int, board boards.Board, form pages.RemovalForm) error {
	columnID, err := respond.PathColumn(c)
	if err != nil {
		return err
	}
	gone, ok := board.Column(columnID)
	if !ok {
		return echo.ErrNotFound
	}
	return respond.Render(c, code, pages.RemovalPage(pages.RemovalProps{Page: h.respond.Page(c, "Remove "+gone.Name),
		Board: board, Column: gone, Form: form}))
}

func (h *Handlers) RemoveColumn(c echo.Context) error {
	columnID, err := respond.PathColumn(c)
	if err != nil {
		return err
	}
	heir, err := respond.ParseColumn(c.FormValue("to"))
	seen, versionErr := respond.Version(c)
	if err = fault.Join(err, versionErr); err == nil {
		var board boards.Board
		if board, err = h.workflows.RemoveColumn(c.Request().Context(), c.Param("board"), columnID, heir, &seen); err == nil {
			message := "The column is removed."
			if column, there := board.Column(columnID); there {
				message = "“" + column.Name + "” has many tickets: it is removed when all have moved to the other column."
			}
			return h.respond.SeeOther(c, views.BoardSettingsPath(respond.Company(c).Slug, board.Slug), message)
		}
	}
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	board, err := h.workflows.Board(c.Request().Context(), c.Param("board"))
	if err != nil {
		return err
	}
	if _, there := board.Column(columnID); !there {
		props := settingsOf(board)
		props.Lost = messages
		return h.showSettings(c, code, props)
	}
	if messages["column"] != "" {
		messages = views.Errors{"to": messages["column"]}
	}
	return h.showRemoval(c, code, board, pages.RemovalForm{To: heir, Version: board.Version,
		Errors: formErrors(messages, "to")})
}
