package workflows

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/limits"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// The actions of strangers: none of these checks the caller, and each is limited by the network that it comes from.

// PublicForm returns the form that strangers may send to a board, or requests.NoForm. A malformed name is looked up
// like an unknown one.
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

// Send opens a ticket for a form, in the board's first column, and gives it a code. A form that is sent again opens no
// other: the receipt is the first one's. It returns requests.NoForm, TooMany or NotNow, or what is wrong with the
// title, the description or the email address.
func (w *Workflows) Send(ctx context.Context, sent requests.Submission) (Receipt, error) {
	form, err := w.PublicForm(ctx, sent.Company, sent.Board)
	if err != nil {
		return Receipt{}, err
	}
	draft, email, err := parseSent(sent)
	if err != nil {
		return Receipt{}, err
	}
	if receipt, found, err := w.receiptOf(ctx, sent); found || err != nil {
		return receipt, err
	}
	if young, err := w.young(ctx, requests.NonceTime(sent.Nonce)); err != nil {
		return Receipt{}, err
	} else if young {
		return Receipt{}, UnknownKey()
	}
	if form.Proof {
		challenge, err := w.ProofChallenge(ctx, sent.Nonce, sent.Company, sent.Board)
		if err != nil {
			return Receipt{}, err
		}
		if err := sent.CheckProof(challenge, w.db.Now()); err != nil {
			return Receipt{}, err
		}
	}
	err = w.commitCount(ctx, func(tx *db.Tx) error {
		return requests.CountForm(ctx, tx, form.Board, limits.OriginOf(accounts.AddressFrom(ctx)))
	})
	if err != nil {
		return Receipt{}, err
	}
	begun := time.Now()
	receipt, err := w.openRequest(ctx, form, draft, sent, email)
	if empty := errors.Is(err, refs.CodeEmpty); err == nil || empty {
		w.refs.RecordPop(1, empty, time.Since(begun))
	}
	switch {
	case errors.Is(err, requests.ErrSent):
		receipt, _, err = w.receiptOf(ctx, sent)
	case errors.Is(err, boards.CodeColumnFull), errors.Is(err, refs.CodeEmpty):
		err = requests.NotNow{}
	case errors.Is(err, boards.CodeArchived) || errors.Is(err, boards.CodeNotFound):
		err = requests.NoForm()
	}
	if err != nil {
		return Receipt{}, fmt.Errorf("send form: %w", err)
	}
	return receipt, nil
}

// ProofChallenge returns what the page of a form, with a nonce and the names of its address as they were asked for, does
// its proof of work on. A board has several names, and a form that is sent to each is several requests. It is stored
// nowhere.
func (w *Workflows) ProofChallenge(ctx context.Context, nonce, company, board string) (string, error) {
	sum, err := w.sign(ctx, "proof of work", nonce, company, board)
	return base64.RawURLEncoding.EncodeToString(sum), err
}

func parseSent(sent requests.Submission) (tickets.Draft, string, error) {
	draft, badText := tickets.Draft{Title: sent.Title, Description: sent.Description}.Parse()
	email, badEmail := parseOptional(sent.Email)
	return draft, email, fault.Join(badText, badEmail)
}

func parseOptional(email string) (string, error) {
	if strings.Trim(email, " ") == "" {
		return "", nil
	}
	return accounts.ParseEmail(email)
}

func (w *Workflows) receiptOf(ctx context.Context, sent requests.Submission) (Receipt, bool, error) {
	code, linked, err := requests.Find(ctx, w.db.Queries, sent)
	receipt := Receipt{Code: code}
	if linked {
		receipt.Token = sent.Token()
	}
	return receipt, code != "", err
}

// commitCount commits what count wrote also if that returns RateLimited.
func (w *Workflows) commitCount(ctx context.Context, count func(tx *db.Tx) error) error {
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

// Track returns what a code leads to, or TooMany. It returns requests.NotFound for any reason, after the same
// statements. The outcome is counted.
func (w *Workflows) Track(ctx context.Context, text string) (requests.TrackedTicket, error) {
	code, err := refs.Parse(text)
	if err != nil {
		return requests.TrackedTicket{}, requests.NotFound() // no code: not worth a count
	}
	return w.track(ctx, lookup{code: code})
}

// TrackPrivately is Track by a private link. A link that opens is no guess: it does not wait and is never refused.
func (w *Workflows) TrackPrivately(ctx context.Context, text, token string) (requests.TrackedTicket, error) {
	code, err := refs.Parse(text)
	if err != nil {
		return requests.TrackedTicket{}, requests.NotFound()
	}
	found, err := requests.TrackByLink(ctx, w.db.Queries, string(code), token)
	if errors.Is(err, requests.CodeNotFound) {
		return w.track(ctx, lookup{code: code, target: requests.ByLink})
	}
	if err == nil {
		w.meter.Add(requests.Hit)
	}
	return found, err
}

// lookup is a code to look up, or a link that opens nothing.
type lookup struct {
	code    refs.Code // none for a board's link
	target  requests.Target
	address string
	reader  *accounts.Actor // of the code's issue; nil for the ticket of the code
}

// lookedUp is the result of a lookup: the ticket, or for a reader the issue.
type lookedUp struct {
	ticket requests.TrackedTicket
	issue  refs.Issue
}

func (w *Workflows) track(ctx context.Context, l lookup) (requests.TrackedTicket, error) {
	found, err := w.doLookup(ctx, l)
	return found.ticket, err
}

func (w *Workflows) doLookup(ctx context.Context, l lookup) (lookedUp, error) {
	l.address = accounts.AddressFrom(ctx)
	found, err := w.lookups.Do(ctx, requests.OriginGroupOf(limits.OriginOf(l.address)), l)
	if errors.Is(err, coalesce.ErrClosed) {
		return found, Stopping()
	}
	return found, err
}

// lookUp does one lookup of a network after the other (the group's batches have one each), so that each counts before
// the next begins.
func (w *Workflows) lookUp(
	ctx context.Context, _ requests.OriginGroup, batch []lookup,
) ([]lookedUp, error) {
	l := batch[0]
	from := limits.OriginOf(l.address)
	err := requests.AllowLookup(ctx, w.db.Queries, from, l.target, w.db.Now())
	if errors.Is(err, requests.CodeTooMany) {
		w.meterLookup(l, requests.Refused)
	}
	if err != nil {
		return nil, err
	}
	found, err := w.find(ctx, l)
	if err == nil {
		w.meter.Add(requests.Hit)
	}
	if !errors.Is(err, requests.CodeNotFound) {
		return []lookedUp{found}, err
	}
	what, err := w.recordMiss(ctx, from, l)
	if err != nil {
		return nil, fmt.Errorf("count a miss: %w", err)
	}
	w.meterLookup(l, what)
	return nil, requests.NotFound()
}

// meterLookup counts a lookup of a request.
func (w *Workflows) meterLookup(l lookup, what requests.Lookup) {
	if l.target != requests.ByBoardLink {
		w.meter.Add(what)
	}
}

func (w *Workflows) find(ctx context.Context, l lookup) (found lookedUp, err error) {
	switch {
	case l.target != requests.ByCode:
		return found, requests.NotFound()
	case l.reader == nil:
		found.ticket, err = requests.Track(ctx, w.db.Queries, string(l.code))
		return found, err
	}
	found.issue, err = refs.IssueInSight(ctx, w.db.Queries, l.reader.Sight(), l.code)
	if errors.Is(err, refs.CodeNotIssued) {
		err = requests.NotFound()
	}
	return found, err
}

// recordMiss counts a lookup that led to nothing, and returns its kind. A canary code raises an alarm.
func (w *Workflows) recordMiss(ctx context.Context, from limits.Origin, l lookup) (_ requests.Lookup, err error) {
	trapped := false
	if l.target != requests.ByBoardLink {
		if trapped, err = w.refs.Canary(ctx, l.code); err != nil {
			return requests.Miss, err
		}
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error { return requests.CountMiss(ctx, tx, from, l.target, trapped) })
	if err != nil || !trapped {
		return requests.Miss, err
	}
	w.log.Warn("somebody guesses reference codes: one was looked up that nobody was given", "address", l.address)
	return requests.Trapped, nil
}

// Replies returns a page of the comments that a requester reads, the last before one; 0 means the newest. It returns
// none if the code alone is known.
func (w *Workflows) Replies(
	ctx context.Context, found requests.TrackedTicket, before id.Comment,
) (tickets.Comments, error) {
	if !found.Private {
		return tickets.Comments{}, nil
	}
	return tickets.PublicCommentsBefore(ctx, w.db.Queries, found.Ticket, before, CommentsPerPage)
}

// SentTexts returns what a requester sent, whatever members made of it since. ok is false if the code alone is known, or
// if it cannot be found any more.
func (w *Workflows) SentTexts(ctx context.Context, found requests.TrackedTicket) (
	sent tickets.FirstTexts, ok bool, err error) {
	if !found.Private {
		return tickets.FirstTexts{}, false, nil
	}
	now, err := db.Read(w.db.RequestTexts(ctx, found.Ticket))
	if err != nil {
		return tickets.FirstTexts{}, false, fmt.Errorf("read texts of a request: %w", err)
	}
	return tickets.ReadFirstTexts(ctx, w.db.Queries, found.Ticket, tickets.FirstTexts(now))
}

// ReplyByLink adds a requester's comment by the private link, once, and notifies those who watch the ticket or the
// board's requests. It returns requests.NotFound, TooMany or Closed, or what is wrong with the text.
func (w *Workflows) ReplyByLink(ctx context.Context, code, token string, reply requests.Reply) error {
	found, err := w.TrackPrivately(ctx, code, token)
	if err != nil {
		return err
	}
	body, err := tickets.ParseComment(reply.Body)
	if err != nil {
		return err
	}
	err = w.commitCount(ctx, func(tx *db.Tx) error {
		return requests.CountReply(ctx, tx, found.Ticket, limits.OriginOf(accounts.AddressFrom(ctx)))
	})
	if err != nil {
		return err
	}
	requester, err := accounts.RequesterAccount(ctx, w.db.Queries)
	if err != nil {
		return err
	}
	young, err := w.young(ctx, requests.NonceTime(reply.Nonce))
	if err != nil {
		return err
	}
	by := tickets.User{ID: requester.ID, Name: requester.Name}
	seen := tickets.Ticket{ID: found.Ticket, Key: tickets.Key{Board: found.BoardSlug, Number: found.Number}, Author: by}
	err = w.change(ctx, func(tx *db.Tx) error {
		locked, err := tickets.Lock(ctx, tx, seen)
		if err != nil {
			return err
		}
		if err := requests.Lock(ctx, tx, locked.ID, token, reply); err != nil {
			return err
		}
		if young {
			return UnknownKey()
		}
		if err := boards.Live(ctx, tx, locked.Board); err != nil {
			return err
		}
		comment, err := tickets.AddComment(ctx, tx, locked, body, by, tickets.FromRequester)
		if err != nil {
			return err
		}
		if err := requests.RecordRequesterReply(ctx, tx, locked.ID, reply); err != nil {
			return err
		}
		return notifyOfRequest(ctx, tx, tickets.Notifications{
			Company: found.Company, Ticket: locked, Comment: comment.ID, By: by, Reply: true,
		})
	})
	switch {
	case errors.Is(err, requests.ErrSent):
		err = nil
	case errors.Is(err, tickets.CodeNotFound):
		err = requests.NotFound()
	case errors.Is(err, boards.CodeArchived):
		err = requests.Closed()
	}
	if err != nil {
		return fmt.Errorf("reply by link: %w", err)
	}
	return nil
}

// Lookups returns the outcomes of lookups in this process.
func (w *Workflows) Lookups() requests.Lookups { return w.meter.Totals() }

// LookupsSince returns the outcomes of lookups since a time, at most 30 days ago.
func (w *Workflows) LookupsSince(ctx context.Context, since time.Time) (requests.Lookups, error) {
	return requests.LookupsSince(ctx, w.db.Queries, since)
}

// ForgetLookups removes counts of strangers that limit nothing any more, and returns how many.
func (w *Workflows) ForgetLookups(ctx context.Context) (int64, error) {
	return requests.Forget(ctx, w.db.Queries, w.db.Now())
}
