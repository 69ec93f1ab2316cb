package tickets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/recurrence"
)

// Recurrence is the rule by which a ticket is opened again. It is on the latest of its tickets.
type Recurrence struct {
	ID id.Recurrence
	recurrence.Series
	Timed  bool
	Last   time.Time       // the date of the ticket
	Coming *time.Time      // the date after that, as it is kept: to find it may take long; nil for none
	Owner  User            // with whose rights the next ticket is opened
	State  RecurrenceState // whether it is opened at all
}

// RecurrenceState says whether a recurrence opens tickets.
type RecurrenceState string

// The states of recurrences. All but the first are of one that is paused.
const (
	RecurrenceActive  RecurrenceState = "active"
	RecurrenceEnded   RecurrenceState = "ended"   // it has no further date
	RecurrenceRights  RecurrenceState = "rights"  // its owner may not open tickets on the board any more
	RecurrenceRefused RecurrenceState = "refused" // the next ticket was refused
)

// RecurrenceStates are all states.
var RecurrenceStates = []RecurrenceState{RecurrenceActive, RecurrenceEnded, RecurrenceRights, RecurrenceRefused}

// Next returns the due date of the next ticket, if it is opened now. ok is false if there is none.
func (r Recurrence) Next(now time.Time) (next recurrence.Next, ok bool) { return r.After(r.Last, now) }

// coming is the date after the last one, nil if there is none.
func (r Recurrence) coming() *time.Time {
	next, ok := r.After(r.Last, time.Time{})
	if !ok {
		return nil
	}
	return &next.Date
}

// Due returns a date of the recurrence as that of a ticket.
func (r Recurrence) Due(date time.Time) Date {
	if r.Timed {
		return Moment(r.At(date))
	}
	return Day(date.Year(), date.Month(), date.Day())
}

// OpensAt returns when the next ticket is opened, if nothing closes this one before; nil if that alone opens it, or
// nothing does.
func (r Recurrence) OpensAt() *time.Time {
	if r.State != RecurrenceActive || r.Opens != recurrence.WhenDue {
		return nil
	}
	at := r.At(r.Last)
	return &at
}

// RecurrenceChange is what one of a rule's tickets says of another.
type RecurrenceChange struct {
	Before  *Key            `json:"before,omitempty"`  // the ticket that this one follows
	Next    *Key            `json:"next,omitempty"`    // the ticket that follows this one
	Skipped int             `json:"skipped,omitempty"` // dates for which none was opened
	Paused  RecurrenceState `json:"paused,omitempty"`  // the reason, if nothing was opened
}

// CodeNoDueDate: a ticket without a due date cannot be repeated. Set its due date first.
const CodeNoDueDate fault.Code = "Recurrence.NoDueDate"

func NoDueDate() error {
	return fault.Conflict.New(CodeNoDueDate, "",
		"A ticket is repeated from its due date on, and this one has none. Set a due date first.")
}

// CodeRepeatsClosed: a closed ticket cannot be repeated when it is closed. Reopen it, or repeat it when it is due.
const CodeRepeatsClosed fault.Code = "Recurrence.Closed"

func RepeatsClosed() error {
	return fault.Conflict.New(CodeRepeatsClosed, "",
		"This ticket is closed already. Reopen it, or have the next one opened when this one is due.")
}

// CodeRepeatsRequest: a ticket that came by a public form cannot be repeated. Duplicate it, and repeat the copy.
const CodeRepeatsRequest fault.Code = "Recurrence.FromRequester"

func RepeatsRequest() error {
	return fault.Conflict.New(CodeRepeatsRequest, "",
		"This ticket came by a public form, with a text that a stranger wrote. Duplicate it, look at the text, and repeat the copy.")
}

// SetRecurrence gives a locked ticket a plan, or none if it is nil, and records that. entry is what it added to the
// history; its ID is 0 if the plan was that before, and the rule active. It returns RepeatsRequest, NoDueDate,
// RepeatsClosed or recurrence.Never.
func SetRecurrence(
	ctx context.Context, tx *db.Tx, ticket Ticket, plan *recurrence.Plan, by User,
) (_ Ticket, entry Activity, err error) {
	if ticket.Recurrence, err = recurrenceOf(ctx, tx.Queries, ticket.ID); err != nil {
		return ticket, entry, err
	}
	before := ticket.Recurrence
	was, wanted := before.text(), ""
	if plan != nil {
		wanted = plan.String()
	}
	if was == wanted && (before == nil || before.State == RecurrenceActive && before.Owner.ID == by.ID) {
		return ticket, entry, nil
	}
	if ticket, err = storePlan(ctx, tx, ticket, plan, by); err != nil {
		return ticket, entry, err
	}
	detail := Detail{Recurrence: &Change{Old: was, New: wanted}}
	entry = Activity{Kind: KindSet, By: by, At: tx.Now, Detail: detail}
	entry.ID, err = Record(ctx, tx, ticket.ID, by, KindSet, detail)
	return ticket, entry, err
}

// text is the plan as the history has it; "" is none.
func (r *Recurrence) text() string {
	if r == nil {
		return ""
	}
	return r.Plan.String()
}

// storePlan replaces the recurrence of a locked ticket, and publishes the ticket.
func storePlan(ctx context.Context, tx *db.Tx, ticket Ticket, plan *recurrence.Plan, by User) (Ticket, error) {
	if before := ticket.Recurrence; before != nil {
		if err := tx.DropOccurrences(ctx, before.ID); err != nil {
			return ticket, fmt.Errorf("remove occurrences: %w", err)
		}
		if _, err := tx.DropRecurrence(ctx, before.ID); err != nil {
			return ticket, fmt.Errorf("remove recurrence: %w", err)
		}
		ticket.Recurrence = nil
	}
	if _, err := tx.TouchTicket(ctx, tx.Now, ticket.ID); err != nil {
		return ticket, fmt.Errorf("publish ticket: %w", err)
	}
	ticket.UpdatedAt = tx.Now
	if plan == nil {
		return ticket, nil
	}
	return addPlan(ctx, tx, ticket, *plan, by)
}

// ImportRecurrence gives a new ticket of an import a plan. It returns RepeatsRequest, NoDueDate, RepeatsClosed or
// recurrence.Never.
func ImportRecurrence(ctx context.Context, tx *db.Tx, ticket Ticket, plan recurrence.Plan, by User) error {
	_, err := addPlan(ctx, tx, ticket, plan, by)
	return err
}

func addPlan(ctx context.Context, tx *db.Tx, ticket Ticket, plan recurrence.Plan, by User) (Ticket, error) {
	r, err := NewRecurrence(ticket, plan, by)
	if err != nil {
		return ticket, err
	}
	n, err := tx.AddRecurrence(ctx, db.AddRecurrenceParams{
		TicketID: ticket.ID, AccountID: by.ID, Rule: r.Rule.String(), Opens: string(r.Opens), TimeZone: r.Zone,
		Timed: r.Timed, FirstAt: r.First, NextAt: r.Coming, DueAt: r.OpensAt(), CreatedAt: tx.Now,
	})
	if err != nil {
		return ticket, fmt.Errorf("add recurrence: %w", err)
	}
	r.ID = id.Recurrence(n)
	ticket.Recurrence = &r
	return ticket, addOccurrence(ctx, tx, r.ID, r.First, ticket.ID)
}

// NewRecurrence returns the recurrence of a ticket that begins with its due date. It returns RepeatsRequest, NoDueDate,
// RepeatsClosed or recurrence.Never.
func NewRecurrence(ticket Ticket, plan recurrence.Plan, by User) (r Recurrence, err error) {
	switch {
	case ticket.FromRequester:
		return r, RepeatsRequest()
	case ticket.Due.IsZero():
		return r, NoDueDate()
	case ticket.Closed() && plan.Opens == recurrence.WhenClosed:
		return r, RepeatsClosed()
	}
	first := ticket.Due.At
	if ticket.Due.Timed {
		first = plan.Clock(first)
	}
	r = Recurrence{Series: recurrence.Series{Plan: plan, First: first}, Timed: ticket.Due.Timed, Last: first, Owner: by,
		State: RecurrenceActive}
	if r.Coming = r.coming(); r.Coming == nil {
		return r, recurrence.Never()
	}
	return r, nil
}

func addOccurrence(ctx context.Context, tx *db.Tx, of id.Recurrence, date time.Time, ticket ID) error {
	err := tx.AddOccurrence(ctx, db.AddOccurrenceParams{RecurrenceID: of, OccursAt: date, TicketID: ticket})
	if err != nil {
		return fmt.Errorf("add occurrence: %w", err)
	}
	return nil
}

// ErrRecurred says that the next ticket of a recurrence was opened by another, or that the recurrence changed.
var ErrRecurred = errors.New("the next ticket was opened meanwhile")

// Recur makes a new ticket the next one of a recurrence, and records that on both. The caller holds no lock of the ticket
// before. It returns ErrRecurred.
func Recur(
	ctx context.Context, tx *db.Tx, r Recurrence, before, opened Ticket, next recurrence.Next,
) error {
	n, err := tx.TouchTicket(ctx, tx.Now, before.ID) // its lock comes before that of the recurrence
	if err != nil {
		return fmt.Errorf("publish ticket: %w", err)
	}
	if n != 1 {
		return ErrRecurred
	}
	now := r
	now.Last = next.Date
	n, err = tx.Recur(ctx, db.RecurParams{TicketID: opened.ID, NowAt: next.Date, NextAt: now.coming(), DueAt: now.OpensAt(), ID: r.ID,
		SeenTicket: before.ID, LastAt: r.Last})
	if err != nil {
		return fmt.Errorf("recur: %w", err)
	}
	if n != 1 {
		return ErrRecurred
	}
	if err := addOccurrence(ctx, tx, r.ID, next.Date, opened.ID); err != nil {
		return err
	}
	then := Detail{Recurred: &RecurrenceChange{Next: &opened.Key}}
	if _, err := Record(ctx, tx, before.ID, r.Owner, KindRecurred, then); err != nil {
		return err
	}
	here := Detail{Recurred: &RecurrenceChange{Before: &before.Key, Skipped: next.Skipped}}
	_, err = Record(ctx, tx, opened.ID, r.Owner, KindRecurred, here)
	return err
}

// PauseRecurrence has a recurrence open nothing any more, for a reason, and records that. paused is false if it changed
// since it was read. The caller holds the lock of its ticket.
func PauseRecurrence(
	ctx context.Context, tx *db.Tx, r Recurrence, ticket Ticket, why RecurrenceState,
) (paused bool, err error) {
	n, err := tx.PauseRecurrence(ctx, db.PauseRecurrenceParams{State: string(why), ID: r.ID, LastAt: r.Last})
	if err != nil {
		return false, fmt.Errorf("pause recurrence: %w", err)
	}
	if n != 1 {
		return false, nil
	}
	if _, err := tx.TouchTicket(ctx, tx.Now, ticket.ID); err != nil {
		return false, fmt.Errorf("publish ticket: %w", err)
	}
	_, err = Record(ctx, tx, ticket.ID, r.Owner, KindRecurred, Detail{Recurred: &RecurrenceChange{Paused: why}})
	return true, err
}

// undoRecurrence reverts a change of a plan. stands is false if the plan was changed again since.
func undoRecurrence(
	ctx context.Context, tx *db.Tx, ticket Ticket, done Change, by User,
) (_ Ticket, stands bool, err error) {
	if ticket.Recurrence, err = recurrenceOf(ctx, tx.Queries, ticket.ID); err != nil {
		return ticket, false, err
	}
	if ticket.Recurrence.text() != done.New {
		return ticket, false, nil
	}
	var plan *recurrence.Plan
	if done.Old != "" {
		old, err := recurrence.ReadPlan(done.Old)
		if err != nil {
			return ticket, false, fmt.Errorf("read history: %w", err)
		}
		plan = &old
	}
	ticket, err = storePlan(ctx, tx, ticket, plan, by)
	return ticket, true, err
}

// wakeRecurrences has the next tickets opened of those that were just closed.
func wakeRecurrences(ctx context.Context, tx *db.Tx, closed []ID) error {
	err := tx.ClosedRecurrences(ctx, &tx.Now, closed)
	if err != nil {
		return fmt.Errorf("wake recurrences: %w", err)
	}
	return nil
}

// DueRecurrence is a recurrence whose next ticket is to be opened.
type DueRecurrence struct {
	ID       id.Recurrence
	Owner    id.Account
	Last     time.Time
	Ticket   Ticket // the latest one
	Archived bool   // the ticket's board
	Company  id.Company
	Slug     string // of the company
}

// DueRecurrences returns the recurrences whose next tickets are to be opened by now, the most overdue first.
func DueRecurrences(ctx context.Context, q *db.Queries, now time.Time, limit int) ([]DueRecurrence, error) {
	rows, err := db.Read(q.DueRecurrences(ctx, &now, int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("read recurrences: %w", err)
	}
	list := make([]DueRecurrence, len(rows))
	for i, row := range rows {
		list[i] = DueRecurrence{ID: row.ID, Owner: row.AccountID, Last: row.LastAt, Ticket: fromRow(row.Ticket, row.BoardSlug),
			Archived: row.Archived, Company: row.CompanyID, Slug: row.CompanySlug}
	}
	return list, nil
}

// ClaimRecurrence keeps other servers off a recurrence until later. claimed is false if another was first.
func ClaimRecurrence(ctx context.Context, d *db.DB, due DueRecurrence, later time.Time) (claimed bool, err error) {
	now := d.Now()
	n, err := db.Read(d.ClaimRecurrence(ctx, db.ClaimRecurrenceParams{Later: &later, ID: due.ID, Now: &now}))
	if err != nil {
		return false, fmt.Errorf("claim recurrence: %w", err)
	}
	return n == 1, nil
}

// PostponeRecurrence has the next ticket opened later, or when the present one is closed if that is nil.
func PostponeRecurrence(ctx context.Context, q *db.Queries, due DueRecurrence, later *time.Time) error {
	_, err := db.Read(q.PostponeRecurrence(ctx, db.PostponeRecurrenceParams{DueAt: later, ID: due.ID, LastAt: due.Last}))
	if err != nil {
		return fmt.Errorf("postpone recurrence: %w", err)
	}
	return nil
}

// RecurrencesOf returns the recurrences of tickets.
func RecurrencesOf(ctx context.Context, q *db.Queries, tickets []ID) (map[ID]*Recurrence, error) {
	if len(tickets) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.RecurrencesOf(ctx, tickets))
	if err != nil {
		return nil, fmt.Errorf("read recurrences: %w", err)
	}
	found := make(map[ID]*Recurrence, len(rows))
	for _, row := range rows {
		r := row.Recurrence
		one, err := storedRecurrence{
			ID: r.ID, By: r.AccountID, Author: row.Author, Rule: r.Rule, Opens: r.Opens, Zone: r.TimeZone, First: r.FirstAt,
			Last: r.LastAt, Next: r.NextAt, State: r.State, Timed: flag(r.Timed),
		}.recurrence()
		if err != nil {
			return nil, err
		}
		found[r.TicketID] = &one
	}
	return found, nil
}

func recurrenceOf(ctx context.Context, q *db.Queries, ticket ID) (*Recurrence, error) {
	found, err := RecurrencesOf(ctx, q, []ID{ticket})
	return found[ticket], err
}

// storedRecurrence is a recurrence as TicketByKey has it, as JSON.
type storedRecurrence struct {
	ID     id.Recurrence `json:"id"`
	By     id.Account    `json:"by"`
	Author string        `json:"author"`
	Rule   string        `json:"rule"`
	Opens  string        `json:"opens"`
	Zone   string        `json:"zone"`
	Timed  int           `json:"timed"`
	First  time.Time     `json:"first"`
	Last   time.Time     `json:"last"`
	Next   *time.Time    `json:"next"`
	State  string        `json:"state"`
}

func (s storedRecurrence) recurrence() (r Recurrence, err error) {
	plan, err := recurrence.ParsePlan(s.Rule, s.Opens, s.Zone)
	if errors.Is(err, recurrence.CodeBadZone) { // it is another server's
		if plan.Rule, err = recurrence.Parse(s.Rule); err == nil {
			plan.Opens, plan.Zone = recurrence.Opens(s.Opens), s.Zone
		}
	}
	if err != nil {
		return r, fmt.Errorf("read recurrence %d: %w", s.ID, err)
	}
	return Recurrence{ID: s.ID, Series: recurrence.Series{Plan: plan, First: s.First}, Timed: s.Timed > 0, Last: s.Last, Coming: s.Next,
		Owner: User{ID: s.By, Name: s.Author}, State: RecurrenceState(s.State)}, nil
}

func recurrenceFromJSON(text string) (*Recurrence, error) {
	var stored *storedRecurrence
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return nil, fmt.Errorf("read recurrence: %w", err)
	}
	if stored == nil {
		return nil, nil
	}
	r, err := stored.recurrence()
	return &r, err
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// DueOn returns the properties of a ticket that is due on another date, and starts as long before that.
func (p Properties) DueOn(date Date) Properties {
	if !p.Start.IsZero() && !p.Due.IsZero() {
		p.Start.At = date.At.Add(p.Start.At.Sub(p.Due.At))
		if !p.Start.Timed {
			p.Start.At = day(p.Start.At)
		}
	}
	p.Due = date
	return p
}
