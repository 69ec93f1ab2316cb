package feeds

import (
	"errors"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeNotFound: there is no feed of this name. The message names those that exist.
const CodeNotFound fault.Code = "Feed.NotFound"

func NotFound(name string, names []string) error {
	return fault.NotFound.New(CodeNotFound, "",
		fmt.Sprintf("There is no feed %.80q. Feeds are %s.", name, strings.Join(names, ", ")))
}

// CodeRowNotFound: the feed does not show this row now. If it exists, it is published in a moment: read on from
// the cursor.
const CodeRowNotFound fault.Code = "Feed.RowNotFound"

func RowNotFound(feed string, row uint64) error {
	return fault.NotFound.New(CodeRowNotFound, "",
		fmt.Sprintf("The feed %s does not have the row %d now. If it exists, it is published in a moment: continue from your cursor.", feed, row))
}

// CodeBadCursor: the text is no cursor of the feed. Send one as an answer gave it, or none.
const CodeBadCursor fault.Code = "Feed.BadCursor"

func BadCursor(feed string) error {
	return fault.Invalid.New(CodeBadCursor, "cursor",
		"This is not a cursor of the feed "+feed+". Send one from a response unchanged, or none to begin at the start.")
}

// CodeCursorOfOldEpoch: the cursor is from before the database was restored or replaced. Forget stored positions
// and read from the start.
const CodeCursorOfOldEpoch fault.Code = "Feed.CursorOfEarlierEpoch"

func CursorOfOldEpoch(feed string) error {
	return fault.Conflict.New(CodeCursorOfOldEpoch, "",
		"This cursor is from before the database was restored or replaced. Read the feed "+feed+" from its start, and drop the rows that you do not get.")
}

// CodeCursorAhead: the cursor is ahead of the feed as the database server that answered knows it: that is behind, or a
// publisher has yet to note what a crash interrupted. Retry in a moment; if it stays, the operator has to begin a new
// epoch.
const CodeCursorAhead fault.Code = "Feed.CursorAhead"

func CursorAhead(feed string) error {
	return fault.Unavailable.New(CodeCursorAhead, "",
		"This cursor is ahead of the feed "+feed+" on the database server that answered. Try again in a moment.")
}

// CodeCursorExpired: the cursor is so old that deletions behind it are forgotten. Forget stored positions and
// read from the start.
const CodeCursorExpired fault.Code = "Feed.CursorExpired"

func CursorExpired(feed string) error {
	return fault.Gone.New(CodeCursorExpired, "",
		"This cursor has expired: deletions after it are forgotten. Read the feed "+feed+" from its start, and drop the rows that you do not get.")
}

// CodeBadPosition: the text names no position in the feed. Send start, end, a cursor or a time.
const CodeBadPosition fault.Code = "Feed.BadPosition"

func BadPosition(feed string) error {
	return fault.Invalid.New(CodeBadPosition, "cursor",
		`This is not a position in the feed `+feed+`: say "start", "end", a cursor of it, or a time such as 2026-01-31T12:00:00Z.`)
}

// CodeBadPlace: the place is none that an answer gave. Send what the answer before gave as next.
const CodeBadPlace fault.Code = "Feed.BadPlace"

func BadPlace() error {
	return fault.Invalid.New(CodeBadPlace, "after",
		"This is no place in a snapshot. Send what the answer before gave as next, or nothing for the first rows.")
}

// In sets the field of a BadPosition or BadCursor, and returns other errors unchanged.
func In(field string, err error) error {
	if errors.Is(err, CodeBadPosition) || errors.Is(err, CodeBadCursor) {
		return fault.At(field, err)
	}
	return err
}

// CodeBadName: the name of a consumer is malformed. Use 1 to 80 letters, digits, dots, dashes and underscores.
const CodeBadName fault.Code = "Consumer.BadName"

func BadName() error {
	return fault.Invalid.New(CodeBadName, "name",
		"The name of a consumer is 1 to 80 letters, digits, dots, dashes and underscores, and begins with a letter or digit.")
}

// CodeConsumerConflict: the feed has a consumer of this name. Use it, or choose another name.
const CodeConsumerConflict fault.Code = "Consumer.NameConflict"

func ConsumerConflict(feed, name string) error {
	return fault.Conflict.New(CodeConsumerConflict, "name",
		fmt.Sprintf("The feed %s already has a consumer %q. Use it, or choose another name.", feed, name))
}

// CodeTooManyConsumers: the company has as many consumers as it may have. Delete one first.
const CodeTooManyConsumers fault.Code = "Consumer.TooMany"

func TooManyConsumers() error {
	return fault.Conflict.New(CodeTooManyConsumers, "",
		fmt.Sprintf("There are %d consumers, the most allowed. Delete one that is not needed, then register another.",
			MaxConsumers))
}

// CodeConsumerNotFound: the company has no such consumer. Register it first.
const CodeConsumerNotFound fault.Code = "Consumer.NotFound"

func ConsumerNotFound(name string) error {
	return fault.NotFound.New(CodeConsumerNotFound, "",
		fmt.Sprintf("There is no consumer %.80q here. Register it first.", name))
}

// CodeConsumerMoved: the consumer is not at the position that was sent. Read on from the one in “current”.
const CodeConsumerMoved fault.Code = "Consumer.MovedSince"

// ConsumerMoved reports a consumer whose cursor is not where the caller expected it.
type ConsumerMoved struct{ Current Consumer }

func (e ConsumerMoved) Error() string {
	return "The consumer " + e.Current.Name + " was moved in the meantime, so this was not saved: continue from its cursor."
}

func (e ConsumerMoved) Unwrap() error {
	return fault.Conflict.New(CodeConsumerMoved, "", e.Error())
}

// CodeBackwardCursor: a consumer was to be advanced to a position behind its own. Set the cursor without “from”
// to read again.
const CodeBackwardCursor fault.Code = "Consumer.BackwardCursor"

func BackwardCursor() error {
	return fault.Invalid.New(CodeBackwardCursor, "to",
		"This cursor is before the one in from. To read again, set the cursor without from.")
}
