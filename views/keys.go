package views

// Keys is a group of keys in the help.
type Keys struct {
	Where string
	Keys  []KeyHelp
}

// KeyHelp explains keys that do the same, or the same in other directions.
type KeyHelp struct {
	Keys []string
	Does string
}

var keyHelp = []Keys{
	{"Everywhere", []KeyHelp{
		{[]string{"/"}, "Jump to a ticket by its key or title"},
		{[]string{"?"}, "Show these shortcuts"},
		{[]string{"g b"}, "Go to the boards"},
		{[]string{"g w"}, "Go to my work"},
		{[]string{"g i"}, "Go to the inbox"},
		{[]string{"Esc"}, "Close the dialog or menu"},
		{[]string{"Ctrl Z"}, "Undo your last move, close, delete, or change of priority, dates or labels"},
	}},
	{"On a board", []KeyHelp{
		{[]string{"j", "k", "↓", "↑"}, "Next card, previous card"},
		{[]string{"h", "l", "←", "→"}, "Column to the left, column to the right"},
		{[]string{"Enter"}, "Open the card"},
		{[]string{"m"}, "Move the card: then the same keys move it, Enter drops it, Esc puts it back"},
		{[]string{"f"}, "Filter the cards"},
		{[]string{"c"}, "New ticket"},
		{[]string{"e"}, "Edit the card's ticket"},
		{[]string{"a"}, "Assign the card's ticket"},
		{[]string{"p"}, "Set its priority"},
		{[]string{"d"}, "Set its dates"},
		{[]string{"t"}, "Choose its labels"},
	}},
	{"On a ticket", []KeyHelp{
		{[]string{"e"}, "Edit"},
		{[]string{"m"}, "Move to…"},
		{[]string{"a"}, "Assign"},
		{[]string{"p"}, "Set the priority"},
		{[]string{"d"}, "Set the dates"},
		{[]string{"t"}, "Choose the labels"},
		{[]string{"l"}, "Relate it to another ticket"},
		{[]string{"r"}, "Write a comment"},
		{[]string{"]", "["}, "Next comment, previous comment"},
		{[]string{"Ctrl Enter"}, "Save the text"},
	}},
	{"In a description or comment", []KeyHelp{
		{[]string{"Ctrl B", "Ctrl I", "Ctrl K"}, "Bold, italic, link"},
		{[]string{"Enter"}, "In a list: next item; at an empty one, end the list"},
	}},
	{"On a run of a migration", []KeyHelp{
		{[]string{"p"}, "Pause it, resume it, start it"},
		{[]string{"f"}, "Go to its failures"},
		{[]string{"w"}, "Go to its workers"},
		{[]string{"t"}, "Find a task by its number"},
		{[]string{"r"}, "Refresh"},
	}},
}
