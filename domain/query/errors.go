package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// Error says what is wrong with a query and where: At and Length are in characters. It unwraps to a fault.Error.
type Error struct {
	At, Length int
	// Instead is what could stand there, "" if nothing is near.
	Instead string
	fault   fault.Error
}

func (e Error) Error() string { return e.fault.Message }

// Unwrap returns the fault.Error.
func (e Error) Unwrap() error { return e.fault }

// Problem returns err if an Error is within it, nil for other errors.
func Problem(err error) error {
	if errors.As(err, new(Error)) {
		return err
	}
	return nil
}

// CodeSyntax: brackets, quotes or connectives of a query do not fit. The position says where.
const CodeSyntax fault.Code = "Query.Syntax"

func badSyntax(at, length int, message string) error {
	return Error{At: at, Length: length, fault: fault.Invalid.New(CodeSyntax, "q", message)}
}

// CodeTooLong: a query is too long. Shorten it to 500 characters and 20 conditions.
const CodeTooLong fault.Code = "Query.TooLong"

func tooLong(n int) error {
	return Error{At: MaxLength, Length: n - MaxLength, fault: fault.Invalid.New(CodeTooLong, "q",
		fmt.Sprintf("The query has %d characters; it may have %d. Shorten it.", n, MaxLength))}
}

func tooManyTerms(at int) error {
	return Error{At: at, Length: 1, fault: fault.Invalid.New(CodeTooLong, "q",
		fmt.Sprintf("The query has more than %d conditions. Remove some.", MaxTerms))}
}

// CodeUnknownField: a query names a field that there is not. Choose one of those in the message, or put the words into
// quotes.
const CodeUnknownField fault.Code = "Query.UnknownField"

func unknownField(at int, name string) error {
	var names []string
	for known := range fields {
		names = append(names, string(known))
	}
	slices.Sort(names)
	instead := nearest(strings.ToLower(name), names)
	message := fmt.Sprintf("There is no field “%.40s”.%s To search for the words, put them into quotes.", name, didYouMean(instead))
	return Error{At: at, Length: len([]rune(name)), Instead: instead,
		fault: fault.Invalid.New(CodeUnknownField, "q", message)}
}

// CodeBadValue: a field of a query cannot have a value. Choose one of those in the message.
const CodeBadValue fault.Code = "Query.BadValue"

func badValue(t Term, words []string) error {
	text := t.Value
	if t.Op == Range {
		text += string(Range) + t.To
	}
	return Error{At: t.at, Length: t.length,
		Instead: nearest(strings.ToLower(text), words),
		fault: fault.Invalid.New(CodeBadValue, "q",
			fmt.Sprintf("“%s” cannot be “%.40s”. It can be %s.", t.Field, text, strings.Join(words, ", ")))}
}

// WithoutReader returns an error for what has no meaning where nobody reads: an order, or the first term that is about the
// reader.
func (q Query) WithoutReader() error {
	if q.Sort != (Sort{}) {
		text := string(sortField) + ":" + q.Sort.String()
		return Error{Length: len(text), fault: fault.Invalid.New(CodeBadValue, "q",
			fmt.Sprintf("“%s” has no meaning here, where nothing is in an order. Remove it.", text))}
	}
	for _, t := range q.Terms() {
		if t.Value == Me && slices.Contains(fields[t.Field].words, Me) {
			return Error{At: t.at, Length: t.length, fault: fault.Invalid.New(CodeBadValue, "q",
				fmt.Sprintf("“%s:me” has no meaning here, where nobody reads. Name the member, such as %s:jo.", t.Field, t.Field))}
		}
	}
	return nil
}

func noValue(t Term) error {
	words := fields[t.Field].words
	message := fmt.Sprintf("“%s:” needs a value right behind it.", t.Field)
	if len(words) > 0 {
		message += " Such as " + strings.Join(words, ", ") + "."
	}
	return Error{At: t.at, Length: t.length, fault: fault.Invalid.New(CodeBadValue, "q", message)}
}

// CodeUnknownName: a query names a person, a label, a board, a column or a ticket that there is not, or not for the
// caller. Correct the name.
const CodeUnknownName fault.Code = "Query.UnknownName"

func unknownName(t Term, what string, known []string) error {
	instead := nearest(t.Value, known)
	return Error{At: t.at, Length: t.length, Instead: instead,
		fault: fault.Invalid.New(CodeUnknownName, "q",
			fmt.Sprintf("There is no %s “%.80s” here.%s", what, t.Value, didYouMean(instead)))}
}

func didYouMean(instead string) string {
	if instead == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean “%s”?", instead)
}

// nearest returns the word with the fewest changes from another, "" if none is near.
func nearest(word string, words []string) (found string) {
	fewest := max(2, len([]rune(word))/3) + 1
	for _, other := range words {
		if n := changes([]rune(strings.ToLower(word)), []rune(strings.ToLower(other))); n < fewest {
			fewest, found = n, other
		}
	}
	return found
}

// changes returns how many letters must be added, removed, replaced or swapped with the next one to make one word of
// another.
func changes(from, to []rune) int {
	rows := make([][]int, len(from)+1) // by how much of each word was read
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range to {
		rows[0][j+1] = j + 1
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			replaced := rows[i-1][j-1]
			if from[i-1] != to[j-1] {
				replaced++
			}
			rows[i][j] = min(replaced, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}
