package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
)

const (
	// MaxPicture is the largest file in bytes that a picture of an account is made from.
	MaxPicture = 5 << 20
	// pictureVersion is how many hexadecimal digits of its hash are in its address.
	pictureVersion = 16
)

// CodeBadPicture: the file is no picture that can be shown. Use a smaller one, or a PNG, JPEG, GIF or WebP.
const CodeBadPicture fault.Code = "Account.BadPicture"

// CodePictureNotFound: the account has no such picture, or another one by now. Load the page again.
const CodePictureNotFound fault.Code = "Account.PictureNotFound"

// BadPicture refuses the file of a picture.
func BadPicture(why string) error { return fault.Invalid.New(CodeBadPicture, "file", why) }

// PictureTooLarge refuses a file of more than MaxPicture.
func PictureTooLarge() error {
	return fault.TooLarge.New(CodeBadPicture, "file", "The file is too large: it may have 5 MB. Choose a smaller one.")
}

// PictureNotFound is for an address that shows no picture.
func PictureNotFound() error {
	return fault.NotFound.New(CodePictureNotFound, "", "There is no such picture. Load the page again.")
}

// SetPicture gives an account a picture of a type such as image/png.
func SetPicture(ctx context.Context, tx *db.Tx, account ID, kind string, content []byte) error {
	sum := sha256.Sum256(content)
	err := tx.StoreAccountPicture(ctx, db.StoreAccountPictureParams{AccountID: account, ContentType: kind,
		Content: content, Now: tx.Now})
	if err != nil {
		return fmt.Errorf("store picture: %w", err)
	}
	if err := tx.SetPicture(ctx, hex.EncodeToString(sum[:])[:pictureVersion], account); err != nil {
		return fmt.Errorf("set picture: %w", err)
	}
	return nil
}

// RemovePicture takes its picture from an account.
func RemovePicture(ctx context.Context, tx *db.Tx, account ID) error {
	if err := tx.DeleteAccountPicture(ctx, account); err != nil {
		return fmt.Errorf("delete picture: %w", err)
	}
	if err := tx.SetPicture(ctx, "", account); err != nil {
		return fmt.Errorf("set picture: %w", err)
	}
	return nil
}

// PictureOf returns the picture of an account with its type, or PictureNotFound if it is not of that version.
func PictureOf(ctx context.Context, q *db.Queries, account ID, version string) (content []byte, kind string, err error) {
	if len(version) != pictureVersion {
		return nil, "", PictureNotFound()
	}
	row, err := db.Read(q.AccountPicture(ctx, account, version))
	if db.IsNotFound(err) {
		return nil, "", PictureNotFound()
	}
	if err != nil {
		return nil, "", fmt.Errorf("read picture: %w", err)
	}
	return row.Content, row.ContentType, nil
}
