package pages

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// labelsToChoose are shown in the form at once.
const labelsToChoose = 50

// labelsField reads the labels of a field of a form.
func labelsField(c echo.Context, field string) ([]id.Label, error) {
	return idsField[id.Label](c, field, 2*labels.MaxOnTicket, labels.TooManyOnTicket(), labels.NotHere())
}

// namesField reads the names of labels to add of a form.
func namesField(c echo.Context) []string {
	values, err := c.FormParams()
	if err != nil {
		return nil
	}
	return values["named"][:min(len(values["named"]), labels.MaxOnTicket+1)]
}

func (h *Handlers) TicketLabelsForm(c echo.Context) error {
	ticket, board, err := h.ticketToChange(c)
	if err != nil {
		return err
	}
	checked := labelIDs(ticket.Labels)
	if c.QueryParam("listed") != "" {
		chosen, bad := labelsField(c, "label")
		seen, badSeen := labelsField(c, "seen")
		if bad != nil || badSeen != nil {
			return echo.ErrBadRequest
		}
		checked = stillChosen(seen, chosen, checked)
	}
	return h.showTicketLabels(c, http.StatusOK, ticket, board, checked, nil)
}

func labelIDs(list []labels.Label) []id.Label {
	ids := make([]id.Label, len(list))
	for i, l := range list {
		ids[i] = l.ID
	}
	return ids
}

// showTicketLabels shows the form of a ticket's labels; checked ones stay in its list under every search.
func (h *Handlers) showTicketLabels(c echo.Context, code int, ticket tickets.Ticket, board boards.Board,
	checked []id.Label, messages views.Errors) error {
	all, err := h.workflows.LabelsOn(c.Request().Context(), board)
	if err != nil {
		return err
	}
	for _, l := range ticket.Labels { // one of a former board
		if !slices.ContainsFunc(all, func(there labels.Label) bool { return there.ID == l.ID }) {
			all = append(all, l)
		}
	}
	props := pages.TicketLabelsProps{Page: h.respond.Page(c, "Labels of "+ticket.Key.String()), Board: board,
		Ticket: ticket, Find: c.FormValue("q"), Named: namesField(c), Errors: messages}
	chooseLabels(&props, all, checked)
	switch {
	case respond.Target(c) == views.LabelsFoundID:
		return respond.Render(c, code, pages.LabelChoices(props))
	case respond.IsFragment(c):
		return respond.Render(c, code, pages.TicketLabelsForm(props))
	}
	return respond.Render(c, code, pages.TicketLabelsPage(props))
}

// chooseLabels lists the labels that are on the ticket or checked, then those that the text finds: the whole name first,
// then its beginning, then any part.
func chooseLabels(props *pages.TicketLabelsProps, all []labels.Label, checked []id.Label) {
	on := labelIDs(props.Ticket.Labels)
	text := strings.ToLower(strings.Join(strings.Fields(props.Find), " "))
	rank := func(l labels.Label) int {
		name := strings.ToLower(l.Name)
		switch {
		case name == text:
			return 0
		case strings.HasPrefix(name, text):
			return 1
		case strings.Contains(name, text):
			return 2
		}
		return 3
	}
	found := slices.DeleteFunc(slices.Clone(all), func(l labels.Label) bool { return rank(l) == 3 })
	slices.SortStableFunc(found, func(a, b labels.Label) int { return rank(a) - rank(b) })
	if text != "" {
		exact := len(found) > 0 && rank(found[0]) == 0
		if len(found) > 0 {
			props.First = found[0].ID
		}
		if name, err := labels.ParseName(props.Find); err == nil && !exact {
			props.Make = name
		}
	}
	for _, l := range all {
		if is := slices.Contains(checked, l.ID); is || slices.Contains(on, l.ID) {
			props.Shown = append(props.Shown, pages.LabelChoice{Label: l, Checked: is})
		}
	}
	left := labelsToChoose
	for _, l := range found {
		if slices.Contains(checked, l.ID) || slices.Contains(on, l.ID) {
			continue
		}
		if left--; left < 0 {
			props.More = true
			break
		}
		props.Shown = append(props.Shown, pages.LabelChoice{Label: l})
	}
}

// SetTicketLabels serves the form of a ticket's labels, which names those that it showed as the ticket's.
func (h *Handlers) SetTicketLabels(c echo.Context) error {
	k, err := respond.PathKey(c)
	if err != nil {
		return err
	}
	change, err := readLabelling(c)
	var ticket tickets.Ticket
	var entry tickets.Activity
	if err == nil {
		ticket, entry, err = h.workflows.LabelTicket(c.Request().Context(), k, change)
	}
	if err != nil {
		return h.rejectLabels(c, err)
	}
	return h.ticketSaved(c, ticket, entry)
}

// readLabelling reads what the form adds and removes.
func readLabelling(c echo.Context) (change workflows.Labelling, err error) {
	seen, err := labelsField(c, "seen")
	if err != nil {
		return change, err
	}
	chosen, err := labelsField(c, "label")
	if err != nil {
		return change, err
	}
	change.Named = namesField(c)
	change.Add, change.Remove = differences(seen, chosen)
	return change, nil
}

func (h *Handlers) rejectLabels(c echo.Context, err error) error {
	messages, code, ok := respond.Rejected(err)
	if !ok {
		return err
	}
	for _, field := range []string{"labels", "name"} { // about the list, which is no field
		if message, there := messages[field]; there {
			messages[""] = message
			delete(messages, field)
		}
	}
	ticket, board, err := h.ticketOfPath(c)
	if err != nil {
		return err
	}
	checked, err := labelsField(c, "label")
	if err != nil {
		checked = nil
	}
	if respond.IsFragment(c) {
		respond.Retarget(c, "#"+views.LabelsID)
	}
	return h.showTicketLabels(c, code, ticket, board, checked, messages)
}

func (h *Handlers) Labels(c echo.Context) error {
	return h.showLabels(c, http.StatusOK, pages.LabelsProps{Color: color.All()[0].String()})
}

func (h *Handlers) showLabels(c echo.Context, code int, props pages.LabelsProps) (err error) {
	ctx := c.Request().Context()
	props.Page = h.respond.Page(c, "Labels")
	if props.List, err = h.workflows.Labels(ctx); err != nil {
		return err
	}
	all, err := h.workflows.Boards(ctx)
	if err != nil {
		return err
	}
	actor := accounts.ActorFrom(ctx)
	levels := map[id.Board]access.Level{}
	for _, board := range all {
		levels[board.ID] = access.On(actor, board.Grant)
		if levels[board.ID] >= access.Write && !board.Archived() {
			props.Boards = append(props.Boards, board)
		}
	}
	manages := func(l labels.Label) bool {
		return l.Board == 0 && actor.Manages() || l.Board != 0 && levels[l.Board] >= access.Manage
	}
	props.Managed = map[id.Label]bool{}
	for _, l := range props.List {
		props.Managed[l.ID] = manages(l)
	}
	if props.Ended, err = h.workflows.EndedLabels(ctx); err != nil {
		return err
	}
	props.Ended = slices.DeleteFunc(props.Ended, func(l labels.Label) bool { return !manages(l) })
	return respond.Render(c, code, pages.LabelsPage(props))
}

func (h *Handlers) OpenLabel(c echo.Context) error {
	draft := workflows.LabelDraft{Name: c.FormValue("name"), Color: c.FormValue("color"), Board: c.FormValue("board")}
	label, err := respond.Once(c, func(once *workflows.Once[labels.Label]) (labels.Label, error) {
		return h.workflows.OpenLabel(c.Request().Context(), draft, once)
	})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showLabels(c, code, pages.LabelsProps{Name: draft.Name, Color: draft.Color, Board: draft.Board,
			Errors: messages})
	}
	return h.respond.SeeOther(c, views.LabelsPath(respond.Company(c).Slug), "The label "+label.Name+" was created.")
}

func pathLabel(c echo.Context) (id.Label, error) {
	return respond.RowID[id.Label](c.Param("label"), labels.NotFound())
}

func (h *Handlers) Label(c echo.Context) error {
	return h.showLabel(c, http.StatusOK, func(*pages.LabelProps) {})
}

// labelProps returns the label of the path, which the user may change, as its page has it.
func (h *Handlers) labelProps(c echo.Context) (props pages.LabelProps, err error) {
	label, err := pathLabel(c)
	if err != nil {
		return props, err
	}
	if props.Label, props.Shown, err = h.workflows.LabelToManage(c.Request().Context(), label); err != nil {
		return props, err
	}
	if !props.Label.Live() {
		return props, labels.NotFound()
	}
	props.Page = h.respond.Page(c, props.Label.Name)
	props.Name, props.Color = props.Label.Name, props.Label.Color.String()
	all, err := h.workflows.Labels(c.Request().Context())
	props.Others = slices.DeleteFunc(all, func(l labels.Label) bool {
		return l.ID == label || l.Board != 0 && l.Board != props.Label.Board
	})
	return props, err
}

// showLabel shows the page of a label; input sets what was typed into its forms.
func (h *Handlers) showLabel(c echo.Context, code int, input func(props *pages.LabelProps)) error {
	props, err := h.labelProps(c)
	if err != nil {
		return err
	}
	input(&props)
	return respond.Render(c, code, pages.LabelPage(props))
}

func (h *Handlers) SaveLabel(c echo.Context) error {
	name, color := c.FormValue("name"), c.FormValue("color")
	return h.changeLabel(c, "is saved", func(label id.Label) (labels.Label, error) {
		return h.workflows.EditLabel(c.Request().Context(), label, workflows.LabelEdit{Name: &name, Color: &color})
	}, func(props *pages.LabelProps, messages views.Errors) {
		props.Name, props.Color, props.Errors = name, color, messages
	})
}

// changeLabel changes the label of the path. show puts the messages of a refusal on its page.
func (h *Handlers) changeLabel(c echo.Context, did string, change func(id.Label) (labels.Label, error),
	show func(props *pages.LabelProps, messages views.Errors)) error {
	label, err := pathLabel(c)
	if err != nil {
		return err
	}
	now, err := change(label)
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		if code == http.StatusConflict && messages[""] != "" { // the label has ended, or is back already
			return h.respond.SeeOther(c, views.LabelsPath(respond.Company(c).Slug), messages[""])
		}
		return h.showLabel(c, code, func(props *pages.LabelProps) { show(props, messages) })
	}
	return h.respond.SeeOther(c, views.LabelsPath(respond.Company(c).Slug), "The label "+now.Name+" "+did+".")
}

func (h *Handlers) LabelMergeForm(c echo.Context) error {
	props, err := h.labelProps(c)
	if err != nil {
		return err
	}
	into, err := respond.RowID[id.Label](c.QueryParam("into"), labels.NotFound())
	at := slices.IndexFunc(props.Others, func(l labels.Label) bool { return l.ID == into })
	if err != nil || at < 0 {
		props.MergeErrors = views.Errors{"into": "Choose a label from the list to merge it into."}
		return respond.Render(c, http.StatusUnprocessableEntity, pages.LabelPage(props))
	}
	return respond.Render(c, http.StatusOK, pages.LabelMergePage(props, props.Others[at]))
}

func (h *Handlers) MergeLabel(c echo.Context) error {
	into, err := respond.RowID[id.Label](c.FormValue("into"), labels.BadMerge("Choose a label from the list."))
	return h.changeLabel(c, "is merged", func(label id.Label) (labels.Label, error) {
		if err != nil {
			return labels.Label{}, err
		}
		return h.workflows.MergeLabel(c.Request().Context(), label, into)
	}, func(props *pages.LabelProps, messages views.Errors) { props.Into, props.MergeErrors = into, messages })
}

func (h *Handlers) LabelDeletionForm(c echo.Context) error {
	props, err := h.labelProps(c)
	if err != nil {
		return err
	}
	return respond.Render(c, http.StatusOK, pages.LabelDeletionPage(props))
}

func (h *Handlers) DeleteLabel(c echo.Context) error {
	return h.changeLabel(c, "is deleted", func(label id.Label) (labels.Label, error) {
		return h.workflows.DeleteLabel(c.Request().Context(), label)
	}, func(props *pages.LabelProps, messages views.Errors) { props.Errors = messages })
}

// RestoreLabel reverts a deletion or a merge. A name that is taken meanwhile is said on the list.
func (h *Handlers) RestoreLabel(c echo.Context) error {
	label, err := pathLabel(c)
	if err != nil {
		return err
	}
	now, err := h.workflows.RestoreLabel(c.Request().Context(), label)
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showLabels(c, code, pages.LabelsProps{Color: color.All()[0].String(),
			Alert: messages[""] + messages["name"]})
	}
	return h.respond.SeeOther(c, views.LabelsPath(respond.Company(c).Slug), "The label "+now.Name+" is restored.")
}
