package savedviews

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeNotFound: there is no such saved view for the caller. It was deleted, is not shared any more, or is of a board that
// the caller does not see. Choose another.
const CodeNotFound fault.Code = "SavedView.NotFound"

func NotFound() error {
	return fault.NotFound.New(CodeNotFound, "",
		"There is no such view: it was deleted, or is not shared with you. Choose another under Views.")
}

// CodeBadName: the name of a saved view is empty, too long or not text. Shorten or retype it.
const CodeBadName fault.Code = "SavedView.BadName"

func BadName(text bool, length int) error {
	message := "The name has invalid or invisible characters. Type it again instead of pasting it."
	switch {
	case !text:
	case length == 0:
		message = "Enter a name for the view."
	case length > MaxName:
		message = fmt.Sprintf("The name has %d characters; shorten it to %d.", length, MaxName)
	}
	return fault.Invalid.New(CodeBadName, "name", message)
}

// CodeNameTaken: another view of its owner has this name. Choose another name.
const CodeNameTaken fault.Code = "SavedView.NameTaken"

func NameTaken(name string) error {
	return fault.Conflict.New(CodeNameTaken, "name",
		"There is a view “"+name+"” of the same owner already. Choose another name, or change that one.")
}

// CodeBadQuery: the query of a saved view has characters that are not text. Retype it.
const CodeBadQuery fault.Code = "SavedView.BadQuery"

func BadQuery() error {
	return fault.Invalid.New(CodeBadQuery, "q",
		"The query has invalid or invisible characters. Type it again instead of pasting it.")
}

// CodeBadLayout: the layout of a saved view is none of those that there are. Choose one of them.
const CodeBadLayout fault.Code = "SavedView.BadLayout"

func BadLayout() error {
	return fault.Invalid.New(CodeBadLayout, "layout", "There is no such layout. Choose board, list or calendar.")
}

// CodeTooMany: the owner has as many saved views as a member may. Delete one first.
const CodeTooMany fault.Code = "SavedView.TooMany"

func TooMany() error {
	return fault.Conflict.New(CodeTooMany, "",
		fmt.Sprintf("A member has at most %d views. Delete one first.", MaxOwn))
}

// CodeTooManyShared: the company has as many shared views as it can. Keep this one to yourself, or have one deleted.
const CodeTooManyShared fault.Code = "SavedView.TooManyShared"

func TooManyShared() error {
	return fault.Conflict.New(CodeTooManyShared, "shared",
		fmt.Sprintf("A company has at most %d shared views. Keep this one to yourself, or delete one first.", MaxShared))
}

// CodeTooManyPins: the member has pinned as many views as possible. Unpin one first.
const CodeTooManyPins fault.Code = "SavedView.TooManyPins"

func TooManyPins() error {
	return fault.Conflict.New(CodeTooManyPins, "pinned",
		fmt.Sprintf("You can pin at most %d views. Unpin one first.", MaxPins))
}

// CodeNotYours: a shared view is changed by its owner and by admins. Copy it.
const CodeNotYours fault.Code = "SavedView.NotYours"

func NotYours() error {
	return fault.Forbidden.New(CodeNotYours, "",
		"Only its owner and admins can change this view. Make a copy, which is yours.")
}

// CodeStale: the view was changed since the version that was sent. Read it again, then repeat the edit if it is still
// wanted.
const CodeStale fault.Code = "SavedView.Stale"

// Stale reports an edit that was based on an older version of the view.
type Stale struct{ Current View }

func (e Stale) Error() string {
	return "Someone else changed this view in the meantime. What you typed is still here: look at theirs, then save again " +
		"to replace it."
}

func (e Stale) Unwrap() error { return fault.Conflict.New(CodeStale, "", e.Error()) }
