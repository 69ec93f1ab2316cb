package labels

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// On returns the labels that tickets of a board can get, by name.
func On(ctx context.Context, q *db.Queries, company id.Company, board id.Board) ([]Label, error) {
	rows, err := db.Read(q.LabelsOn(ctx, db.LabelsOnParams{CompanyID: company, BoardID: board, Limit: MaxLabels}))
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	list := make([]Label, len(rows))
	for i, row := range rows {
		list[i] = Label{ID: row.ID, Name: row.Name, Color: Color(row.Color), Board: row.BoardID}
	}
	return list, nil
}

// Shown returns the live labels that some labels of tickets are shown as, by the id of those. known are live labels that
// need no look-up.
func Shown(ctx context.Context, q *db.Queries, known []Label, ids []id.Label) (map[id.Label]Label, error) {
	shown := make(map[id.Label]Label, len(known))
	for _, label := range known {
		shown[label.ID] = label
	}
	var others []id.Label
	for _, one := range ids {
		if _, ok := shown[one]; !ok {
			others = append(others, one)
		}
	}
	if len(others) == 0 {
		return shown, nil
	}
	slices.Sort(others)
	rows, err := db.Read(q.LabelsShown(ctx, slices.Compact(others)))
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	for _, row := range rows {
		shown[row.OfLabel] = Label{ID: row.ID, Name: row.Name, Color: Color(row.Color)}
	}
	return shown, nil
}

// InSight returns the labels of a company: those of all boards, and of boards that the reader sees, by name.
func InSight(ctx context.Context, q *db.Queries, by db.Sight) ([]Label, error) {
	rows, err := db.Read(q.LabelsInSight(ctx, db.LabelsInSightParams{Reader: by.Reader, CompanyID: by.Company,
		Reach: by.Reach, Limit: MaxLabels}))
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	list := make([]Label, len(rows))
	for i, row := range rows {
		list[i] = Label{ID: row.ID, Name: row.Name, Color: Color(row.Color), Board: row.BoardID, Slug: row.BoardSlug}
	}
	return list, nil
}

// endedAtOnce is how many deleted and merged labels are listed.
const endedAtOnce = 100

// EndedInSight returns the labels that can be restored, the last deleted or merged first.
func EndedInSight(ctx context.Context, q *db.Queries, by db.Sight, now time.Time) ([]Label, error) {
	since := now.Add(-RestoreFor)
	rows, err := db.Read(q.EndedLabels(ctx, db.EndedLabelsParams{Reader: by.Reader, CompanyID: by.Company,
		Since: &since, Reach: by.Reach, Limit: endedAtOnce}))
	if err != nil {
		return nil, fmt.Errorf("read deleted labels: %w", err)
	}
	list := make([]Label, len(rows))
	for i, row := range rows {
		list[i] = Label{ID: row.ID, Name: row.Name, Color: Color(row.Color), Board: row.BoardID, Slug: row.BoardSlug,
			Ended: row.EndedAt, Into: row.MergedName}
	}
	return list, nil
}

// ByID returns a label in sight, live or not, or NotFound.
func ByID(ctx context.Context, q *db.Queries, by db.Sight, label id.Label) (Label, error) {
	row, err := db.Read(q.LabelByID(ctx, db.LabelByIDParams{Reader: by.Reader, ID: label, CompanyID: by.Company,
		Reach: by.Reach}))
	if db.IsNotFound(err) || err == nil && row.Label.Renamed {
		return Label{}, NotFound()
	}
	if err != nil {
		return Label{}, fmt.Errorf("read label: %w", err)
	}
	found := fromRow(row.Label)
	found.Slug = row.BoardSlug
	return found, nil
}

// namedAtOnce is how many labels with one name are read: two live ones, then those that had it last.
const namedAtOnce = 10

// Named returns the live label that a name leads to on a board: that which has it, else that which had it last. ok is
// false if there is none.
func Named(
	ctx context.Context, q *db.Queries, company id.Company, board id.Board, name string,
) (label Label, ok bool, err error) {
	rows, err := db.Read(q.LabelsNamed(ctx, db.LabelsNamedParams{CompanyID: company, BoardID: board, Name: name,
		Limit: namedAtOnce}))
	if err != nil {
		return label, false, fmt.Errorf("read labels: %w", err)
	}
	for _, row := range rows {
		if row.Live != nil {
			return fromRow(row), true, nil
		}
		if row.ShownAs == 0 {
			continue
		}
		shown, err := ByID(ctx, q, db.SightOfAll(company), row.ShownAs)
		if err != nil {
			return label, false, err
		}
		if shown.Live() {
			return shown, true, nil
		}
	}
	return label, false, nil
}

// Matching returns the ids of all labels that are shown as that which a name leads to on a board; none if there is none.
func Matching(
	ctx context.Context, q *db.Queries, company id.Company, board id.Board, name string,
) ([]id.Label, error) {
	label, ok, err := Named(ctx, q, company, board, name)
	if err != nil || !ok {
		return []id.Label{}, err
	}
	return Together(ctx, q, label)
}

// Together returns a label with those that were merged into it, and into these.
func Together(ctx context.Context, q *db.Queries, label Label) ([]id.Label, error) {
	rows, err := leading(ctx, q, label)
	if err != nil {
		return nil, err
	}
	list := []id.Label{label.ID}
	for _, row := range rows {
		if !row.Renamed { // no ticket has an old name
			list = append(list, row.ID)
		}
	}
	return list, nil
}

// leading returns the rows that lead to a label.
func leading(ctx context.Context, q *db.Queries, label Label) (found []db.ShownAsRow, err error) {
	rows, err := shown(ctx, q, cmp.Or(label.ShownAs, label.ID))
	if err != nil {
		return nil, err
	}
	reached := map[id.Label]bool{label.ID: true}
	for grew := true; grew; {
		grew = false
		for _, row := range rows {
			if reached[row.LeadsTo] && !reached[row.ID] {
				reached[row.ID], grew = true, true
				found = append(found, row)
			}
		}
	}
	return found, nil
}

func shown(ctx context.Context, q *db.Queries, label id.Label) ([]db.ShownAsRow, error) {
	rows, err := db.Read(q.ShownAs(ctx, label, maxShown))
	if err != nil {
		return nil, fmt.Errorf("read merged labels: %w", err)
	}
	return rows, nil
}

// Make adds a label, of all boards if the board is 0. The caller holds the lock of the company, as for each change of a
// label. It returns NameTaken or TooMany.
func Make(
	ctx context.Context, tx *db.Tx, company id.Company, board id.Board, name string, color Color,
) (Label, error) {
	if err := free(ctx, tx, company, board, name); err != nil {
		return Label{}, err
	}
	n, err := tx.CountLabels(ctx, company)
	if err != nil {
		return Label{}, fmt.Errorf("count labels: %w", err)
	}
	if n >= MaxLabels {
		return Label{}, TooMany()
	}
	row, err := tx.CreateLabel(ctx, db.CreateLabelParams{CompanyID: company, BoardID: board, Name: name,
		Color: uint8(color), CreatedAt: tx.Now})
	if db.IsDuplicate(err, "uq_label_name") {
		return Label{}, NameTaken(name)
	}
	if err != nil {
		return Label{}, fmt.Errorf("create label: %w", err)
	}
	return Label{ID: id.Label(row), Name: name, Color: color, Board: board}, nil
}

// free returns NameTaken for a label of a board whose name one of all boards has. The index finds the others.
func free(ctx context.Context, tx *db.Tx, company id.Company, board id.Board, name string) error {
	if board == 0 {
		return nil
	}
	rows, err := tx.LabelsNamed(ctx, db.LabelsNamedParams{CompanyID: company, BoardID: 0, Name: name, Limit: 1})
	if err != nil {
		return fmt.Errorf("read labels: %w", err)
	}
	if len(rows) > 0 && rows[0].Live != nil {
		return NameTaken(name)
	}
	return nil
}

// Lock locks the rows of labels of a company, which stay as they are until the transaction ends, and returns those that
// are live.
func Lock(ctx context.Context, tx *db.Tx, company id.Company, list ...id.Label) (live []Label, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	list = slices.Sorted(slices.Values(list))
	if err := tx.LockLabels(ctx, list, company); err != nil {
		return nil, fmt.Errorf("lock labels: %w", err)
	}
	rows, err := tx.LabelsByID(ctx, list, company)
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	for _, row := range rows {
		if row.Live != nil {
			live = append(live, fromRow(row))
		}
	}
	return live, nil
}

// LockOne locks a label's row, and returns the label as it is now, live or not, or NotFound.
func LockOne(ctx context.Context, tx *db.Tx, company id.Company, label id.Label) (Label, error) {
	if err := tx.LockLabels(ctx, []id.Label{label}, company); err != nil {
		return Label{}, fmt.Errorf("lock label: %w", err)
	}
	return ByID(ctx, tx.Queries, db.SightOfAll(company), label)
}

// Edit gives a locked live label another name and colour. Its old name goes on leading to it. It returns NameTaken.
func Edit(ctx context.Context, tx *db.Tx, company id.Company, label Label, name string, color Color) (Label, error) {
	if name != label.Name {
		if err := free(ctx, tx, company, label.Board, name); err != nil {
			return Label{}, err
		}
		if err := keepName(ctx, tx, label, name); err != nil {
			return Label{}, err
		}
	}
	err := tx.RenameLabel(ctx, db.RenameLabelParams{Name: name, Color: uint8(color), ID: label.ID})
	if db.IsDuplicate(err, "uq_label_name") {
		return Label{}, NameTaken(name)
	}
	if err != nil {
		return Label{}, fmt.Errorf("rename label: %w", err)
	}
	label.Name, label.Color = name, color
	return label, nil
}

// keepName keeps the name of a label that gets another one. A label that has as many as can be keeps no more.
func keepName(ctx context.Context, tx *db.Tx, label Label, next string) error {
	for _, name := range []string{label.Name, next} {
		if err := tx.DropOldNames(ctx, label.ID, name); err != nil {
			return fmt.Errorf("drop old names: %w", err)
		}
	}
	rows, err := shown(ctx, tx.Queries, label.ID)
	if err != nil || len(rows) >= maxShown {
		return err
	}
	if err := tx.KeepOldName(ctx, &tx.Now, label.ID); err != nil {
		return fmt.Errorf("keep old name: %w", err)
	}
	return nil
}

// Merge ends a locked live label, whose tickets show another live one from then on. It writes no ticket. It returns
// BadMerge.
func Merge(ctx context.Context, tx *db.Tx, label, into Label) error {
	switch {
	case label.ID == into.ID:
		return BadMerge("Choose another label to merge it into.")
	case !into.Live():
		return Ended(into)
	case into.Board != 0 && into.Board != label.Board:
		return BadMerge("“" + into.Name + "” is one board’s alone. Choose a label of all boards, or of the same board.")
	}
	from, err := shown(ctx, tx.Queries, label.ID)
	if err != nil {
		return err
	}
	to, err := shown(ctx, tx.Queries, into.ID)
	if err != nil {
		return err
	}
	if len(from)+len(to) >= maxShown {
		return BadMerge("So many labels were merged into these that no more can be. Choose another.")
	}
	if err := showAs(ctx, tx, from, into.ID); err != nil {
		return err
	}
	return end(ctx, tx, label, into.ID)
}

// Delete ends a locked live label: tickets do not show it any more.
func Delete(ctx context.Context, tx *db.Tx, label Label) error { return end(ctx, tx, label, 0) }

func end(ctx context.Context, tx *db.Tx, label Label, into id.Label) error {
	if err := tx.EndLabel(ctx, db.EndLabelParams{EndedAt: &tx.Now, LeadsTo: into, ID: label.ID}); err != nil {
		return fmt.Errorf("end label: %w", err)
	}
	return nil
}

// Restore reverts the deletion or the merge of a locked label. It returns NotEnded, NameTaken or TooMany.
func Restore(ctx context.Context, tx *db.Tx, company id.Company, label Label) error {
	if label.Live() || label.Ended.Before(tx.Now.Add(-RestoreFor)) {
		return NotEnded()
	}
	if err := free(ctx, tx, company, label.Board, label.Name); err != nil {
		return err
	}
	n, err := tx.CountLabels(ctx, company)
	if err != nil {
		return fmt.Errorf("count labels: %w", err)
	}
	if n >= MaxLabels {
		return TooMany()
	}
	if label.LeadsTo != 0 {
		if err := takeBack(ctx, tx, label); err != nil {
			return err
		}
	}
	err = tx.ReviveLabel(ctx, label.ID)
	if db.IsDuplicate(err, "uq_label_name") {
		return NameTaken(label.Name)
	}
	if err != nil {
		return fmt.Errorf("restore label: %w", err)
	}
	return nil
}

// takeBack has what leads to a merged label shown as that again.
func takeBack(ctx context.Context, tx *db.Tx, label Label) error {
	rows, err := leading(ctx, tx.Queries, label)
	if err != nil {
		return err
	}
	return showAs(ctx, tx, rows, label.ID)
}

func showAs(ctx context.Context, tx *db.Tx, rows []db.ShownAsRow, label id.Label) error {
	if len(rows) == 0 {
		return nil
	}
	ids := make([]id.Label, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	if err := tx.ShowAs(ctx, label, ids); err != nil {
		return fmt.Errorf("lead labels to another: %w", err)
	}
	return nil
}

// CountedTickets is the largest number that Count returns: there may be more.
const CountedTickets = 10_000

// Count returns how many tickets show a label, CountedTickets at most.
func Count(ctx context.Context, q *db.Queries, label Label) (int, error) {
	together, err := Together(ctx, q, label)
	if err != nil {
		return 0, err
	}
	n, err := db.Read(q.CountLabelled(ctx, together, CountedTickets))
	if err != nil {
		return 0, fmt.Errorf("count tickets of the label: %w", err)
	}
	return int(n), nil
}

// Tickets returns up to limit of the tickets that have one of some labels, deleted ones, too, each once, by id.
func Tickets(ctx context.Context, q *db.Queries, list []id.Label, limit int) ([]id.Ticket, error) {
	var found []id.Ticket
	for _, label := range list {
		rows, err := After(ctx, q, label, 0, limit)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return found[:min(len(found), limit)], nil
}

// After returns up to limit of the tickets that have a label, deleted ones, too, with ids above one, by id.
func After(ctx context.Context, q *db.Queries, label id.Label, after id.Ticket, limit int) ([]id.Ticket, error) {
	rows, err := db.Read(q.LabelledTickets(ctx, db.LabelledTicketsParams{LabelID: label, After: after,
		Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read tickets of the label: %w", err)
	}
	return rows, nil
}
