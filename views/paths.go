package views

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Paths of pages; every link and form goes through these.
const (
	SetupPath    = "/setup"
	LoginPath    = "/login"
	LogoutPath   = "/logout"
	AccountPath  = "/account"
	PasswordPath = "/account/password"
	EpochPath    = "/account/epoch" // a POST ends all sessions
	// ConfirmationPath asks for the user's password.
	ConfirmationPath = "/account/confirmation"
	// OtherSessionsPath ends all sessions but the user's present one.
	OtherSessionsPath = "/account/sessions/revocation"
	AdminPath         = "/admin"        // the operators' overview
	SecondStepPath    = "/login/second" // asks for the second factor
	TOTPPath          = "/account/totp" // sets an authenticator app up
	TOTPRemovalPath   = "/account/totp/removal"
	PasskeysPath      = "/account/passkeys"
	NewPasskeyPath    = "/account/passkeys/options"
	PasskeySignInPath = "/login/passkey"
	SecondPasskeyPath = "/login/second/passkey"
	RecoveryCodesPath = "/account/recovery-codes" // a POST makes new ones
	CompaniesPath     = "/admin/companies"
	AnyAccountsPath   = "/admin/people"
	DisplayPath       = "/account/display"
	AvatarPath        = "/account/avatar"
	NoAvatarPath      = "/account/avatar/removal"
	// CompanySignInsPath asks for a company, to sign in at its issuer.
	CompanySignInsPath = "/login/companies"
	// RecoveryPath lets an owner into a company that requires its issuer.
	RecoveryPath = "/login/recovery"

	// AccountKeysPath is the help for keyboard shortcuts for a user without a company.
	AccountKeysPath = "/account/keys"
)

// SignInToPath is the form to sign in, which then leads to a path.
func SignInToPath(path string) string { return LoginPath + "?next=" + url.QueryEscape(path) }

// SecondPath asks for the second factor, and then leads to a path, "" for the first page.
func SecondPath(next string) string { return withNext(SecondStepPath, next) }

// SetUpTOTPPath sets an authenticator app up, and then leads to a path.
func SetUpTOTPPath(next string) string { return withNext(TOTPPath, next) }

func withNext(path, next string) string {
	if next == "" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

// AddPasskeyPath adds a passkey, and then leads to a path.
func AddPasskeyPath(next string) string { return withNext(PasskeysPath, next) }

// PasskeyPath renames a passkey.
func PasskeyPath(passkey id.Passkey) string { return PasskeysPath + "/" + Number(uint64(passkey)) }

// PasskeyRemovalPath takes a passkey away.
func PasskeyRemovalPath(passkey id.Passkey) string {
	return PasskeyPath(passkey) + "/removal"
}

// RequiredFactorPath is whether a company requires a second factor.
func RequiredFactorPath(company string) string { return SettingsPath(company) + "/second-factor" }

// IssuerSignInPath signs in at an issuer, and then leads to a path.
func IssuerSignInPath(issuer id.Issuer, next string) string {
	return withNext(LoginPath+"/issuers/"+Number(uint64(issuer)), next)
}

// IssuerAgainPath is IssuerSignInPath for a user who is to prove once more who they are.
func IssuerAgainPath(issuer id.Issuer, next string) string {
	return IssuerSignInPath(issuer, "") + "?again=1&next=" + url.QueryEscape(next)
}

// IssuerCallbackPath is where an issuer sends browsers back to.
func IssuerCallbackPath(issuer id.Issuer) string { return IssuerSignInPath(issuer, "") + "/callback" }

// CompanySignInPath has the issuers of a company, and then leads to a path.
func CompanySignInPath(company, next string) string {
	path := CompanySignInsPath + "?company=" + url.QueryEscape(company)
	if next != "" {
		path += "&next=" + url.QueryEscape(next)
	}
	return path
}

// SignedOutPath is the form to sign in after a session that an issuer opened.
func SignedOutPath(issuer id.Issuer) string { return LoginPath + "?out=" + Number(uint64(issuer)) }

// IdentityPath links the user's account to an issuer.
func IdentityPath(issuer id.Issuer) string {
	return AccountPath + "/identities/" + Number(uint64(issuer))
}

// IdentityRemovalPath removes that link.
func IdentityRemovalPath(issuer id.Issuer) string { return IdentityPath(issuer) + "/removal" }

// SignInSettingsPath is how a company is signed in to.
func SignInSettingsPath(company string) string { return SettingsPath(company) + "/sign-in" }

// RequiredIssuerPath is whether a company requires its issuer.
func RequiredIssuerPath(company string) string { return SignInSettingsPath(company) + "/required" }

// IssuersPath takes new issuers of a company.
func IssuersPath(company string) string { return SignInSettingsPath(company) + "/issuers" }

// IssuerPath is an issuer in a company.
func IssuerPath(company string, issuer id.Issuer) string {
	return IssuersPath(company) + "/" + Number(uint64(issuer))
}

// IssuerRemovalPath removes an issuer of a company.
func IssuerRemovalPath(company string, issuer id.Issuer) string {
	return IssuerPath(company, issuer) + "/removal"
}

// IssuerRulesPath takes new rules of an issuer in a company.
func IssuerRulesPath(company string, issuer id.Issuer) string {
	return IssuerPath(company, issuer) + "/rules"
}

// IssuerRuleRemovalPath removes a rule.
func IssuerRuleRemovalPath(company string, issuer id.Issuer, rule id.IssuerRule) string {
	return IssuerRulesPath(company, issuer) + "/" + Number(uint64(rule)) + "/removal"
}

// DomainsPath takes new domains of a company.
func DomainsPath(company string) string { return SignInSettingsPath(company) + "/domains" }

// DomainCheckPath looks for the record of a domain.
func DomainCheckPath(company string, domain id.Domain) string {
	return DomainsPath(company) + "/" + Number(uint64(domain)) + "/check"
}

// DomainRemovalPath removes a domain.
func DomainRemovalPath(company string, domain id.Domain) string {
	return DomainsPath(company) + "/" + Number(uint64(domain)) + "/removal"
}

// JoinPath is an invitation.
func JoinPath(secret string) string { return "/join/" + secret }

// ResetPath is a link for a new password.
func ResetPath(secret string) string { return "/reset/" + secret }

// HomePath is a company's list of boards.
func HomePath(company string) string { return "/" + company }

// JumpPath finds a ticket by its key or title; board is the slug of the present one, or "".
func JumpPath(company, board string) string {
	if board == "" {
		return "/" + company + "/jump"
	}
	return "/" + company + "/jump?board=" + board
}

// SearchPath is a page of the results of a search, or its form.
func SearchPath(company, query string, page int) string {
	path := "/" + company + "/search"
	if query == "" {
		return path
	}
	values := url.Values{"q": {query}}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	return path + "?" + values.Encode()
}

// HomeVisitPath has nothing be new on the home page.
func HomeVisitPath(company string) string { return "/" + company + "/seen" }

// BoardPinPath pins a board, or unpins it.
func BoardPinPath(company, board string) string { return BoardPath(company, board) + "/pin" }

// ThemePath sets the theme of the user.
func ThemePath(company string) string { return "/" + company + "/theme" }

// KeysPath is the help for keyboard shortcuts.
func KeysPath(company string) string { return "/" + company + "/keys" }

// PreviewPath shows a text as a page would.
func PreviewPath(company string) string { return "/" + company + "/preview" }

// UndoPath reverts an action of the user.
func UndoPath(company string) string { return "/" + company + "/undo" }

// WorkPath are the user's tickets.
func WorkPath(company string) string { return "/" + company + "/work" }

// WorkBeforePath is older work.
func WorkBeforePath(company string, before tickets.ID) string {
	return fmt.Sprintf("%s?before=%d", WorkPath(company), before)
}

// InboxPath is the user's inbox. A POST to it marks all as read.
func InboxPath(company string) string { return "/" + company + "/inbox" }

// InboxBeforePath are older entries.
func InboxBeforePath(company string, before id.Notification) string {
	return fmt.Sprintf("%s?before=%d", InboxPath(company), before)
}

// BeforePath is the part of a list at a path before a comment.
func BeforePath(path string, before id.Comment) string {
	return fmt.Sprintf("%s?before=%d", path, before)
}

// InboxEntryPath marks an entry as read.
func InboxEntryPath(company string, entry id.Notification) string {
	return fmt.Sprintf("%s/%d", InboxPath(company), entry)
}

// UnreadPath is the link to the inbox with the count of unread entries.
func UnreadPath(company string) string { return InboxPath(company) + "/unread" }

// BoardsPath takes new boards.
func BoardsPath(company string) string { return "/" + company + "/boards" }

// AllTicketsPath is the board of all tickets in sight.
func AllTicketsPath(company string) string { return "/" + company + "/tickets" }

// BoardPath is a board; that of all tickets if slug is "".
func BoardPath(company, slug string) string {
	if slug == "" {
		return AllTicketsPath(company)
	}
	return "/" + company + "/boards/" + slug
}

// FilteredPath is a board under a filter.
func FilteredPath(company, slug string, f Filter) string { return f.In(BoardPath(company, slug)) }

// BoardListPath is a board as a table.
func BoardListPath(company, slug string) string { return BoardPath(company, slug) + "/list" }

// BoardListFilePath is the same as a CSV file.
func BoardListFilePath(company, slug string) string { return BoardListPath(company, slug) + ".csv" }

// BoardCalendarPath is a board as a calendar.
func BoardCalendarPath(company, slug string) string { return BoardPath(company, slug) + "/calendar" }

// LayoutPath is a board in a layout.
func LayoutPath(company, slug string, as savedviews.Layout) string {
	switch as {
	case savedviews.AsList:
		return BoardListPath(company, slug)
	case savedviews.AsCalendar:
		return BoardCalendarPath(company, slug)
	}
	return BoardPath(company, slug)
}

// SavedViewsPath are the views that a member sees.
func SavedViewsPath(company string) string { return "/" + company + "/views" }

// PinnedViewsPath is the navigation of pinned views with their counts.
func PinnedViewsPath(company string) string { return SavedViewsPath(company) + "/pinned" }

// SavedViewPath opens a view, and takes its changes.
func SavedViewPath(company string, view id.SavedView) string {
	return fmt.Sprintf("%s/%d", SavedViewsPath(company), view)
}

// EditSavedViewPath is the form that changes a view.
func EditSavedViewPath(company string, view id.SavedView) string {
	return SavedViewPath(company, view) + "/edit"
}

// SavedViewDeletionPath asks whether to delete a view, and deletes it.
func SavedViewDeletionPath(company string, view id.SavedView) string {
	return SavedViewPath(company, view) + "/deletion"
}

// SavedViewPinPath pins a view, or unpins it.
func SavedViewPinPath(company string, view id.SavedView) string {
	return SavedViewPath(company, view) + "/pin"
}

// CalendarAddressesPath are the addresses by which calendar programs read due dates.
func CalendarAddressesPath(company string) string { return "/" + company + "/calendars" }

// CalendarOfWork stands in a path for the calendar of the user's own tickets.
const CalendarOfWork = "work"

// CalendarAddressPath makes the address of a view, or of the user's work.
func CalendarAddressPath(company string, view id.SavedView) string {
	if view == savedviews.OfWork {
		return CalendarAddressesPath(company) + "/" + CalendarOfWork
	}
	return fmt.Sprintf("%s/%d", CalendarAddressesPath(company), view)
}

// CalendarRevocationPath ends such an address.
func CalendarRevocationPath(company string, view id.SavedView) string {
	return CalendarAddressPath(company, view) + "/revocation"
}

// CalendarPath is where calendar programs read, below which an address has its secret.
const CalendarPath = "/c"

// CalendarFilePath is the file of a calendar address.
func CalendarFilePath(secret string) string { return CalendarPath + "/" + secret + ".ics" }

// BoardViewsPath takes new views of a board.
func BoardViewsPath(company, slug string) string { return BoardPath(company, slug) + "/views" }

// NewSavedViewPath is the form for them, with what a board shows.
func NewSavedViewPath(company, slug string, as savedviews.Layout, f Filter) string {
	return f.In(BoardViewsPath(company, slug) + "/new?layout=" + string(as))
}

// OfSavedView is what a view shows: a board in a layout, through a filter.
func OfSavedView(company string, v savedviews.View) string {
	return FilterOf(v).In(LayoutPath(company, v.Slug, v.Layout))
}

// BulkEditsPath are the user's bulk edits.
func BulkEditsPath(company string) string { return "/" + company + "/bulk-edits" }

// BoardBulkEditsPath are those of a board.
func BoardBulkEditsPath(company, slug string) string { return BoardPath(company, slug) + "/bulk-edits" }

// BulkEditPath is a bulk edit.
func BulkEditPath(company string, edit id.BulkEdit) string {
	return fmt.Sprintf("%s/%d", BulkEditsPath(company), edit)
}

// BulkEditOfRunPath leads to the bulk edit of a run.
func BulkEditOfRunPath(company string, run id.Run) string {
	return fmt.Sprintf("%s/runs/%d", BulkEditsPath(company), run)
}

// BulkEditStatePath pauses a bulk edit, resumes or stops it.
func BulkEditStatePath(company string, edit id.BulkEdit) string {
	return BulkEditPath(company, edit) + "/state"
}

// BulkEditSpeedPath sets the speed of a bulk edit.
func BulkEditSpeedPath(company string, edit id.BulkEdit) string {
	return BulkEditPath(company, edit) + "/speed"
}

// BulkEditUndoPath takes a bulk edit back.
func BulkEditUndoPath(company string, edit id.BulkEdit) string {
	return BulkEditPath(company, edit) + "/undo"
}

// BulkEditRepeatPath does what a bulk edit has previewed.
func BulkEditRepeatPath(company string, edit id.BulkEdit) string {
	return BulkEditPath(company, edit) + "/repeat"
}

// BatchPath changes several tickets of a board, or of all.
func BatchPath(company, slug string) string { return BoardPath(company, slug) + "/batch" }

// BoardSettingsPath renames a board.
func BoardSettingsPath(company, slug string) string { return BoardPath(company, slug) + "/settings" }

// TemplatesPath are the templates of a board, and takes new ones.
func TemplatesPath(company, slug string) string { return BoardPath(company, slug) + "/templates" }

// NewTemplatePath is the form for them.
func NewTemplatePath(company, slug string) string { return TemplatesPath(company, slug) + "/new" }

// TemplatePath is the form that changes a template, and takes it.
func TemplatePath(company, slug string, template id.Template) string {
	return fmt.Sprintf("%s/%d", TemplatesPath(company, slug), template)
}

// TemplateDeletionPath asks whether to delete a template, and deletes it.
func TemplateDeletionPath(company, slug string, template id.Template) string {
	return TemplatePath(company, slug, template) + "/deletion"
}

// TemplateRestorationPath restores a deleted template.
func TemplateRestorationPath(company, slug string, template id.Template) string {
	return TemplatePath(company, slug, template) + "/restoration"
}

// BoardCopiesPath takes the names of a new board that is like another.
func BoardCopiesPath(company, slug string) string { return BoardPath(company, slug) + "/copies" }

// BoardArchivePath archives a board or restores it.
func BoardArchivePath(company, slug string) string { return BoardPath(company, slug) + "/archive" }

// DeletedPath is the list of a board's deleted tickets, from below a cursor, or from the newest if it is nil.
func DeletedPath(company, slug string, below *tickets.DeletedCursor) string {
	path := BoardPath(company, slug) + "/deleted"
	if below == nil {
		return path
	}
	return path + "?below=" + below.String()
}

// BoardMembersPath shows who sees a board, and names members and groups on it.
func BoardMembersPath(company, slug string) string { return BoardPath(company, slug) + "/members" }

// BoardMemberPath changes the role of a member or group on a board.
func BoardMemberPath(company, slug, kind string, member uint64) string {
	return BoardMembersPath(company, slug) + "/" + kind + "/" + strconv.FormatUint(member, 10)
}

// BoardMemberRemovalPath takes a member or group off a board.
func BoardMemberRemovalPath(company, slug, kind string, member uint64) string {
	return BoardMemberPath(company, slug, kind, member) + "/removal"
}

// BoardPrivacyPath makes a board private or open.
func BoardPrivacyPath(company, slug string) string { return BoardPath(company, slug) + "/privacy" }

// BoardLinkPath makes a public link of a board.
func BoardLinkPath(company, slug string) string { return BoardPath(company, slug) + "/link" }

// BoardLinkRevocationPath ends it.
func BoardLinkRevocationPath(company, slug string) string {
	return BoardLinkPath(company, slug) + "/revocation"
}

// BoardWebhooksPath adds a private board to a webhook.
func BoardWebhooksPath(company, slug string) string { return BoardPath(company, slug) + "/webhooks" }

// BoardWebhookRemovalPath removes a private board from a webhook.
func BoardWebhookRemovalPath(company, slug string, webhook id.Webhook) string {
	return fmt.Sprintf("%s/%d/removal", BoardWebhooksPath(company, slug), webhook)
}

// ColumnsPath takes new columns of a board.
func ColumnsPath(company, slug string) string { return BoardPath(company, slug) + "/columns" }

// ColumnPath is a column of a board: the cards below a cursor, or from the top if it is nil.
func ColumnPath(company, slug string, column id.Column, below *tickets.Cursor) string {
	path := fmt.Sprintf("%s/columns/%d", BoardPath(company, slug), column)
	if below == nil {
		return path
	}
	return path + "?below=" + below.String()
}

// ColumnFoldPath folds a column for the user, or unfolds it.
func ColumnFoldPath(company, slug string, column id.Column) string {
	return ColumnPath(company, slug, column, nil) + "/fold"
}

// ColumnPositionPath moves a column among those of its board.
func ColumnPositionPath(company, slug string, column id.Column) string {
	return ColumnPath(company, slug, column, nil) + "/position"
}

// ColumnRemovalPath removes a column.
func ColumnRemovalPath(company, slug string, column id.Column) string {
	return ColumnPath(company, slug, column, nil) + "/removal"
}

// ColumnCardsPath is for all cards of a column: GET asks what is to be done with them, POST moves or sorts them.
func ColumnCardsPath(company, slug string, column id.Column) string {
	return ColumnPath(company, slug, column, nil) + "/cards"
}

// TicketsPath takes new tickets of a board.
func TicketsPath(company, slug string) string { return BoardPath(company, slug) + "/tickets" }

// NewFromTemplatePath is the form for a ticket that begins with a template; 0 is none.
func NewFromTemplatePath(company, slug string, column id.Column, template id.Template) string {
	path := NewTicketPath(company, slug, column)
	if template == 0 {
		return path
	}
	separator := "?"
	if column != 0 {
		separator = "&"
	}
	return fmt.Sprintf("%s%stemplate=%d", path, separator, template)
}

// CopyPath is the form for a ticket that begins as a copy of another.
func CopyPath(company string, key tickets.Key) string {
	return NewTicketPath(company, key.Board, 0) + "?copy=" + key.String()
}

// NewTicketPath is the form for them, with the column chosen unless it is 0.
func NewTicketPath(company, slug string, column id.Column) string {
	if column == 0 {
		return TicketsPath(company, slug) + "/new"
	}
	return fmt.Sprintf("%s/new?column=%d", TicketsPath(company, slug), column)
}

// TicketPath is a ticket's page. A POST to it saves an edit.
func TicketPath(company string, key tickets.Key) string { return "/" + company + "/" + key.String() }

// EditPath is a ticket's form.
func EditPath(company string, key tickets.Key) string { return TicketPath(company, key) + "/edit" }

// PositionPath is a ticket's position: GET is the form that moves it, POST moves it.
func PositionPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/position"
}

// ClosurePath closes and reopens a ticket.
func ClosurePath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/closure"
}

// DeletionPath is the question whether to delete a ticket; a POST deletes it.
func DeletionPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/deletion"
}

// RestorationPath restores a deleted ticket.
func RestorationPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/restoration"
}

// ActivityPath is a ticket's history from below an entry.
func ActivityPath(company string, key tickets.Key, before id.Activity) string {
	return fmt.Sprintf("%s/activity?before=%d", TicketPath(company, key), before)
}

// EntryPath is an entry of a ticket's history with the lines that it changed.
func EntryPath(company string, key tickets.Key, entry id.Activity) string {
	return fmt.Sprintf("%s/activity/%d", TicketPath(company, key), entry)
}

// PriorityPath is the priority of a ticket: GET is the form that changes it, POST changes it.
func PriorityPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/priority"
}

// TitlePath is the title of a ticket: GET is the form that changes it alone, POST changes it.
func TitlePath(company string, key tickets.Key) string { return TicketPath(company, key) + "/title" }

// RecurrencePath is the recurrence of a ticket: GET is the form that changes it, POST changes it.
func RecurrencePath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/recurrence"
}

// DatesPath are the dates of a ticket: GET is the form that changes them, POST changes them.
func DatesPath(company string, key tickets.Key) string { return TicketPath(company, key) + "/dates" }

// TicketLabelsPath are the labels of a ticket: GET is the form that changes them, POST changes them.
func TicketLabelsPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/labels"
}

// ChecklistPath takes checks of items of a ticket's description.
func ChecklistPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/checklist"
}

// ItemTicketPath takes items of a ticket's description to make tickets of.
func ItemTicketPath(company string, key tickets.Key) string {
	return ChecklistPath(company, key) + "/tickets"
}

// CommentChecklistPath takes checks of items of a comment.
func CommentChecklistPath(company string, key tickets.Key, comment id.Comment) string {
	return OneCommentPath(company, key, comment) + "/checklist"
}

// QuotaPath sets how many bytes the files of a company may have.
func QuotaPath(company string) string { return CompanyPath(company) + "/quota" }

// UploadPath takes a file for a text that is being written.
func UploadPath(company string) string { return HomePath(company) + "/attachments" }

// AttachmentPath is a file as it was sent.
func AttachmentPath(company string, attachment id.Attachment) string {
	return UploadPath(company) + "/" + Number(uint64(attachment))
}

// AttachedImagePath is the picture of a file that pages show.
func AttachedImagePath(company string, attachment id.Attachment) string {
	return AttachmentPath(company, attachment) + "/image"
}

// AttachedThumbnailPath is its small copy.
func AttachedThumbnailPath(company string, attachment id.Attachment) string {
	return AttachmentPath(company, attachment) + "/small"
}

// AttachPath attaches files to a ticket.
func AttachPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/attachments"
}

// AttachmentRemovalPath deletes a file of a ticket.
func AttachmentRemovalPath(company string, key tickets.Key, attachment id.Attachment) string {
	return AttachPath(company, key) + "/" + Number(uint64(attachment)) + "/removal"
}

// RelationsPath are the relations of a ticket: GET is the form of another, POST adds it.
func RelationsPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/relations"
}

// RelationRemovalPath removes a relation of a ticket.
func RelationRemovalPath(company string, key tickets.Key) string {
	return RelationsPath(company, key) + "/removal"
}

// AssigneesPath are the assignees of a ticket: GET is the form that changes them, POST changes them.
func AssigneesPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/assignees"
}

// MutePath mutes a ticket's replies in the user's inbox, or unmutes them.
func MutePath(company string, key tickets.Key) string { return TicketPath(company, key) + "/mute" }

// CommentsPath takes new comments of a ticket.
func CommentsPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/comments"
}

// CommentsBeforePath are a ticket's comments before one.
func CommentsBeforePath(company string, key tickets.Key, before id.Comment) string {
	return fmt.Sprintf("%s?before=%d", CommentsPath(company, key), before)
}

// CommentPath is a comment on its ticket's page, however old it is.
func CommentPath(company string, key tickets.Key, comment id.Comment) string {
	return fmt.Sprintf("%s?comment=%d#%s", TicketPath(company, key), comment, CommentID(comment))
}

// OneCommentPath is a comment alone. A POST to it saves an edit.
func OneCommentPath(company string, key tickets.Key, comment id.Comment) string {
	return fmt.Sprintf("%s/%d", CommentsPath(company, key), comment)
}

// EditCommentPath is a comment's form.
func EditCommentPath(company string, key tickets.Key, comment id.Comment) string {
	return OneCommentPath(company, key, comment) + "/edit"
}

// ReactionsPath takes reactions to a comment.
func ReactionsPath(company string, key tickets.Key, comment id.Comment) string {
	return OneCommentPath(company, key, comment) + "/reactions"
}

// QuotePath is the form of a comment that begins with a quotation of another.
func QuotePath(company string, key tickets.Key, comment id.Comment) string {
	return OneCommentPath(company, key, comment) + "/quotation"
}

// CommentRemovalPath deletes a comment.
func CommentRemovalPath(company string, key tickets.Key, comment id.Comment) string {
	return OneCommentPath(company, key, comment) + "/removal"
}

// CommentRestorationPath undoes the deletion of a comment.
func CommentRestorationPath(company string, key tickets.Key, comment id.Comment) string {
	return OneCommentPath(company, key, comment) + "/restoration"
}

// MembersPath is a company's list of members.
func MembersPath(company string) string { return "/" + company + "/people" }

// MoreMembersPath is the list after a member.
func MoreMembersPath(company string, after accounts.ID) string {
	return fmt.Sprintf("%s?after=%d", MembersPath(company), after)
}

// MentionsPath finds members that a text can name.
func MentionsPath(company string) string { return "/" + company + "/people/mentions" }

// InvitationsPath takes new invitations.
func InvitationsPath(company string) string { return MembersPath(company) + "/invitations" }

// InvitationRevocationPath ends an invitation.
func InvitationRevocationPath(company string, invitation id.Invitation) string {
	return fmt.Sprintf("%s/%d/revocation", InvitationsPath(company), invitation)
}

// MemberPath is a member's page. Below it are their role, their removal, a new link for their password, and
// whether they are an operator.
func MemberPath(company string, account accounts.ID) string {
	return fmt.Sprintf("%s/%d", MembersPath(company), account)
}

// HandlePath gives a member another handle.
func HandlePath(company string, account accounts.ID) string {
	return MemberPath(company, account) + "/handle"
}

// RolePath changes a member's role.
func RolePath(company string, account accounts.ID) string {
	return MemberPath(company, account) + "/role"
}

// RemovalPath removes a member from a company.
func RemovalPath(company string, account accounts.ID) string {
	return MemberPath(company, account) + "/removal"
}

// ResetsPath creates a link for a member's new password.
func ResetsPath(company string, account accounts.ID) string {
	return MemberPath(company, account) + "/resets"
}

// OperatorPath makes a member an operator, or no longer.
func OperatorPath(company string, account accounts.ID) string {
	return MemberPath(company, account) + "/operator"
}

// GroupsPath is a company's groups, and takes new ones.
func GroupsPath(company string) string { return "/" + company + "/groups" }

// GroupPath is a group, and takes another name for it.
func GroupPath(company string, group id.Group) string {
	return fmt.Sprintf("%s/%d", GroupsPath(company), group)
}

// GroupMembersPath takes new members of a group.
func GroupMembersPath(company string, group id.Group) string {
	return GroupPath(company, group) + "/members"
}

// GroupMemberRemovalPath removes a member from a group.
func GroupMemberRemovalPath(company string, group id.Group, account accounts.ID) string {
	return fmt.Sprintf("%s/%d/removal", GroupMembersPath(company, group), account)
}

// GroupRemovalPath asks whether to delete a group, and deletes it.
func GroupRemovalPath(company string, group id.Group) string {
	return GroupPath(company, group) + "/removal"
}

// LabelsPath is a company's labels, and takes new ones.
func LabelsPath(company string) string { return "/" + company + "/labels" }

// LabelPath is a label, and takes another name and colour for it.
func LabelPath(company string, label id.Label) string {
	return fmt.Sprintf("%s/%d", LabelsPath(company), label)
}

// LabelMergePath asks whether to merge a label, and merges it.
func LabelMergePath(company string, label id.Label) string {
	return LabelPath(company, label) + "/merge"
}

// LabelDeletionPath asks whether to delete a label, and deletes it.
func LabelDeletionPath(company string, label id.Label) string {
	return LabelPath(company, label) + "/deletion"
}

// LabelRestorationPath restores a label.
func LabelRestorationPath(company string, label id.Label) string {
	return LabelPath(company, label) + "/restoration"
}

// PrivateBoardsPath is the list of a company's private boards for those who manage it.
func PrivateBoardsPath(company string) string { return SettingsPath(company) + "/boards" }

// PrivateBoardPath is a private board with its members, for managers of its company.
func PrivateBoardPath(company string, board id.Board) string {
	return fmt.Sprintf("%s/%d", PrivateBoardsPath(company), board)
}

// TakeoverPath makes an owner an admin of a private board that has none.
func TakeoverPath(company string, board id.Board) string {
	return PrivateBoardPath(company, board) + "/takeover"
}

// TokensPath is a member's API tokens, and takes new ones.
func TokensPath(company string) string { return "/" + company + "/tokens" }

// MoreTokensPath is the list below a token; others selects other members' tokens.
func MoreTokensPath(company string, before id.Token, others bool) string {
	if others {
		return fmt.Sprintf("%s?others=%d", TokensPath(company), before)
	}
	return fmt.Sprintf("%s?before=%d", TokensPath(company), before)
}

// TokenRevocationPath ends a token.
func TokenRevocationPath(company string, token id.Token) string {
	return fmt.Sprintf("%s/%d/revocation", TokensPath(company), token)
}

// OwnTokenRevocationPath ends a token of the user in any company.
func OwnTokenRevocationPath(token id.Token) string {
	return fmt.Sprintf("%s/tokens/%d/revocation", AccountPath, token)
}

// ConfirmationForPath asks for the user's password before a file.
func ConfirmationForPath(file string) string {
	return ConfirmationPath + "?next=" + url.QueryEscape(file)
}

// SessionRevocationPath ends a session of the user.
func SessionRevocationPath(session id.Session) string {
	return fmt.Sprintf("%s/sessions/%d/revocation", AccountPath, session)
}

// MoreSessionsPath is the list of the user's sessions below one.
func MoreSessionsPath(before id.Session) string {
	return fmt.Sprintf("%s?sessions=%d#%s", AccountPath, before, SessionsID)
}

// MoreOwnTokensPath is the list of the user's tokens below one.
func MoreOwnTokensPath(before id.Token) string {
	return fmt.Sprintf("%s?before=%d", AccountPath, before)
}

// SettingsPath is a company's name.
func SettingsPath(company string) string { return "/" + company + "/settings" }

// WebhooksPath is a company's webhooks, and takes new ones.
func WebhooksPath(company string) string { return SettingsPath(company) + "/webhooks" }

// WebhookPath is a webhook's page. A POST to it changes the webhook.
func WebhookPath(company string, webhook id.Webhook) string {
	return fmt.Sprintf("%s/%d", WebhooksPath(company), webhook)
}

// WebhookBeforePath is the page with older deliveries.
func WebhookBeforePath(company string, webhook id.Webhook, before id.Delivery) string {
	return fmt.Sprintf("%s?before=%d#%s", WebhookPath(company, webhook), before, DeliveriesID)
}

// WebhookStatePath turns a webhook on or off.
func WebhookStatePath(company string, webhook id.Webhook) string {
	return WebhookPath(company, webhook) + "/state"
}

// WebhookSecretPath gives a webhook another secret.
func WebhookSecretPath(company string, webhook id.Webhook) string {
	return WebhookPath(company, webhook) + "/secret"
}

// WebhookTestsPath sends a webhook a test.
func WebhookTestsPath(company string, webhook id.Webhook) string {
	return WebhookPath(company, webhook) + "/tests"
}

// WebhookRemovalPath is the question whether to delete a webhook; a POST deletes it.
func WebhookRemovalPath(company string, webhook id.Webhook) string {
	return WebhookPath(company, webhook) + "/removal"
}

// DeliveryPath is a delivery of a webhook with its response.
func DeliveryPath(company string, webhook id.Webhook, delivery id.Delivery) string {
	return fmt.Sprintf("%s/deliveries/%d", WebhookPath(company, webhook), delivery)
}

// ResendsPath resends a delivery.
func ResendsPath(company string, webhook id.Webhook, delivery id.Delivery) string {
	return DeliveryPath(company, webhook, delivery) + "/resends"
}

// AuditPath is a company's audit list.
func AuditPath(company string) string { return "/" + company + "/audit" }

// MoreAuditPath is the list from below an entry.
func MoreAuditPath(company string, before id.Audit) string {
	return fmt.Sprintf("%s?before=%d", AuditPath(company), before)
}

// AuditFilePath is the list as CSV.
func AuditFilePath(company string) string { return AuditPath(company) + ".csv" }

// InstanceAuditPath is the audit list of the instance, for operators.
const InstanceAuditPath = "/admin/audit"

// MoreCompaniesPath is the operators' list of companies above one.
func MoreCompaniesPath(after id.Company) string {
	return fmt.Sprintf("%s?after=%d", CompaniesPath, after)
}

// CompanyPath is the operators' page of a company.
func CompanyPath(slug string) string { return CompaniesPath + "/" + slug }

// MoreAnyAccountsPath is the operators' list of accounts above one.
func MoreAnyAccountsPath(after accounts.ID) string {
	return fmt.Sprintf("%s?after=%d", AnyAccountsPath, after)
}

// AnyAccountPath is the operators' page of an account.
func AnyAccountPath(account accounts.ID) string {
	return fmt.Sprintf("%s/%d", AnyAccountsPath, account)
}

// AnyAccountSessionsPath ends the sessions of an account.
func AnyAccountSessionsPath(account accounts.ID) string {
	return AnyAccountPath(account) + "/sessions/revocation"
}

// AnyAccountResetsPath takes a form for a link for a new password of an account.
func AnyAccountResetsPath(account accounts.ID) string { return AnyAccountPath(account) + "/resets" }

// AnyAccountAddressPath gives an account another email address.
func AnyAccountAddressPath(account accounts.ID) string { return AnyAccountPath(account) + "/address" }

// AnyAccountDeactivationPath deactivates an account.
func AnyAccountDeactivationPath(account accounts.ID) string {
	return AnyAccountPath(account) + "/deactivation"
}

// AnyAccountReactivationPath reactivates an account.
func AnyAccountReactivationPath(account accounts.ID) string {
	return AnyAccountPath(account) + "/reactivation"
}

// AnyAccountOperatorPath makes an account an operator, or no longer.
func AnyAccountOperatorPath(account accounts.ID) string { return AnyAccountPath(account) + "/operator" }

// DoctorPath are the findings of an examination of the server.
const DoctorPath = AdminPath + "/doctor"

// StoragePath is the space that is taken and left.
const StoragePath = AdminPath + "/storage"

// ServerSettingsPath is the environment of the server.
const ServerSettingsPath = AdminPath + "/settings"

// StopPath stops all runs; ReleasePath ends that.
const (
	StopPath    = AdminPath + "/stop"
	ReleasePath = StopPath + "/release"
)

// InstanceAuditFilePath is the list as CSV.
const InstanceAuditFilePath = InstanceAuditPath + ".csv"

// MoreInstanceAuditPath is the list from below an entry.
func MoreInstanceAuditPath(before id.Audit) string {
	return fmt.Sprintf("%s?before=%d", InstanceAuditPath, before)
}

// FeedsPath are the feeds and their consumers, for operators.
const FeedsPath = "/admin/feeds"

// MoreConsumersPath is the page with the consumers after one.
func MoreConsumersPath(consumer id.Consumer) string {
	if consumer == 0 {
		return FeedsPath
	}
	return fmt.Sprintf("%s?consumer=%d", FeedsPath, consumer)
}

// RepublicationsPath republishes rows.
const RepublicationsPath = FeedsPath + "/republications"

// ConsumerPath is a consumer's page.
func ConsumerPath(consumer id.Consumer) string {
	return fmt.Sprintf("%s/consumers/%d", FeedsPath, consumer)
}

// ConsumerPausePath pauses or resumes a consumer.
func ConsumerPausePath(consumer id.Consumer) string { return ConsumerPath(consumer) + "/pause" }

// ConsumerCursorPath sets the cursor of a consumer.
func ConsumerCursorPath(consumer id.Consumer) string { return ConsumerPath(consumer) + "/cursor" }

// ConsumerRemovalPath is the question whether to delete a consumer; a POST deletes it.
func ConsumerRemovalPath(consumer id.Consumer) string { return ConsumerPath(consumer) + "/removal" }

// AnyWebhooksPath are the webhooks of all companies, read only.
const AnyWebhooksPath = AdminPath + "/webhooks"

// MoreAnyWebhooksPath is the page with those after one.
func MoreAnyWebhooksPath(after id.Webhook) string {
	if after == 0 {
		return AnyWebhooksPath
	}
	return fmt.Sprintf("%s?after=%d", AnyWebhooksPath, after)
}

// AnyWebhookPath is a webhook of any company, read only.
func AnyWebhookPath(webhook id.Webhook) string {
	return fmt.Sprintf("%s/%d", AnyWebhooksPath, webhook)
}

// AnyWebhookBeforePath is the page with older deliveries.
func AnyWebhookBeforePath(webhook id.Webhook, before id.Delivery) string {
	return fmt.Sprintf("%s?before=%d#%s", AnyWebhookPath(webhook), before, DeliveriesID)
}

// RefsPath are the reference codes, for operators.
const RefsPath = "/admin/refs"

// RefsBelowPath is the page with the lots below one.
func RefsBelowPath(before id.Lot) string {
	if before == 0 {
		return RefsPath
	}
	return fmt.Sprintf("%s?before=%d", RefsPath, before)
}

// RefMintsPath asks whether to mint codes; a POST mints them.
const RefMintsPath = RefsPath + "/mints"

// RefPolicyPath sets the refill policy.
const RefPolicyPath = RefsPath + "/policy"

// RefPausePath pauses or resumes automatic refills.
const RefPausePath = RefsPath + "/pause"

// LotQuarantinePath is the question whether to put a lot in quarantine; a POST puts it there.
func LotQuarantinePath(lot id.Lot) string { return fmt.Sprintf("%s/lots/%d/quarantine", RefsPath, lot) }

// MigrationsPath is the list of runs of migrations.
const MigrationsPath = "/admin/migrations"

// OlderRunsPath are the finished runs below one of them.
func OlderRunsPath(before id.Run) string { return fmt.Sprintf("%s?before=%d", MigrationsPath, before) }

// NewRunPath is the form of a new run of a migration, filled in from an earlier run unless that is 0.
func NewRunPath(migration string, from id.Run) string {
	path := MigrationsPath + "/" + url.PathEscape(migration) + "/new"
	if from == 0 {
		return path
	}
	return fmt.Sprintf("%s?from=%d", path, from)
}

// ImportPath is the form of a new import into a board.
func ImportPath(company, board string) string {
	return NewRunPath("import-tickets", 0) + "?" + url.Values{"p-company": {company}, "p-board": {board}}.Encode()
}

// TypedRunPath is the form of a new run with companies and boards as free text.
func TypedRunPath(migration string) string { return NewRunPath(migration, 0) + "?typed=1" }

// RunsPath takes new runs of a migration, with their file.
func RunsPath(migration string) string {
	return MigrationsPath + "/" + url.PathEscape(migration) + "/runs"
}

// RunPath is a run's page.
func RunPath(run id.Run) string { return fmt.Sprintf("%s/runs/%d", MigrationsPath, run) }

// RunStartPath is the question whether to start a filled run; a POST starts it.
func RunStartPath(run id.Run) string { return RunPath(run) + "/start" }

// RunPausePath pauses a run, or resumes it.
func RunPausePath(run id.Run) string { return RunPath(run) + "/pause" }

// RunCancellationPath is the question whether to stop a run for good; a POST stops it.
func RunCancellationPath(run id.Run) string { return RunPath(run) + "/cancellation" }

// RunDismissalPath dismisses a finished run from those that need attention.
func RunDismissalPath(run id.Run) string { return RunPath(run) + "/dismissal" }

// RunKnobsPath changes the settings of a run.
func RunKnobsPath(run id.Run) string { return RunPath(run) + "/knobs" }

// RunRejectionsPath are the rejected lines of a run's source.
func RunRejectionsPath(run id.Run) string { return RunPath(run) + "/rejections" }

// MoreRejectionsPath are those after one.
func MoreRejectionsPath(run id.Run, after uint64) string {
	return fmt.Sprintf("%s?after=%d", RunRejectionsPath(run), after)
}

// RunRejectionsFilePath are the same as CSV.
func RunRejectionsFilePath(run id.Run) string { return RunRejectionsPath(run) + ".csv" }

// RunFailuresPath are the groups of a run's errors.
func RunFailuresPath(run id.Run) string { return RunPath(run) + "/failures" }

// RunFailurePath are the failed tasks of such a group as CSV.
func RunFailurePath(run id.Run, fingerprint string) string {
	return RunFailuresPath(run) + "/" + url.PathEscape(fingerprint)
}

// RunRetriesPath retries failed tasks: all, those of a group, or some. GET asks first.
func RunRetriesPath(run id.Run) string { return RunPath(run) + "/retries" }

// RunSkipsPath skips failed tasks, likewise.
func RunSkipsPath(run id.Run) string { return RunPath(run) + "/skips" }

// RunTaskPath is a task of a run, with its attempts.
func RunTaskPath(run id.Run, task id.Task) string {
	return fmt.Sprintf("%s/tasks/%d", RunPath(run), task)
}

// RunEventsPath is the log of a run from below an entry.
func RunEventsPath(run id.Run, before id.Event) string {
	return fmt.Sprintf("%s/events?before=%d", RunPath(run), before)
}

// WorkersPath are the workers.
const WorkersPath = MigrationsPath + "/workers"

// WorkerDrainPath drains or undrains a worker.
func WorkerDrainPath(worker id.Worker) string {
	return fmt.Sprintf("%s/%d/drain", WorkersPath, worker)
}

// RunLivePath is the present state of a run, without its settings and tasks.
func RunLivePath(run id.Run) string { return RunPath(run) + "/live" }

// RunTasksPath is a run's page with a filter on its tasks.
func RunTasksPath(run id.Run, f TaskFilter) string { return RunListPath(run, f) + "#" + RunFilterID }

// RunListPath is the same without the fragment of the address.
func RunListPath(run id.Run, f TaskFilter) string {
	values := url.Values{}
	for name, value := range map[string]string{"state": f.State, "worker": f.Worker, "iteration": f.Iteration,
		"task": f.Task, "after": f.After} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return RunPath(run)
	}
	return RunPath(run) + "?" + values.Encode()
}

// TaskFilter is the filter of a list of tasks, as in the address.
type TaskFilter struct{ State, Worker, Iteration, Task, After string }

// Any reports whether it filters anything.
func (f TaskFilter) Any() bool { return f.State+f.Worker+f.Iteration+f.Task != "" }

// From is the same filter from a task on, 0 for the first page.
func (f TaskFilter) From(after id.Task) TaskFilter {
	f.After = ""
	if after != 0 {
		f.After = strconv.FormatUint(uint64(after), 10)
	}
	return f
}

// NotificationPath is what a notification is about.
func NotificationPath(company string, e tickets.Notification) string {
	if e.Why == tickets.NoticeToken {
		return TokensPath(company)
	}
	if run := e.Run(); run != 0 {
		if e.OfBulkEdit() {
			return BulkEditOfRunPath(company, run)
		}
		return RunPath(run)
	}
	if e.Notice() {
		return AccountPath
	}
	if e.Key.Number == 0 {
		return BoardPath(company, e.Key.Board)
	}
	if e.Comment == 0 {
		return TicketPath(company, e.Key)
	}
	return CommentPath(company, e.Key, e.Comment)
}

// RunMappingPath is the page that maps the columns of a run's file.
func RunMappingPath(run id.Run) string { return RunPath(run) + "/mapping" }

// RunReportPath is a file with the result of each row of a run's file.
func RunReportPath(run id.Run) string { return RunPath(run) + "/report.csv" }

// TrackBoxPath is the form for a code.
const TrackBoxPath = "/t"

// TrackPath is the tracking page of a code.
func TrackPath(code string) string { return TrackBoxPath + "/" + url.PathEscape(code) }

// PrivatePath is the private link of a request.
func PrivatePath(code, token string) string { return TrackPath(code) + "/" + url.PathEscape(token) }

// ReceiptPath is the page after a request is sent.
func ReceiptPath(code, token string) string { return PrivatePath(code, token) + "/receipt" }

// RepliesPath takes a requester's replies.
func RepliesPath(code, token string) string { return PrivatePath(code, token) + "/replies" }

// PublicPath is above the public links of boards.
const PublicPath = "/p"

// PublicBoardPath is the public link of a board.
func PublicBoardPath(secret string) string { return PublicPath + "/" + url.PathEscape(secret) }

// PublicColumnPath is a column of it below a cursor.
func PublicColumnPath(secret string, column id.Column, below string) string {
	return fmt.Sprintf("%s/columns/%d?below=%s", PublicBoardPath(secret), column, url.QueryEscape(below))
}

// PublicTicketPath is a ticket of it.
func PublicTicketPath(secret string, number uint64) string {
	return fmt.Sprintf("%s/%d", PublicBoardPath(secret), number)
}

// FormPath is the public form of a board.
func FormPath(company, slug string) string { return "/" + company + "/forms/" + slug }

// FormFromTemplatePath is the same, as a template begins it.
func FormFromTemplatePath(company, slug string, template id.Template) string {
	return fmt.Sprintf("%s?template=%d", FormPath(company, slug), template)
}

// BoardFormPath turns it on and off.
func BoardFormPath(company, slug string) string { return BoardPath(company, slug) + "/form" }

// RequestWatchPath turns the user's notifications of a board's requests on and off.
func RequestWatchPath(company, slug string) string { return BoardFormPath(company, slug) + "/watch" }

// RequestLinkPath creates another private link to a ticket.
func RequestLinkPath(company string, key tickets.Key) string {
	return TicketPath(company, key) + "/link"
}

// RequestRevocationPath revokes it.
func RequestRevocationPath(company string, key tickets.Key) string {
	return RequestLinkPath(company, key) + "/revocation"
}

// ServicesPath is a company's service accounts, and takes new ones.
func ServicesPath(company string) string { return SettingsPath(company) + "/service-accounts" }

// MoreServicesPath is the list below a service account.
func MoreServicesPath(company string, before accounts.ID) string {
	return fmt.Sprintf("%s?before=%d", ServicesPath(company), before)
}

// ServicePath is a service account.
func ServicePath(company string, account accounts.ID) string {
	return fmt.Sprintf("%s/%d", ServicesPath(company), account)
}

// ServiceTokensPath takes new tokens of a service account.
func ServiceTokensPath(company string, account accounts.ID) string {
	return ServicePath(company, account) + "/tokens"
}

// ServiceRemovalPath asks whether to delete a service account. A POST to it does.
func ServiceRemovalPath(company string, account accounts.ID) string {
	return ServicePath(company, account) + "/removal"
}

// AdminServicesPath are the service accounts of all companies, for operators.
const AdminServicesPath = RefsPath + "/service-accounts"

// MoreAdminServicesPath is that list below a service account.
func MoreAdminServicesPath(before accounts.ID) string {
	return fmt.Sprintf("%s?before=%d", AdminServicesPath, before)
}

// AdminServicePath is the budget of a service account. A POST to it sets that.
func AdminServicePath(account accounts.ID) string {
	return fmt.Sprintf("%s/%d", AdminServicesPath, account)
}

// RunImagesPath are the images that runs stored, for operators.
const RunImagesPath = MigrationsPath + "/images"

// MoreRunImagesPath is that list below an image.
func MoreRunImagesPath(before uint64) string {
	return fmt.Sprintf("%s?before=%d", RunImagesPath, before)
}

// ZonePath takes the time zone of the user's browser.
func ZonePath(company string) string { return "/" + company + "/zone" }

// CompanyDisplayPath sets how pages look for a user who came in by the company's issuer.
func CompanyDisplayPath(company string) string { return "/" + company + "/display" }

// AvatarIn is the address of an account's picture on the pages of a company.
func AvatarIn(company string, account id.Account, avatar string) string {
	return fmt.Sprintf("/%s/avatars/%d/%s", company, account, avatar)
}

// OwnAvatarPath is the address of the user's picture on pages outside a company.
func OwnAvatarPath(avatar string) string { return AvatarPath + "/" + avatar }
