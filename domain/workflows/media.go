package workflows

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

const (
	picturesPerText = 50   // are fetched, and as many stored ones recorded
	maxPictureURL   = 2000 // bytes
)

// textMedia are what a text shows: pictures at addresses of other hosts to fetch, stored images, and files that were
// sent for it.
type textMedia struct {
	remote []string
	stored map[string]images.Hash // by address
	files  []id.Attachment
}

func (m textMedia) none() bool { return len(m.remote) == 0 && len(m.stored) == 0 && len(m.files) == 0 }

// Media finds what texts show.
type Media struct {
	Base     string           // of the addresses of this installation
	Pictures *outbound.Client // nil if pictures of other hosts are not fetched
}

// MediaOf returns what finds them: without a place for files no picture is fetched.
func MediaOf(files *blobs.Store, base string, pictures *outbound.Client) Media {
	if files == nil {
		pictures = nil
	}
	return Media{base, pictures}
}

// mediaIn returns what a text that an actor saves shows.
func (w *Workflows) mediaIn(actor accounts.Actor, text string) textMedia {
	return w.media.in(actor, text)
}

func (m Media) in(actor accounts.Actor, text string) textMedia {
	found := textMedia{files: attachmentsIn(text)}
	for _, image := range markup.Images(text) {
		path := image.Address
		if m.Base != "" {
			path = strings.TrimPrefix(path, m.Base)
		}
		hash, stored := images.HashOf(actor.Company.Slug, path)
		switch {
		case stored && len(found.stored) < picturesPerText:
			if found.stored == nil {
				found.stored = map[string]images.Hash{}
			}
			found.stored[image.Address] = hash
		case stored, !image.Remote(), slices.Contains(found.remote, image.Address):
		case len(found.remote) < picturesPerText && m.mayFetch(image.Address):
			found.remote = append(found.remote, image.Address)
		}
	}
	return found
}

// mayFetch reports whether it is worth trying to fetch a picture. What its host leads to is looked at then.
func (m Media) mayFetch(address string) bool {
	if m.Pictures == nil || len(address) > maxPictureURL {
		return false
	}
	_, err := m.Pictures.Check(images.RequestOf(address))
	return err == nil
}

// attachmentsIn returns the files that a text may refer to.
func attachmentsIn(text string) (list []id.Attachment) {
	for _, one := range markup.Attachments(text) {
		if len(list) < tickets.MaxAttachments {
			list = append(list, id.Attachment(one))
		}
	}
	return list
}

// keepMedia gives the files that the actor sent for a text to its locked ticket, and to its comment unless that is 0.
// It has the pictures of the text fetched, and records the stored ones that the actor sees: so do the ticket's readers
// from then on.
func keepMedia(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, ticket tickets.Ticket, comment id.Comment, found textMedia,
) error {
	_, err := tickets.BindAttachments(ctx, tx, actor.Company.ID, ticket, comment, found.files, user(actor))
	if err != nil {
		return err
	}
	return keepPictures(ctx, tx, actor, ticket.ID, found)
}

func keepPictures(ctx context.Context, tx *db.Tx, actor accounts.Actor, ticket id.Ticket, found textMedia) error {
	shown := images.Shown{Company: actor.Company.ID, Ticket: ticket, By: actor.Account.ID}
	remote, err := withRoom(ctx, tx, actor, ticket, found.remote)
	if err != nil {
		return err
	}
	for _, shown.Address = range remote {
		if err := shown.Queue(ctx, tx); err != nil {
			return err
		}
	}
	var hash images.Hash
	for shown.Address, hash = range found.stored {
		_, err := images.ByHash(ctx, tx.Queries, actor.Sight(), hash)
		if errors.Is(err, images.CodeNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := shown.Bind(ctx, tx, hash); err != nil {
			return err
		}
	}
	return nil
}

// withRoom returns the addresses without the new ones that the actor's queue has no room for: their texts show links.
func withRoom(
	ctx context.Context, tx *db.Tx, actor accounts.Actor, ticket id.Ticket, addresses []string,
) ([]string, error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	unknown, err := images.Unknown(ctx, tx.Queries, ticket, addresses)
	if err != nil || len(unknown) == 0 {
		return addresses, err
	}
	room, err := accounts.QueuePictures(ctx, tx, actor.Account.ID, len(unknown))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(addresses),
		func(address string) bool { return slices.Contains(unknown[room:], address) }), nil
}

// remoteImages returns the addresses of a text's images that copies here may stand for.
func remoteImages(text string) []string {
	var list []string
	for _, image := range markup.Images(text) {
		if image.Remote() {
			list = append(list, image.Address)
		}
	}
	return list
}
