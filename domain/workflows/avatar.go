package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/images"
)

const (
	// avatarSide is how many pixels the picture of an account is wide and high.
	avatarSide = 128
	// avatarPixels is how many pixels the picture that it is made from may have.
	avatarPixels = 25_000_000
)

// SetAvatar gives an account a picture, made anew from the middle of that in a file. It returns accounts.BadAvatar.
func (w *Workflows) SetAvatar(ctx context.Context, account accounts.ID, file []byte) error {
	if len(file) == 0 {
		return accounts.BadAvatar("The file is empty. Choose another.")
	}
	picture, err := images.Square(ctx, file, avatarSide, images.Limits{Pixels: avatarPixels})
	if fault.CodeOf(err) == images.CodeUnfit {
		return accounts.BadAvatar(fault.Message(err) + " Choose another file.")
	}
	if err != nil {
		return err
	}
	return w.db.InTx(ctx, func(tx *db.Tx) error {
		return accounts.SetAvatar(ctx, tx, account, picture.Type, picture.Content)
	})
}

// RemoveAvatar takes its picture from an account.
func (w *Workflows) RemoveAvatar(ctx context.Context, account accounts.ID) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error { return accounts.RemoveAvatar(ctx, tx, account) })
}

// Avatar returns the picture of an account with its type. It returns accounts.AvatarNotFound.
func (w *Workflows) Avatar(ctx context.Context, account accounts.ID, version string) (content []byte, kind string, err error) {
	return accounts.AvatarOf(ctx, w.db.Queries, account, version)
}
