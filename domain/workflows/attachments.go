package workflows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// NewFile is a file to attach. It is read to its end, and never held in memory.
type NewFile struct {
	Name    string
	Content io.Reader
	Size    int64 // of the request that brings it, -1 if it is unknown
}

// Attached is a file that was attached to a ticket.
type Attached struct {
	Ticket     tickets.Ticket
	Attachment tickets.Attachment
	Activity   id.Activity // the entry of the history
}

// Attach attaches a file to a ticket. It returns tickets.NotFound, TooManyAttachments, files.Empty, TooManyPixels,
// QuotaExceeded or OtherPlace, blobs.Unavailable, the error of reading the file, and with once Replay or KeyReused.
func (w *Workflows) Attach(
	ctx context.Context, key tickets.Key, file NewFile, once *Once[tickets.Attachment],
) (attached Attached, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return attached, err
	}
	received, end, err := w.receive(ctx, actor, file)
	if err != nil {
		return attached, err
	}
	defer func() { end(err == nil || errors.Is(err, fault.Unknown)) }()
	attached.Attachment, err = DoOnce(ctx, w, once, func() (tickets.Attachment, error) {
		err := w.onTicket(ctx, key, func(t lockedTicket) (err error) {
			attached.Ticket = t.Ticket
			if err := received.Keep(ctx, t.tx, actor.Company.ID); err != nil {
				return err
			}
			var entry tickets.Activity
			attached.Attachment, entry, err = tickets.Attach(ctx, t.tx, actor.Company.ID, t.Ticket, received.File, file.Name,
				t.by)
			attached.Activity = entry.ID
			if err != nil {
				return err
			}
			return StoreResponses(ctx, t.tx, once.Row(t.tx, attached.Attachment))
		})
		return attached.Attachment, err
	})
	if err != nil {
		return Attached{}, fmt.Errorf("attach file: %w", err)
	}
	return attached, nil
}

// MayAttach returns an error if the caller may not attach files to a ticket.
func (w *Workflows) MayAttach(ctx context.Context, key tickets.Key) error {
	if _, err := mayChange(ctx, "tickets"); err != nil {
		return err
	}
	return w.findTicket(ctx, key, func(tickets.Ticket) error { return nil })
}

// MayUpload returns an error if the caller may not send files for texts.
func MayUpload(ctx context.Context) error {
	_, err := mayChange(ctx, "tickets")
	return err
}

// Upload receives a file for a text that the caller has not saved yet: nobody else sees it until a ticket or comment
// that refers to it is saved, and it is removed if that does not happen within a day. It returns what Attach does, but
// for the errors of a ticket.
func (w *Workflows) Upload(ctx context.Context, file NewFile) (attachment tickets.Attachment, err error) {
	actor, err := mayChange(ctx, "tickets")
	if err != nil {
		return attachment, err
	}
	received, end, err := w.receive(ctx, actor, file)
	if err != nil {
		return attachment, err
	}
	defer func() { end(err == nil || errors.Is(err, fault.Unknown)) }()
	err = w.change(ctx, func(tx *db.Tx) (err error) {
		if err := received.Keep(ctx, tx, actor.Company.ID); err != nil {
			return err
		}
		attachment, err = tickets.Upload(ctx, tx, actor.Company.ID, received.File, file.Name, user(actor))
		return err
	})
	if err != nil {
		return tickets.Attachment{}, fmt.Errorf("upload file: %w", err)
	}
	return attachment, nil
}

// copyFilesOf returns a text of a new ticket that refers to copies of the files of another, as the actor would have sent
// them for it. A ticket that is not in sight, and a file that is gone, leave it as it is.
func (w *Workflows) copyFilesOf(
	ctx context.Context, actor accounts.Actor, from tickets.Key, text string,
) (string, error) {
	if len(attachmentsIn(text)) == 0 {
		return text, nil
	}
	ticket, err := tickets.ByKey(ctx, w.db.Queries, actor.Sight(), from)
	if errors.Is(err, tickets.CodeNotFound) {
		return text, nil
	}
	if err != nil {
		return text, err
	}
	copied := text
	err = w.change(ctx, func(tx *db.Tx) (err error) {
		copied, err = copyFiles(ctx, tx, actor, ticket, text)
		return err
	})
	return copied, err
}

// copyFiles is copyFilesOf for a ticket in sight.
func copyFiles(ctx context.Context, tx *db.Tx, actor accounts.Actor, ticket tickets.Ticket, text string) (string, error) {
	found, err := tickets.AttachmentsInSight(ctx, tx.Queries, actor.Sight(), attachmentsIn(text))
	if err != nil {
		return text, err
	}
	copies := map[uint64]uint64{}
	for _, of := range slices.Sorted(maps.Keys(found)) {
		a := found[of]
		if a.Ticket != ticket.ID {
			continue
		}
		ok, err := files.Reuse(ctx, tx, actor.Company.ID, a.File)
		if err != nil {
			return text, err
		}
		if !ok {
			continue
		}
		made, err := tickets.Upload(ctx, tx, actor.Company.ID, a.File, a.Name, user(actor))
		if err != nil {
			return text, err
		}
		copies[uint64(of)] = uint64(made.ID)
	}
	return markup.ReplaceAttachments(text, copies), nil
}

// receive receives a file and stores it. end must be called; kept says that it was recorded, or perhaps was.
func (w *Workflows) receive(
	ctx context.Context, actor accounts.Actor, file NewFile,
) (received *files.Received, end func(kept bool), err error) {
	if w.files == nil {
		return nil, nil, FilesUnavailable(errors.New("there is no place for them"))
	}
	if err := w.checkPlace(ctx); err != nil {
		return nil, nil, err
	}
	usage, err := files.UsageOf(ctx, w.db.Queries, actor.Company.ID)
	if err != nil {
		return nil, nil, err
	}
	free, err := w.uploads.reserve(actor.Company.ID, file.Size, usage)
	if err != nil {
		return nil, nil, err
	}
	if received, err = files.Receive(ctx, w.files, file.Content); err != nil {
		free()
		return nil, nil, err
	}
	end = func(kept bool) {
		received.Discard(ctx, kept)
		free()
	}
	if err := received.Store(ctx); err != nil {
		end(false)
		return nil, nil, err
	}
	return received, end, nil
}

// uploads are the bytes that the requests of companies are bringing to this server: they are on the disk before they
// count.
type uploads struct {
	mu    sync.Mutex
	bytes map[id.Company]int64
}

const (
	// formBytes are those of a request at most that are not its file's.
	formBytes = 4096
	// unknownBytes is what a request counts that does not say how many it has.
	unknownBytes = 100 << 20
)

// reserve counts a request of a size until free is called. It returns files.QuotaExceeded if there is no room for it and
// those under way.
func (u *uploads) reserve(company id.Company, size int64, usage files.Usage) (free func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	usage.Used += u.bytes[company]
	left := usage.Left() + formBytes
	if size < 0 {
		size = min(unknownBytes, left)
	}
	if size > left || left <= formBytes {
		return nil, files.QuotaExceeded(size, usage)
	}
	if u.bytes == nil {
		u.bytes = map[id.Company]int64{}
	}
	u.bytes[company] += size
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.bytes[company] -= size; u.bytes[company] == 0 {
			delete(u.bytes, company)
		}
	}, nil
}

// checkPlace checks once that this server keeps files where the others do.
func (w *Workflows) checkPlace(ctx context.Context) error {
	if w.placed.Load() {
		return nil
	}
	if err := files.CheckPlace(ctx, w.db.Queries, w.files); err != nil {
		return err
	}
	w.placed.Store(true)
	return nil
}

// DeleteAttachment deletes a file of a ticket, which Undo restores. activity is the entry of the history; 0 if it was
// deleted before. It returns tickets.NotFound or AttachmentNotFound.
func (w *Workflows) DeleteAttachment(
	ctx context.Context, key tickets.Key, attachment id.Attachment,
) (ticket tickets.Ticket, entry tickets.Activity, err error) {
	if _, err := mayChange(ctx, "tickets"); err != nil {
		return ticket, entry, err
	}
	err = w.onTicket(ctx, key, func(t lockedTicket) (err error) {
		ticket = t.Ticket
		entry, err = tickets.Detach(ctx, t.tx, t.Ticket, attachment, false, tickets.Detail{}, t.by)
		return err
	})
	if err != nil {
		return ticket, entry, fmt.Errorf("delete file: %w", err)
	}
	return ticket, entry, nil
}

// Attachments returns the files that texts refer to and the caller sees.
func (w *Workflows) Attachments(ctx context.Context, texts ...string) ([]tickets.Attachment, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return nil, err
	}
	var ids []id.Attachment
	for _, text := range texts {
		ids = append(ids, attachmentsIn(text)...)
	}
	found, err := tickets.AttachmentsInSight(ctx, w.db.Queries, actor.Sight(), ids)
	return slices.Collect(maps.Values(found)), err
}

// FileCopy says which of the copies of a file is meant.
type FileCopy int

// The copies of a file.
const (
	Original  FileCopy = iota // as it was sent
	Shown                     // the picture made anew
	Thumbnail                 // the same, small
)

// OpenAttachment opens a file on a ticket that the caller sees, or one that it sent for a text. The file must be closed;
// it can be read after ctx has ended. It returns tickets.AttachmentNotFound or FilesUnavailable.
func (w *Workflows) OpenAttachment(
	ctx context.Context, attachment id.Attachment, which FileCopy,
) (a tickets.Attachment, file io.ReadSeekCloser, err error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return a, nil, err
	}
	found, err := tickets.AttachmentsInSight(ctx, w.db.Queries, actor.Sight(), []id.Attachment{attachment})
	if err != nil {
		return a, nil, err
	}
	a, ok := found[attachment]
	if !ok || which != Original && !a.File.Shown() {
		return a, nil, tickets.AttachmentNotFound()
	}
	if w.files == nil {
		return a, nil, FilesUnavailable(errors.New("there is no place for them"))
	}
	file, err = w.files.OpenSeeker(context.WithoutCancel(ctx), a.File.Copy(which == Shown, which == Thumbnail))
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil, FilesUnavailable(err) // its row says that it is there
	}
	return a, file, err
}

// StorageUsed returns how much of their quota the files of the caller's company take.
func (w *Workflows) StorageUsed(ctx context.Context) (files.Usage, error) {
	return files.UsageOf(ctx, w.db.Queries, accounts.ActorFrom(ctx).Company.ID)
}
