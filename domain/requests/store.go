package requests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// FormOf returns the form of a board.
func FormOf(ctx context.Context, q *db.Queries, board id.Board) (Form, error) {
	row, err := db.Read(q.FormOfBoard(ctx, board))
	if db.IsNotFound(err) {
		return Form{}, nil
	}
	if err != nil {
		return Form{}, fmt.Errorf("read form: %w", err)
	}
	return Form{On: row.IsOn, Intro: row.Intro, Proof: row.Proof, Version: uint64(row.UpdatedAt.UnixMicro())}, nil
}

// SetForm turns the form of a board on or off; form.Version is the version that the edit was made from. It returns the
// form as it was, or BadIntro, or StaleForm if it was changed since in another way.
func SetForm(ctx context.Context, tx *db.Tx, board id.Board, form Form) (was Form, err error) {
	if form.Intro, err = ParseIntro(form.Intro); err != nil {
		return was, err
	}
	for saved := false; !saved; { // false if another save was first, which the second pass sees
		if was, err = FormOf(ctx, tx.Queries, board); err != nil {
			return was, err
		}
		if was.Version != 0 && was.On == form.On && was.Intro == form.Intro && was.Proof == form.Proof {
			return was, nil
		}
		if was.Version != form.Version {
			return was, StaleForm{Current: was}
		}
		if saved, err = saveForm(ctx, tx, board, form); err != nil {
			return was, fmt.Errorf("set form: %w", err)
		}
	}
	return was, nil
}

// saveForm saves a form unless another save was first.
func saveForm(ctx context.Context, tx *db.Tx, board id.Board, form Form) (saved bool, err error) {
	if form.Version == 0 {
		err = tx.AddForm(ctx, db.AddFormParams{BoardID: board, IsOn: form.On, Intro: form.Intro, Proof: form.Proof,
			Now: tx.Now})
		if db.IsDuplicate(err, "PRIMARY") {
			return false, nil
		}
		return err == nil, err
	}
	seen, now := time.UnixMicro(int64(form.Version)).UTC(), tx.Now
	if !now.After(seen) { // by another server's clock
		now = seen.Add(time.Microsecond)
	}
	n, err := tx.SetForm(ctx, db.SetFormParams{IsOn: form.On, Intro: form.Intro, Proof: form.Proof, UpdatedAt: now,
		BoardID: board, Seen: seen})
	return n == 1, err
}

// FindForm returns the open form of a company's board, or NoForm: by one query, whatever the reason.
func FindForm(ctx context.Context, q *db.Queries, company, slug string) (OpenForm, error) {
	row, err := db.Read(q.OpenForm(ctx, company, slug))
	if db.IsNotFound(err) {
		return OpenForm{}, NoForm()
	}
	if err != nil {
		return OpenForm{}, fmt.Errorf("read form: %w", err)
	}
	return OpenForm{
		Company: row.CompanyID, CompanySlug: row.CompanySlug, CompanyName: row.CompanyName, Board: row.BoardID,
		Title: row.Title, Intro: row.Intro, Proof: row.Proof,
	}, nil
}

// ErrSent says that a form or a reply was sent before; Find returns the form's code.
var ErrSent = errors.New("it was sent before")

// Open stores a ticket's requester. code is a new one; email is parsed, or "". It returns ErrSent.
func Open(ctx context.Context, tx *db.Tx, ticket id.Ticket, code string, sent Submission, email string) error {
	err := tx.CreateRequest(ctx, db.CreateRequestParams{
		TicketID: ticket, Code: code, Email: email, FormHash: sent.hash(), TokenHash: HashToken(sent.Token()),
		CreatedAt: tx.Now,
	})
	if db.IsDuplicate(err, "uq_ticket_request_form") {
		return ErrSent
	}
	if err != nil {
		return fmt.Errorf("create request: %w", err)
	}
	return nil
}

// Find returns the code of a form that was sent before, "" for a new one. linked says that its first private link is
// still valid.
func Find(ctx context.Context, q *db.Queries, sent Submission) (code string, linked bool, err error) {
	row, err := db.Read(q.RequestByForm(ctx, sent.hash()))
	if db.IsNotFound(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read request: %w", err)
	}
	return row.Code, opens(row.TokenHash, sent.Token()), nil
}

// Of returns the request of a ticket, or NoRequester.
func Of(ctx context.Context, q *db.Queries, ticket id.Ticket) (Request, error) {
	row, err := db.Read(q.RequestOfTicket(ctx, ticket))
	if db.IsNotFound(err) {
		return Request{}, NoRequester()
	}
	if err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	return Request{
		Ticket: row.TicketID, Code: row.Code, Email: row.Email, CreatedAt: row.CreatedAt, Linked: row.TokenHash != nil,
		RevokedAt: row.RevokedAt,
	}, nil
}

// NewLink replaces a request's private link and returns the token, which is not stored. It returns NoRequester.
func NewLink(ctx context.Context, tx *db.Tx, ticket id.Ticket) (token string, err error) {
	token = NewToken()
	return token, setToken(ctx, tx, ticket, HashToken(token), nil)
}

// RevokeLink revokes a request's private link. It returns NoRequester.
func RevokeLink(ctx context.Context, tx *db.Tx, ticket id.Ticket) error {
	return setToken(ctx, tx, ticket, nil, &tx.Now)
}

func setToken(ctx context.Context, tx *db.Tx, ticket id.Ticket, hash []byte, revoked *time.Time) error {
	n, err := tx.SetRequestToken(ctx, db.SetRequestTokenParams{TokenHash: hash, RevokedAt: revoked, TicketID: ticket})
	if err != nil {
		return fmt.Errorf("set token: %w", err)
	}
	if n == 0 {
		return NoRequester()
	}
	return nil
}

// RecordReply records that a text for both sides was written. It returns NoRequester.
func RecordReply(ctx context.Context, tx *db.Tx, ticket id.Ticket) error {
	n, err := tx.TouchRequest(ctx, &tx.Now, ticket)
	if err != nil {
		return fmt.Errorf("note reply: %w", err)
	}
	if n == 0 {
		return NoRequester()
	}
	return nil
}

// Lock locks a request for its requester's reply. It returns NotFound if the token is not that of the current link,
// and ErrSent if the last reply was the same.
func Lock(ctx context.Context, tx *db.Tx, ticket id.Ticket, token string, reply Reply) error {
	row, err := tx.LockTicketRequest(ctx, ticket)
	switch {
	case err != nil && !db.IsNotFound(err):
		return fmt.Errorf("lock request: %w", err)
	case !opens(row.TokenHash, token):
		return NotFound()
	case bytes.Equal(row.ReplyHash, reply.hash()):
		return ErrSent
	}
	return nil
}

// RecordRequesterReply records a requester's reply to a locked request.
func RecordRequesterReply(ctx context.Context, tx *db.Tx, ticket id.Ticket, reply Reply) error {
	if err := tx.RecordReply(ctx, db.RecordReplyParams{RepliedAt: &tx.Now, ReplyHash: reply.hash(),
		TicketID: ticket}); err != nil {
		return fmt.Errorf("note reply: %w", err)
	}
	return nil
}

// Track returns the ticket of a code, by one query whatever the result. It returns NotFound.
func Track(ctx context.Context, q *db.Queries, code string) (TrackedTicket, error) {
	return tracked(db.Read(q.TrackedByCode(ctx, code)))
}

// TrackByLink is Track by a private link.
func TrackByLink(ctx context.Context, q *db.Queries, code, token string) (TrackedTicket, error) {
	row, err := db.Read(q.TrackedByLink(ctx, HashToken(token), code))
	found, err := tracked(db.TrackedByCodeRow(row), err)
	if err != nil {
		return TrackedTicket{}, err
	}
	found.Private, found.Title = true, row.Title
	if row.RepliedAt != nil && row.RepliedAt.After(found.ChangedAt) {
		found.ChangedAt = *row.RepliedAt
	}
	return found, nil
}

// tracked has only what a code's holder may know.
func tracked(row db.TrackedByCodeRow, err error) (TrackedTicket, error) {
	if db.IsNotFound(err) {
		return TrackedTicket{}, NotFound()
	}
	if err != nil {
		return TrackedTicket{}, fmt.Errorf("read code: %w", err)
	}
	found := TrackedTicket{
		Company: row.CompanyID, Board: row.BoardID, BoardSlug: row.BoardSlug, Ticket: row.TicketID, Number: row.LocalID,
		Code:  row.Code,
		State: stateOf(row), ChangedAt: row.CreatedAt, Archived: row.ArchivedAt != nil,
	}
	if row.EnteredAt != nil {
		found.ChangedAt = *row.EnteredAt
	}
	return found, nil
}

func stateOf(row db.TrackedByCodeRow) string {
	switch {
	case row.ClosedAt != nil:
		return Done
	case row.AtStart != 0:
		return Received
	}
	return InProgress
}
