package views

import (
	"fmt"
	"html"

	"github.com/counterfoil/counterfoil/domain/markup"
)

// Boxes are the boxes of the checklists of a text: each submits the form with an id, or by htmx posts to Path, and the
// response replaces the content of the element Target. Child, unless "", is the path that makes a ticket of an item.
type Boxes struct{ Form, Path, Target, Child string }

// Button is the box of the nth item, as HTML: it asks for the other state than the one that it shows.
func (b Boxes) Button(n int, item markup.Item) string {
	box := fmt.Sprintf(`<button type="submit" class="box" role="checkbox" aria-checked="%t" aria-label="%s" id="%s-%d" `+
		`form="%[3]s" name="check" value="%[5]s" hx-post="%[6]s" hx-target="#%[7]s" hx-swap="innerHTML"></button>`,
		item.Checked, html.EscapeString(itemName(item)), b.Form, n, markup.CheckOf(item, !item.Checked), b.Path, b.Target)
	if b.Child == "" || item.Checked || item.Text == "" || item.BeginsWithKey() {
		return box
	}
	return box + fmt.Sprintf(`<button type="submit" class="quiet to-ticket" aria-label="Make a ticket of “%s”" title="Make a ticket of it" `+
		`form="%s" formaction="%s" name="check" value="%s" hx-post="%[3]s" hx-target="#%[5]s" hx-swap="outerHTML">%[6]s</button>`,
		html.EscapeString(itemName(item)), b.Form, b.Child, markup.CheckOf(item, true), TicketID, iconHTML("list-plus"))
}

// iconHTML is Icon as HTML.
func iconHTML(name string) string {
	return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">` + icons[name] + `</svg>`
}

// itemName is what a screen reader calls an item's box.
func itemName(item markup.Item) string {
	const most = 100
	name := []rune(item.Text)
	switch {
	case len(name) == 0:
		return "Item"
	case len(name) > most:
		return string(name[:most]) + "…"
	}
	return item.Text
}
