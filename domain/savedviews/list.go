package savedviews

import (
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/query"
)

// ListFields are the fields of a ticket that a list can show beside its key and title.
var ListFields = []query.Field{query.Column, query.Assignee, query.Label, query.Priority, query.Due, query.Updated,
	query.Status, query.Start, query.Created, query.Closed}

// usualFields are shown unless others are chosen.
var usualFields = ListFields[:6]

// noFields is the text for a list of keys and titles alone.
const noFields = "none"

// ParseFields returns the fields of a list that a text names, such as "due,label", in its order; the usual ones if it is
// "". Others, and repeated ones, are left out.
func ParseFields(text string) []query.Field {
	if text == "" {
		return slices.Clone(usualFields)
	}
	var list []query.Field
	for name := range strings.SplitSeq(text, ",") {
		field := query.Field(strings.TrimSpace(name))
		if slices.Contains(ListFields, field) && !slices.Contains(list, field) {
			list = append(list, field)
		}
	}
	return list
}

// FieldsText returns the text that ParseFields reads: "" for the usual fields.
func FieldsText(list []query.Field) string {
	if slices.Equal(list, usualFields) {
		return ""
	}
	if len(list) == 0 {
		return noFields
	}
	names := make([]string, len(list))
	for i, field := range list {
		names[i] = string(field)
	}
	return strings.Join(names, ",")
}

// Groups are the fields that a list can group its tickets by, and that can be the columns of a board of all tickets.
var Groups = []query.Field{query.Status, query.Column, query.Assignee, query.Label, query.Priority, query.Due}

// ParseGroup returns the field that a text names to group a list by, "" for none.
func ParseGroup(text string) query.Field {
	if group := query.Field(text); slices.Contains(Groups, group) {
		return group
	}
	return ""
}

// OrderOfGroups is the order in which groups by a field follow each other from page to page. It is the zero Sort if that is
// the order of the board.
func OrderOfGroups(group query.Field) query.Sort {
	switch group {
	case query.Priority:
		return query.Sort{By: query.Priority, Descending: true}
	case query.Due:
		return query.Sort{By: query.Due}
	}
	return query.Sort{}
}
