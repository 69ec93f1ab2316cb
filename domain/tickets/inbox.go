package tickets

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

const (
	// MaxMentions is how many members one text can notify by mentioning them.
	MaxMentions = 50
	// MaxUnread bounds the count of unread notifications: there may be more.
	MaxUnread = 99
	// maxListeners is how many members one comment notifies at most.
	maxListeners = 1000
	// maxBoardReaders is how many members one event of a board notifies at most.
	maxBoardReaders = 1000
)

// The reasons of notifications, the strongest first.
const (
	ReasonMention   = "mention"    // the member was mentioned
	ReasonAssigned  = "assignment" // the ticket was assigned to the member
	ReasonReply     = "reply"      // a comment on a ticket that the member watches, or a requester's
	ReasonRequest   = "request"    // the ticket came by a public form
	ReasonUnblocked = "unblocked"  // a ticket that blocked it was closed
	ReasonPaused    = "paused"     // to admins of a board: a ticket is not repeated any more
	ReasonTaken     = "taken-over" // of an entry about a board: an owner of the company took it over
	ReasonBulkEdit  = "bulk-edit"  // of an entry about a board: a bulk edit assigned tickets to the member, or unblocked theirs
)

// Notification is an entry of an inbox.
type Notification struct {
	ID      id.Notification
	Why     string
	Unread  bool
	At      time.Time
	By      User
	Key     Key        // of a ticket; Number is 0 if it is about a board
	Title   string     // of the ticket, or of the board; of a notice as its reason says
	Gone    bool       // the ticket was deleted
	Comment id.Comment // 0 if it is about the ticket itself
	Excerpt string     // the beginning of the comment or request, without the marks of Markdown if it is that

	FromRequester bool // what a requester wrote
}

// Unread returns how many unread notifications the reader has, counted up to MaxUnread + 1.
func Unread(ctx context.Context, q *db.Queries, by db.Sight) (int, error) {
	n, err := db.Read(q.UnreadOf(ctx, db.UnreadOfParams{
		AccountID: by.Reader, CompanyID: by.Company, Reach: by.Reach,
	}))
	if err != nil {
		return 0, fmt.Errorf("count unread: %w", err)
	}
	return int(n), nil
}

// Read marks a notification of the reader as read, with the older ones of its ticket. It returns EntryNotFound.
func Read(ctx context.Context, q *db.Queries, by db.Sight, entry id.Notification) error {
	ticket, err := entryTicket(ctx, q, by, entry)
	if err != nil {
		return err
	}
	if ticket == 0 {
		if _, err := db.Read(0, q.ReadEntry(ctx, entry, by.Reader)); err != nil {
			return fmt.Errorf("mark entry read: %w", err)
		}
		return nil
	}
	_, err = readTicket(ctx, q, ticket, by.Reader, entry)
	return err
}

// entryTicket returns the ticket of the reader's notification, 0 if it is about a board, or EntryNotFound.
func entryTicket(ctx context.Context, q *db.Queries, by db.Sight, entry id.Notification) (ID, error) {
	ticket, err := db.Read(q.EntryTicket(ctx, db.EntryTicketParams{
		ID: entry, AccountID: by.Reader, CompanyID: by.Company, Reach: by.Reach,
	}))
	if db.IsNotFound(err) {
		return 0, EntryNotFound()
	}
	if err != nil {
		return 0, fmt.Errorf("read entry: %w", err)
	}
	return ID(ticket), nil
}

// ReadUpTo marks all notifications up to one as read, five hundred at a time.
func ReadUpTo(ctx context.Context, q *db.Queries, company id.Company, account id.Account, to id.Notification) error {
	for {
		n, err := db.Read(q.ReadEntries(ctx, db.ReadEntriesParams{AccountID: account, CompanyID: company, To: to}))
		if err != nil {
			return fmt.Errorf("mark all read: %w", err)
		}
		if n < readAtOnce {
			return nil
		}
	}
}

// readAtOnce is how many notifications one statement marks as read.
const readAtOnce = 500

// ReadTicket marks the notifications about a ticket as read, readAtOnce at a time, and returns how many they were.
func ReadTicket(ctx context.Context, q *db.Queries, ticket ID, account id.Account) (int, error) {
	return readTicket(ctx, q, ticket, account, math.MaxInt64)
}

func readTicket(
	ctx context.Context, q *db.Queries, ticket ID, account id.Account, to id.Notification,
) (int, error) {
	for read := 0; ; {
		n, err := db.Read(q.ReadTicket(ctx, db.ReadTicketParams{TicketID: ticket, AccountID: account, To: to}))
		if err != nil {
			return 0, fmt.Errorf("mark ticket read: %w", err)
		}
		if read += int(n); n < readAtOnce {
			return read, nil
		}
	}
}

// Mute turns an account's notifications of replies to a ticket off or on.
func Mute(ctx context.Context, q *db.Queries, ticket ID, account id.Account, muted bool) error {
	_, err := db.Read(0, q.SetMuted(ctx, db.SetMutedParams{TicketID: ticket, AccountID: account, Muted: muted}))
	if err != nil {
		return fmt.Errorf("mute: %w", err)
	}
	return nil
}

// Notifications are the notifications that one action makes.
type Notifications struct {
	Company id.Company
	Ticket  Ticket
	Comment id.Comment // 0 if it is about the ticket itself
	By      User
	// Requests are those who are notified of a request and its requester's replies; they do not watch the ticket.
	Mentioned, Assigned, Requests []id.Account
	// Reply says that the ticket's watchers are notified too.
	Reply bool
	// Unblocked, unless 0, is the board of a ticket that blocked this one and was closed: watchers who see that board are
	// notified.
	Unblocked id.Board
	// Outside says that the actor belongs to no company, and watches nothing.
	Outside bool
}

// Notify adds notifications to inboxes: one per member, none for the actor. Members who are mentioned or assigned, and
// one who replies, watch the ticket from then on. Who does not see the ticket's board is not notified. Rows are written in the order of accounts, so that two who notify
// each other cannot deadlock.
func Notify(ctx context.Context, tx *db.Tx, entries Notifications) error {
	why, err := entries.reasons(ctx, tx)
	if err != nil {
		return err
	}
	seeing, err := Seeing(ctx, tx.Queries, entries.Ticket.Board, slices.Collect(maps.Keys(why)))
	if err != nil {
		return err
	}
	if entries.Unblocked != 0 && entries.Unblocked != entries.Ticket.Board {
		if seeing, err = Seeing(ctx, tx.Queries, entries.Unblocked, slices.Collect(maps.Keys(seeing))); err != nil {
			return err
		}
	}
	watching := append(slices.Clone(entries.Mentioned), entries.Assigned...)
	if entries.Reply && !entries.Outside {
		watching = append(watching, entries.By.ID)
	}
	slices.Sort(watching)
	if err := tx.Watch(ctx, entries.Ticket.ID, slices.Compact(watching)); err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	if entries.By.BulkEdit != 0 {
		return notifyOnce(ctx, tx, entries, slices.Sorted(maps.Keys(seeing)))
	}
	rows := make([]db.Notification, 0, len(why))
	for _, account := range slices.Sorted(maps.Keys(why)) {
		if !seeing[account] {
			continue
		}
		row := db.Notification{CompanyID: entries.Company, AccountID: account, TicketID: entries.Ticket.ID,
			ActorID: entries.By.ID, Kind: why[account]}
		if entries.Comment != 0 {
			row.CommentID = &entries.Comment
		}
		rows = append(rows, row)
	}
	if err := tx.Notify(ctx, rows); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// notifyOnce adds a notification of a bulk edit to the inboxes of those who had none of it before.
func notifyOnce(ctx context.Context, tx *db.Tx, entries Notifications, accounts []id.Account) error {
	var rows []db.Notification
	for _, account := range accounts {
		n, err := tx.TakeBulkEditNotice(ctx, entries.By.BulkEdit, account)
		if err != nil {
			return fmt.Errorf("look for a notice of the bulk edit: %w", err)
		}
		if n > 0 {
			rows = append(rows, db.Notification{CompanyID: entries.Company, AccountID: account, BoardID: entries.Ticket.Board,
				ActorID: entries.By.ID, Kind: ReasonBulkEdit})
		}
	}
	if err := tx.Notify(ctx, rows); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// NotifyAdmins adds a notification about a ticket to the inboxes of those who administer its board: of the first
// thousand. by is whom it is about.
func NotifyAdmins(ctx context.Context, tx *db.Tx, company id.Company, ticket Ticket, by User, why string) error {
	admins, err := tx.BoardAdmins(ctx, db.BoardAdminsParams{BoardID: ticket.Board, Limit: maxBoardReaders})
	if err != nil {
		return fmt.Errorf("read the admins of the board: %w", err)
	}
	slices.Sort(admins)
	rows := make([]db.Notification, len(admins))
	for i, admin := range admins {
		rows[i] = db.Notification{CompanyID: company, AccountID: admin, TicketID: ticket.ID, ActorID: by.ID, Kind: why}
	}
	if err := tx.Notify(ctx, rows); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// NotifyBoard adds a notification about a board to the inboxes of the members whom it names, but for the actor: of the
// first thousand.
func NotifyBoard(
	ctx context.Context, tx *db.Tx, company id.Company, board id.Board, by id.Account, why string,
) error {
	readers, err := tx.BoardReaders(ctx, db.BoardReadersParams{CompanyID: company, BoardID: board, Without: by,
		Limit: maxBoardReaders})
	if err != nil {
		return fmt.Errorf("read the members of the board: %w", err)
	}
	rows := make([]db.Notification, len(readers))
	for i, reader := range readers {
		rows[i] = db.Notification{CompanyID: company, AccountID: reader, BoardID: board, ActorID: by, Kind: why}
	}
	if err := tx.Notify(ctx, rows); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// Seeing returns which of some accounts see a board.
func Seeing(ctx context.Context, q *db.Queries, board id.Board, accounts []id.Account) (map[id.Account]bool, error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	list, err := q.AccountsThatSee(ctx, board, accounts)
	if err != nil {
		return nil, fmt.Errorf("read who sees the board: %w", err)
	}
	seeing := make(map[id.Account]bool, len(list))
	for _, account := range list {
		seeing[account] = true
	}
	return seeing, nil
}

// reasons are the members to notify, each with the strongest reason.
func (n Notifications) reasons(ctx context.Context, tx *db.Tx) (map[id.Account]string, error) {
	why := map[id.Account]string{}
	for _, account := range n.Requests {
		why[account] = ReasonRequest
		if n.Comment != 0 {
			why[account] = ReasonReply
		}
	}
	if n.Reply || n.Unblocked != 0 {
		listeners, err := tx.Watchers(ctx, db.WatchersParams{CompanyID: n.Company, TicketID: n.Ticket.ID,
			Limit: maxListeners})
		if err != nil {
			return nil, fmt.Errorf("read watchers: %w", err)
		}
		listens, err := tx.AuthorWatches(ctx, db.AuthorWatchesParams{CompanyID: n.Company, TicketID: n.Ticket.ID,
			AccountID: n.Ticket.Author.ID})
		if err != nil {
			return nil, fmt.Errorf("read author: %w", err)
		}
		if listens > 0 {
			listeners = append(listeners, n.Ticket.Author.ID)
		}
		for _, account := range listeners {
			why[account] = ReasonReply
			if n.Unblocked != 0 {
				why[account] = ReasonUnblocked
			}
		}
	}
	for _, account := range n.Assigned {
		why[account] = ReasonAssigned
	}
	for _, account := range n.Mentioned {
		why[account] = ReasonMention
	}
	delete(why, n.By.ID)
	return why, nil
}
