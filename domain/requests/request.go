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
	Proof   bool   // its page does a proof of work before it sends
	Version uint64 // changes with each save: microseconds since 1970; 0 if never saved
}

// Saved reports whether the board has, or had, a public form.
func (f Form) Saved() bool { return f.Version != 0 }

// OpenForm is a form that is turned on, with what its page shows of the board.
type OpenForm struct {
	Company     id.Company
	CompanySlug string
	CompanyName string
	Board       id.Board
	Title       string // of the board
	Intro       string
	Proof       bool
}

// Request is the requester's part of a ticket that came by a form.
type Request struct {
	Ticket    id.Ticket
	Code      string
	Email     string // "" if none was given
	CreatedAt time.Time
	Linked    bool       // there is a private link
	RevokedAt *time.Time // when the last one was revoked, if there is none
}

// States of a ticket for its requester.
const (
	Received   = "received"
	InProgress = "in progress"
	Done       = "done"
)

// TrackedTicket is a code's ticket. Company, Board and Ticket are not shown.
type TrackedTicket struct {
	Company   id.Company
	Board     id.Board
	BoardSlug string
	Ticket    id.Ticket
	Number    uint64
	Code      string
	State     string
	ChangedAt time.Time // of the state, or of the last public comment for a private link
	Archived  bool      // read only

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

// tokenBytes is the length of a private link's token: 128 random bits.
const tokenBytes = 16

// NewToken returns a new token of a private link.
func NewToken() string {
	var b [tokenBytes]byte
	_, _ = rand.Read(b[:]) // it does not return errors
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// IsToken reports whether s has the form of a token.
func IsToken(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s) // it skips line ends
	return err == nil && len(b) == tokenBytes && !strings.ContainsAny(s, "\r\n")
}

// NewNonce returns a new nonce of a form: a token, and when the form was made.
func NewNonce(now time.Time) string { return NewToken() + "." + strconv.FormatInt(now.UnixMilli(), 36) }

// NonceTime returns when a nonce was made: the zero time if it does not tell, as those of releases before.
func NonceTime(nonce string) time.Time {
	_, text, _ := strings.Cut(nonce, ".")
	at, err := strconv.ParseInt(text, 36, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(at)
}

// IsNonce reports whether s has the form of a nonce.
func IsNonce(s string) bool {
	token, _, timed := strings.Cut(s, ".")
	return IsToken(token) && (!timed || !NonceTime(s).IsZero())
}

// Submission is a form as it was sent. Nonce is the random token that the page with the form had.
type Submission struct {
	Company, Board, Nonce, Title, Description, Email string

	Challenge, Proof string // of a form that asks for a proof of work

	Template id.Template // that the form began with; 0 for none
}

// Token returns the token of the private link. It is the same if the form is sent again, and as hard to guess as the
// nonce.
func (s Submission) Token() string {
	sum := s.sum("token")
	return base64.RawURLEncoding.EncodeToString(sum[:tokenBytes])
}

// hash identifies the form.
func (s Submission) hash() []byte {
	sum := s.sum("form")
	return sum[:]
}

func (s Submission) sum(what string) [sha256.Size]byte {
	var b strings.Builder
	parts := []string{what, s.Nonce, s.Company, s.Board, s.Title, s.Description, s.Email}
	if s.Template != 0 {
		parts = append(parts, strconv.FormatUint(uint64(s.Template), 10))
	}
	for _, part := range parts {
		b.WriteString(strconv.Itoa(len(part)))
		b.WriteByte(' ')
		b.WriteString(part)
	}
	return sha256.Sum256([]byte(b.String()))
}

// Reply is a requester's comment by a private link. Nonce is the random token of the page with the form.
type Reply struct{ Nonce, Body string }

// hash identifies the reply.
func (r Reply) hash() []byte {
	sum := sha256.Sum256([]byte(r.Nonce + " " + r.Body))
	return sum[:]
}

// HashToken returns the stored hash of a token.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// opens reports whether a token has a hash, in constant time.
func opens(hash []byte, token string) bool {
	return subtle.ConstantTimeCompare(hash, HashToken(token)) == 1
}
