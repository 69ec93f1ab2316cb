package pages

import (
	"context"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

const hostile = `"><img src=x onerror=alert(1)>`

var (
	actor = &accounts.Actor{Account: accounts.Account{Name: hostile},
		Company: accounts.Company{Slug: "acme", Name: hostile}, Role: accounts.Owner}
	page   = views.Page{Title: hostile, Actor: actor, Flash: []views.Flash{{Text: hostile}, {Text: hostile, Bad: true}}}
	theKey = tickets.Key{Board: "NINJA", Number: 42}
	board  = boards.Board{Slug: "NINJA", Title: hostile,
		Columns: []boards.Column{{ID: 1, Name: hostile}, {ID: 2, Name: "Done", Done: true}}}
	tick = tickets.Ticket{ID: 7, Key: theKey, Column: 1, Title: hostile, Description: hostile,
		Author: tickets.User{Name: hostile}, Assignees: crew[:2]}
	cards = []tickets.Card{{ID: 7, Key: theKey, Title: hostile, Assignees: crew}}
	form  = TicketForm{Title: hostile, Description: hostile, Created: &theKey,
		Errors: views.Errors{"": hostile, "title": hostile}}
	narrow = views.Filter{Query: hostile, Lanes: hostile, Group: hostile, Fields: hostile}
	todo   = ColumnProps{Company: "acme", Board: board, Column: board.Columns[0], Cards: cards, Above: &theKey,
		Next: &tickets.Cursor{}, Filter: narrow, Add: form, AddOpen: true, Alert: hostile}
)

func pages() map[string]templ.Component {
	stranger := page
	stranger.Actor = nil
	change := &tickets.Change{Old: hostile, New: hostile}
	activity := []tickets.Activity{
		{Kind: tickets.KindOpened}, {Kind: tickets.KindMoved}, {Kind: tickets.KindDeleted}, {Kind: hostile},
		{Kind: tickets.KindAssigned}, {Kind: tickets.KindAssigned, Detail: tickets.Detail{Assignees: change}},
		{Kind: tickets.KindMoved, Detail: tickets.Detail{Column: change}},
		{Kind: tickets.KindEdited, Detail: tickets.Detail{Title: change, Description: change}},
	}
	conflict := form
	lines := []tickets.Line{{Op: tickets.Removed, Text: hostile}, {Op: tickets.Added, Text: hostile},
		{Op: tickets.Kept, Text: hostile}, {Op: tickets.Skipped, Count: 3}}
	conflict.Conflict = &tickets.Conflict{
		Current: tick, Known: true, Since: tickets.LaterEdits{By: []string{hostile, hostile}}, Title: change, Lines: lines,
		MergedTitle: hostile, TitleClash: true, Merged: tickets.Merge("", hostile, hostile+"\n"+hostile),
	}
	unknown := form
	unknown.Conflict = &tickets.Conflict{Current: tick}
	deleted := []tickets.DeletedTicket{{Key: theKey, Title: hostile, By: hostile}}
	spot := tickets.Detail{Column: change, Board: change, Key: change}
	for _, kind := range []string{tickets.KindMoved, tickets.KindClosed, tickets.KindReopened, tickets.KindRestored,
		tickets.KindUndone} {
		activity = append(activity, tickets.Activity{Kind: kind, Undone: true, Detail: spot})
	}
	for i := range activity {
		activity[i].ID = id.Activity(i + 1)
	}
	return map[string]templ.Component{
		"setup": SetupPage(stranger, SetupForm{Company: hostile, Slug: hostile, Name: hostile, Email: hostile,
			Errors: form.Errors}),
		"login": LoginPage(stranger, LoginForm{Email: hostile, Next: hostile, Errors: form.Errors}),
		"home": HomePage(HomeProps{Page: page, Boards: []boards.Board{board},
			New: BoardForm{Slug: hostile, Title: hostile, Errors: form.Errors}}),
		"board": BoardPage(BoardProps{Page: page, Board: board, Columns: []ColumnProps{todo}, Filter: narrow,
			Choices: Choices{Members: []accounts.NamedMember{{Handle: hostile, Name: hostile}},
				Labels: []labels.Label{{ID: 1, Name: hostile}}}}),
		"column": ColumnPage(page, todo, Choices{}),
		"labels": LabelsPage(LabelsProps{Page: page, List: []labels.Label{{ID: 1, Name: hostile, Slug: hostile}},
			Ended:   []labels.Label{{ID: 2, Name: hostile, Into: hostile, Ended: &time.Time{}}},
			Managed: map[id.Label]bool{1: true}, Boards: []boards.Board{board}, Name: hostile, Color: hostile,
			Board: hostile, Errors: form.Errors}),
		"label": LabelPage(LabelProps{Page: page, Label: labels.Label{ID: 1, Name: hostile}, Name: hostile, Color: hostile,
			Others: []labels.Label{{ID: 2, Name: hostile}}, Errors: form.Errors, MergeErrors: form.Errors}),
		"choose labels": TicketLabelsPage(TicketLabelsProps{Page: page, Board: board, Ticket: tick, Find: hostile,
			Shown: []LabelChoice{{Label: labels.Label{ID: 1, Name: hostile}, Checked: true}}, Named: []string{hostile + "2"},
			Make: hostile, Errors: form.Errors}),
		"new":    NewTicketPage(NewTicketProps{Page: page, Board: board, Form: form}),
		"dialog": NewTicketForm(NewTicketProps{Page: page, Board: board, Form: form}),
		"settings": BoardSettingsPage(BoardSettingsProps{Page: page, Board: board,
			Form: BoardForm{Title: hostile, Errors: form.Errors}}),
		"ticket": TicketPage(TicketProps{Page: page, Board: board, Ticket: tick, Heading: []Span{{Text: hostile}},
			Activity: activity, More: true, Comments: talk}),
		"edit":     EditPage(EditProps{Page: page, Board: board, Ticket: tick, Form: form}),
		"conflict": EditPage(EditProps{Page: page, Board: board, Ticket: tick, Form: conflict}),
		"unknown":  EditPage(EditProps{Page: page, Board: board, Ticket: tick, Form: unknown}),
		"deletion": DeletionPage(DeletionProps{Page: page, Board: board, Ticket: tick}),
		"deleted":  DeletedPage(DeletedProps{Page: page, Board: board, Ticket: tick, Deletion: activity[0]}),
		"list": BoardListPage(BoardListProps{Page: page, Board: board, Filter: narrow,
			Groups: []ListGroup{{ID: "x", Name: hostile, Query: hostile, Tickets: []tickets.Ticket{tick}}}}),
		"gone": DeletedListPage(DeletedListProps{Page: page, Board: board, List: deleted,
			Next: &tickets.DeletedCursor{}}),
		"entry": EntryPage(EntryProps{Page: page, Board: board, Ticket: tick, Entry: activity[5], Lines: lines}),
		"move": MovePage(MoveProps{Page: page, Board: board, Ticket: tick, Near: cards,
			Form: MoveForm{Errors: form.Errors}, More: true}),
		"error": views.ErrorPage(views.ErrorProps{Page: page, Status: 404, Heading: hostile, Message: hostile,
			Retry: true}),
		"columnOOB": ColumnOOB(todo),
	}
}

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	domaintest.Must(t, c.Render(context.Background(), &b))
	return b.String()
}

var template = regexp.MustCompile(`(?s)<template[^>]*>.*?</template>`)

func TestPages(t *testing.T) {
	all := pages()
	maps.Copy(all, notificationPages())
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			html := render(t, c)
			if strings.Contains(html, "<img") {
				t.Error("hostile text became an element")
			}
			if strings.Contains(html, " style=") || strings.Contains(html, " onclick=") || strings.Contains(html, "hx-on") {
				t.Error("the content security policy refuses inline styles and scripts")
			}
			html = template.ReplaceAllString(html, "") // its elements are none of the page until a dialog has them
			for _, tag := range regexp.MustCompile(`<form[^>]*>`).FindAllString(html, -1) {
				if !strings.Contains(tag, `action="/`) && !strings.Contains(tag, `method="dialog"`) {
					t.Error("a form that does nothing without JavaScript:", tag)
				}
			}
			ids := map[string]bool{}
			for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(html, -1) {
				if ids[m[1]] {
					t.Error("two elements with the id", m[1])
				}
				ids[m[1]] = true
			}
			for _, m := range regexp.MustCompile(` (?:for|aria-labelledby|aria-describedby)="([^"]+)"`).
				FindAllStringSubmatch(html, -1) {
				for id := range strings.FieldsSeq(m[1]) {
					if !ids[id] && id != "dialog-title" {
						t.Error("nothing has the id", id)
					}
				}
			}
		})
	}
}

func TestCard(t *testing.T) {
	t.Run("a card is small, for boards of thousands", func(t *testing.T) {
		title := "Order sorbitol before the price goes up again"
		html := render(t, card(ColumnProps{Company: "acme", Write: true},
			tickets.Card{ID: 123456, Key: tickets.Key{Board: "NINJA", Number: 12345}, Title: title}))
		if len(html) > 450 {
			t.Errorf("%d bytes: %s", len(html), html)
		}
	})
	t.Run("the key of a card is found as one word", func(t *testing.T) {
		html := render(t, card(ColumnProps{Company: "acme", Write: true}, cards[0]))
		if text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(html, ""); !strings.Contains(text, "NINJA-42") {
			t.Error(text)
		}
	})
}

func TestErrors(t *testing.T) {
	t.Run("an error is beside its field and tied to it", func(t *testing.T) {
		html := render(t, LoginPage(views.Page{}, LoginForm{Email: "a@b.c", Errors: views.Errors{"password": "Wrong."}}))
		for _, want := range []string{`aria-describedby="login-password-error"`, `aria-invalid="true"`,
			`id="login-password-error">Wrong.<`, `href="#login-password">Wrong.<`, `value="a@b.c"`} {
			if !strings.Contains(html, want) {
				t.Errorf("no %s in %s", want, html)
			}
		}
	})
	t.Run("a description keeps its first empty line", func(t *testing.T) {
		html := render(t, EditForm(EditProps{Page: page, Form: TicketForm{Description: "\nx"}}))
		if !strings.Contains(html, ">\n\nx</textarea>") {
			t.Error(html)
		}
	})
}

func TestHeadingIsTheTitleToTheLetter(t *testing.T) {
	spans := []Span{{Text: "as "}, {Text: "NINJA-1", Path: "/acme/NINJA-1"}, {Text: ", "},
		{Text: "NINJA-2", Path: "/acme/NINJA-2"}, {Text: "<b>"}}
	var html strings.Builder
	props := TicketProps{Page: views.Page{Actor: &accounts.Actor{}}, Heading: spans}
	domaintest.Must(t, TicketBody(props).Render(t.Context(), &html))
	page := domaintest.OK(goquery.NewDocumentFromReader(strings.NewReader(html.String())))(t)
	if got := page.Find("h1").Text(); strings.TrimSpace(got) != "as NINJA-1, NINJA-2<b>" {
		t.Errorf("the heading is %q", got)
	}
	if page.Find("h1 a.key").Length() != 2 {
		t.Error("the keys are no links")
	}
}
