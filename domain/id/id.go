// Package id gives each kind of row id a type, so that a board's cannot be used as a ticket's.
package id

type (
	// Company is the id of a company.
	Company uint64
	// Account is the id of a user's account.
	Account uint64
	// Session is the id of a browser's session; ids grow with time.
	Session uint64
	// Token is the id of an API token.
	Token uint64
	// Board is the id of a board.
	Board uint64
	// Column is the id of a board's column.
	Column uint64
	// Ticket is the id of a ticket's row. People know a ticket by its key, which may change; this never does.
	Ticket uint64
	// Activity is the id of an entry in a ticket's history; ids grow with time.
	Activity uint64
	// Comment is the id of a comment; ids grow with time.
	Comment uint64
	// Attachment is the id of a file on a ticket; ids grow with time.
	Attachment uint64
	// Invitation is the id of an invitation to a company.
	Invitation uint64
	// Notification is the id of an entry in an inbox; ids grow with time.
	Notification uint64
	// Audit is the id of an entry of a company's audit list; ids grow with time.
	Audit uint64
	// Group is the id of a group of members.
	Group uint64
	// Label is the id of a label.
	Label uint64
	// Template is the id of a template of tickets.
	Template uint64
	// SavedView is the id of a saved view.
	SavedView uint64
	// BulkEdit is the id of a change of many tickets by a run; ids grow with time.
	BulkEdit uint64
	// Recurrence is the id of a rule by which tickets are opened again.
	Recurrence uint64
	// Run is the id of a run of a migration; ids grow with time.
	Run uint64
	// Task is the id of a task of a run; within a run they are in the order of filling.
	Task uint64
	// Worker is the id of a process that works on migrations; 0 is none.
	Worker uint64
	// Event is the id of an entry in a run's log; ids grow with time.
	Event uint64
	// Consumer is the id of a registered consumer of a feed.
	Consumer uint64
	// Webhook is the id of an address that changes are sent to.
	Webhook uint64
	// Delivery is the id of an attempt to send something to a webhook; ids grow with time.
	Delivery uint64
	// Passkey is the id of a passkey of an account.
	Passkey uint64
	// Issuer is the id of an issuer, which signs users in.
	Issuer uint64
	// IssuerRule is the id of a rule for a group at an issuer.
	IssuerRule uint64
	// Domain is the id of a mail domain of a company.
	Domain uint64
	// Lot is the id of a lot of reference codes; ids grow with time.
	Lot uint64
)
