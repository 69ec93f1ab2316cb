package labels

import (
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeNotFound: the label does not exist, or not for the caller. See the list of labels.
const CodeNotFound fault.Code = "Label.NotFound"

func NotFound() error {
	return fault.NotFound.New(CodeNotFound, "", "There is no such label here. See the list of labels.")
}

// CodeBadName: the name of a label is empty, too long, has a comma or is not text. Shorten or retype it.
const CodeBadName fault.Code = "Label.BadName"

func BadName(name string, length int) error {
	message := "The name has invalid or invisible characters. Type it again instead of pasting it."
	switch {
	case length == 0:
		message = "Enter a name for the label."
	case length > MaxName:
		message = fmt.Sprintf("The name has %d characters; shorten it to %d.", length, MaxName)
	case strings.Contains(name, ","):
		message = "A name has no comma: it separates labels. Leave it out."
	}
	return fault.Invalid.New(CodeBadName, "name", message)
}

// CodeBadColor: the colour of a label is none of the twelve. Send gray, red, orange, amber, yellow, green, teal, cyan,
// blue, indigo, purple or pink.
const CodeBadColor fault.Code = "Label.BadColor"

func BadColor(text string) error {
	return fault.Invalid.New(CodeBadColor, "color",
		fmt.Sprintf("“%.40s” is no colour of a label. Choose one of %s.", text, strings.Join(color.Names, ", ")))
}

// CodeNameTaken: another label has this name. Choose another, or merge the two.
const CodeNameTaken fault.Code = "Label.NameTaken"

func NameTaken(name string) error {
	return fault.Conflict.New(CodeNameTaken, "name",
		"There is a label “"+name+"” already. Choose another name, or merge the two.")
}

// CodeTooMany: the company has as many labels as it can. Merge or delete one first.
const CodeTooMany fault.Code = "Label.TooMany"

func TooMany() error {
	return fault.Conflict.New(CodeTooMany, "name",
		fmt.Sprintf("A company has at most %d labels. Merge or delete one first.", MaxLabels))
}

// CodeTooManyOnTicket: the ticket would have more labels than it can. Remove one first.
const CodeTooManyOnTicket fault.Code = "Ticket.TooManyLabels"

func TooManyOnTicket() error {
	return fault.Invalid.New(CodeTooManyOnTicket, "labels",
		fmt.Sprintf("A ticket has at most %d labels. Remove one first.", MaxOnTicket))
}

// CodeNotHere: the label is of another board. Choose one of the ticket's board, or of all boards.
const CodeNotHere fault.Code = "Label.OtherBoard"

func NotHere() error {
	return fault.Invalid.New(CodeNotHere, "labels",
		"This label does not exist any more, or is another board’s. Choose one from the list.")
}

// CodeBadMerge: a label can be merged into a live one of all boards, or of its own board. Choose another.
const CodeBadMerge fault.Code = "Label.BadMerge"

func BadMerge(why string) error {
	return fault.Invalid.New(CodeBadMerge, "into", why)
}

// CodeEnded: the label was deleted or merged. Restore it first.
const CodeEnded fault.Code = "Label.Ended"

func Ended(l Label) error {
	return fault.Conflict.New(CodeEnded, "",
		"“"+l.Name+"” was deleted or merged in the meantime. Restore it first, on the list of labels.")
}

// CodeNotEnded: the label was not deleted or merged, or too long ago to restore it. Make another with its name.
const CodeNotEnded fault.Code = "Label.NotEnded"

func NotEnded() error {
	return fault.Conflict.New(CodeNotEnded, "",
		"This label is there already, or was deleted more than 30 days ago. Reload the page.")
}
