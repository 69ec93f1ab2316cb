package secrets

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// NewLink returns the secret of a link, of 256 bits. It is shown once; HashOfLink is stored.
func NewLink() string {
	random := make([]byte, 32)
	rand.Read(random) // it does not return errors
	return base64.RawURLEncoding.EncodeToString(random)
}

// HashOfLink returns the SHA-256 of a link's secret, which may be any text.
func HashOfLink(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
