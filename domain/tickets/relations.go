package tickets

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// RelationKind says what another ticket is to a ticket.
type RelationKind uint8

// The kinds of relations, in the order in which pages list them.
const (
	Parent       RelationKind = iota + 1 // the other is its parent
	Child                                // the other is a child of it
	BlockedBy                            // the other blocks it
	Blocks                               // it blocks the other
	Duplicates                           // it is a duplicate of the other
	DuplicatedBy                         // the other is a duplicate of it
	RelatesTo
)

// RelationKinds are all kinds.
var RelationKinds = []RelationKind{Parent, Child, BlockedBy, Blocks, Duplicates, DuplicatedBy, RelatesTo}

var relationNames = []string{"", "parent", "child", "blocked-by", "blocks", "duplicates", "duplicated-by", "relates-to"}

// String returns parent, child, blocked-by, blocks, duplicates, duplicated-by or relates-to.
func (k RelationKind) String() string { return relationNames[k] }

// mirrored are the kinds as the other ticket has them.
var mirrored = []RelationKind{0, Child, Parent, Blocks, BlockedBy, DuplicatedBy, Duplicates, RelatesTo}

// Mirror is the kind of the same relation as the other ticket has it.
func (k RelationKind) Mirror() RelationKind { return mirrored[k] }

// ParseRelationKind reads what String returns. It returns BadRelation.
func ParseRelationKind(text string) (RelationKind, error) {
	n := slices.Index(relationNames, text)
	if n < 1 {
		return 0, fault.Invalid.New(CodeBadRelation, "kind", fmt.Sprintf(
			"“%.40s” is no kind of relation. Choose parent, child, blocked-by, blocks, duplicates, duplicated-by or relates-to.", text))
	}
	return RelationKind(n), nil
}

// Limits of relations.
const (
	MaxRelations = 200 // of a ticket
	MaxLevels    = 5   // of tickets from a parent without one down to the last child

	mostVisited = 10_000 // tickets that a look for a cycle goes through
)

// Relation is another ticket and what it is to a ticket.
type Relation struct {
	Kind   RelationKind
	Ticket ID
	Key    Key
	Title  string
	Closed bool
}

// Parent returns the parent of a ticket, of those that its relations have; ok is false if there is none.
func (t Ticket) Parent() (parent Relation, ok bool) {
	at := slices.IndexFunc(t.Relations, func(r Relation) bool { return r.Kind == Parent })
	if at < 0 {
		return parent, false
	}
	return t.Relations[at], true
}

// RelationChange is a relation that was added or removed.
type RelationChange struct {
	Kind    string `json:"kind"`
	Ticket  ID     `json:"ticket"` // the other one
	Key     Key    `json:"key"`    // that it had then
	Removed bool   `json:"removed,omitempty"`
	// Mirror says that the change was made to the other ticket: its history has the entry that can be undone, if any can.
	Mirror bool `json:"mirror,omitempty"`
}

// RelationsOf returns the relations of many tickets to tickets in sight that are not deleted, in one query, each
// ticket's in their order.
func RelationsOf(ctx context.Context, q *db.Queries, by db.Sight, tickets []ID) (map[ID][]Relation, error) {
	if len(tickets) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.RelationsOfTickets(ctx, db.RelationsOfTicketsParams{Reader: by.Reader, Webhook: by.Webhook,
		Tickets: tickets, CompanyID: by.Company, Reach: by.Reach}))
	if err != nil {
		return nil, fmt.Errorf("read relations: %w", err)
	}
	found := map[ID][]Relation{}
	for _, row := range rows {
		found[row.TicketID] = append(found[row.TicketID], Relation{Kind: RelationKind(row.Kind), Ticket: row.OtherID,
			Key: Key{Board: row.BoardSlug, Number: row.LocalID}, Title: row.Title, Closed: row.ClosedAt != nil})
	}
	for _, list := range found {
		sortRelations(list)
	}
	return found, nil
}

// relationsFromJSON reads the list that TicketByKey has.
func relationsFromJSON(text string) (list []Relation, err error) {
	var rows []struct {
		Kind   RelationKind
		ID     ID
		Board  string
		Number uint64
		Title  string
		Closed int
	}
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		return nil, fmt.Errorf("read relations: %w", err)
	}
	for _, row := range rows {
		list = append(list, Relation{Kind: row.Kind, Ticket: row.ID, Key: Key{Board: row.Board, Number: row.Number},
			Title: row.Title, Closed: row.Closed != 0})
	}
	sortRelations(list)
	return list, nil
}

func sortRelations(list []Relation) {
	slices.SortFunc(list, func(a, b Relation) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key.Board, b.Key.Board), cmp.Compare(a.Key.Number, b.Key.Number))
	})
}

// Relate adds a relation of a ticket to another that is not there yet, and records it in both histories. The caller
// holds the locks of both, and for a parent, a child or a blocker that of the company, which keeps two from closing a
// cycle at once. detail is what else the history says. entry is that of the ticket. It returns HasParent, RelationCycle,
// TooManyLevels, TooManyRelations or TooManyRelated.
func Relate(
	ctx context.Context, tx *db.Tx, ticket Ticket, kind RelationKind, other Ticket, detail Detail, by User,
) (entry Activity, err error) {
	if err := addRelation(ctx, tx, ticket, kind, other); err != nil {
		return entry, err
	}
	return recordRelation(ctx, tx, ticket, kind, other, false, detail, by)
}

// ImportRelation is Relate for a new ticket of an import, which changes no dates, and for relations that may be there.
// With a run the history of the other ticket says so.
func ImportRelation(
	ctx context.Context, tx *db.Tx, ticket Ticket, kind RelationKind, other Ticket, by User, run *Imported,
) error {
	is, err := Related(ctx, tx, ticket, kind, other)
	if err != nil || is {
		return err
	}
	if err := addRelation(ctx, tx, ticket, kind, other); err != nil {
		return err
	}
	if _, err := tx.RepublishTickets(ctx, []ID{ticket.ID, other.ID}); err != nil {
		return fmt.Errorf("publish tickets: %w", err)
	}
	if run == nil {
		return nil
	}
	change := RelationChange{Kind: kind.Mirror().String(), Ticket: ticket.ID, Key: ticket.Key, Mirror: true}
	_, err = Record(ctx, tx, other.ID, by, KindRelated, Detail{Relation: &change, Import: run})
	return err
}

// addRelation adds the rows of a relation. It changes nothing if it returns an error of Relate.
func addRelation(ctx context.Context, tx *db.Tx, ticket Ticket, kind RelationKind, other Ticket) error {
	has, err := relationRows(ctx, tx, ticket.ID)
	if err != nil {
		return err
	}
	others, err := relationRows(ctx, tx, other.ID)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		Ticket
		relationList
	}{{ticket, has}, {other, others}} {
		if len(one.relationList) >= MaxRelations {
			return TooManyRelations(one.Key)
		}
	}
	if err := checkGraph(ctx, tx, ticket, kind, other); err != nil {
		return err
	}
	if kind == Parent && has.have(Parent) {
		return HasParent(ticket.Key)
	}
	if kind == Child && others.have(Parent) {
		return HasParent(other.Key)
	}
	for _, row := range []db.AddRelationParams{
		{TicketID: ticket.ID, Kind: uint8(kind), OtherID: other.ID, Sole: sole(kind)},
		{TicketID: other.ID, Kind: uint8(kind.Mirror()), OtherID: ticket.ID, Sole: sole(kind.Mirror())},
	} {
		if err := tx.AddRelation(ctx, row); err != nil {
			return fmt.Errorf("add relation: %w", err)
		}
	}
	return nil
}

// Unrelate removes a relation that is there. entry is as Relate's. The caller holds the locks of both tickets.
func Unrelate(
	ctx context.Context, tx *db.Tx, ticket Ticket, kind RelationKind, other Ticket, detail Detail, by User,
) (entry Activity, err error) {
	for _, row := range []db.DropRelationParams{
		{TicketID: ticket.ID, Kind: uint8(kind), OtherID: other.ID},
		{TicketID: other.ID, Kind: uint8(kind.Mirror()), OtherID: ticket.ID},
	} {
		if _, err := tx.DropRelation(ctx, row); err != nil {
			return entry, fmt.Errorf("remove relation: %w", err)
		}
	}
	return recordRelation(ctx, tx, ticket, kind, other, true, detail, by)
}

// FollowClosing notifies those who watch open tickets that just closed tickets blocked, and has the tickets opened that
// come after them.
func FollowClosing(ctx context.Context, tx *db.Tx, closed []ID, by User) error {
	if err := wakeRecurrences(ctx, tx, closed); err != nil {
		return err
	}
	return notifyWaiting(ctx, tx, closed, by)
}

// notifyWaiting notifies those who watch open tickets that just closed tickets blocked, and see both.
func notifyWaiting(ctx context.Context, tx *db.Tx, closed []ID, by User) error {
	rows, err := tx.WaitingFor(ctx, closed)
	if err != nil {
		return fmt.Errorf("read tickets that wait: %w", err)
	}
	for i, row := range rows {
		if i > 0 && rows[i-1].OtherID == row.OtherID { // one notification is enough
			continue
		}
		ticket := Ticket{ID: row.OtherID, Board: row.BoardID, Author: User{ID: row.CreatedBy}}
		n := Notifications{Company: row.CompanyID, Ticket: ticket, By: by, Unblocked: row.BlockerBoard}
		if err := Notify(ctx, tx, n); err != nil {
			return err
		}
	}
	return nil
}

// Related reports whether a ticket has a relation to another.
func Related(ctx context.Context, tx *db.Tx, ticket Ticket, kind RelationKind, other Ticket) (bool, error) {
	has, err := relationRows(ctx, tx, ticket.ID)
	return has.contain(kind, other.ID), err
}

// recordRelation publishes both tickets, and adds the change to the history of each.
func recordRelation(
	ctx context.Context, tx *db.Tx, ticket Ticket, kind RelationKind, other Ticket, removed bool, detail Detail, by User,
) (entry Activity, err error) {
	for _, one := range []struct {
		at, to Ticket
		change RelationChange
	}{
		{ticket, other, RelationChange{Kind: kind.String()}},
		{other, ticket, RelationChange{Kind: kind.Mirror().String(), Mirror: true}},
	} {
		if _, err := tx.TouchTicket(ctx, tx.Now, one.at.ID); err != nil {
			return entry, fmt.Errorf("publish ticket: %w", err)
		}
		one.change.Ticket, one.change.Key, one.change.Removed = one.to.ID, one.to.Key, removed
		detail.Relation = &one.change
		recorded, err := Record(ctx, tx, one.at.ID, by, KindRelated, detail)
		if err != nil {
			return entry, err
		}
		if one.at.ID == ticket.ID {
			entry = Activity{ID: recorded, Kind: KindRelated, By: by, At: tx.Now, Detail: detail}
		}
	}
	return entry, nil
}

func sole(kind RelationKind) *bool {
	if kind != Parent {
		return nil
	}
	only := true
	return &only
}

type relationList []db.RelationRowsRow

func relationRows(ctx context.Context, tx *db.Tx, ticket ID) (relationList, error) {
	rows, err := tx.RelationRows(ctx, ticket)
	if err != nil {
		return nil, fmt.Errorf("read relations: %w", err)
	}
	return rows, nil
}

func (l relationList) contain(kind RelationKind, other ID) bool {
	return slices.Contains(l, db.RelationRowsRow{Kind: uint8(kind), OtherID: other})
}

// have reports whether there is a relation of a kind.
func (l relationList) have(kind RelationKind) bool {
	return slices.ContainsFunc(l, func(row db.RelationRowsRow) bool { return row.Kind == uint8(kind) })
}

// Acyclic reports whether relations of a kind may not close a cycle.
func (k RelationKind) Acyclic() bool { return k <= Blocks }

// checkGraph returns an error if a relation would close a cycle of parents or blockers, or make too many levels.
func checkGraph(ctx context.Context, tx *db.Tx, ticket Ticket, kind RelationKind, other Ticket) error {
	switch kind {
	case Parent:
		return checkParent(ctx, tx, other, ticket)
	case Child:
		return checkParent(ctx, tx, ticket, other)
	case Blocks:
		return checkBlocker(ctx, tx, ticket, other)
	case BlockedBy:
		return checkBlocker(ctx, tx, other, ticket)
	}
	return nil
}

func checkParent(ctx context.Context, tx *db.Tx, parent, child Ticket) error {
	above, err := levels(ctx, tx, parent.ID, Parent, child.ID)
	if err == nil {
		var below int
		if below, err = levels(ctx, tx, child.ID, Child, parent.ID); err == nil && above+below > MaxLevels {
			return TooManyLevels(parent.Key, child.Key)
		}
	}
	if _, met := err.(errMet); met {
		return RelationCycle(parent.Key, "a child of", child.Key)
	}
	return err
}

func checkBlocker(ctx context.Context, tx *db.Tx, blocker, blocked Ticket) error {
	_, err := levels(ctx, tx, blocked.ID, Blocks, blocker.ID)
	if _, met := err.(errMet); met {
		return RelationCycle(blocker.Key, "blocked by", blocked.Key)
	}
	return err
}

// errMet says that a walk came upon the ticket that it looked for.
type errMet struct{}

func (errMet) Error() string { return "the ticket was met" }

// levels walks from a ticket along relations of a kind, and returns how many levels of tickets it found, the first
// included. It returns errMet if one of them is the ticket that is looked for, or TooManyRelated.
func levels(ctx context.Context, tx *db.Tx, from ID, along RelationKind, look ID) (n int, err error) {
	visited := map[ID]bool{from: true}
	for level := []ID{from}; len(level) > 0; n++ {
		found, err := tx.RelatedBy(ctx, level, uint8(along))
		if err != nil {
			return 0, fmt.Errorf("read relations: %w", err)
		}
		level = nil
		for _, ticket := range found {
			if ticket == look {
				return 0, errMet{}
			}
			if !visited[ticket] {
				visited[ticket] = true
				level = append(level, ticket)
			}
		}
		if len(visited) > mostVisited {
			return 0, TooManyRelated()
		}
	}
	return n, nil
}

// RelationsSeen returns which tickets of the relations in entries of a history are in sight.
func RelationsSeen(ctx context.Context, q *db.Queries, by db.Sight, entries []Activity) (map[ID]bool, error) {
	var ids []ID
	for _, entry := range entries {
		if r := entry.Detail.Relation; r != nil {
			ids = append(ids, r.Ticket)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.TicketsInSight(ctx, db.TicketsInSightParams{Reader: by.Reader, Ids: ids, CompanyID: by.Company,
		Reach: by.Reach}))
	if err != nil {
		return nil, fmt.Errorf("read tickets in sight: %w", err)
	}
	seen := make(map[ID]bool, len(rows))
	for _, ticket := range rows {
		seen[ticket] = true
	}
	return seen, nil
}
