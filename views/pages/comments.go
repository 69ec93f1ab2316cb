package pages

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// CommentsProps are some of a ticket's comments, oldest first, and the form for one more. Older and Newer say that
// there are others around them.
type CommentsProps struct {
	Page         views.Page
	Board        boards.Board
	Ticket       tickets.Ticket
	List         []views.Comment
	Older, Newer bool
	Before       int  // how many are older; above tickets.MaxOlder there may be more
	Linked       bool // the requester, if there is one, has a private link to read replies by
	Form         views.CommentForm
}

// last is the newest comment of the page: the response to the form begins after it.
func (p CommentsProps) last() string {
	if len(p.List) == 0 {
		return "0"
	}
	return strconv.FormatUint(uint64(p.List[len(p.List)-1].ID), 10)
}

// commentLabel and commentButton name the readers of a comment if a requester is one.
func commentLabel(t tickets.Ticket) string {
	if t.FromRequester {
		return "Comment for your team"
	}
	return "Your comment"
}

func commentButton(t tickets.Ticket) string {
	if t.FromRequester {
		return "Comment internally"
	}
	return "Comment"
}

// CommentProps is one comment, or its form.
type CommentProps struct {
	Page    views.Page
	Board   boards.Board
	Ticket  tickets.Ticket
	Comment views.Comment
	Form    views.CommentForm
	Chosen  tickets.Reaction // by the last action; 0 for none
	Focus   bool             // it was deleted or restored a moment ago, and the focus was in it
	Alert   string           // why an item was not checked
}

// older is the text of the link to older comments.
func (p CommentsProps) older() string {
	switch {
	case p.Before == 0:
		return "Older comments"
	case p.Before > tickets.MaxOlder:
		return strconv.Itoa(tickets.MaxOlder) + "+ older comments"
	}
	return views.Count(int64(p.Before), "older comment", "older comments")
}

// own reports whether the user may change a comment.
func own(p views.Page, b boards.Board, c views.Comment) bool {
	return p.Writes(b) && c.Author.ID == p.Actor.Account.ID && !c.Deleted()
}

// AssignProps is the form of a ticket's assignees. Chosen are the assignees, Members the members found by the text Find,
// and First the best of them, which Enter takes; Checked are the accounts that are checked.
type AssignProps struct {
	Page    views.Page
	Board   boards.Board
	Ticket  tickets.Ticket
	Find    string
	Members []accounts.NamedMember
	First   id.Account // 0 for none
	Checked []id.Account
	More    bool // there are more members than the list shows
	Errors  views.Errors
}

// findMember is the field of the form that finds members.
func findMember() views.Field {
	return views.NewField("assign", "q", "Find by name or handle", "", nil)
}

func memberQuery() templ.Attributes {
	return templ.Attributes{"type": "search", "maxlength": "60", "autocomplete": "off", "dir": "auto", "autofocus": true}
}

// InboxProps is a page of the user's inbox.
type InboxProps struct {
	Page    views.Page
	Entries []tickets.InboxGroup
	Next    id.Notification // where the next page begins; 0 if there is none
}

// entrySubject names what an entry is about.
func entrySubject(g tickets.InboxGroup) string {
	if g.Notice() {
		return noticeTitle(g.Notification)
	}
	if g.Key.Number == 0 {
		return g.Key.Board
	}
	return g.Key.String()
}

// entryTitle is the text of an entry's link.
func entryTitle(g tickets.InboxGroup) string {
	if g.Notice() {
		return noticeTitle(g.Notification)
	}
	return g.Title
}

// noticeTitle is the text of a notice's link.
func noticeTitle(n tickets.Notification) string {
	if n.Why == tickets.NoticePassword {
		return "Yours is short, common, your address, or the name of your company"
	}
	if n.OfBulkEdit() {
		return "See what it has changed"
	}
	if n.Title == "" {
		return "Your account"
	}
	return n.Title
}

// alsoWhy says why else a ticket is in the inbox than by its newest notification.
func alsoWhy(g tickets.InboxGroup) string {
	var also []string
	for _, why := range g.Also {
		switch why {
		case tickets.ReasonMention:
			also = append(also, "mentioned you")
		case tickets.ReasonAssigned:
			also = append(also, "assigned you")
		case tickets.ReasonRequest:
			also = append(also, "new request")
		case tickets.ReasonPaused:
			also = append(also, "it is not repeated any more")
		case tickets.ReasonUnblocked:
			also = append(also, "a ticket that blocked it was closed")
		}
	}
	if len(also) == 0 {
		return ""
	}
	return "also " + strings.Join(also, ", ")
}

// WorkProps is a page of the user's tickets.
type WorkProps struct {
	Page   views.Page
	Boards []WorkOnBoard
	Next   tickets.ID // the cursor of older tickets; 0 at the end
}

// WorkOnBoard are the user's tickets on a board, by column.
type WorkOnBoard struct {
	Slug, Title string
	Columns     []WorkInColumn
}

// WorkInColumn are the user's tickets in a column.
type WorkInColumn struct {
	Name    string
	Tickets []tickets.Work
}

// shownOnCard is how many assignees a card shows.
const shownOnCard = 3

func namesOf(list []tickets.Assignee) string {
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}

func assigned(list []tickets.Assignee, account id.Account) bool {
	for _, a := range list {
		if a.ID == account {
			return true
		}
	}
	return false
}

func accountNumber(account id.Account) string { return strconv.FormatUint(uint64(account), 10) }

// excerpt is the beginning of a text in one line.
func excerpt(text string) string {
	const most = 160
	line := strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	return string([]rune(line)[:most-1]) + "…"
}

func entryNumber(n id.Notification) string { return strconv.FormatUint(uint64(n), 10) }
