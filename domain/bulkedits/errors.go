package bulkedits

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeNotFound: there is no such bulk edit for the caller: it is kept for 30 days, and shown to whoever made it and to
// those who manage its board. Look at the list of bulk edits.
const CodeNotFound fault.Code = "BulkEdit.NotFound"

func NotFound() error {
	return fault.NotFound.New(CodeNotFound, "",
		"There is no such bulk edit. They are kept for 30 days, and shown to whoever made them and to those who manage the board.")
}

// CodeTooMany: the company has as many bulk edits under way as it may. Wait until one has ended, or stop one.
const CodeTooMany fault.Code = "BulkEdit.TooMany"

func TooMany(most int) error {
	return fault.Conflict.New(CodeTooMany, "", fmt.Sprintf(
		"%d bulk edits are under way, as many as a company may have at once. Wait until one has ended, or stop one, and try again.", most))
}

// CodeTooManyTickets: more tickets match than a bulk edit may change. Choose fewer by another filter.
const CodeTooManyTickets fault.Code = "BulkEdit.TooManyTickets"

func TooManyTickets(most int) error {
	return fault.Conflict.New(CodeTooManyTickets, "", fmt.Sprintf(
		"More than %d tickets match, and a bulk edit changes that many at most. Nothing was changed: narrow the filter.", most))
}

// CodeNoTickets: no ticket matches the query of a bulk edit. Choose some by another filter.
const CodeNoTickets fault.Code = "BulkEdit.NoTickets"

func NoTickets() error {
	return fault.Conflict.New(CodeNoTickets, "", "No ticket matches the filter any more, so there is nothing to change.")
}

// CodeBadEdit: what is to be done with the tickets is missing or not possible. Choose it from the list.
const CodeBadEdit fault.Code = "BulkEdit.BadEdit"

func BadEdit() error {
	return fault.Invalid.New(CodeBadEdit, "do", "Choose what to change.")
}

// CodeNotOver: the bulk edit is under way, or has changed nothing, so it cannot be taken back. Stop it first.
const CodeNotOver fault.Code = "BulkEdit.NotOver"

func NotOver() error {
	return fault.Conflict.New(CodeNotOver, "", "It is still under way. Stop it, or wait until it has ended; then take it back.")
}

// CodeNothingChanged: the bulk edit has changed nothing, so there is nothing to take back. Look at its outcomes.
const CodeNothingChanged fault.Code = "BulkEdit.NothingChanged"

func NothingChanged() error {
	return fault.Conflict.New(CodeNothingChanged, "", "It has changed nothing, so there is nothing to take back.")
}

// CodeTooLate: the bulk edit was made more than 30 days ago. Change the tickets by another one.
const CodeTooLate fault.Code = "BulkEdit.TooLate"

func TooLate() error {
	return fault.Conflict.New(CodeTooLate, "", "It was made more than 30 days ago, and cannot be taken back any more.")
}

// CodeBadRate: the speed is no number of tickets per second from 0 to 1,000. Choose one from the list.
const CodeBadRate fault.Code = "BulkEdit.BadRate"

func BadRate() error {
	return fault.Invalid.New(CodeBadRate, "rate", "Choose a speed from the list.")
}

// MaxCanary is more than any bulk edit changes.
const MaxCanary = 1_000_000

// CodeBadCanary: a bulk edit begins with a number of tickets, or with all. Choose one of the list, or send one up to
// 1,000,000.
const CodeBadCanary fault.Code = "BulkEdit.BadCanary"

func BadCanary() error {
	return fault.Invalid.New(CodeBadCanary, "canary", "Begin with 1 to 1,000,000 tickets, or with all.")
}
