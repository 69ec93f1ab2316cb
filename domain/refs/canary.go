package refs

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
)

// oneIn is of how many codes one is a canary.
const oneIn = 900

// Canaries are codes that are never minted: a lookup of one is guessing. A secret of the installation determines them;
// none is stored.
type Canaries struct{ block cipher.Block }

// Is reports whether a code is a canary. One that was loaded from a file can be one too; it is in the ledger.
func (c Canaries) Is(code Code) bool {
	var in, out [aes.BlockSize]byte
	copy(in[:], code)
	c.block.Encrypt(out[:], in[:])
	return binary.BigEndian.Uint64(out[:])%oneIn == 0
}

// ReadCanaries returns the canaries of the installation; it makes their secret if there is none yet.
func ReadCanaries(ctx context.Context, q *db.Queries) (Canaries, error) {
	policy, err := db.Read(q.RefPolicy(ctx))
	if err == nil && policy.CanaryKey == nil {
		key := make([]byte, aes.BlockSize)
		rand.Read(key)
		if _, err = q.MakeCanaryKey(ctx, key); err == nil {
			policy, err = db.Read(q.RefPolicy(ctx)) // another process may have been first
		}
	}
	if err != nil {
		return Canaries{}, fmt.Errorf("read which codes are canaries: %w", err)
	}
	block, err := aes.NewCipher(policy.CanaryKey)
	if err != nil {
		return Canaries{}, fmt.Errorf("read which codes are canaries: %w", err)
	}
	return Canaries{block}, nil
}
