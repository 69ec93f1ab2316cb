package pages

import (
	"time"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

var (
	crew = []tickets.Assignee{{ID: 1, Name: hostile}, {ID: 2, Name: "Ben", Handle: "ben"}, {ID: 3, Name: ""},
		{ID: 4, Name: "\u05d0"}, {ID: 5, Name: "Z"}}
	said = tickets.Comment{ID: 9, Author: tickets.User{Name: hostile}, Body: hostile, Version: 2}
	gone = tickets.Comment{ID: 10, DeletedAt: &time.Time{}}
	talk = CommentsProps{Page: page, Board: board, Ticket: tick,
		List: []views.Comment{{Comment: said, HTML: "<p>Hello</p>"}, {Comment: gone}}, Older: true, Newer: true,
		Form: views.CommentForm{Body: hostile, Errors: views.Errors{"body": hostile}}}
)

// notificationPages are those of comments, assignees and the inbox.
func notificationPages() map[string]templ.Component {
	bad := views.Errors{"body": hostile, "": hostile}
	return map[string]templ.Component{
		"edit comment": EditCommentPage(CommentProps{Page: page, Board: board, Ticket: tick, Comment: talk.List[0],
			Form: views.CommentForm{Body: hostile, Errors: bad}}),
		"comment conflict": EditCommentPage(CommentProps{Page: page, Board: board, Ticket: tick, Comment: talk.List[0],
			Form: views.CommentForm{Body: hostile, Errors: views.Errors{"version": hostile}, Current: &said}}),
		"assign": AssignPage(AssignProps{Page: page, Board: board, Ticket: tick, Find: hostile, Checked: []id.Account{1},
			Errors: views.Errors{"assignees": hostile}, More: true,
			Members: []accounts.NamedMember{{ID: 1, Name: hostile, Handle: "ana"}, {ID: 3, Name: hostile, Handle: "ben"}}}),
		"inbox": InboxPage(InboxProps{Page: page, Next: 2, Entries: []tickets.InboxGroup{
			{Notification: tickets.Notification{ID: 4, Why: tickets.ReasonReply, Unread: true, By: tickets.User{Name: hostile},
				Key: theKey, Title: hostile, Comment: 9, Excerpt: hostile}, New: 3, Also: []string{tickets.ReasonMention}},
			{Notification: tickets.Notification{ID: 3, Why: tickets.ReasonAssigned, By: tickets.User{Name: hostile}, Key: theKey,
				Title: hostile, Gone: true}},
			{Notification: tickets.Notification{ID: 2, Why: tickets.ReasonReply, Key: theKey}},
			{Notification: tickets.Notification{ID: 1, Why: tickets.ReasonRequest, Key: theKey, Title: hostile,
				Excerpt: hostile, FromRequester: true}},
			{Notification: tickets.Notification{ID: 5, Why: tickets.ReasonTaken, Unread: true, By: tickets.User{Name: hostile},
				Key: tickets.Key{Board: "NINJA"}, Title: hostile}, New: 1},
			{Notification: tickets.Notification{ID: 6, Why: tickets.NoticeSignIn, Unread: true, Title: hostile}, New: 1},
			{Notification: tickets.Notification{ID: 8, Why: tickets.NoticeRunPaused, Unread: true, Title: hostile}, New: 1},
			{Notification: tickets.Notification{ID: 7, Why: tickets.NoticeResetMade, By: tickets.User{Name: hostile}}}}}),
		"empty inbox": InboxPage(InboxProps{Page: page}),
		"work": WorkPage(WorkProps{Page: page, Next: 7,
			Boards: []WorkOnBoard{{Slug: "NINJA", Title: hostile,
				Columns: []WorkInColumn{{Name: hostile, Tickets: []tickets.Work{{Key: theKey, Title: hostile}}}}}}}),
		"no work":  WorkPage(WorkProps{Page: page}),
		"mentions": MentionList(page, []accounts.NamedMember{{Name: hostile, Handle: "ana"}}),
	}
}
