package workflows

import (
	"context"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/images"
)

const (
	// pictureSide is how many pixels the picture of an account is wide and high.
	pictureSide = 128
	// picturePixels is how many pixels the picture that it is made from may have.
	picturePixels = 25_000_000
)

// SetPicture gives an account a picture, made anew from the middle of that in a file. It returns accounts.BadPicture.
func (w *Workflows) SetPicture(ctx context.Context, account accounts.ID, file []byte) error {
	if len(file) == 0 {
		return accounts.BadPicture("The file is empty. Choose another.")
	}
	picture, err := images.Square(ctx, file, pictureSide, images.Limits{Pixels: picturePixels})
	if fault.CodeOf(err) == images.CodeUnfit {
		return accounts.BadPicture(fault.Message(err))
	}
	if err != nil {
		return err
	}
	return w.db.InTx(ctx, func(tx *db.Tx) error {
		return accounts.SetPicture(ctx, tx, account, picture.Type, picture.Content)
	})
}

// RemovePicture takes its picture from an account.
func (w *Workflows) RemovePicture(ctx context.Context, account accounts.ID) error {
	return w.db.InTx(ctx, func(tx *db.Tx) error { return accounts.RemovePicture(ctx, tx, account) })
}

// Picture returns the picture of an account with its type. It returns accounts.PictureNotFound.
func (w *Workflows) Picture(ctx context.Context, account accounts.ID, version string) (content []byte, kind string, err error) {
	return accounts.PictureOf(ctx, w.db.Queries, account, version)
}
