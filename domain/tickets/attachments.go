package tickets

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// Limits of attachments.
const (
	MaxAttachments = 200 // of a ticket, those of its comments among them
	maxFileName    = 200 // characters
)

// Attachment is a file on a ticket, or on one of its comments.
type Attachment struct {
	ID        id.Attachment
	Ticket    ID         // 0 until the text that it was sent for is saved
	Comment   id.Comment // 0 for one of the ticket itself
	Name      string
	Author    User
	CreatedAt time.Time
	File      files.File // its hash only where it is to be opened
}

// Address is how texts refer to the attachment.
func (a Attachment) Address() string { return fmt.Sprintf("attachment:%d", a.ID) }

// Markdown is a reference to the attachment for a text: an image shows it.
func (a Attachment) Markdown() string {
	link := fmt.Sprintf("[%s](%s)", markup.Escape(a.Name), a.Address())
	if a.File.Shown() {
		return "!" + link
	}
	return link
}

// AttachmentChange is a file that was attached or deleted.
type AttachmentChange struct {
	ID      id.Attachment `json:"id"`
	Name    string        `json:"name"`
	Removed bool          `json:"removed,omitempty"`
}

// CodeAttachmentNotFound: there is no such attachment, or not any more, or not for the caller. Read the ticket again.
const CodeAttachmentNotFound fault.Code = "Attachment.NotFound"

func AttachmentNotFound() error {
	return fault.NotFound.New(CodeAttachmentNotFound, "",
		"There is no such file, or it was deleted. Reload the ticket.")
}

// CodeTooManyAttachments: the ticket would have more attachments than it may have. Delete some, or send an archive.
const CodeTooManyAttachments fault.Code = "Attachment.TooMany"

func TooManyAttachments() error {
	return fault.Invalid.New(CodeTooManyAttachments, "file", fmt.Sprintf(
		"A ticket can have up to %d files. Delete some, or attach several as one archive.", MaxAttachments))
}

// FileName returns the name of a file as it is stored: one line of text without a path, up to 200 characters with the
// extension kept.
func FileName(sent string) string {
	name := path.Base(strings.ReplaceAll(strings.ToValidUTF8(sent, "�"), `\`, "/"))
	name = strings.TrimSpace(strings.Map(printable, name))
	if name == "" || name == "." || name == ".." || name == "/" {
		return "file"
	}
	if utf8.RuneCountInString(name) <= maxFileName {
		return name
	}
	extension := []rune(path.Ext(name))
	if len(extension) > 20 {
		extension = nil
	}
	return string([]rune(name)[:maxFileName-len(extension)]) + string(extension)
}

// printable drops what would change how a name is read: controls, and what turns the direction of a text.
func printable(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// AttachmentsOf returns the attachments of many tickets that are not deleted, in one query, each ticket's in their
// order.
func AttachmentsOf(ctx context.Context, q *db.Queries, tickets []ID) (map[ID][]Attachment, error) {
	if len(tickets) == 0 {
		return nil, nil
	}
	ids := make([]*ID, len(tickets))
	for i := range tickets {
		ids[i] = &tickets[i]
	}
	rows, err := db.Read(q.AttachmentsOfTickets(ctx, ids))
	if err != nil {
		return nil, fmt.Errorf("read attachments: %w", err)
	}
	found := map[ID][]Attachment{}
	for _, row := range rows {
		one := Attachment{ID: row.ID, Ticket: *row.TicketID, Name: row.Name, CreatedAt: row.CreatedAt,
			Author: User{ID: row.AccountID, Name: row.Author},
			File: files.File{Bytes: int64(row.Bytes), Type: row.ContentType,
				Picture: files.Image{Type: row.ImageType, Width: int(row.Width), Height: int(row.Height)}}}
		if row.CommentID != nil {
			one.Comment = *row.CommentID
		}
		found[one.Ticket] = append(found[one.Ticket], one)
	}
	return found, nil
}

// readAttachments gives a ticket its attachments, if it has any.
func (t *Ticket) readAttachments(ctx context.Context, q *db.Queries) error {
	if t.attachments == 0 {
		return nil
	}
	found, err := AttachmentsOf(ctx, q, []ID{t.ID})
	t.Attachments = found[t.ID]
	return err
}

// AttachmentsInSight returns those of some attachments that are on tickets in sight, or that the reader sent for a text
// which is not saved yet.
func AttachmentsInSight(
	ctx context.Context, q *db.Queries, by db.Sight, ids []id.Attachment,
) (map[id.Attachment]Attachment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.Read(q.AttachmentsInSight(ctx, db.AttachmentsInSightParams{Ids: ids, CompanyID: by.Company,
		Reader: by.Reader, Reach: by.Reach}))
	if err != nil {
		return nil, fmt.Errorf("read attachments: %w", err)
	}
	found := make(map[id.Attachment]Attachment, len(rows))
	for _, row := range rows {
		found[row.Attachment.ID] = fromAttachment(row.Attachment, row.Author, files.From(row.StoredFile))
	}
	return found, nil
}

func fromAttachment(row db.Attachment, author string, file files.File) Attachment {
	a := Attachment{ID: row.ID, Name: row.Name, CreatedAt: row.CreatedAt, Author: User{ID: row.AccountID, Name: author},
		File: file}
	if row.TicketID != nil {
		a.Ticket = *row.TicketID
	}
	if row.CommentID != nil {
		a.Comment = *row.CommentID
	}
	return a
}

// Upload records a file that was sent for a text which is not saved yet.
func Upload(
	ctx context.Context, tx *db.Tx, company id.Company, file files.File, name string, by User,
) (Attachment, error) {
	return createAttachment(ctx, tx, company, nil, file, name, by)
}

// Attach attaches a file to a locked ticket, and records that in its history. It returns TooManyAttachments.
func Attach(
	ctx context.Context, tx *db.Tx, company id.Company, ticket Ticket, file files.File, name string, by User,
) (a Attachment, entry Activity, err error) {
	if a, err = createAttachment(ctx, tx, company, &ticket.ID, file, name, by); err != nil {
		return a, entry, err
	}
	if err := countAttachments(ctx, tx, ticket, 1); err != nil {
		return a, entry, err
	}
	entry, err = recordAttachment(ctx, tx, ticket, a, false, Detail{}, by)
	return a, entry, err
}

func createAttachment(
	ctx context.Context, tx *db.Tx, company id.Company, ticket *ID, file files.File, name string, by User,
) (Attachment, error) {
	a := Attachment{Name: FileName(name), Author: by, CreatedAt: tx.Now, File: file}
	n, err := tx.CreateAttachment(ctx, db.CreateAttachmentParams{CompanyID: company, TicketID: ticket, AccountID: by.ID,
		Hash: file.Hash[:], Name: a.Name, CreatedAt: tx.Now})
	if err != nil {
		return a, fmt.Errorf("create attachment: %w", err)
	}
	if a.ID = id.Attachment(n); ticket != nil {
		a.Ticket = *ticket
	}
	return a, nil
}

// BindAttachments gives files that their author sent for a text to its ticket, and to its comment unless that is 0, and
// returns how many. The caller holds the ticket's lock. It returns TooManyAttachments.
func BindAttachments(
	ctx context.Context, tx *db.Tx, company id.Company, ticket Ticket, comment id.Comment, ids []id.Attachment, by User,
) (n int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	var of *id.Comment
	if comment != 0 {
		of = &comment
	}
	bound, err := tx.BindAttachments(ctx, db.BindAttachmentsParams{TicketID: &ticket.ID, CommentID: of, Ids: ids,
		CompanyID: company, AccountID: by.ID})
	if err != nil {
		return 0, fmt.Errorf("bind attachments: %w", err)
	}
	if bound == 0 {
		return 0, nil
	}
	return int(bound), countAttachments(ctx, tx, ticket, int(bound))
}

// countAttachments changes the count of a locked ticket, and publishes it.
func countAttachments(ctx context.Context, tx *db.Tx, ticket Ticket, n int) error {
	if n == 0 {
		return nil
	}
	if n > 0 && ticket.attachments+n > MaxAttachments {
		return TooManyAttachments()
	}
	if _, err := tx.CountAttachments(ctx, db.CountAttachmentsParams{N: int64(n), Now: tx.Now, ID: ticket.ID}); err != nil {
		return fmt.Errorf("count attachments: %w", err)
	}
	return nil
}

// recordAttachment adds a change of a file to the history of its ticket.
func recordAttachment(
	ctx context.Context, tx *db.Tx, ticket Ticket, a Attachment, removed bool, detail Detail, by User,
) (entry Activity, err error) {
	detail.Attachment = &AttachmentChange{ID: a.ID, Name: a.Name, Removed: removed}
	entry = Activity{Kind: KindAttached, By: by, At: tx.Now, Detail: detail}
	entry.ID, err = Record(ctx, tx, ticket.ID, by, KindAttached, detail)
	return entry, err
}

// Detach deletes an attachment of a locked ticket, or restores one that was deleted, and records that; detail is what
// else the history says. entry.ID is 0 if it is so already. It returns AttachmentNotFound or TooManyAttachments.
func Detach(
	ctx context.Context, tx *db.Tx, ticket Ticket, attachment id.Attachment, restore bool, detail Detail, by User,
) (entry Activity, err error) {
	row, err := tx.AttachmentOfTicket(ctx, attachment, &ticket.ID)
	if db.IsNotFound(err) {
		return entry, AttachmentNotFound()
	}
	if err != nil {
		return entry, fmt.Errorf("read attachment: %w", err)
	}
	if restore == (row.DeletedAt == nil) {
		return entry, nil
	}
	n := 1
	if restore {
		_, err = tx.RestoreAttachment(ctx, attachment, &ticket.ID)
	} else {
		n = -1
		_, err = tx.DeleteAttachment(ctx, db.DeleteAttachmentParams{Now: &tx.Now, ID: attachment, TicketID: &ticket.ID})
	}
	if err != nil {
		return entry, fmt.Errorf("delete attachment: %w", err)
	}
	if err := countAttachments(ctx, tx, ticket, n); err != nil {
		return entry, err
	}
	return recordAttachment(ctx, tx, ticket, fromAttachment(row, "", files.File{}), !restore, detail, by)
}

// UndoAttached reverts the attaching or the deletion of a file, if that is still as the action left it. The caller holds
// the ticket's lock. It returns UndoneBefore or ChangedSince.
func UndoAttached(ctx context.Context, tx *db.Tx, ticket Ticket, action Action, by User) error {
	if err := MarkUndone(ctx, tx, ticket, action); err != nil {
		return err
	}
	done := action.Detail.Attachment
	entry, err := Detach(ctx, tx, ticket, done.ID, done.Removed, Detail{Undid: KindAttached}, by)
	if fault.KindOf(err) == fault.NotFound || err == nil && entry.ID == 0 {
		return ChangedSince(ticket, "changed", "")
	}
	return err
}

// deleteWith deletes the attachments of a comment that is being deleted.
func deleteWith(ctx context.Context, tx *db.Tx, ticket Ticket, comment id.Comment) error {
	n, err := tx.DeleteAttachmentsOf(ctx, &tx.Now, &comment)
	if err != nil {
		return fmt.Errorf("delete attachments: %w", err)
	}
	return countAttachments(ctx, tx, ticket, -int(n))
}

// restoreWith restores the attachments that were deleted with a comment.
func restoreWith(ctx context.Context, tx *db.Tx, ticket Ticket, comment id.Comment, deletedAt time.Time) error {
	n, err := tx.RestoreAttachmentsOf(ctx, &comment, &deletedAt)
	if err != nil {
		return fmt.Errorf("restore attachments: %w", err)
	}
	return countAttachments(ctx, tx, ticket, int(n))
}

// purgeAttachments removes the attachments of tickets for good. Their files go with the next removal of unused files.
func purgeAttachments(ctx context.Context, tx *db.Tx, tickets []ID) error {
	ids := make([]*ID, len(tickets))
	for i := range tickets {
		ids[i] = &tickets[i]
	}
	freed, err := tx.StorageOfTickets(ctx, ids)
	if err != nil {
		return fmt.Errorf("read storage of attachments: %w", err)
	}
	if len(freed) == 0 {
		return nil
	}
	if err := tx.PurgeAttachments(ctx, ids); err != nil {
		return fmt.Errorf("purge attachments: %w", err)
	}
	for _, of := range freed {
		if err := files.Release(ctx, tx, of.CompanyID, uint64(of.Bytes)); err != nil {
			return err
		}
	}
	return nil
}
