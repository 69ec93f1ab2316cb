package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Parse reads a query. It returns an Error.
func Parse(text string) (Query, error) {
	p := parser{text: []rune(text)}
	if len(p.text) > MaxLength {
		return Query{}, tooLong(len(p.text))
	}
	where, err := p.anyOf(0)
	if err == nil && p.at < len(p.text) { // only a bracket ends it early
		err = badSyntax(p.at, 1, "This bracket closes none. Remove it, or put it into quotes.")
	}
	if err != nil {
		return Query{}, err
	}
	return Query{Where: where, Sort: p.sort}, nil
}

type parser struct {
	text  []rune
	at    int
	terms int
	sort  Sort
}

// rest returns what is left, after spaces.
func (p *parser) rest() []rune {
	for p.at < len(p.text) && unicode.IsSpace(p.text[p.at]) {
		p.at++
	}
	return p.text[p.at:]
}

// word returns the word that is next, up to a space or a bracket.
func (p *parser) word() string {
	rest := p.rest()
	if end := slices.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == '(' || r == ')' }); end >= 0 {
		rest = rest[:end]
	}
	return string(rest)
}

func isOr(word string) bool         { return strings.EqualFold(word, "or") }
func isAnd(word string) bool        { return strings.EqualFold(word, "and") }
func isConnective(word string) bool { return isOr(word) || isAnd(word) }

func isFlag(word string) bool { return slices.Contains(flags, strings.ToLower(word)) }

// anyOf reads alternatives, up to a closing bracket or the end.
func (p *parser) anyOf(depth int) (Node, error) {
	if depth > MaxTerms {
		return nil, badSyntax(p.at-1, 1, fmt.Sprintf("There are more than %d brackets within each other. Remove some.", MaxTerms))
	}
	var parts []Node
	for {
		if word := p.word(); isOr(word) {
			return nil, badSyntax(p.at, len(word), "“or” needs a condition before and after it. To search for the word, put it into quotes.")
		}
		part, err := p.allOf(depth)
		if err != nil {
			return nil, err
		}
		if part != nil {
			parts = append(parts, part)
		}
		word := p.word()
		if !isOr(word) {
			break
		}
		at := p.at
		p.at += len(word)
		if next := p.rest(); len(next) == 0 || next[0] == ')' || part == nil {
			return nil, badSyntax(at, len(word), "“or” needs a condition before and after it. To search for the word, put it into quotes.")
		}
	}
	if len(parts) < 2 {
		return join(parts), nil
	}
	var flat Or
	for _, part := range parts {
		if inner, ok := part.(Or); ok {
			flat = append(flat, inner...)
		} else {
			flat = append(flat, part)
		}
	}
	return flat, nil
}

// allOf reads conditions that must all hold.
func (p *parser) allOf(depth int) (Node, error) {
	var parts []Node
	for {
		rest, word := p.rest(), p.word()
		switch {
		case len(rest) == 0 || rest[0] == ')' || isOr(word):
			return join(parts), nil
		case isAnd(word):
			p.at += len(word)
			continue
		}
		part, err := p.one(depth)
		if err != nil {
			return nil, err
		}
		if inner, ok := part.(And); ok {
			parts = append(parts, inner...)
		} else if part != nil {
			parts = append(parts, part)
		}
	}
}

// one reads a condition; nil for an empty bracket and for a sort.
func (p *parser) one(depth int) (Node, error) {
	start := p.at
	switch rest := p.rest(); rest[0] {
	case '-':
		p.at++
		if len(rest) == 1 || unicode.IsSpace(rest[1]) || rest[1] == ')' {
			return nil, badSyntax(start, 1, "“-” needs a condition right behind it. To search for it, put it into quotes.")
		}
		if depth > MaxTerms {
			return nil, badSyntax(start, 1, "There are too many “-” before each other. Remove some.")
		}
		part, err := p.one(depth + 1)
		if err != nil || part == nil {
			return nil, err
		}
		if inner, ok := part.(Not); ok {
			return inner.Node, nil
		}
		return Not{part}, nil
	case '(':
		p.at++
		part, err := p.anyOf(depth + 1)
		if err != nil {
			return nil, err
		}
		if p.at == len(p.text) {
			return nil, badSyntax(start, 1, "This bracket is not closed. Add a closing one, or put it into quotes.")
		}
		p.at++
		return part, nil
	}
	return p.term()
}

// fieldName returns the field that a text begins with, and how long its name is. isField is false for text such as
// 12:30 or https://…; the field is "" for one that there is not.
func fieldName(text []rune) (name Field, length int, isField bool) {
	length = slices.Index(text, ':')
	if length < 1 || slices.ContainsFunc(text[:length], func(r rune) bool { return !unicode.IsLetter(r) }) ||
		strings.HasPrefix(string(text[length:]), "://") {
		return "", 0, false
	}
	word := strings.ToLower(string(text[:length]))
	if other, ok := otherNames[word]; ok {
		return other, length, true
	}
	if _, ok := fields[Field(word)]; ok || Field(word) == sortField {
		return Field(word), length, true
	}
	return "", length, true
}

// term reads a condition with a field, a text or a flag.
func (p *parser) term() (Node, error) {
	if p.terms++; p.terms > MaxTerms {
		return nil, tooManyTerms(p.at)
	}
	rest := p.rest()
	t := Term{at: p.at}
	name, length, isField := fieldName(rest)
	if isField && name == "" {
		return nil, unknownField(p.at, string(rest[:length]))
	}
	if isField {
		p.at += length + 1
		t.Field = name
	}
	if fields[t.Field].class >= classLevel {
		t.Op = p.op()
	}
	wasQuoted := p.at < len(p.text) && p.text[p.at] == '"'
	value, err := p.value(t)
	if err != nil {
		return nil, err
	}
	t.Value, t.length = value, p.at-t.at
	switch {
	case t.Field == sortField:
		p.terms--
		return nil, p.sorted(t)
	case t.Field == Text && !wasQuoted && isFlag(t.Value):
		t.Field, t.Value = Is, strings.ToLower(t.Value)
	}
	return t.checked()
}

func (p *parser) op() Op {
	for _, op := range []Op{AtMost, AtLeast, Less, More, "="} {
		if strings.HasPrefix(string(p.text[p.at:min(p.at+2, len(p.text))]), string(op)) {
			p.at += len(op)
			if op == "=" {
				return Equal
			}
			return op
		}
	}
	return Equal
}

// value reads a value: in quotes, or up to a space or the end of a bracket.
func (p *parser) value(t Term) (string, error) {
	rest := p.text[p.at:]
	if len(rest) > 0 && rest[0] == '"' {
		return p.quoted()
	}
	open := 0
	end := slices.IndexFunc(rest, func(r rune) bool {
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
		return unicode.IsSpace(r) || open < 0
	})
	if end < 0 {
		end = len(rest)
	}
	p.at += end
	text := string(rest[:end])
	if open > 0 && strings.Count(text, "(") > strings.Count(text, ")") {
		return "", badSyntax(t.at, p.at-t.at, "A bracket within a word is not closed. Put the word into quotes.")
	}
	if text == "" {
		t.length = p.at - t.at
		return "", noValue(t)
	}
	return text, nil
}

func (p *parser) quoted() (string, error) {
	start := p.at
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch r := p.text[p.at]; {
		case r == '"':
			p.at++
			text := strings.Join(strings.Fields(b.String()), " ")
			if text == "" {
				return "", badSyntax(start, p.at-start, "There is nothing between these quotes. Type what to look for.")
			}
			return text, nil
		case r == '\\' && p.at+1 < len(p.text):
			p.at++
			b.WriteRune(p.text[p.at])
		default:
			b.WriteRune(r)
		}
	}
	return "", badSyntax(start, len(p.text)-start, "This quote is not closed. Add a closing one.")
}

// sorted sets the order.
func (p *parser) sorted(t Term) error {
	by, descending := strings.CutPrefix(strings.ToLower(t.Value), "-")
	if !fields[Field(by)].sorted || by == "" {
		return badValue(t, sortedFields())
	}
	if p.sort != (Sort{}) {
		return badSyntax(t.at, t.length, "Only one “sort” is possible. Remove the other.")
	}
	p.sort = Sort{Field(by), descending}
	return nil
}

func sortedFields() (names []string) {
	for name, f := range fields {
		if f.sorted {
			names = append(names, string(name))
		}
	}
	slices.Sort(names)
	return names
}

// checked returns a term whose value is one of its field.
func (t Term) checked() (Node, error) {
	f := fields[t.Field]
	low := strings.ToLower(t.Value)
	if slices.Contains(f.words, low) && f.class != classText {
		t.Value = low
	}
	switch f.class {
	case classWord:
		if !slices.Contains(f.words, low) {
			return nil, badValue(t, f.words)
		}
	case classLevel:
		return t.ordered(func(text string) bool { return slices.Contains(f.words, text) }, f.words)
	case classDay:
		if slices.Contains(f.words, low) && t.Op == Equal {
			return t, nil
		}
		return t.ordered(isDay, []string{"today", "2026-12-04", "7d", "2w", "3m", "1y"})
	}
	return t, nil
}

// ordered reads a value, or a range of two.
func (t Term) ordered(valid func(string) bool, examples []string) (Node, error) {
	t.Value = strings.ToLower(t.Value)
	if from, to, ok := strings.Cut(t.Value, string(Range)); ok && t.Op == Equal {
		t.Op, t.Value, t.To = Range, from, to
		if !valid(to) {
			return nil, badValue(t, examples)
		}
	}
	if !valid(t.Value) {
		return nil, badValue(t, examples)
	}
	return t, nil
}
