package requests

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// A form that asks for a proof of work is accepted with a number for which SHA-256 of the proof's seed and the number,
// as 8 bytes, begins with ProofBits zero bits. The seed is of what is sent, so each other text is work of its own, and
// the same one again is the same request. static/js/proof.js does it in about 65,000 hashes: a second on a slow phone.
const (
	ProofBits = 16
	proofFor  = 24 * time.Hour // after the page was made
	proofSlip = 5 * time.Minute
)

// ProofSeed is what the work is done on: the challenge and the fields, byte by byte as they are sent. What it left out
// could be varied, and each variant sent as a request of its own for one proof.
func (s Submission) ProofSeed() [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join([]string{s.Challenge, s.Title, s.Description, s.Email}, "\x00")))
}

// Proves reports whether a number is a proof for a seed.
func Proves(seed [sha256.Size]byte, number uint64) bool {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(seed[:], number))
	return bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:])) >= ProofBits
}

// CheckProof returns NoProof unless the work was done for this form, on a page that is not too old. challenge is that
// of the form's nonce and address.
func (s Submission) CheckProof(challenge string, now time.Time) error {
	number, err := strconv.ParseUint(s.Proof, 10, 64)
	if err != nil || s.Challenge != challenge || !Proves(s.ProofSeed(), number) {
		return NoProof()
	}
	if !Provable(s.Nonce, now) {
		return NoProof()
	}
	return nil
}

// Provable reports whether a proof for the form of a nonce is accepted at a time. A form of another nonce gets no
// challenge: nonces come from outside, and work for one of next year could be done ahead.
func Provable(nonce string, now time.Time) bool {
	age := now.Sub(NonceTime(nonce))
	return age <= proofFor && age >= -proofSlip
}
