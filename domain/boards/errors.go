package boards

import (
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeEmptySlug: the board has no slug. Send one such as NINJA.
const CodeEmptySlug fault.Code = "Board.EmptySlug"

func EmptySlug() error {
	return fault.Invalid.New(CodeEmptySlug, "slug", "Enter a ticket prefix, such as NINJA.")
}

// CodeBadSlug: the slug of a board is malformed. Send 2 to 10 letters or digits, the first a letter.
const CodeBadSlug fault.Code = "Board.BadSlug"

func BadSlug() error {
	return fault.Invalid.New(CodeBadSlug, "slug",
		"A ticket prefix is 2 to 10 letters A to Z or digits and begins with a letter, such as NINJA.")
}

// CodeTooManyPins: the member has pinned as many boards as possible. Unpin one first.
const CodeTooManyPins fault.Code = "Board.TooManyPins"

func TooManyPins() error {
	return fault.Conflict.New(CodeTooManyPins, "pinned", fmt.Sprintf("You can pin at most %d boards. Unpin one first.", MaxPins))
}

// CodeBadCopies: it is not said which tickets of which board a duplicate gets. Send open or all, or leave it out.
const CodeBadCopies fault.Code = "Board.BadCopies"

func BadCopies() error {
	return fault.Invalid.New(CodeBadCopies, "tickets",
		"Choose which tickets a duplicate of a board gets: none, the open ones or all.")
}

// CodeSlugConflict: another board of the company has this slug, or had it. Choose another.
const CodeSlugConflict fault.Code = "Board.SlugConflict"

// SlugConflict says which board has the slug, unless it is private.
func SlugConflict(slug string, holder Board) error {
	return fault.Conflict.New(CodeSlugConflict, "slug", slugConflictMessage(slug, holder))
}

func slugConflictMessage(slug string, holder Board) string {
	if holder.Grant.Private {
		return "Another board uses or used " + slug + ". Choose another ticket prefix."
	}
	if holder.Slug != slug {
		return "The board " + holder.Slug + " was " + slug + " before, and its old keys lead to it. Choose another ticket prefix."
	}
	return "The board “" + holder.Title + "” already uses " + slug + ". Choose another ticket prefix."
}

// CodeSlugImported: imported tickets have keys with this slug. Choose another.
const CodeSlugImported fault.Code = "Board.SlugImported"

func SlugImported(slug string) error {
	return fault.Conflict.New(CodeSlugImported, "slug",
		"Tickets were imported with keys such as "+slug+"-1, which still lead to them. Choose another ticket prefix.")
}

// CodeEmptyTitle: the board has no title. Send one.
const CodeEmptyTitle fault.Code = "Board.EmptyTitle"

func EmptyTitle() error {
	return fault.Invalid.New(CodeEmptyTitle, "title", "Enter a title for the board.")
}

// CodeLongTitle: the title of a board is too long. Shorten it.
const CodeLongTitle fault.Code = "Board.LongTitle"

func LongTitle(length int) error {
	return fault.Invalid.New(CodeLongTitle, "title",
		fmt.Sprintf("The title has %d characters; shorten it to %d.", length, MaxTitle))
}

// CodeBadTitle: the title of a board has characters that are not text. Retype it.
const CodeBadTitle fault.Code = "Board.BadTitle"

func BadTitle() error {
	return fault.Invalid.New(CodeBadTitle, "title",
		"The title has invalid or invisible characters. Type it again instead of pasting it.")
}

// CodeNotFound: the board does not exist, or not for the caller. See the list of boards.
const CodeNotFound fault.Code = "Board.NotFound"

func NotFound() error {
	return fault.NotFound.New(CodeNotFound, "",
		"This board does not exist, or you have no access. See the list of boards.")
}

// CodeUnknown: the board to move to does not exist, or not for the caller. Choose one from the list of boards.
const CodeUnknown fault.Code = "Board.Unknown"

func Unknown() error {
	return fault.Invalid.New(CodeUnknown, "board", "This board does not exist. Choose one from the list.")
}

// CodeArchived: the board is archived and cannot be changed. Restore it first.
const CodeArchived fault.Code = "Board.Archived"

func Archived() error {
	return fault.Conflict.New(CodeArchived, "", "This board is archived. Restore it first.")
}

// CodeColumnFull: the column's hard limit is reached. Move a ticket out of it, or choose another column.
const CodeColumnFull fault.Code = "Column.Full"

func ColumnFull(name string, limit int) error {
	return fault.Conflict.New(CodeColumnFull, "column",
		fmt.Sprintf("“%s” is full: its limit is %d. Move something out of it first, or choose another column.", name, limit))
}

// CodeColumnGone: the column that a ticket was in was removed from the board. Move the ticket to another.
const CodeColumnGone fault.Code = "Column.Gone"

func ColumnGone() error {
	return fault.Conflict.New(CodeColumnGone, "", "The column that it was in was removed from the board.")
}

// CodeColumnNotFound: the board has no such column. Read the board again and choose one of its columns.
const CodeColumnNotFound fault.Code = "Column.NotFound"

// ColumnNotFound is the error of CodeColumnNotFound.
type ColumnNotFound struct{ Column uint64 }

func (ColumnNotFound) Error() string {
	return "This column does not exist any more. Reload the board and choose another."
}

func (e ColumnNotFound) Unwrap() error {
	return fault.Invalid.New(CodeColumnNotFound, "column", e.Error())
}

// CodeNoColumnNamed: the board of a ticket has no column with the name that was asked for. Choose another column.
const CodeNoColumnNamed fault.Code = "Board.NoColumnNamed"

func NoColumnNamed(name string) error {
	return fault.Invalid.New(CodeNoColumnNamed, "column", fmt.Sprintf("The board has no column “%.50s”. Choose another.", name))
}

// CodeStale: the board was changed since the version that was sent. Read it again, then repeat the edit if it
// is still wanted.
const CodeStale fault.Code = "Board.Stale"

// Stale reports an edit that was based on an older version of the board.
type Stale struct{ Current Board }

func (e Stale) Error() string {
	return "Someone else changed this board in the meantime: it is now " + e.Current.Slug + " “" + e.Current.Title +
		"”. Check it, then save again to replace their change."
}
func (e Stale) Unwrap() error {
	return fault.Conflict.New(CodeStale, "title", e.Error())
}

// CodeAllDone: every column of the board is a done column, so no ticket on it can be open. Add another column
// first.
const CodeAllDone fault.Code = "Board.AllColumnsDone"

func AllDone() error {
	return fault.Conflict.New(CodeAllDone, "",
		"Every column of this board is a done column, so no ticket can be open. Add another column first.")
}

// CodeBadColumnName: the name of a column is empty, too long or not text. Shorten or retype it.
const CodeBadColumnName fault.Code = "Column.BadName"

func BadColumnName(text bool, length int) error {
	return fault.Invalid.New(CodeBadColumnName, "name", badColumnNameMessage(text, length))
}

func badColumnNameMessage(text bool, length int) string {
	switch {
	case !text:
		return "The name has invalid characters. Type it again (UTF-8)."
	case length == 0:
		return "Enter a name for the column."
	}
	return fmt.Sprintf("The name has %d characters; shorten it to %d.", length, MaxColumnName)
}

// CodeBadWIP: there is no such kind of limit. Send none, soft or hard.
const CodeBadWIP fault.Code = "Column.BadLimitKind"

func BadWIP() error {
	return fault.Invalid.New(CodeBadWIP, "wip", "A limit is one of none, soft and hard.")
}

// CodeBadLimit: the limit of a column is missing or out of bounds. Send a number in the bounds that the message
// names.
const CodeBadLimit fault.Code = "Column.BadLimit"

func BadLimit() error {
	return fault.Invalid.New(CodeBadLimit, "wip_limit",
		fmt.Sprintf("Enter a limit from 1 to %d.", MaxLimit))
}

// CodeBadColor: the colour of a column is none of the twelve. Send gray, red, orange, amber, yellow, green, teal, cyan,
// blue, indigo, purple or pink, or nothing.
const CodeBadColor fault.Code = "Column.BadColor"

func BadColor(text string) error {
	return fault.Invalid.New(CodeBadColor, "color",
		fmt.Sprintf("“%.40s” is no colour of a column. Choose one of %s, or none.", text, strings.Join(color.Names, ", ")))
}

// CodeBadStaleDays: the days after which cards of a column are stale are out of bounds. Send a number in the bounds that
// the message names, or 0 for none.
const CodeBadStaleDays fault.Code = "Column.BadStaleDays"

func BadStaleDays() error {
	return fault.Invalid.New(CodeBadStaleDays, "stale_days",
		fmt.Sprintf("Enter days from 1 to %d, or nothing.", MaxStaleDays))
}

// CodeUnusedLimit: a form has a number beside “No limit”. Choose what a column above its limit does, or leave the number
// out.
const CodeUnusedLimit fault.Code = "Column.UnusedLimit"

func UnusedLimit() error {
	return fault.Invalid.New(CodeUnusedLimit, "wip",
		"Choose “Warn above” or “Block above” for this limit, or clear the number.")
}

// CodeBadPosition: the position of a column is below 1. The first column's is 1.
const CodeBadPosition fault.Code = "Column.BadPosition"

func BadPosition() error {
	return fault.Invalid.New(CodeBadPosition, "position", "The position of the first column is 1.")
}

// CodeTooManyColumns: the board has as many columns as it may have. Remove one first.
const CodeTooManyColumns fault.Code = "Column.TooMany"

func TooManyColumns() error {
	return fault.Conflict.New(CodeTooManyColumns, "name",
		fmt.Sprintf("A board has at most %d columns. Remove one first.", MaxColumns))
}

// CodeLastColumn: a board keeps at least one column. Add another first.
const CodeLastColumn fault.Code = "Column.Last"

func LastColumn() error {
	return fault.Conflict.New(CodeLastColumn, "", "A board needs at least one column. Add another one first.")
}

// CodeNoHeir: the column has tickets and the request does not say where they go. Send another column of the
// board.
const CodeNoHeir fault.Code = "Column.NoTarget"

func NoHeir() error {
	return fault.Invalid.New(CodeNoHeir, "to",
		"The column has tickets. Choose the column of this board to move them to.")
}

// CodeBadRole: the role on a board is none of viewer, member and admin. Choose one of them.
const CodeBadRole fault.Code = "Board.BadRole"

func BadRole() error {
	return fault.Invalid.New(CodeBadRole, "role", "Choose a role on the board: viewer, member or admin.")
}

// CodeMemberNotFound: the board does not name this member or group. Reload the page.
const CodeMemberNotFound fault.Code = "Board.MemberNotFound"

func MemberNotFound() error {
	return fault.NotFound.New(CodeMemberNotFound, "", "They are not named on this board any more. Reload the page.")
}

// CodeTooManyMembers: the board names as many members and groups as it can. Put some in a group.
const CodeTooManyMembers fault.Code = "Board.TooManyMembers"

func TooManyMembers() error {
	return fault.Conflict.New(CodeTooManyMembers, "member",
		fmt.Sprintf("A board names at most %d members and groups. Put some of them in a group.", MaxMembers))
}

// CodeLastAdmin: nobody else administers the board. Make another member an admin of it first.
const CodeLastAdmin fault.Code = "Board.LastAdmin"

func LastAdmin() error {
	return fault.Conflict.New(CodeLastAdmin, "",
		"A board keeps an admin. Make another member an admin of this board first.")
}

// CodeNotManager: the caller does not administer the board. Ask one of its admins.
const CodeNotManager fault.Code = "Board.NotManager"

func NotManager() error {
	return fault.Forbidden.New(CodeNotManager, "", "Only admins of this board can change who sees it.")
}

// CodeUnknownLink: the public link of a board leads nowhere. It is mistyped, or was turned off or replaced: ask for
// another.
const CodeUnknownLink fault.Code = "Board.UnknownLink"

func UnknownLink() error {
	return fault.NotFound.New(CodeUnknownLink, "",
		"There is no board at this address: the link may have been turned off or replaced. "+
			"Ask the person who sent it to you.")
}
