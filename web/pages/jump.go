package pages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/fuzzy"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/pages"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Bounds of the results of a jump beside tickets.
const (
	mostNamed   = 5
	mostNear    = 4
	mostMembers = 3
	mostActions = 6
)

// Jump redirects to a ticket of a key, or lists what a text finds: tickets, boards, views, members, pages, and on a board
// what can be done to its selected tickets. The dialog requests the list while the user types. Without a text it lists
// the tickets that the user looked at last, and boards. A text that finds nothing leads to the search.
func (h *Handlers) Jump(c echo.Context) error {
	ctx := c.Request().Context()
	props := pages.JumpProps{Page: h.respond.Page(c, "Jump to…"), Query: strings.ToValidUTF8(c.QueryParam("q"), "")}
	if board, err := boards.ParseSlug(c.QueryParam("board")); err == nil {
		props.Page.Board = board
	}
	text := strings.TrimSpace(props.Query)
	found, err := h.workflows.JumpTo(ctx, props.Page.Board, text)
	if err != nil {
		return err
	}
	if found.Key != nil && !respond.IsFragment(c) {
		return c.Redirect(http.StatusSeeOther, views.TicketPath(respond.Company(c).Slug, found.Key.Key))
	}
	if respond.IsFragment(c) && respond.Target(c) != views.JumpID {
		return respond.Render(c, http.StatusOK, views.JumpDialog(props.Page))
	}
	recent, err := h.workflows.TicketsByKey(ctx, h.respond.RecentTickets(c))
	if err != nil {
		return err
	}
	props.Titles, props.Newest = jumpTickets(found, recent, text), found.Newest
	if props.Named, props.Near, err = h.jumpPlaces(c, props.Page, found, text); err != nil {
		return err
	}
	if props.Themes = themesNamed(text); respond.IsFragment(c) {
		props.Back = respond.CurrentPath(c)
	}
	if err := h.jumpActions(c, &props, text); err != nil {
		return err
	}
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, pages.JumpFound(props, true))
	}
	if text != "" && found.Indexed && !props.Finds() {
		return c.Redirect(http.StatusSeeOther, views.SearchPath(respond.Company(c).Slug, text, 0))
	}
	return respond.Render(c, http.StatusOK, pages.JumpPage(props))
}

// maxJump is how many tickets a jump lists.
const maxJump = 10

// jumpTickets are the ticket of the key, then those of the titles: first the ones that the user looked at last. Without a
// text they are all of those.
func jumpTickets(found workflows.Jump, recent []tickets.Ticket, text string) (list []tickets.SearchResult) {
	add := func(t tickets.SearchResult) {
		has := func(other tickets.SearchResult) bool { return other.Key == t.Key }
		if len(list) < maxJump && !slices.ContainsFunc(list, has) {
			list = append(list, t)
		}
	}
	resultOf := func(t tickets.Ticket) tickets.SearchResult {
		return tickets.SearchResult{Key: t.Key, Title: t.Title, Closed: t.Closed()}
	}
	if found.Key != nil {
		add(resultOf(*found.Key))
	}
	for _, t := range recent {
		if text == "" || len(fuzzy.Find(text, []string{t.Title})) > 0 {
			add(resultOf(t))
		}
	}
	for _, t := range found.Titles {
		add(t)
	}
	return list
}

// jumpPlaces are the boards, views, members and pages whose names a text has, and those with a name like it: first the
// ones that the user looked at last. Without a text they are boards, after boards and views that were looked at last.
func (h *Handlers) jumpPlaces(
	c echo.Context, page views.Page, found workflows.Jump, text string,
) (named, near []pages.Place, err error) {
	company, recent := respond.Company(c).Slug, h.respond.RecentPlaces(c)
	rank := func(p pages.Place) int {
		if at := slices.Index(recent, p.Path); at >= 0 {
			return at
		}
		return len(recent)
	}
	byRank := func(a, b pages.Place) int { return cmp.Compare(rank(a), rank(b)) }
	var all []pages.Place
	for _, b := range found.Boards {
		all = append(all, pages.Place{Kind: "Board", Name: b.Title, Note: b.Slug, Path: views.BoardPath(company, b.Slug)})
	}
	var saved savedviews.Listed
	isView := func(path string) bool { return strings.HasPrefix(path, views.SavedViewsPath(company)+"/") }
	if text != "" || slices.ContainsFunc(recent, isView) {
		if saved, err = h.workflows.SavedViews(c.Request().Context()); err != nil {
			return nil, nil, err
		}
	}
	for _, v := range slices.Concat(saved.Own, saved.Shared) {
		all = append(all, pages.Place{Kind: "View", Name: v.Name, Note: cmp.Or(v.Slug, "All boards"), Path: views.SavedViewPath(company, v.ID)})
	}
	if text == "" {
		slices.SortStableFunc(all, byRank)
		return nil, all[:min(len(all), mostNamed)], nil
	}
	for _, link := range page.Navigation() {
		all = append(all, pages.Place{Kind: "Page", Name: link.Name, Path: link.Path})
	}
	names := make([]string, len(all))
	for i, place := range all {
		names[i] = place.Name + " " + place.Note
	}
	matches := fuzzy.Find(text, names)
	slices.SortStableFunc(matches, func(a, b fuzzy.Match) int { return byRank(all[a.Index], all[b.Index]) })
	for _, match := range matches {
		switch {
		case match.Words && len(named) < mostNamed:
			named = append(named, all[match.Index])
		case !match.Words && len(near) < mostNear:
			near = append(near, all[match.Index])
		}
	}
	if accounts.ActorFrom(c.Request().Context()).Role == accounts.Guest { // who has no page of a member
		return named, near, nil
	}
	members, err := h.workflows.FindMembers(c.Request().Context(), strings.TrimPrefix(text, "@"), false, mostMembers)
	if err != nil {
		return nil, nil, err
	}
	people := make([]pages.Place, len(members))
	for i, m := range members {
		people[i] = pages.Place{Kind: "Member", Name: m.Name, Note: "@" + m.Handle, Path: views.MemberPath(company, m.ID)}
	}
	slices.SortStableFunc(people, byRank)
	return append(named, people...), near, nil
}

// jumpActions finds what a text says to do to the tickets that the request names, if the user may change them.
func (h *Handlers) jumpActions(c echo.Context, props *pages.JumpProps, text string) error {
	keys, _ := readKeys(c.QueryParam("keys")) // none if one is wrong
	if len(keys) == 0 || props.Page.Board == "" {
		return nil
	}
	ctx := c.Request().Context()
	board, err := h.workflows.Board(ctx, props.Page.Board)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || !props.Page.Writes(board) {
		return err
	}
	words := make([]string, len(keys))
	for i, key := range keys {
		words[i] = key.String()
	}
	props.Board, props.Keys = board, strings.Join(words, " ")
	if text == "" {
		return nil
	}
	all, err := h.actionsOn(ctx, board, text)
	if err != nil {
		return err
	}
	if due, ok := typedDue(c, text); ok {
		props.Actions = append(props.Actions, due)
	}
	names := make([]string, len(all))
	for i, action := range all {
		names[i] = action.Name
	}
	for _, match := range fuzzy.Find(text, names) {
		if match.Words && strings.EqualFold(verb(text), verb(names[match.Index])) && len(props.Actions) < mostActions {
			props.Actions = append(props.Actions, all[match.Index])
		}
	}
	if len(props.Actions) == 0 {
		props.Problem = noAction[strings.ToLower(verb(text))]
	}
	return nil
}

// themeNames are what the box calls the themes.
var themeNames = map[string]string{"system": "As the system", "light": "Light", "dark": "Dark"}

// themesNamed are the themes that a text such as "dark" or "theme dark" names, all of "theme".
func themesNamed(text string) (list []pages.Action) {
	words := strings.Fields(strings.ToLower(text))
	rest := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "theme" })
	for _, theme := range accounts.Themes {
		if len(words) > 0 && (len(rest) == 0 || len(rest) == 1 && rest[0] == theme) {
			list = append(list, pages.Action{Name: themeNames[theme], Theme: theme})
		}
	}
	return list
}

// noAction is why a text has no action, by its verb.
var noAction = map[string]string{
	"assign":   "To assign: no member of this name may be assigned.",
	"move":     "To move: the board has no column of this name.",
	"label":    "To label: no label has this name. New ones are made on a ticket, or by “Labels” in the menu of a card.",
	"priority": "To set the priority: type none, low, medium, high or urgent.",
	"due":      "To set a due date: type one such as today, fri, in 2w or 12 dec.",
}

// verb is the first word of a text. Who looks for a title changes nothing by Enter: an action is found by its whole verb.
func verb(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// typedDue is the due date that a text such as "due fri" asks for.
func typedDue(c echo.Context, text string) (pages.Action, bool) {
	first, typed, _ := strings.Cut(text, " ")
	if !strings.EqualFold(first, "due") || strings.TrimSpace(typed) == "" {
		return pages.Action{}, false
	}
	due, err := tickets.ParseTypedDate("due", typed, respond.LocalNow(c))
	if err != nil || due.IsZero() {
		return pages.Action{}, false
	}
	return pages.Action{Name: "Due " + due.String(), Form: pages.BatchForm{Kind: bulkedits.Due, Due: due.String()}}, true
}

// actionsOn are the changes of tickets of a board that have a name, with the members that a text may mean.
func (h *Handlers) actionsOn(ctx context.Context, board boards.Board, text string) (list []pages.Action, err error) {
	add := func(name string, form pages.BatchForm) { list = append(list, pages.Action{Name: name, Form: form}) }
	members, err := h.workflows.FindMembers(ctx, assignee(text), true, mostActions)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		add("Assign to "+m.Name+" @"+m.Handle, pages.BatchForm{Kind: bulkedits.Assign, Add: "@" + m.Handle})
	}
	for _, column := range board.Columns {
		add("Move to "+column.Name, pages.BatchForm{Kind: bulkedits.Move, Column: views.Number(uint64(column.ID))})
	}
	for _, p := range slices.Backward(tickets.Priorities) {
		add("Priority "+p.String(), pages.BatchForm{Kind: bulkedits.Priority, Priority: p.String()})
	}
	for _, day := range []string{"today", "tomorrow", "in 1w"} {
		add("Due "+day, pages.BatchForm{Kind: bulkedits.Due, Due: day})
	}
	add("No due date", pages.BatchForm{Kind: bulkedits.Due})
	add("Close", pages.BatchForm{Kind: bulkedits.Close})
	add("Reopen", pages.BatchForm{Kind: bulkedits.Reopen})
	labels, err := h.workflows.LabelsOn(ctx, board)
	for _, l := range labels {
		add("Label "+l.Name, pages.BatchForm{Kind: bulkedits.Label, Add: l.Name})
	}
	return list, err
}

// assignee is the part of a text such as "assign to jo" that names a member.
func assignee(text string) string {
	words := strings.Fields(text)
	for _, verb := range []string{"assign", "to"} {
		if len(words) > 0 && strings.EqualFold(words[0], verb) {
			words = words[1:]
		}
	}
	return strings.TrimPrefix(strings.Join(words, " "), "@")
}

// Keys lists the keyboard shortcuts.
func (h *Handlers) Keys(c echo.Context) error {
	if respond.IsFragment(c) {
		return respond.Render(c, http.StatusOK, views.KeysDialog())
	}
	return respond.Render(c, http.StatusOK, views.KeysPage(h.respond.Page(c, "Keyboard shortcuts")))
}
