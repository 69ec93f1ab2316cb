package markup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Item is an item of a checklist in a text: a list item that begins with [ ] or [x].
type Item struct {
	Line    int    // of its box in the text, from 0
	Hash    string // of the item's first line without its box: 16 hexadecimal digits
	Nth, Of int    // it is the nth, from 0, of the items with the hash
	Text    string // its first line as plain text
	Checked bool
	mark    int // where the character between the brackets is
}

// Items returns the items of a text's checklists, in their order; none of a text that is shown as it was typed.
func Items(source string) []Item {
	if !mayHaveItems(source) || tooCostly(source) {
		return nil
	}
	content := []byte(source)
	doc := markdown.Parser().Parse(text.NewReader(content))
	if swells(doc, len(source)) {
		return nil
	}
	var items []Item
	counted, from := 0, 0 // lines up to the byte from
	same := map[string]int{}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if box, ok := n.(*extension.TaskCheckBox); ok && entering {
			item := itemAt(content, box)
			counted += bytes.Count(content[from:item.mark], []byte("\n"))
			from = item.mark
			item.Line, item.Nth = counted, same[item.Hash]
			same[item.Hash]++
			items = append(items, item)
		}
		return ast.WalkContinue, nil
	})
	for i := range items {
		items[i].Of = same[items[i].Hash]
	}
	return items
}

// CountItems returns how many items the checklists of a text have, and how many of them are checked.
func CountItems(source string) (checked, all int) {
	items := Items(source)
	for _, item := range items {
		if item.Checked {
			checked++
		}
	}
	return checked, len(items)
}

// mayHaveItems is quick, and false for most texts.
func mayHaveItems(source string) bool {
	return strings.Contains(source, "[ ]") || strings.Contains(source, "[x]") || strings.Contains(source, "[X]") ||
		strings.Contains(source, "[\t]")
}

// itemAt returns the item of a box: the box begins the first line of its block.
func itemAt(source []byte, box *extension.TaskCheckBox) Item {
	first := box.Parent().Lines().At(0)
	mark := first.Start + bytes.IndexByte(source[first.Start:first.Stop], '[') + 1
	rest := bytes.TrimSpace(source[mark+len(" ]") : first.Stop])
	sum := sha256.Sum256(rest)
	return Item{Hash: hex.EncodeToString(sum[:8]), Text: plainText(box, source, first.Stop), Checked: box.IsChecked, mark: mark}
}

// plainText returns the text behind a box up to the end of its line.
func plainText(box ast.Node, source []byte, stop int) string {
	var b strings.Builder
	for n := box.NextSibling(); n != nil; n = n.NextSibling() {
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.Text:
				if entering && n.Segment.Stop <= stop {
					b.Write(n.Segment.Value(source))
				}
			case *ast.AutoLink:
				if entering {
					b.Write(n.Label(source))
				}
			}
			return ast.WalkContinue, nil
		})
	}
	return strings.TrimSpace(b.String())
}

// ID names the item as it is now: line, hash, nth, of.
func (i Item) ID() string { return fmt.Sprintf("%d-%s-%d-%d", i.Line, i.Hash, i.Nth, i.Of) }

// Check asks for an item to be checked or unchecked, whatever it is now. The rest says which item, as it was seen.
type Check struct {
	Line    int
	Hash    string
	Nth, Of int
	Checked bool
}

// CheckOf is the wish to check an item, or to uncheck it.
func CheckOf(item Item, checked bool) Check {
	return Check{Line: item.Line, Hash: item.Hash, Nth: item.Nth, Of: item.Of, Checked: checked}
}

// maxItems is more than a text of 64 KiB has of lines or items.
const maxItems = 65535

// Valid reports whether a text could have the item.
func (c Check) Valid() bool {
	_, err := hex.DecodeString(c.Hash)
	return err == nil && len(c.Hash) == 16 && c.Hash == strings.ToLower(c.Hash) &&
		c.Line >= 0 && c.Line <= maxItems && c.Nth >= 0 && c.Nth < c.Of && c.Of <= maxItems
}

// String returns the ID of the item, and 1 to check it or 0 to uncheck it.
func (c Check) String() string {
	wanted := "-0"
	if c.Checked {
		wanted = "-1"
	}
	return Item{Line: c.Line, Hash: c.Hash, Nth: c.Nth, Of: c.Of}.ID() + wanted
}

// ParseCheck reads what String returns.
func ParseCheck(s string) (c Check, ok bool) {
	var wanted int
	n, err := fmt.Sscanf(strings.ReplaceAll(s, "-", " "), "%d %s %d %d %d", &c.Line, &c.Hash, &c.Nth, &c.Of, &wanted)
	c.Checked = wanted == 1
	return c, err == nil && n == 5 && c.String() == s && c.Valid()
}

// Apply returns the text with the item as it is wanted, one character of it changed at most, and the item as it was. ok
// is false if the item was changed or deleted since it was seen. Of several items with the same line the nth is meant;
// if there are more or fewer of them by now, it has to be the nth and on the same line.
func (c Check) Apply(source string) (changed string, was Item, ok bool) {
	item, ok := c.Find(source)
	if !ok || item.Checked == c.Checked {
		return source, item, ok
	}
	mark := " "
	if c.Checked {
		mark = "x"
	}
	return source[:item.mark] + mark + source[item.mark+1:], item, true
}

// UncheckAll returns a text with all items of its checklists unchecked.
func UncheckAll(source string) string {
	text := []byte(source)
	for _, item := range Items(source) {
		if item.Checked {
			text[item.mark] = ' '
		}
	}
	return string(text)
}

// Find returns the item as it is in a text, as Apply does.
func (c Check) Find(source string) (item Item, ok bool) {
	for _, item := range Items(source) {
		if item.Hash == c.Hash && item.Nth == c.Nth && (item.Of == c.Of || item.Line == c.Line) {
			return item, true
		}
	}
	return Item{}, false
}

// Prefix returns the text that the item is of with a word before that of the item.
func (i Item) Prefix(source, word string) string {
	after := i.mark + len("x]")
	if !strings.HasPrefix(source[after:], " ") {
		word += " "
	}
	return source[:after] + " " + word + source[after:]
}

// BeginsWithKey reports whether the item's text begins with what may be a key.
func (i Item) BeginsWithKey() bool {
	at := keyForm.FindStringIndex(i.Text)
	return at != nil && at[0] == 0
}

// The boxes of a rendered text.
const (
	checkedBox   = `<input checked="" disabled="" type="checkbox" aria-label="done">`
	uncheckedBox = `<input disabled="" type="checkbox" aria-label="not done">`
)

// Checkable returns the HTML that Render made of a text with what button returns for the nth item, from 0, in place of
// its box. ok is false for a text without items, which stays as it is.
func Checkable(rendered, source string, button func(n int, item Item) string) (_ string, ok bool) {
	if !strings.Contains(rendered, `type="checkbox"`) {
		return rendered, false
	}
	items := Items(source)
	if strings.Count(rendered, checkedBox)+strings.Count(rendered, uncheckedBox) != len(items) {
		return rendered, false
	}
	var b strings.Builder
	for i, item := range items {
		box := uncheckedBox
		if item.Checked {
			box = checkedBox
		}
		before, after, _ := strings.Cut(rendered, box)
		b.WriteString(before)
		b.WriteString(button(i, item))
		rendered = after
	}
	b.WriteString(rendered)
	return b.String(), true
}
