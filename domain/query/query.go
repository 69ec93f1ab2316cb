// Package query is the language that says which tickets: assignee:me label:bug -status:done due:<7d "exact words".
//
// Parse makes a Query of a text, and Query.String a text of a Query. Query.Needs says which names it has; Resolve gives
// them their ids and dates their days, and returns a Condition. That is what the database is asked for (see
// db/ticket_query.go), and Condition.Match decides the same in memory. Start at parse.go.
package query

import (
	"slices"
	"strings"
	"unicode"
)

// Limits of a query.
const (
	MaxLength = 500 // characters
	MaxTerms  = 20
)

// Query is a parsed text. Where is nil for all tickets.
type Query struct {
	Where Node
	Sort  Sort
}

// Sort is an order of tickets. The zero Sort is that of the page.
type Sort struct {
	By         Field
	Descending bool
}

// Node is an And, Or, Not or Term.
type Node interface {
	text(b *strings.Builder, inner bool)
}

// And are nodes that all hold, at least two.
type And []Node

// Or are nodes of which one holds, at least two.
type Or []Node

// Not is a node that does not hold.
type Not struct{ Node Node }

// Term is one condition.
type Term struct {
	Field Field
	Op    Op
	Value string
	To    string // the end of a Range

	at, length int // in the text that was parsed, in characters
}

// Field is what a term is about, as it is written.
type Field string

// The fields.
const (
	Text     Field = "" // the title, the number or the key
	Assignee Field = "assignee"
	Author   Field = "author"
	Label    Field = "label"
	Board    Field = "board"
	Column   Field = "column"
	Parent   Field = "parent"
	Status   Field = "status"
	Is       Field = "is"
	Has      Field = "has"
	Priority Field = "priority"
	Start    Field = "start"
	Due      Field = "due"
	Created  Field = "created"
	Updated  Field = "updated"
	Closed   Field = "closed"

	sortField Field = "sort"
)

// Sorts reports whether tickets can be sorted by a field.
func (f Field) Sorts() bool { return fields[f].sorted }

// Op is how a term compares.
type Op string

// The comparisons. Only priorities and dates have others than Equal.
const (
	Equal   Op = ""
	Less    Op = "<"
	AtMost  Op = "<="
	More    Op = ">"
	AtLeast Op = ">="
	Range   Op = ".." // from Value to To, both included
)

// Values that several fields have.
const (
	Me   = "me"
	None = "none"
	Any  = "any"
)

type class uint8

const (
	classText  class = iota
	className        // of a person, a label, a board and so on
	classWord        // one of a list
	classLevel       // a priority
	classDay         // a date
)

// field describes a field.
type field struct {
	class  class
	words  []string // the values that a classWord has, and those that a className has beside names
	past   bool     // a duration is an age
	sorted bool     // tickets can be sorted by it
}

var fields = map[Field]field{
	Text:     {class: classText},
	Assignee: {class: className, words: []string{Me, None, Any}},
	Author:   {class: className, words: []string{Me}},
	Label:    {class: className, words: []string{None, Any}},
	Board:    {class: className},
	Column:   {class: className},
	Parent:   {class: className, words: []string{None, Any}},
	Status:   {class: classWord, words: []string{"open", "closed", "done"}},
	Is:       {class: classWord, words: []string{"open", "closed", "blocked", "overdue", "request"}},
	Has: {class: classWord, words: []string{"assignee", "attachment", "checklist", "comment", "description", "due", "label",
		"parent", "start"}},
	Priority: {class: classLevel, words: Priorities, sorted: true},
	Start:    {class: classDay, words: []string{None, Any}, sorted: true},
	Due:      {class: classDay, words: []string{None, Any}, sorted: true},
	Created:  {class: classDay, past: true, sorted: true},
	Updated:  {class: classDay, past: true, sorted: true},
	Closed:   {class: classDay, words: []string{None, Any}, past: true, sorted: true},
}

// Priorities are the names of priorities, the lowest first.
var Priorities = []string{"none", "low", "medium", "high", "urgent"}

// otherNames are further names of fields.
var otherNames = map[string]Field{"who": Assignee, "assigned": Assignee, "state": Status, "tag": Label, "labels": Label,
	"by": Author, "prio": Priority}

// flags are words that stand alone for a term.
var flags = []string{"blocked", "overdue"}

// Words are the fields with their values that are not names, to choose from while a query is typed: status:open,closed.
func Words() (list []string) {
	for name, f := range fields {
		if name != Text {
			list = append(list, string(name)+":"+strings.Join(f.words, ","))
		}
	}
	list = append(list, string(sortField)+":"+strings.Join(sortedFields(), ","))
	slices.Sort(list)
	return list
}

// Terms returns the terms of a query, in their order.
func (q Query) Terms() (list []Term) {
	var walk func(n Node)
	walk = func(n Node) {
		switch n := n.(type) {
		case And:
			for _, part := range n {
				walk(part)
			}
		case Or:
			for _, part := range n {
				walk(part)
			}
		case Not:
			walk(n.Node)
		case Term:
			list = append(list, n)
		}
	}
	walk(q.Where)
	return list
}

// Parts are the nodes that must all hold: each can be taken off alone.
func (q Query) Parts() []Node {
	switch n := q.Where.(type) {
	case nil:
		return nil
	case And:
		return n
	}
	return []Node{q.Where}
}

// Without returns the query without one of its parts.
func (q Query) Without(part int) Query {
	var rest []Node
	for i, n := range q.Parts() {
		if i != part {
			rest = append(rest, n)
		}
	}
	q.Where = join(rest)
	return q
}

// With returns the query with one more node that must hold.
func (q Query) With(n Node) Query {
	q.Where = join(append(append([]Node{}, q.Parts()...), n))
	return q
}

// join returns nodes as one that holds if all do.
func join(parts []Node) Node {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return And(parts)
}

// String returns a text that Parse reads as the query.
func (q Query) String() string {
	var b strings.Builder
	if q.Where != nil {
		q.Where.text(&b, false)
	}
	if q.Sort != (Sort{}) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(sortField) + ":" + q.Sort.String())
	}
	return b.String()
}

// String returns an order as the value of "sort": -due; "" for that of the page.
func (s Sort) String() string {
	if s.Descending {
		return "-" + string(s.By)
	}
	return string(s.By)
}

// NodeText returns the text of a node.
func NodeText(n Node) string { return Query{Where: n}.String() }

func (a And) text(b *strings.Builder, inner bool) { list(b, a, " ", inner) }
func (o Or) text(b *strings.Builder, inner bool)  { list(b, o, " or ", inner) }

func list(b *strings.Builder, nodes []Node, between string, inner bool) {
	if inner {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	for i, n := range nodes {
		if i > 0 {
			b.WriteString(between)
		}
		n.text(b, true)
	}
}

func (n Not) text(b *strings.Builder, _ bool) {
	b.WriteByte('-')
	n.Node.text(b, true)
}

func (t Term) text(b *strings.Builder, _ bool) {
	if t.Field != Text {
		b.WriteString(string(t.Field) + ":")
	}
	if t.Op == Range {
		b.WriteString(t.Value + string(Range) + t.To)
		return
	}
	b.WriteString(string(t.Op))
	if t.Field == Text && !plainText(t.Value) || t.Field != Text && !plainValue(t.Value) {
		b.WriteString(quoted(t.Value))
		return
	}
	b.WriteString(t.Value)
}

var quotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func quoted(text string) string { return `"` + quotes.Replace(text) + `"` }

// plainValue reports whether a value can be written without quotes.
func plainValue(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"()\`, r) }) &&
		!strings.ContainsRune("<>=", rune(text[0]))
}

// plainText reports whether a text is a term of its own without quotes.
func plainText(text string) bool {
	if !plainValue(text) || strings.HasPrefix(text, "-") || isConnective(text) || isFlag(text) {
		return false
	}
	_, _, isField := fieldName([]rune(text))
	return !isField
}
