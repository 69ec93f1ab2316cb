package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// What strangers do: none of these asks who does it, and each is bounded by where it comes from.

// PublicForm returns the form that strangers may send to a board, or requests.NoForm. What cannot be the name of
// a company or a board is looked for like one that is none.
func (w *Workflows) PublicForm(ctx context.Context, company, slug string) (requests.OpenForm, error) {
	slug, err := boards.ParseSlug(slug)
	if err != nil {
		slug = ""
	}
	if parsed, err := accounts.ParseCompanySlug(company); err != nil || parsed != company {
		company = ""
	}
	return requests.FindForm(ctx, w.db.Queries, company, slug)
}

// Send opens a ticket for a form, in the board's first column, and gives it a code. A form that is sent again
// opens no other: the receipt is the first one's. It returns requests.NoForm, TooMany or NotNow, refs.Empty where
// there are no codes, or what is wrong with the title, the description or the email address.
func (w *Workflows) Send(ctx context.Context, sent requests.Sent) (Receipt, error) {
	form, err := w.PublicForm(ctx, sent.Company, sent.Board)
	if err != nil {
		return Receipt{}, err
	}
	draft, email, err := parseSent(sent)
	if err != nil {
		return Receipt{}, err
	}
	if receipt, found, err := w.sentBefore(ctx, sent); found || err != nil {
		return receipt, err
	}
	err = w.counted(ctx, func(tx *db.Tx) error {
		return requests.CountForm(ctx, tx, form.Board, requests.FromAddress(accounts.AddressFrom(ctx)))
	})
	if err != nil {
		return Receipt{}, err
	}
	begun := time.Now()
	receipt, err := w.openRequest(ctx, form, draft, sent, email)
	if empty := errors.As(err, new(refs.Empty)); err == nil || empty {
		w.refs.Popped(1, empty, time.Since(begun))
	}
	switch {
	case errors.Is(err, requests.ErrSent):
		receipt, _, err = w.sentBefore(ctx, sent)
	case errors.As(err, new(boards.ColumnFull)), errors.As(err, new(refs.Empty)):
		err = requests.NotNow{}
	case errors.As(err, new(boards.Archived)) || errors.As(err, new(boards.NotFound)):
		err = requests.NoForm{}
	}
	if err != nil {
		return Receipt{}, fmt.Errorf("send form: %w", err)
	}
	return receipt, nil
}

// CheckSent returns all that is wrong with a form.
func CheckSent(sent requests.Sent) []error {
	_, badTitle := tickets.ParseTitle(sent.Title)
	_, badDescription := tickets.ParseDescription(sent.Description)
	_, badEmail := parseOptional(sent.Email)
	return []error{badTitle, badDescription, badEmail}
}

func parseSent(sent requests.Sent) (draft tickets.Draft, email string, err error) {
	if draft, err = (tickets.Draft{Title: sent.Title, Description: sent.Description}).Parse(); err != nil {
		return draft, "", err
	}
	email, err = parseOptional(sent.Email)
	return draft, email, err
}

func parseOptional(email string) (string, error) {
	if email == "" {
		return "", nil
	}
	return accounts.ParseEmail(email)
}

func (w *Workflows) sentBefore(ctx context.Context, sent requests.Sent) (Receipt, bool, error) {
	code, found, err := requests.Find(ctx, w.db.Queries, sent)
	if !found || err != nil {
		return Receipt{}, found, err
	}
	return Receipt{Code: code, Token: sent.Token()}, true, nil
}

// counted commits what was counted also where that is too much.
func (w *Workflows) counted(ctx context.Context, count func(tx *db.Tx) error) error {
	var refused error
	err := w.db.InTx(ctx, func(tx *db.Tx) error {
		refused = nil
		if err := count(tx); errors.Is(err, fault.RateLimited) {
			refused = err
			return nil
		} else {
			return err
		}
	})
	return errors.Join(err, refused)
}

// Track returns what a code leads to. It returns requests.NotFound whatever is in the way, after the same
// statements, or TooMany. What came of it is counted.
func (w *Workflows) Track(ctx context.Context, code string) (requests.Tracked, requests.Lookup, error) {
	return w.track(ctx, code, "")
}

// TrackPrivately is Track by a private link: what is no token leads to nothing.
func (w *Workflows) TrackPrivately(ctx context.Context, code, token string) (requests.Tracked, requests.Lookup, error) {
	if !requests.IsToken(token) {
		token = requests.NoToken
	}
	return w.track(ctx, code, token)
}

// lookup is a code that somebody looks at, by a private link where token is not "".
type lookup struct {
	code    refs.Code
	token   string
	address string
}

// sight is what came of it.
type sight struct {
	found requests.Tracked
	what  requests.Lookup
	err   error
}

func (w *Workflows) track(ctx context.Context, text, token string) (requests.Tracked, requests.Lookup, error) {
	code, err := refs.Parse(text)
	if err != nil {
		return requests.Tracked{}, requests.Miss, requests.NotFound{} // nobody's: not worth a count
	}
	l := lookup{code: code, token: token, address: accounts.AddressFrom(ctx)}
	seen, err := w.looks.Do(ctx, requests.FromAddress(l.address).Neighbours(), l)
	switch {
	case errors.Is(err, coalesce.ErrClosed):
		return requests.Tracked{}, requests.Refused, Stopping{}
	case err != nil:
		return requests.Tracked{}, requests.Refused, fmt.Errorf("look up a code: %w", err)
	}
	return seen.found, seen.what, seen.err
}

// lookEach looks at one code after the other, so that each counts before the next: those of a network come in one
// process's lane.
func (w *Workflows) lookEach(ctx context.Context, _ requests.Neighbours, looks []lookup) ([]sight, error) {
	sights := make([]sight, len(looks))
	for i, l := range looks {
		what, found, err := w.look(ctx, l)
		if err == nil || errors.As(err, new(requests.NotFound)) || errors.As(err, new(requests.TooMany)) {
			w.looked.Add(what)
		}
		sights[i] = sight{found, what, err}
	}
	return sights, nil
}

// look looks before it asks whether that was allowed: a private link that opens is nobody's guess, so it does not wait.
func (w *Workflows) look(ctx context.Context, l lookup) (requests.Lookup, requests.Tracked, error) {
	from, private := requests.FromAddress(l.address), l.token != ""
	found, err := requests.Track(ctx, w.db.Queries, string(l.code), l.token)
	missed := errors.As(err, new(requests.NotFound))
	if err != nil && !missed {
		return requests.Miss, requests.Tracked{}, err
	}
	if private && !missed {
		return requests.Hit, found, nil
	}
	if err := requests.MayLook(ctx, w.db.Queries, from, private, w.db.Now()); err != nil {
		return requests.Refused, requests.Tracked{}, err
	}
	if !missed {
		return requests.Hit, found, nil
	}
	trapped, err := w.refs.Canary(ctx, l.code)
	if err != nil {
		return requests.Miss, requests.Tracked{}, fmt.Errorf("look for a canary: %w", err)
	}
	if err := w.db.InTx(ctx, func(tx *db.Tx) error { return requests.Missed(ctx, tx, from, trapped) }); err != nil {
		return requests.Miss, requests.Tracked{}, err
	}
	if trapped {
		w.log.Warn("somebody guesses reference codes: one was looked up that nobody was given", "address", l.address)
		return requests.Trapped, requests.Tracked{}, requests.NotFound{}
	}
	return requests.Miss, requests.Tracked{}, requests.NotFound{}
}

// Replies returns the last page, before a comment, of what a requester reads below their request; 0 means the
// newest. It has nothing where the code alone is known.
func (w *Workflows) Replies(ctx context.Context, found requests.Tracked, before id.Comment) (tickets.Comments, error) {
	if !found.Private {
		return tickets.Comments{}, nil
	}
	return tickets.PublicCommentsBefore(ctx, w.db.Queries, found.Ticket, before, CommentsPerPage)
}

// ReplyByLink adds what a requester writes by the private link, and tells those who watch the ticket. It
// returns requests.NotFound, TooMany or Closed, or what is wrong with the text.
func (w *Workflows) ReplyByLink(ctx context.Context, code, token, text string) error {
	found, _, err := w.TrackPrivately(ctx, code, token)
	if err != nil {
		return err
	}
	body, err := tickets.ParseComment(text)
	if err != nil {
		return err
	}
	err = w.counted(ctx, func(tx *db.Tx) error {
		return requests.CountReply(ctx, tx, found.Ticket, requests.FromAddress(accounts.AddressFrom(ctx)))
	})
	if err != nil {
		return err
	}
	requester, err := accounts.TheRequester(ctx, w.db.Queries)
	if err != nil {
		return err
	}
	by := tickets.Person{ID: requester.ID, Name: requester.Name}
	seen := tickets.Ticket{ID: found.Ticket, Key: tickets.Key{Board: found.BoardSlug, Number: found.Number}, Author: by}
	err = w.change(ctx, func(tx *db.Tx) error {
		locked, err := tickets.Lock(ctx, tx, seen)
		if err != nil {
			return err
		}
		if err := requests.Hold(ctx, tx, locked.ID, token); err != nil {
			return err
		}
		if err := boards.Live(ctx, tx, locked.Board); err != nil {
			return err
		}
		said, err := tickets.Say(ctx, tx, locked, body, by, tickets.AsTheRequester)
		if err != nil {
			return err
		}
		if err := requests.Replied(ctx, tx, locked.ID); err != nil {
			return err
		}
		return tickets.Tell(ctx, tx, tickets.News{Company: found.Company, Ticket: locked, Comment: said.ID, By: by, Reply: true, Outside: true})
	})
	switch {
	case errors.As(err, new(tickets.NotFound)):
		err = requests.NotFound{}
	case errors.As(err, new(boards.Archived)):
		err = requests.Closed{}
	}
	if err != nil {
		return fmt.Errorf("reply by link: %w", err)
	}
	return nil
}

// LookupsSince returns how often codes were looked up since a time, at most 30 days ago, and what came of it.
func (w *Workflows) LookupsSince(ctx context.Context, since time.Time) (requests.Lookups, error) {
	return requests.LookupsSince(ctx, w.db.Queries, since)
}

// ForgetLookups removes counts of strangers that no longer say anything, and returns how many.
func (w *Workflows) ForgetLookups(ctx context.Context) (int64, error) {
	return requests.Forget(ctx, w.db.Queries, w.db.Now())
}
