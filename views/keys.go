package views

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// Command is what a key does. On one page, a key has one command.
type Command string

const (
	KeyJump            Command = "jump"
	KeyHelp            Command = "help"
	KeyHome            Command = "home"
	KeyWork            Command = "work"
	KeyTickets         Command = "tickets"
	KeyViews           Command = "views"
	KeyInbox           Command = "inbox"
	KeyClose           Command = "leave"
	KeyUndo            Command = "undo"
	KeyDown            Command = "down"
	KeyUp              Command = "up"
	KeyLeft            Command = "left"
	KeyRight           Command = "right"
	KeyOpen            Command = "open"
	KeyFilter          Command = "filter"
	KeyNewTicket       Command = "new-ticket"
	KeyMove            Command = "move"
	KeyMenu            Command = "menu"
	KeySelect          Command = "select"
	KeyNext            Command = "next"
	KeyPrevious        Command = "previous"
	KeyPick            Command = "pick"
	KeyEarlier         Command = "earlier"
	KeyLater           Command = "later"
	KeyWeekEarlier     Command = "week-earlier"
	KeyWeekLater       Command = "week-later"
	KeyEdit            Command = "edit"
	KeyAssign          Command = "assign"
	KeyPriority        Command = "priority"
	KeyDates           Command = "dates"
	KeyLabels          Command = "labels"
	KeyRelate          Command = "relate"
	KeyComment         Command = "comment"
	KeyNextComment     Command = "next-comment"
	KeyPreviousComment Command = "previous-comment"
	KeySave            Command = "save"
	KeyBold            Command = "bold"
	KeyItalic          Command = "italic"
	KeyLink            Command = "link"
	KeyListItem        Command = "list-item"
	KeyPause           Command = "pause"
	KeyFailures        Command = "failures"
	KeyWorkers         Command = "workers"
	KeyTask            Command = "task"
	KeyRefresh         Command = "refresh"
)

// KeyScope is where keys hold: everywhere, or on a kind of page or field.
type KeyScope struct {
	Name     string // in scripts
	Title    string
	Bindings []Binding
}

// Binding binds keys to a command. A key has its name in KeyboardEvent.key, after "Ctrl+" (on a Mac: Command) if it is
// pressed with that; two in sequence have a space between them.
type Binding struct {
	Command Command
	Keys    []string
	Does    string
}

// KeyScopes are all keys of the app: its pages, its scripts, the help and docs/keys.md read them here.
func KeyScopes() []KeyScope { return keyScopes }

var keyScopes = []KeyScope{
	{"everywhere", "Everywhere", []Binding{
		{KeyJump, []string{"/", "Ctrl+k"}, "Jump to a ticket, board, view, member or page; change the selected tickets by words"},
		{KeyHelp, []string{"?"}, "Show these shortcuts"},
		{KeyHome, []string{"g h", "g b"}, "Go to the home page and the boards"},
		{KeyWork, []string{"g w"}, "Go to my work"},
		{KeyTickets, []string{"g t"}, "Go to all tickets"},
		{KeyViews, []string{"g v"}, "Go to the saved views"},
		{KeyInbox, []string{"g i"}, "Go to the inbox"},
		{KeyClose, []string{"Escape"}, "Close the dialog, the menu, or the ticket beside the board"},
		{KeyUndo, []string{"Ctrl+z"}, "Undo your last move, close, delete, or change of priority, dates, labels or assignees"},
	}},
	{"board", "On a board", []Binding{
		{KeyDown, []string{"j", "ArrowDown"}, "Next card"},
		{KeyUp, []string{"k", "ArrowUp"}, "Previous card"},
		{KeyLeft, []string{"h", "ArrowLeft"}, "Column to the left"},
		{KeyRight, []string{"l", "ArrowRight"}, "Column to the right"},
		{KeyOpen, []string{"Enter"}, "Open the card’s ticket beside the board"},
		{KeyMove, []string{"m"}, "Move the card: then the same keys move it, Enter drops it, Esc puts it back"},
		{KeyMenu, []string{"."}, "Open the card’s menu"},
		{KeySelect, []string{"x"}, "Select the card: the keys below, and the bar, then change all selected ones"},
		{KeyFilter, []string{"f"}, "Filter the cards"},
		{KeyNewTicket, []string{"c"}, "New ticket"},
		{KeyEdit, []string{"e"}, "Edit the card's ticket"},
		{KeyAssign, []string{"a"}, "Assign the card's ticket"},
		{KeyPriority, []string{"p"}, "Set its priority"},
		{KeyDates, []string{"d"}, "Set its dates"},
		{KeyLabels, []string{"t"}, "Choose its labels"},
	}},
	{"list", "On a list", []Binding{
		{KeyNext, []string{"j"}, "Next ticket"},
		{KeyPrevious, []string{"k"}, "Previous ticket"},
		{KeyPick, []string{"x"}, "Select the ticket, to change all selected ones; a click with Shift selects up to another"},
		{KeyEdit, []string{"e"}, "Edit its title"},
		{KeyMove, []string{"m"}, "Move the ticket, or all selected ones"},
		{KeyAssign, []string{"a"}, "Assign the ticket, or all selected ones"},
		{KeyPriority, []string{"p"}, "Set the priority of the ticket, or of all selected ones"},
		{KeyDates, []string{"d"}, "Set its dates, or the due date of all selected ones"},
		{KeyLabels, []string{"t"}, "Choose the labels of the ticket, or of all selected ones"},
	}},
	{"calendar", "On a calendar", []Binding{
		{KeyNext, []string{"j"}, "Next ticket"},
		{KeyPrevious, []string{"k"}, "Previous ticket"},
		{KeyEarlier, []string{"H", "<"}, "Move the ticket to the day before"},
		{KeyLater, []string{"L", ">"}, "Move the ticket to the day after"},
		{KeyWeekEarlier, []string{"K"}, "Move the ticket to the week before"},
		{KeyWeekLater, []string{"J"}, "Move the ticket to the week after"},
		{KeyDates, []string{"d"}, "Set its dates"},
	}},
	{"ticket", "On a ticket", []Binding{
		{KeyEdit, []string{"e"}, "Edit"},
		{KeyMove, []string{"m"}, "Move to…"},
		{KeyAssign, []string{"a"}, "Assign"},
		{KeyPriority, []string{"p"}, "Set the priority"},
		{KeyDates, []string{"d"}, "Set the dates"},
		{KeyLabels, []string{"t"}, "Choose the labels"},
		{KeyRelate, []string{"b"}, "Relate it to another ticket"},
		{KeyComment, []string{"r"}, "Write a comment"},
		{KeyNextComment, []string{"]"}, "Next comment"},
		{KeyPreviousComment, []string{"["}, "Previous comment"},
	}},
	{"form", "In a form", []Binding{
		{KeySave, []string{"Ctrl+Enter"}, "Save"},
		{KeyBold, []string{"Ctrl+b"}, "Bold"},
		{KeyItalic, []string{"Ctrl+i"}, "Italic"},
		{KeyLink, []string{"Ctrl+k"}, "Link"},
		{KeyListItem, []string{"Enter"}, "In a list: next item; at an empty one, end the list"},
	}},
	{"run", "On a run of a migration", []Binding{
		{KeyPause, []string{"p"}, "Pause it, resume it, start it"},
		{KeyFailures, []string{"f"}, "Go to its failures"},
		{KeyWorkers, []string{"w"}, "Go to its workers"},
		{KeyTask, []string{"t"}, "Find a task by its number"},
		{KeyRefresh, []string{"r"}, "Refresh"},
	}},
}

// keyPages are the scopes whose keys hold at the same time. A ticket is open on its own page, and beside its board. In a
// field, only the keys of forms hold.
var keyPages = map[string][]string{
	"a board with a ticket beside it": {"everywhere", "board", "ticket"},
	"a list":                          {"everywhere", "list"},
	"a calendar":                      {"everywhere", "calendar"},
	"a form":                          {"form"},
	"a run":                           {"everywhere", "run"},
}

// keysOf are the keys of a command; there is none without.
func keysOf(c Command) []string {
	for _, scope := range keyScopes {
		if at := slices.IndexFunc(scope.Bindings, func(b Binding) bool { return b.Command == c }); at >= 0 {
			return scope.Bindings[at].Keys
		}
	}
	panic("no key is bound to " + string(c))
}

// Hotkey is the attribute of a control that the keys of a command press.
func Hotkey(c Command) templ.Attributes {
	var keys []string
	for _, key := range keysOf(c) {
		keys = append(keys, strings.Replace(key, "Ctrl+", "Mod+", 1)) // as scripts name Ctrl, on a Mac Command
		if r, size := utf8.DecodeRuneInString(key); size == len(key) && !unicode.IsLetter(r) {
			keys = append(keys, "Shift+"+key) // it is typed with Shift on some keyboards
		}
	}
	return templ.Attributes{"data-hotkey": strings.Join(keys, ",")}
}

// KeyOf is the first key of a command, as it is shown.
func KeyOf(c Command) string { return KeyName(keysOf(c)[0]) }

var keyNames = map[string]string{"Escape": "Esc", "ArrowDown": "↓", "ArrowUp": "↑", "ArrowLeft": "←", "ArrowRight": "→"}

// KeyName is a key as it is shown, such as "Ctrl Z".
func KeyName(key string) string {
	if name, ok := keyNames[key]; ok {
		return name
	}
	mod, letter, found := strings.Cut(key, "+")
	if !found {
		return key
	}
	if len(letter) == 1 {
		letter = strings.ToUpper(letter)
	}
	return mod + " " + letter
}
