package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// A relation stands in the payloads of both its rows, whatever row of the file names it: so the second of two that are
// written finds the first. Writers of one board are serialised by its columns; for two boards the lock of the company
// decides, which every block with relations takes.

// importRelation is a relation of a row to another: what that is to it, and its key in the file. Column names where it
// was read if the file has no row with the key; if no ticket has it either, it is kept below the description.
type importRelation struct {
	Kind   string `json:"kind"`
	Key    string `json:"key"`
	Column string `json:"column,omitempty"`
}

// relationColumns are the kinds of relations by the usual names of their columns, in lower case.
var relationColumns = map[string]tickets.RelationKind{
	"parent": tickets.Parent, "parent key": tickets.Parent, "parent id": tickets.Parent, "epic link": tickets.Parent,
	"custom field (epic link)": tickets.Parent, "child": tickets.Child, "children": tickets.Child,
	"blocks": tickets.Blocks, "outward issue link (blocks)": tickets.Blocks,
	"blocked by": tickets.BlockedBy, "depends on": tickets.BlockedBy, "inward issue link (blocks)": tickets.BlockedBy,
	"duplicates": tickets.Duplicates, "duplicate of": tickets.Duplicates,
	"outward issue link (duplicate)": tickets.Duplicates,
	"duplicated by":                  tickets.DuplicatedBy, "inward issue link (duplicate)": tickets.DuplicatedBy,
	"relates to": tickets.RelatesTo, "related to": tickets.RelatesTo,
}

// relationOf is the kind of relation that a column has by its name. Links of Jira that have none here relate.
func relationOf(column string) (kind tickets.RelationKind, ok bool) {
	name := strings.ToLower(strings.TrimSpace(column))
	if kind, ok = relationColumns[name]; ok {
		return kind, true
	}
	link := strings.HasPrefix(name, "outward issue link (") || strings.HasPrefix(name, "inward issue link (")
	return tickets.RelatesTo, link
}

// namedRelations reads the parameter: column = kind, one a line. It returns migrations.BadParam.
func namedRelations(value string) (map[string]tickets.RelationKind, error) {
	named := map[string]tickets.RelationKind{}
	if value == noColumn {
		return named, nil
	}
	for _, line := range listOf(value) {
		at := strings.LastIndex(line, "=")
		if at < 0 {
			return nil, migrations.BadParam("relations",
				fmt.Sprintf("“%s” names no kind of relation: write it as Depends on = blocked-by.", line))
		}
		kind, err := tickets.ParseRelationKind(strings.ToLower(strings.TrimSpace(line[at+1:])))
		if err != nil {
			return nil, migrations.BadParam("relations", fault.Message(err))
		}
		named[strings.TrimSpace(line[:at])] = kind
	}
	return named, nil
}

// mapRelations finds the columns of relations: those that the parameter names, or else those with usual names. It
// returns csvfile.BadFile and migrations.BadParam.
func (m *importMapping) mapRelations(value string) error {
	if value == "" {
		for at, column := range m.names {
			if kind, ok := relationOf(column); ok && !m.uses(at) {
				m.related = append(m.related, relatedColumn{at, kind})
			}
		}
		return nil
	}
	named, err := namedRelations(value)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		found := columnsNamed(m.names, name)
		if len(found) == 0 {
			return csvfile.BadFile(fmt.Sprintf("The file has no column “%s” for relations. It has: %s.", name,
				someNames(m.names)))
		}
		for _, at := range found {
			m.related = append(m.related, relatedColumn{at, named[name]})
		}
	}
	return nil
}

// relatedColumn is a column of keys, and what their rows are to a row.
type relatedColumn struct {
	at   int
	kind tickets.RelationKind
}

// uses reports whether a column has another use.
func (m *importMapping) uses(at int) bool {
	for _, used := range m.of {
		if slices.Contains(used, at) {
			return true
		}
	}
	return false
}

// changes returns the run if the relation changes a ticket that no row of the file is.
func (r importRelation) changes(run *tickets.Imported) *tickets.Imported {
	if r.Column == "" {
		return nil
	}
	return run
}

// maxRelated is how many relations of a file are read, for some 100 MB. Those beyond are kept below the descriptions.
const maxRelated = 500_000

// readRelations reads the relations of a whole file, for its rows name only what other rows are to them.
func (m *importMapping) readRelations(ctx context.Context, into migrations.Filler) error {
	if len(m.related) == 0 || len(m.of["key"]) == 0 {
		return nil
	}
	r := relationReader{mapping: m, keys: map[string]string{}, of: map[string][]importRelation{}}
	if m.jira {
		r.ids = columnsNamed(m.names, "Issue id")
	}
	if err := readRows(ctx, into, "", r.row); err != nil {
		return err
	}
	m.relations, m.relatedTo = r.mirrored(), r.last
	return nil
}

// relationReader collects the relations of a file.
type relationReader struct {
	mapping *importMapping
	ids     []int             // columns
	keys    map[string]string // of rows, by their key and their id
	of      map[string][]importRelation
	n       int
	last    uint64 // line whose relations were read
}

func (r *relationReader) row(row csvfile.Row) {
	key := rowKey(r.mapping.first(row.Fields, "key"))
	if key == "" || r.keys[key] != "" {
		return
	}
	if len(r.keys) < 2*maxImportKeys {
		r.keys[key] = key
		for _, at := range r.ids {
			r.keys[markup.Flat(row.Fields[at])] = key
		}
	}
	if r.n >= maxRelated {
		return
	}
	r.last = row.Line
	for _, c := range r.mapping.related {
		for _, other := range relatedKeys(row.Fields[c.at]) {
			one := importRelation{Kind: c.kind.String(), Key: other, Column: r.mapping.names[c.at]}
			r.of[key] = append(r.of[key], one)
			r.n++
		}
	}
}

// mirrored returns the relations with those that other rows name added to each.
func (r *relationReader) mirrored() map[string][]importRelation {
	all := make(map[string][]importRelation, len(r.of))
	add := func(key string, one importRelation) {
		had := func(other importRelation) bool { return other.Kind == one.Kind && other.Key == one.Key }
		if key != one.Key && len(all[key]) < tickets.MaxRelations && !slices.ContainsFunc(all[key], had) {
			all[key] = append(all[key], one)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.of)) {
		for _, one := range r.of[key] {
			other, inFile := r.keys[one.Key]
			if !inFile {
				add(key, one)
				continue
			}
			kind, _ := tickets.ParseRelationKind(one.Kind) // it was written by String
			add(key, importRelation{Kind: one.Kind, Key: other})
			add(other, importRelation{Kind: kind.Mirror().String(), Key: key})
		}
	}
	return all
}

// relatedKeys are the keys in a cell.
func relatedKeys(cell string) (keys []string) {
	for text := range strings.FieldsFuncSeq(cell, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		if key := rowKey(text); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// rowKey is a key as rows have it.
func rowKey(text string) string {
	text = markup.Flat(text)
	if parsed, err := tickets.ParseKey(text); err == nil {
		return parsed.String()
	}
	return text
}

// relate sets the relations of a row on a line. Those that were not read are kept.
func (m importMapping) relate(row *importRow, fields []string, line uint64) {
	row.Relations = m.relations[row.Key]
	if row.Key != "" && line <= m.relatedTo {
		return
	}
	for _, c := range m.related {
		for _, key := range relatedKeys(fields[c.at]) {
			row.keep(kinds.Truncate(markup.Flat(m.names[c.at]), 100), key)
		}
	}
}

// originsOf are the keys of rows and of what they are related to.
func originsOf(rows []importRow) (keys []string) {
	for _, row := range rows {
		if row.Key != "" {
			keys = append(keys, row.Key)
		}
		keys = append(keys, row.otherKeys()...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (row importRow) otherKeys() (keys []string) {
	for _, one := range row.Relations {
		keys = append(keys, one.Key)
	}
	return keys
}

// keepUnknown keeps the relations to what is neither in the file nor a ticket here, and returns a note about each.
func (row *importRow) keepUnknown(there map[string]tickets.Origin) (notes []string) {
	for _, one := range row.Relations {
		if _, ok := there[one.Key]; !ok && one.Column != "" {
			row.keep(kinds.Truncate(markup.Flat(one.Column), 100), one.Key)
			notes = append(notes, fmt.Sprintf("%s is neither here nor in the file, and no %s",
				kinds.Truncate(one.Key, 40), strings.ReplaceAll(one.Kind, "-", " ")))
		}
	}
	return notes
}

// relatives are the tickets that rows are related to, by the keys that they had.
type relatives map[string]tickets.Ticket

// lockRelatives locks the tickets that were there already, in the order of their ids, then the company: no other import
// relates anything until this one ends. It leaves out those that the import's author may not change. It returns
// boards.ErrOutdated if another import has opened some since there was read.
func (p *importPlan) lockRelatives(
	ctx context.Context, tx *db.Tx, arrivals []*arrival, there map[string]tickets.Origin,
) (relatives, error) {
	var keys []string
	for _, a := range arrivals {
		keys = append(keys, a.row.otherKeys()...)
	}
	if len(keys) == 0 {
		return nil, nil
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	found, err := p.lockKnown(ctx, tx, keys, there)
	if err != nil {
		return nil, err
	}
	if err := accounts.LockMembers(ctx, tx, p.company.ID); err != nil {
		return nil, err
	}
	now, err := tickets.ByOrigins(ctx, tx.Queries, p.company.ID, keys)
	if err != nil {
		return nil, err
	}
	for key := range now {
		if _, ok := there[key]; !ok {
			return nil, boards.ErrOutdated
		}
	}
	return found, nil
}

// lockKnown locks the tickets among some that were there, and leaves out those that the import's author may not change.
func (p *importPlan) lockKnown(
	ctx context.Context, tx *db.Tx, keys []string, there map[string]tickets.Origin,
) (relatives, error) {
	known := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return there[key].ID == 0 || there[key].Deleted })
	slices.SortFunc(known, func(a, b string) int { return cmp.Compare(there[a].ID, there[b].ID) })
	found, actor := relatives{}, p.actor()
	for _, key := range known {
		ticket, err := tickets.ByID(ctx, tx.Queries, actor.Sight(), there[key].ID)
		if err == nil && access.On(actor, ticket.Grant) < access.Write {
			continue
		}
		if err == nil {
			ticket, err = tickets.Lock(ctx, tx, ticket)
		}
		if errors.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found[key] = ticket
	}
	return found, p.leaveArchived(ctx, tx, found)
}

// leaveArchived removes the tickets of archived boards.
func (p *importPlan) leaveArchived(ctx context.Context, tx *db.Tx, found relatives) error {
	archived := map[id.Board]bool{}
	for _, ticket := range found {
		archived[ticket.Board] = false
	}
	for _, board := range slices.Sorted(maps.Keys(archived)) {
		err := boards.Live(ctx, tx, board)
		if archived[board] = errors.Is(err, boards.CodeArchived); err != nil && !archived[board] {
			return err
		}
	}
	maps.DeleteFunc(found, func(_ string, ticket tickets.Ticket) bool { return archived[ticket.Board] })
	return nil
}

// relate relates opened tickets to each other and to those of before, whose histories say so, and notes what cannot be.
func (p *importPlan) relate(
	ctx context.Context, tx *db.Tx, arrivals []*arrival, opened []tickets.Ticket, others relatives,
) error {
	if others == nil {
		return nil
	}
	for i, a := range arrivals {
		if a.row.Key != "" {
			others[a.row.Key] = opened[i]
		}
	}
	for i, a := range arrivals {
		for _, one := range a.row.Relations {
			other, ok := others[one.Key]
			if !ok {
				continue
			}
			kind, err := tickets.ParseRelationKind(one.Kind)
			if err == nil {
				err = tickets.ImportRelation(ctx, tx, opened[i], kind, other, a.rest.By, one.changes(p.mark))
			}
			if kind := fault.KindOf(err); err != nil && kind != fault.Conflict && kind != fault.Invalid {
				return err
			}
			if err != nil {
				a.notes = append(a.notes, "without the relation to "+one.Key+": "+strings.TrimSuffix(fault.Message(err), "."))
			}
		}
	}
	return nil
}
