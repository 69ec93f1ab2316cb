package views

import (
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Element ids: the key of a fragment, its DOM id and its hx-target are the same.
const (
	MainID       = "main" // a page without its frame
	BoardID      = "board"
	CalendarID   = "calendar"
	DueID        = "due"         // the calendar with all around it
	ListID       = "listed"      // a page of a board's list
	ListFieldsID = "list-fields" // the form of its fields
	DialogID     = "dialog"      // the one <dialog> of the frame
	FlashID      = "flash"       // messages
	AnnounceID   = "announce"    // the aria-live region
	JumpID       = "jump-found"  // the results of the jump box
	JumpDialogID = "jump-dialog" // the template of its dialog
	UndoID       = "undo"        // the form behind ctrl+Z
	UnreadID     = "unread"      // the link to the inbox
	ServicesID   = "service-accounts"
	RunImagesID  = "run-images"
	FilterID     = "filter"   // of a board
	SwitchID     = "switch"   // the columns of a board, on a phone
	ArchivedID   = "archived" // active boards
	DeletedID    = "deleted"  // deleted tickets of a board

	TicketID          = "ticket"
	MoveID            = "move"  // the form that moves a ticket
	BatchID           = "batch" // the form that changes several
	HistoryID         = "history"
	FaceID            = "face"      // its description
	ChecklistID       = "checklist" // the form of its boxes
	BacklinksID       = "backlinks" // the tickets that mention it
	RelationsID       = "relations" // its relations
	RelateID          = "relate"    // the form of another
	FilesID           = "files"     // its files
	RelatedFoundID    = "related-found"
	RelateDialogID    = "relate-dialog"
	ClosureID         = "closure"
	AssigneesID       = "assignees"         // of a ticket
	PlanID            = "plan"              // its priority
	PriorityID        = "priority"          // the form of that
	DatesID           = "dates"             // the form of its dates
	TitleID           = "rename"            // the form of its title
	ColumnCardsID     = "column-cards"      // the form about all cards of a column
	RecurrenceID      = "recurrence"        // the form of its recurrence
	LabelsID          = "labels"            // the form of its labels
	LabelsShownID     = "labels-shown"      // its labels
	LabelsFoundID     = "labels-found"      // of the form that chooses them
	LabelsDialogID    = "labels-dialog"     // the template of its dialog
	CandidatesID      = "people-found"      // of the form that chooses them
	AssignDialogID    = "assign-dialog"     // the template of its dialog
	NewTicketDialogID = "new-ticket-dialog" // the template of its dialog
	CommentsID        = "comments"          // the section below a ticket
	SaidID            = "said"              // its list
	CommentFormID     = "comment-form"
	MuteID            = "mute"
	ReplyFormID       = "reply-form" // replies to a requester
	RequesterID       = "requester"  // the requester of a ticket
	RequestLinkID     = "request-link-shown"

	PublicFormID = "public-form"    // of a board's settings
	WatchID      = "request-watch"  // the user's notifications of its requests
	ChangesID    = "column-changes" // of a board's settings: what runs are doing to its columns
	ReceiptID    = "receipt"
	TrackedID    = "tracked"

	InboxID   = "inbox"
	EntriesID = "entries"
	WorkID    = "work"

	RunListID    = "runs"          // the list of runs, which refreshes itself
	OlderRunsID  = "finished-runs" // finished runs
	WorkersID    = "workers"
	OverviewID   = "overview" // the state of the server, which refreshes itself
	FeedsID      = "feeds"    // the feeds and their readers, which refresh themselves
	ConsumerID   = "consumer" // one consumer
	RefsID       = "refs"     // the reference codes, which refresh themselves
	RejectionsID = "rejections"
	UnlistedID   = "unlisted"
	StartID      = "start" // the question whether to start a run

	MembersID           = "members"
	BoardMembersID      = "board-members"
	BoardLinkID         = "board-link"
	MemberID            = "person"
	AccountsID          = "accounts"
	InvitationsID       = "invitations"
	GroupsID            = "groups"
	GroupID             = "group" // its members
	PrivateID           = "private-boards"
	LabelListID         = "label-list"
	PinsID              = "pins" // the navigation of pinned views
	SavedViewID         = "view" // the form of a saved view
	BulkEditID          = "bulk-edit"
	BulkEditListID      = "bulk-edits"
	ListPicksID         = "list-picks" // the form that changes selected tickets of a list
	CalendarAddressesID = "calendar-addresses"
	TemplateListID      = "template-list"
	DeletedTemplatesID  = "deleted-templates"
	TemplateID          = "template"
	EndedLabelsID       = "ended-labels"
	SessionsID          = "sessions"
	OwnTokensID         = "own-tokens"
	IssuersID           = "issuers"
	RulesID             = "issuer-rules"
	DomainsID           = "domains"
	OtherTokensID       = "other-tokens"
	AuditID             = "audit"
	WebhookListID       = "webhook-list"
	CompaniesID         = "companies"
	FindingsID          = "findings"
	TablesID            = "tables"
	WebhooksID          = "webhooks"
	WebhookID           = "webhook"
	DeliveriesID        = "deliveries" // of a webhook
	DeliveryID          = "delivery"
	AllStoppedID        = "all-stopped" // the banner of a stop of all runs
	StoppedID           = "stopped"     // the banner of a stopped webhook
	BoardWebhooksID     = "board-webhooks"
	WebhookBoardsID     = "webhook-boards"

	// A run's page.
	RunID         = "run" // all of it that changes
	RunHeadID     = "run-head"
	RunProgressID = "run-progress"
	RunDatabaseID = "run-database"
	RunChoicesID  = "run-choices"
	MappingID     = "mapping"
	RunChartID    = "run-chart"
	RunFailuresID = "run-failures"
	RunWorkersID  = "run-workers"
	RunEventsID   = "run-events"
	RunKnobsID    = "run-knobs"
	RunTaskListID = "run-task-list"
	RunTasksID    = "run-tasks"
	RunTaskID     = "run-task" // one of its tasks
	RunFilterID   = "run-filter"
	RunBadgeID    = "run-badge" // the line about selected tasks
)

// TaskRowID is a task in a list.
func TaskRowID(t id.Task) string { return fmt.Sprintf("task-%d", t) }

// ConsumerRowID is a consumer in a list.
func ConsumerRowID(c id.Consumer) string { return fmt.Sprintf("consumer-%d", c) }

// LotRowID is a lot of reference codes in the list.
func LotRowID(l id.Lot) string { return fmt.Sprintf("lot-%d", l) }

// RunWorkerID is a worker in the list of a run.
func RunWorkerID(w id.Worker) string { return fmt.Sprintf("run-worker-%d", w) }

// ColumnID is a column with its head, cards and foot.
func ColumnID(c id.Column) string { return fmt.Sprintf("column-%d", c) }

// CardsID is the list of a column's cards.
func CardsID(c id.Column) string { return fmt.Sprintf("cards-%d", c) }

// MoreID is the end of a column's list, which loads more.
func MoreID(c id.Column) string { return fmt.Sprintf("more-%d", c) }

// AddID is the form at a column's foot.
func AddID(c id.Column) string { return fmt.Sprintf("add-%d", c) }

// CardID is a card on a board.
func CardID(t tickets.ID) string { return "card-" + strconv.FormatUint(uint64(t), 10) }

// Class is the attribute class of what a card shows. A class expression of templ takes ten times as long, and a board
// has hundreds.
func Class(name, kind string) templ.Attributer {
	if kind != "" {
		name += " " + kind
	}
	return templ.OrderedAttributes{{Key: "class", Value: name}}
}

// ActivityID is an entry of a ticket's history.
func ActivityID(a id.Activity) string { return fmt.Sprintf("activity-%d", a) }

// CommentID is a comment below its ticket.
func CommentID(c id.Comment) string { return fmt.Sprintf("comment-%d", c) }

// ReactionsID are the reactions to a comment.
func ReactionsID(c id.Comment) string { return CommentID(c) + "-reactions" }

// CommentTextID is the text of a comment.
func CommentTextID(c id.Comment) string { return CommentID(c) + "-text" }

// CommentChecklistID is the form of the boxes of a comment.
func CommentChecklistID(c id.Comment) string { return CommentID(c) + "-checklist" }

// EntryID is an entry of an inbox.
func EntryID(n id.Notification) string { return fmt.Sprintf("entry-%d", n) }

// ChoiceID is a member in the list of possible assignees.
func ChoiceID(a id.Account) string { return fmt.Sprintf("choice-%d", a) }

// RunRowID is a run in the list.
func RunRowID(r id.Run) string { return fmt.Sprintf("run-%d", r) }

// WorkerItemID is a worker in the list.
func WorkerItemID(w id.Worker) string { return fmt.Sprintf("works-%d", w) }
