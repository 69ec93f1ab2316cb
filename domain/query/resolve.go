package query

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Needs are the names in a query, each once.
type Needs struct {
	Handles []string // of people, in lower case and without the @
	Labels  []string
	Boards  []string // slugs
	Columns []string
	Keys    []string // of tickets
}

// Needs returns the names in a query.
func (q Query) Needs() (n Needs) {
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, t := range q.Terms() {
		if slices.Contains(fields[t.Field].words, t.Value) {
			continue
		}
		switch t.Field {
		case Text:
			if slug, _, ok := keyIn(t.Value); ok {
				add(&n.Boards, slug)
			}
		case Assignee, Author:
			add(&n.Handles, handle(t.Value))
		case Label:
			add(&n.Labels, t.Value)
		case Board:
			add(&n.Boards, strings.ToUpper(t.Value))
		case Column:
			add(&n.Columns, t.Value)
		case Parent:
			add(&n.Keys, strings.ToUpper(t.Value))
		}
	}
	return n
}

func handle(name string) string { return strings.ToLower(strings.TrimPrefix(name, "@")) }

// Names are what the names in a query stand for. Those that are not in the maps are unknown.
type Names struct {
	Me  id.Account
	Now time.Time // in the zone of the reader

	Handles map[string]id.Account
	Labels  map[string][]id.Label
	Boards  map[string]id.Board
	Columns map[string][]id.Column
	Keys    map[string]id.Ticket

	Slug string // of the board whose numbers a text can be, "" for all boards
}

// Test is what a Condition tests.
type Test uint8

// The tests of a ticket.
const (
	All            Test = iota // all Parts hold; the zero Condition always does
	AnyOf                      // one of Parts holds
	NoneOf                     // none of Parts holds
	TitleHas                   // the title has Words, in any case and with any accents
	NumberIs                   // the number on its board is Number
	AssigneeIn                 // one of IDs is assigned; anyone if there are none
	AuthorIn                   // one of IDs opened it
	LabelIn                    // it has one of the labels; any if there are none
	BoardIn                    // it is on one of the boards
	ColumnIn                   // it is in one of the columns
	ParentIn                   // its parent is one of the tickets; any that the reader sees if there are none
	IsClosed                   //
	IsBlocked                  // by an open ticket that the reader sees
	IsRequest                  // it came by a public form
	IsOverdue                  // it is open, and its due date is before Span.To
	PriorityIn                 // from Low to High
	StartIn                    // its start is in Span, and it has one
	DueIn                      //
	CreatedIn                  //
	UpdatedIn                  //
	ClosedIn                   // it is closed, and was in Span
	HasAttachment              //
	HasChecklist               //
	HasComment                 //
	HasDescription             //
)

// Condition is a query whose names are ids.
type Condition struct {
	Test      Test
	Parts     []Condition
	Words     string
	Number    uint64
	IDs       []uint64
	Low, High uint8
	Span      Span
}

// IsZero reports whether every ticket meets the condition.
func (c Condition) IsZero() bool { return c.Test == All && len(c.Parts) == 0 }

// Required are the ids of a part with a test, such as AssigneeIn, that every ticket must meet; none if there is no such part,
// or it is met by any.
func (c Condition) Required(test Test) []uint64 {
	if c.Test == test {
		return c.IDs
	}
	if c.Test == All {
		for _, part := range c.Parts {
			if part.Test == test && len(part.IDs) > 0 {
				return part.IDs
			}
		}
	}
	return nil
}

// Resolve returns what a query means. It returns an Error for a name that is unknown.
func (q Query) Resolve(names Names) (Condition, error) {
	if q.Where == nil {
		return Condition{}, nil
	}
	return names.node(q.Where)
}

func (n Names) node(node Node) (Condition, error) {
	switch node := node.(type) {
	case And:
		return n.nodes(All, node)
	case Or:
		return n.nodes(AnyOf, node)
	case Not:
		return n.nodes(NoneOf, []Node{node.Node})
	}
	return n.term(node.(Term))
}

func (n Names) nodes(test Test, nodes []Node) (Condition, error) {
	c := Condition{Test: test}
	for _, node := range nodes {
		part, err := n.node(node)
		if err != nil {
			return c, err
		}
		c.Parts = append(c.Parts, part)
	}
	return c, nil
}

func not(c Condition) Condition { return Condition{Test: NoneOf, Parts: []Condition{c}} }

func (n Names) term(t Term) (Condition, error) {
	f := fields[t.Field]
	switch {
	case t.Field == Text:
		return n.words(t.Value), nil
	case t.Field == Priority:
		return t.priority(), nil
	case t.Value == None && slices.Contains(f.words, None):
		return not(Condition{Test: presence[t.Field]}), nil
	case t.Value == Any && slices.Contains(f.words, Any):
		return Condition{Test: presence[t.Field]}, nil
	case f.class == classDay:
		return Condition{Test: presence[t.Field], Span: t.span(n.Now)}, nil
	case f.class == classWord:
		return n.word(t), nil
	}
	return n.named(t)
}

// presence are the tests of fields that a ticket may have or not.
var presence = map[Field]Test{Assignee: AssigneeIn, Label: LabelIn, Parent: ParentIn, Start: StartIn, Due: DueIn,
	Created: CreatedIn, Updated: UpdatedIn, Closed: ClosedIn}

// words are part of a title, or the number or key of a ticket.
func (n Names) words(text string) Condition {
	title := Condition{Test: TitleHas, Words: text}
	ticket, ok := n.ticket(text)
	if !ok {
		return title
	}
	return Condition{Test: AnyOf, Parts: []Condition{title, ticket}}
}

// ticket is the condition for a number, 42 or #42, or for a key: of all boards, one of any that is known.
func (n Names) ticket(text string) (c Condition, ok bool) {
	if number, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 10, 63); err == nil {
		return Condition{Test: NumberIs, Number: number}, true
	}
	slug, number, ok := keyIn(text)
	numbered := Condition{Test: NumberIs, Number: number}
	if n.Slug != "" {
		return numbered, ok && slug == n.Slug
	}
	board, known := n.Boards[slug]
	return Condition{Test: All, Parts: []Condition{{Test: BoardIn, IDs: []uint64{uint64(board)}}, numbered}}, ok && known
}

// keyIn reads a text that looks like a key: its slug in upper case, and its number.
func keyIn(text string) (slug string, number uint64, ok bool) {
	slug, digits, ok := strings.Cut(strings.TrimPrefix(text, "#"), "-")
	number, err := strconv.ParseUint(digits, 10, 63)
	return strings.ToUpper(slug), number, ok && slug != "" && err == nil
}

func (t Term) priority() Condition {
	at := func(name string) uint8 { return uint8(slices.Index(Priorities, name)) }
	value, highest := at(t.Value), uint8(len(Priorities)-1)
	c := Condition{Test: PriorityIn, Low: value, High: value}
	switch t.Op {
	case Less, AtMost:
		c.Low = 0
	case More, AtLeast:
		c.High = highest
	case Range:
		c.High = at(t.To)
	}
	if t.Op == More {
		c.Low++
	}
	if t.Op == Less && value == 0 {
		return Condition{Test: AnyOf} // none is lower
	}
	if t.Op == Less {
		c.High--
	}
	return c
}

func (n Names) word(t Term) Condition {
	switch t.Value {
	case "open":
		return not(Condition{Test: IsClosed})
	case "closed", "done":
		return Condition{Test: IsClosed}
	case "blocked":
		return Condition{Test: IsBlocked}
	case "request":
		return Condition{Test: IsRequest}
	case "overdue":
		today := Term{Field: Due, Value: "today", Op: AtLeast}.span(n.Now).From
		return Condition{Test: IsOverdue, Span: Span{To: &Day{Date: today.Date, Begins: n.Now.UTC()}}}
	case "attachment":
		return Condition{Test: HasAttachment}
	case "checklist":
		return Condition{Test: HasChecklist}
	case "comment":
		return Condition{Test: HasComment}
	case "description":
		return Condition{Test: HasDescription}
	}
	return Condition{Test: presence[Field(t.Value)]} // has:due and the like
}

func (n Names) named(t Term) (Condition, error) {
	switch t.Field {
	case Assignee, Author:
		test := map[Field]Test{Assignee: AssigneeIn, Author: AuthorIn}[t.Field]
		if t.Value == Me {
			return Condition{Test: test, IDs: []uint64{uint64(n.Me)}}, nil
		}
		found, ok := n.Handles[handle(t.Value)]
		if !ok {
			return Condition{}, unknownName(t, "member", slices.Sorted(maps.Keys(n.Handles)))
		}
		return Condition{Test: test, IDs: []uint64{uint64(found)}}, nil
	case Label:
		return ids(t, "label", LabelIn, n.Labels, t.Value)
	case Column:
		return ids(t, "column", ColumnIn, n.Columns, t.Value)
	case Board:
		return one(t, "board", BoardIn, n.Boards, strings.ToUpper(t.Value))
	}
	return one(t, "ticket", ParentIn, n.Keys, strings.ToUpper(t.Value))
}

// ids returns the condition of a name that stands for several.
func ids[I ~uint64](t Term, what string, test Test, known map[string][]I, name string) (Condition, error) {
	c := Condition{Test: test}
	for _, one := range known[name] {
		c.IDs = append(c.IDs, uint64(one))
	}
	if len(c.IDs) == 0 {
		return c, unknownName(t, what, existing(known))
	}
	return c, nil
}

func one[I ~uint64](t Term, what string, test Test, known map[string]I, name string) (Condition, error) {
	found, ok := known[name]
	if !ok {
		return Condition{}, unknownName(t, what, slices.Sorted(maps.Keys(known)))
	}
	return Condition{Test: test, IDs: []uint64{uint64(found)}}, nil
}

// existing are the names that stand for something.
func existing[I ~uint64](known map[string][]I) (names []string) {
	for name, found := range known {
		if len(found) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
