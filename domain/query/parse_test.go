package query_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/query"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"   ":                        "",
		"()":                         "",
		"paint the door":             "paint the door",
		`"paint  the door"`:          `"paint the door"`,
		"assignee:me label:bug":      "assignee:me label:bug",
		"WHO:@Ben State:OPEN":        "assignee:@Ben status:open",
		"-status:done":               "-status:done",
		"--paint":                    "paint",
		"a or b c":                   "a or (b c)",
		"(a or b) c":                 "(a or b) c",
		"a OR (b or c)":              "a or b or c",
		"a and (b and c)":            "a b c",
		"-(a or b)":                  "-(a or b)",
		"-(a b)":                     "-(a b)",
		"((a))":                      "a",
		"due:<7d":                    "due:<7d",
		"due:=today":                 "due:today",
		"due:2026-12-01..2026-12-24": "due:2026-12-01..2026-12-24",
		"updated:<30D":               "updated:<30d",
		"priority:>=High":            "priority:>=high",
		"priority:low..high":         "priority:low..high",
		"blocked":                    "is:blocked",
		`"blocked"`:                  `"blocked"`,
		`label:"big idea"`:           `label:"big idea"`,
		`label:"say \"hi\" \\ now"`:  `label:"say \"hi\" \\ now"`,
		"sort:-due paint":            "paint sort:-due",
		"10:30 https://example.com":  "10:30 https://example.com",
		"foo(bar) baz":               `"foo(bar)" baz`,
		"NINJA-42":                   "NINJA-42",
		"漢字 עברית":                   "漢字 עברית",
		`"or"`:                       `"or"`,
		"label:or":                   "label:or",
		"due:none":                   "due:none",
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := q.String(); got != want {
			t.Errorf("%q is written as %q, not %q", text, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		at, length int
		code       fault.Code
		instead    string
	}{
		"paint asignee:me":       {6, 7, query.CodeUnknownField, "assignee"},
		"foo:bar":                {0, 3, query.CodeUnknownField, ""},
		"é prority:high":         {2, 7, query.CodeUnknownField, "priority"},
		"status:opne":            {0, 11, query.CodeBadValue, "open"},
		"priority:>=hihg":        {0, 15, query.CodeBadValue, "high"},
		"due:<soon":              {0, 9, query.CodeBadValue, ""},
		"due:2026-02-30":         {0, 14, query.CodeBadValue, "2026-12-04"},
		"due:9999y":              {0, 9, query.CodeBadValue, ""},
		"due:today..":            {0, 11, query.CodeBadValue, "today"},
		"due:<none":              {0, 9, query.CodeBadValue, ""},
		"label:":                 {0, 6, query.CodeBadValue, ""},
		"label: bug":             {0, 6, query.CodeBadValue, ""},
		"x prio:":                {2, 5, query.CodeBadValue, ""},
		`is:"opne"`:              {0, 9, query.CodeBadValue, "open"},
		strings.Repeat("(", 21):  {20, 1, query.CodeSyntax, ""},
		"sort:colour":            {0, 11, query.CodeBadValue, ""},
		"sort:due sort:updated":  {9, 12, query.CodeSyntax, ""},
		`a "b`:                   {2, 2, query.CodeSyntax, ""},
		`""`:                     {0, 2, query.CodeSyntax, ""},
		"(a":                     {0, 1, query.CodeSyntax, ""},
		"a)":                     {1, 1, query.CodeSyntax, ""},
		"or a":                   {0, 2, query.CodeSyntax, ""},
		"a or":                   {2, 2, query.CodeSyntax, ""},
		"a or or b":              {5, 2, query.CodeSyntax, ""},
		"a - b":                  {2, 1, query.CodeSyntax, ""},
		"foo(bar":                {0, 7, query.CodeSyntax, ""},
		strings.Repeat("x", 501): {500, 1, query.CodeTooLong, ""},
		strings.Repeat("x ", 21): {40, 1, query.CodeTooLong, ""},
		strings.Repeat("(", 100): {20, 1, query.CodeSyntax, ""},
		strings.Repeat("-", 100): {21, 1, query.CodeSyntax, ""},
	} {
		_, err := query.Parse(text)
		var e query.Error
		if !errors.As(err, &e) || !errors.Is(err, want.code) || !errors.Is(err, fault.Invalid) || fault.Field(err) != "q" {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		if e.At != want.at || e.Length != want.length || e.Instead != want.instead {
			t.Errorf("%.40q: at %d, %d characters, %q instead: %v", text, e.At, e.Length, e.Instead, err)
		}
	}
}

// placeless returns a node whose terms do not say where they stood.
func placeless(n query.Node) query.Node {
	switch n := n.(type) {
	case query.And:
		for i := range n {
			n[i] = placeless(n[i])
		}
	case query.Or:
		for i := range n {
			n[i] = placeless(n[i])
		}
	case query.Not:
		return query.Not{Node: placeless(n.Node)}
	case query.Term:
		return query.Term{Field: n.Field, Op: n.Op, Value: n.Value, To: n.To}
	}
	return n
}

// again fails unless the text of a query is read as the same query.
func again(t *testing.T, q query.Query) {
	t.Helper()
	text := q.String()
	got, err := query.Parse(text)
	if err != nil {
		if len([]rune(text)) > query.MaxLength { // quotes made it longer
			return
		}
		t.Fatalf("%q: %v", text, err)
	}
	if got.Where, q.Where = placeless(got.Where), placeless(q.Where); !reflect.DeepEqual(got, q) {
		t.Fatalf("%q is read as %#v, not %#v", text, got, q)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a or (b -c)", `label:"x y" due:<7d`, "sort:-due", "((", `"\`, "a..b", "-(-a)", "or", "priority:low..high",
		"due:>=2026-12-01 -blocked", "x:y", "é:1", "foo(bar)", "and", "is:open) (", "\u00a0", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := query.Parse(text)
		var e query.Error
		if err != nil {
			if !errors.As(err, &e) || e.At < 0 || e.Length < 1 || e.At+e.Length > len([]rune(text)) || err.Error() == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		again(t, q)
	})
}

// maker makes random queries.
type maker struct{ *rand.Rand }

func (m maker) pick(list ...string) string { return list[m.IntN(len(list))] }

func (m maker) term() query.Node {
	name := m.pick("bug", "big idea", "me", "none", `a"b\`, "-x", "<y", "or", "漢字", "a)(b", "é", "a:b", "blocked", "sort:due", "x..y")
	day := m.pick("today", "7d", "-2w", "3m", "2026-12-01")
	priority := m.pick(query.Priorities...)
	op := query.Op(m.pick("", "<", "<=", ">", ">="))
	switch m.IntN(8) {
	case 0:
		return query.Term{Field: query.Field(m.pick("assignee", "author", "label", "board", "column", "parent")), Value: name}
	case 1:
		return query.Term{Field: query.Status, Value: m.pick("open", "closed", "done")}
	case 2:
		return query.Term{Field: query.Is, Value: m.pick("blocked", "overdue", "request")}
	case 3:
		return query.Term{Field: query.Priority, Op: op, Value: priority}
	case 4:
		return query.Term{Field: query.Field(m.pick("due", "start", "created", "updated", "closed")), Op: op, Value: day}
	case 5:
		return query.Term{Field: query.Due, Op: query.Range, Value: day, To: m.pick("tomorrow", "4w")}
	case 6:
		return query.Term{Field: query.Has, Value: m.pick("due", "label", "attachment")}
	}
	return query.Term{Value: name}
}

// node returns a node without what Parse would write otherwise: an And in an And, or a Not of a Not.
func (m maker) node(depth int, within query.Node) query.Node {
	n := m.IntN(6)
	parts := func(of query.Node) (list []query.Node) {
		for range 2 + m.IntN(2) {
			list = append(list, m.node(depth+1, of))
		}
		return list
	}
	_, inAnd := within.(query.And)
	_, inOr := within.(query.Or)
	_, inNot := within.(query.Not)
	switch {
	case depth > 2:
	case n == 0 && !inAnd:
		return query.And(parts(query.And{}))
	case n == 1 && !inOr:
		return query.Or(parts(query.Or{}))
	case n == 2 && !inNot:
		return query.Not{Node: m.node(depth+1, query.Not{})}
	}
	return m.term()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	m := maker{rand.New(rand.NewPCG(seed, 0))}
	for range 20_000 {
		q := query.Query{Where: m.node(0, nil)}
		if len(q.Terms()) > query.MaxTerms {
			continue
		}
		if m.IntN(2) == 0 {
			q.Sort = query.Sort{By: query.Due, Descending: m.IntN(2) == 0}
		}
		again(t, q)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	q := domaintest.OK(query.Parse("assignee:me (a or b) -blocked sort:due"))(t)
	var texts []string
	for _, n := range q.Parts() {
		texts = append(texts, query.NodeText(n))
	}
	if want := []string{"assignee:me", "a or b", "-is:blocked"}; !reflect.DeepEqual(texts, want) {
		t.Errorf("got %q", texts)
	}
	if got := q.Without(1).String(); got != "assignee:me -is:blocked sort:due" {
		t.Error(got)
	}
	if got := q.Without(0).Without(1).String(); got != "(a or b) sort:due" && got != "a or b sort:due" {
		t.Error(got)
	}
	if got := (query.Query{}).With(query.Term{Field: query.Label, Value: "bug"}).With(query.Term{Value: "x"}).Without(0).String(); got != "x" {
		t.Error(got)
	}
}
