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
	// MaxAvatar is the largest file in bytes that a picture of an account is made from.
	MaxAvatar = 5 << 20
	// avatarVersion is how many hexadecimal digits of its hash are in its address.
	avatarVersion = 16
)

// CodeBadAvatar: the file is no picture that can be shown. Use one with fewer pixels, or a PNG, JPEG, GIF or WebP.
const CodeBadAvatar fault.Code = "Account.BadAvatar"

// CodeAvatarTooLarge: the file of a picture is larger than 5 MB. Choose a smaller one.
const CodeAvatarTooLarge fault.Code = "Account.AvatarTooLarge"

// CodeAvatarNotFound: the account has no such picture, or another one by now. Load the page again.
const CodeAvatarNotFound fault.Code = "Account.AvatarNotFound"

// BadAvatar refuses the file of a picture.
func BadAvatar(why string) error { return fault.Invalid.New(CodeBadAvatar, "file", why) }

// AvatarTooLarge refuses a file of more than MaxAvatar.
func AvatarTooLarge() error {
	return fault.TooLarge.New(CodeAvatarTooLarge, "file", "The file is too large: it may have 5 MB. Choose a smaller one.")
}

// AvatarNotFound is for an address that shows no picture.
func AvatarNotFound() error {
	return fault.NotFound.New(CodeAvatarNotFound, "", "There is no such picture. Load the page again.")
}

// SetAvatar gives an account a picture of a type such as image/png.
func SetAvatar(ctx context.Context, tx *db.Tx, account ID, kind string, content []byte) error {
	sum := sha256.Sum256(content)
	err := tx.StoreAvatar(ctx, db.StoreAvatarParams{AccountID: account, ContentType: kind,
		Content: content, Now: tx.Now})
	if err != nil {
		return fmt.Errorf("store picture: %w", err)
	}
	if err := tx.SetAvatar(ctx, hex.EncodeToString(sum[:])[:avatarVersion], account); err != nil {
		return fmt.Errorf("set picture: %w", err)
	}
	return nil
}

// RemoveAvatar takes its picture from an account.
func RemoveAvatar(ctx context.Context, tx *db.Tx, account ID) error {
	if err := tx.DeleteAvatar(ctx, account); err != nil {
		return fmt.Errorf("delete picture: %w", err)
	}
	if err := tx.SetAvatar(ctx, "", account); err != nil {
		return fmt.Errorf("set picture: %w", err)
	}
	return nil
}

// AvatarOf returns the picture of an account with its type, or AvatarNotFound if it is not of that version.
func AvatarOf(ctx context.Context, q *db.Queries, account ID, version string) (content []byte, kind string, err error) {
	if len(version) != avatarVersion {
		return nil, "", AvatarNotFound()
	}
	row, err := db.Read(q.AvatarOf(ctx, account, version))
	if db.IsNotFound(err) {
		return nil, "", AvatarNotFound()
	}
	if err != nil {
		return nil, "", fmt.Errorf("read picture: %w", err)
	}
	return row.Content, row.ContentType, nil
}
