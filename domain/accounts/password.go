package accounts

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/alexedwards/argon2id"
)

// Cost is the memory and the passes that hashing a password takes.
type Cost struct {
	KiB, Passes uint32
}

// DefaultCost is OWASP's second recommendation for argon2id, with one lane.
var DefaultCost = Cost{KiB: 19 * 1024, Passes: 2}

// hashes bounds concurrent hashes to two, so that a rush of sign-ins takes no more than 38 MiB.
var hashes = &queue{free: 2}

// memoryRelease returns the memory of hashing to the system soon after the last sign-in: the runtime would keep it for
// minutes.
var memoryRelease = time.AfterFunc(time.Minute, debug.FreeOSMemory)

// releaseSlot ends a turn.
func releaseSlot() {
	hashes.leave()
	memoryRelease.Reset(5 * time.Second)
}

// noPassword is the hash of no password, for addresses without an account.
const noPassword = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// HashPassword returns the hash to store of a password, or BadPassword. Checking it later costs the same.
func HashPassword(password string, cost Cost) (string, error) {
	if err := checkLength(password); err != nil {
		return "", err
	}
	_ = hashes.enter(context.Background(), false) // which does not end
	defer releaseSlot()
	hash, err := argon2id.CreateHash(password, &argon2id.Params{
		Memory: cost.KiB, Iterations: cost.Passes, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// VerifyPassword reports whether password has that hash. It waits for its turn until ctx ends, so that cancelled
// callers leave the queue; known callers go first.
func VerifyPassword(ctx context.Context, password, hash string, known bool) (bool, error) {
	if len(password) > MaxPassword {
		return false, nil
	}
	if err := hashes.enter(ctx, known); err != nil {
		return false, err
	}
	defer releaseSlot()
	match, err := argon2id.ComparePasswordAndHash(password, hash)
	return err == nil && match, nil
}
