package images

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Hash is SHA-256 of an image as it is stored.
type Hash [32]byte

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads a hash as String writes it; ok is false for anything else.
func ParseHash(s string) (h Hash, ok bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) || hex.EncodeToString(b) != s {
		return h, false
	}
	return Hash(b), true
}

// Image is a picture that a company keeps.
type Image struct {
	Company       id.Company
	Hash          Hash
	Type          string // image/png, image/jpeg or image/gif
	Bytes         int64
	Width, Height int
	CreatedAt     time.Time
	Everyone      bool // seen by all members, not by readers of its tickets alone
}

// Path is the image's path for the members of a company with that slug.
func (i Image) Path(company string) string { return "/" + company + "/images/" + i.Hash.String() }

// ThumbnailOf is the path of the small copy of a company's image with that path, or of the image itself if it is
// small; "" for a path that is no image's.
func ThumbnailOf(company, path string) string {
	if _, ok := HashOf(company, path); !ok {
		return ""
	}
	return fmt.Sprintf("%s/%d", path, ThumbnailWidth)
}

// HashOf is the hash of a company's image with that path; ok is false for a path that is no image's.
func HashOf(company, path string) (hash Hash, ok bool) {
	text, ok := strings.CutPrefix(path, "/"+company+"/images/")
	if !ok {
		return Hash{}, false
	}
	return ParseHash(text)
}

// Blob is the name of its file. Companies that keep the same picture share it.
func (h Hash) Blob() string { return "images/" + h.String()[:2] + "/" + h.String() }

// ThumbnailWidth is the width of small copies: that of a text on a page. It is part of their names and addresses, so
// that what an address returns never changes.
const ThumbnailWidth = 640

// Thumbnail is the name of the small copy's file; a small image has none.
func (h Hash) Thumbnail() string { return fmt.Sprintf("%s.%d", h.Blob(), ThumbnailWidth) }

// CodeNotFound: there is no such image, or not for the caller. Check the address.
const CodeNotFound fault.Code = "Image.NotFound"

func NotFound() error {
	return fault.NotFound.New(CodeNotFound, "", "There is no such image here.")
}

// CodeUnfit: the bytes are no image that can be kept. Use a smaller one, or a PNG, JPEG or GIF.
const CodeUnfit fault.Code = "Image.Unsupported"

func Unfit(why string) error {
	return fault.Invalid.New(CodeUnfit, "", why)
}

func unfit(format string, args ...any) error { return Unfit(fmt.Sprintf(format, args...)) }
