package files

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/images"
)

// Hash is SHA-256 of a file as it was sent.
type Hash [32]byte

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads a hash as String writes it; ok is false for anything else.
func ParseHash(text string) (hash Hash, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(hash) {
		return hash, false
	}
	return Hash(b), true
}

// Stored is what the name of a stored file is made of. A file that is stored again after it was removed has another
// generation, so a name never means another file, nor comes back.
type Stored struct {
	Hash       Hash
	Generation uint32
}

// Prefix is the beginning of the names of all files.
const Prefix = "files/"

// Name is the name of the stored file.
func (s Stored) Name() string {
	return fmt.Sprintf("%s%s/%s-%08x", Prefix, s.Hash.String()[:2], s.Hash, s.Generation)
}

// Image is the name of the copy that pages show, and Thumbnail that of the small one.
func (s Stored) Image() string     { return s.Name() + ".image" }
func (s Stored) Thumbnail() string { return s.Name() + ".small" }

// Names are those that the file and its copies may have.
func (s Stored) Names() []string { return []string{s.Name(), s.Image(), s.Thumbnail()} }

var storedName = regexp.MustCompile(`/([0-9a-f]{64})-([0-9a-f]{8})(?:\.image|\.small)?$`)

// ParseName returns what the name of a file or of a copy is made of; ok is false for any other name.
func ParseName(name string) (s Stored, ok bool) {
	parts := storedName.FindStringSubmatch(name)
	if parts == nil {
		return s, false
	}
	s.Hash, _ = ParseHash(parts[1])
	generation, err := strconv.ParseUint(parts[2], 16, 32)
	s.Generation = uint32(generation)
	return s, err == nil && slices.Contains(s.Names(), name)
}

// File is a stored file.
type File struct {
	Stored
	Bytes   int64
	Type    string // such as application/pdf, by its content
	Picture Image
}

// Image is the copy of a picture that pages show. The zero Image is of a file that is none.
type Image struct {
	Type          string // image/png, image/jpeg or image/gif
	Bytes         int64
	Width, Height int
}

// Shown reports whether pages show the file as a picture.
func (f File) Shown() bool { return f.Picture.Type != "" }

// hasThumbnail reports whether the file has a small copy.
func (f File) hasThumbnail() bool {
	return f.Shown() && images.HasThumbnail(f.Picture.Width, f.Picture.Height)
}

// Names are those under which the file and its copies are stored.
func (f File) Names() []string {
	names := []string{f.Stored.Name()}
	if f.Shown() {
		names = append(names, f.Stored.Image())
	}
	if f.hasThumbnail() {
		names = append(names, f.Stored.Thumbnail())
	}
	return names
}

// Copy is the name of the stored file, or of its copy that pages show, or of the small one if there is one.
func (f File) Copy(shown, small bool) string {
	switch {
	case small && f.hasThumbnail():
		return f.Stored.Thumbnail()
	case small || shown:
		return f.Stored.Image()
	}
	return f.Stored.Name()
}

// From returns a file as it is stored.
func From(row db.StoredFile) File {
	return File{Stored: Stored{Hash(row.Hash), row.Generation}, Bytes: int64(row.Bytes), Type: row.ContentType, Picture: Image{Type: row.ImageType,
		Bytes: int64(row.ImageBytes), Width: int(row.Width), Height: int(row.Height)}}
}
