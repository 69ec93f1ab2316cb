package requests

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// MaxIntro is how many characters the text above a form may have.
const MaxIntro = 2000

// Form is the public form of a board. The zero Form is off.
type Form struct {
	On      bool
	Intro   string // shown above it, as it was typed
	Version uint64 // another one after each change: microseconds since 1970; 0 of one that was never saved
}

// OpenForm is a form that strangers may send, with what they are told of its board.
type OpenForm struct {
	Company     id.Company
	CompanySlug string
	CompanyName string
	Board       id.Board
	Title       string // of the board
	Intro       string
}

// Request is what is known of who sent a ticket by a form.
type Request struct {
	Ticket    id.Ticket
	Code      string
	Email     string // "" if none was given
	CreatedAt time.Time
	Linked    bool       // there is a private link
	RevokedAt *time.Time // when the last one was revoked, where there is none
}

// States of a ticket as its requester is told.
const (
	Received   = "received"
	InProgress = "in progress"
	Done       = "done"
)

// TrackedTicket is what a code leads to. Company, Board and Ticket are for the program alone.
type TrackedTicket struct {
	Company   id.Company
	Board     id.Board
	BoardSlug string
	Ticket    id.Ticket
	Number    uint64
	Code      string
	State     string
	ChangedAt time.Time // when it came there, or by the private link something was written that the requester reads
	Archived  bool      // nothing can be written there

	// By the private link alone.
	Private bool
	Title   string
}

// ParseIntro returns s as the text above a form. It returns BadIntro.
func ParseIntro(s string) (string, error) {
	text := strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
	if length := len([]rune(text)); !markup.Text(text) || length > MaxIntro {
		return "", BadIntro(length)
	}
	return text, nil
}

// tokenBytes is how many random bytes a private link has: 128 bits.
const tokenBytes = 16

// NewToken returns a new token of a private link, or of a form.
func NewToken() string {
	var b [tokenBytes]byte
	_, _ = rand.Read(b[:]) // it does not return errors
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// IsToken reports whether s has the form of what NewToken returns.
func IsToken(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == tokenBytes
}

// Submission is a form as it was sent. Nonce is the random token that the page with the form had.
type Submission struct {
	Company, Board, Nonce, Title, Description, Email string
}

// Token returns the token of the private link to what comes of the form. It is the same for a form that is sent
// again, and as hard to guess as the nonce.
func (s Submission) Token() string {
	sum := s.sum("token")
	return base64.RawURLEncoding.EncodeToString(sum[:tokenBytes])
}

// hash is by which the form is known again.
func (s Submission) hash() []byte {
	sum := s.sum("form")
	return sum[:]
}

func (s Submission) sum(what string) [sha256.Size]byte {
	var b strings.Builder
	for _, part := range []string{what, s.Nonce, s.Company, s.Board, s.Title, s.Description, s.Email} {
		b.WriteString(strconv.Itoa(len(part)))
		b.WriteByte(' ')
		b.WriteString(part)
	}
	return sha256.Sum256([]byte(b.String()))
}

// Reply is what a requester sends by a private link. Nonce is the random token that the page with the form had.
type Reply struct{ Nonce, Body string }

// hash is by which the reply is known again.
func (r Reply) hash() []byte {
	sum := sha256.Sum256([]byte(r.Nonce + " " + r.Body))
	return sum[:]
}

// HashToken returns by what a token is stored.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// opens reports whether a token is the one with a hash. It takes as long for a right one as for a wrong one.
func opens(hash []byte, token string) bool {
	return subtle.ConstantTimeCompare(hash, HashToken(token)) == 1
}
