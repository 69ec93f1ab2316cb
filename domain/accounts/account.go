package accounts

import (
	"context"
	"net/mail"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// ID is the id of an account.
type ID = id.Account

const (
	// MaxName is how many characters the name of a user or a company may have.
	MaxName = 255
	// MinPassword bounds a password in characters, and MaxPassword in bytes.
	MinPassword, MaxPassword = 12, 1024
)

// Roles within a company, the first is the strongest.
const (
	Owner  = "owner"
	Admin  = "admin"
	Member = "member"
	Viewer = "viewer"
	Guest  = "guest" // sees the boards that name the guest and whom it shares them with, and no others
)

// Account is a user who can sign in.
type Account struct {
	ID       ID
	Email    string // lower case
	Name     string
	Operator bool   // may run the instance
	Epoch    uint64 // sessions that began in an earlier one have ended
	// Deactivated says that the account signs in nowhere; of an account that was looked for, not of an actor's.
	Deactivated bool
	Display     Display
	Avatar      string // the version of the account's picture, part of its address; "" without one
	// KnownAt is when a browser was first known to be the user's; only of an account found by address and password.
	KnownAt time.Time
	// PasswordAsked says that the user was asked for a better password; likewise.
	PasswordAsked bool
}

// NameAndEmail names the account in audit logs.
func (a Account) NameAndEmail() string { return a.Name + " <" + a.Email + ">" }

// IsUser reports whether a user signs in with the account: not with that of requesters, or a service account.
func (a Account) IsUser() bool { return strings.Contains(a.Email, "@") }

// Requester is in the email column of the account that requesters' tickets and comments belong to. It is no valid
// address and has no password, so that account cannot sign in.
const Requester = "requester"

// Company separates its boards and members from those of others.
type Company struct {
	ID   id.Company
	Slug string // lower case, in its URLs
	Name string
}

// Membership is a company of a user.
type Membership struct {
	Company Company
	Role    string
}

// Actor is the caller and its company.
type Actor struct {
	Account Account
	Company Company
	Role    string
	Handle  string // in this company, without the @
	Policy  Policy // of the company, for sessions
	// Others are the user's other companies, and Unread counts unread notifications in this one, up to a hundred. A
	// token has neither.
	Others []Company
	Unread int
	// Pins says that the user has pinned saved views in the company.
	Pins bool
	// Stopped says that a webhook of the company was stopped; only for managers without a token.
	Stopped bool
	// Confined says that an issuer of the company opened the session: it gives nothing that is of the account.
	Confined bool
	Token    id.Token // 0 for a browser session
	Scopes   []string // of the token
	// Service says that the caller is a service account, and PopsRefs that an operator lets it pop reference codes.
	Service, PopsRefs bool
}

// Confine returns the actor in a session that an issuer of the company opened: no operator, and in no other company.
func (a Actor) Confine() Actor {
	a.Confined, a.Account.Operator, a.Others = true, false, nil
	return a
}

// May reports whether the actor's token has the scope; a browser session has them all.
func (a Actor) May(scope string) bool { return a.Token == 0 || slices.Contains(a.Scopes, scope) }

// Writes reports whether the actor's role may change open boards and tickets, and open boards.
func (a Actor) Writes() bool { return a.Role != Viewer && a.Role != Guest }

// Edits reports whether the actor's role may change a board that gives the actor the right to.
func (a Actor) Edits() bool { return a.Role != Viewer }

// Manages reports whether the actor's role may manage members.
func (a Actor) Manages() bool { return a.Role == Owner || a.Role == Admin }

type (
	actorKey   struct{}
	addressKey struct{}
)

// Sight is what the actor may be shown.
func (a Actor) Sight() db.Sight {
	sight := db.Sight{Company: a.Company.ID, Reader: a.Account.ID}
	if a.Role == Guest {
		sight.Reach = db.ReachNamed
	}
	return sight
}

// WithActor returns a context in which actor asks.
func WithActor(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// MaybeActor returns the caller, the zero Actor if there is none: nobody is signed in, or the program itself works.
func MaybeActor(ctx context.Context) Actor {
	actor, _ := ctx.Value(actorKey{}).(Actor)
	return actor
}

// ActorFrom returns the actor in ctx. It panics if there is none: a public route must not call what needs an actor.
func ActorFrom(ctx context.Context) Actor {
	actor, ok := ctx.Value(actorKey{}).(Actor)
	if !ok {
		panic("accounts: no actor in the context")
	}
	return actor
}

// WithAddress returns a context with the caller's network address; "" if it is no valid one.
func WithAddress(ctx context.Context, address string) context.Context {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return context.WithValue(ctx, addressKey{}, "")
	}
	return context.WithValue(ctx, addressKey{}, at.Unmap().WithZone("").String())
}

// AddressFrom returns the caller's network address in ctx, "" if that is unknown.
func AddressFrom(ctx context.Context) string {
	address, _ := ctx.Value(addressKey{}).(string)
	return address
}

// ReadAudit is the scope for the audit list of the company, which owners and admins see.
const ReadAudit = "audit:read"

// Operate is the scope for the whole instance.
const Operate = "operate"

// PopRefs is the scope for popping reference codes, of which the instance has one pool.
const PopRefs = "refs:pop"

// OperatorOnly reports whether only an operator's token can have the scope; that of a service account PopRefs, too, if an
// operator grants it.
func OperatorOnly(scope string) bool { return scope == PopRefs || scope == Operate }

// Holds reports whether the actor's account may do what a scope is for, and so give it to a token: the scopes of
// operators are theirs alone, a viewer writes nothing, a guest only where a board lets it, and owners and admins read the
// audit list.
func (a Actor) Holds(scope string) bool {
	switch {
	case scope == PopRefs && a.Service:
		return a.PopsRefs
	case OperatorOnly(scope):
		return a.Account.Operator
	case strings.HasSuffix(scope, ":write"):
		return a.Edits()
	case scope == ReadAudit:
		return a.Manages()
	}
	return true
}

// HeldScopes are the scopes that the actor's account holds.
func (a Actor) HeldScopes() []string {
	return slices.DeleteFunc(slices.Clone(Scopes), func(scope string) bool { return !a.Holds(scope) })
}

// Scopes that a token can have.
var Scopes = []string{"boards:read", "boards:write", "tickets:read", "tickets:write", ReadAudit, PopRefs, Operate}

var companySlug = regexp.MustCompile(`^[a-z][a-z0-9-]{1,38}[a-z0-9]$`)

// reserved are first segments of paths, now or one day.
var reserved = []string{
	"about", "account", "admin", "api", "assets", "company", "counterfoil", "docs", "events", "favicon", "forms",
	"healthz", "help", "inbox",
	"invitations", "join", "live", "login", "logout", "metrics", "new", "operator", "public", "readyz", "reset", "robots",
	"search", "security",
	"settings", "setup", "signin", "signup", "static", "status", "support", "tickets", "webhooks", "well-known",
}

// ParseCompanySlug returns s as a company's slug. It returns BadCompanySlug.
func ParseCompanySlug(s string) (string, error) {
	slug := strings.TrimSpace(s)
	if strings.ContainsFunc(slug, func(r rune) bool { return r >= 0x80 }) { // there are other letters that lower case makes a to z
		return "", BadCompanySlug(s, false)
	}
	slug = strings.ToLower(slug)
	if !companySlug.MatchString(slug) || strings.Contains(slug, "--") {
		return "", BadCompanySlug(s, false)
	}
	if slices.Contains(reserved, slug) {
		return "", BadCompanySlug(s, true)
	}
	return slug, nil
}

// SlugFrom proposes a company slug for a name: its letters, without their accents, and digits. It may be "" or reserved.
func SlugFrom(name string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ReplaceAll(strings.ToLower(name), "ß", "ss")) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := b.String()
	return strings.Trim(slug[:min(len(slug), 40)], "-")
}

// handleFrom proposes a handle for a user: from the name, else from the address.
func handleFrom(account Account) string {
	local, _, _ := strings.Cut(account.Email, "@")
	for _, text := range []string{account.Name, local} {
		if slug := SlugFrom(text); slug != "" {
			return strings.TrimRight(slug[:min(len(slug), 30)], "-")
		}
	}
	return "person"
}

// ParseName returns s as the name of a user or company; field names the form field in errors.
func ParseName(field, s string) (string, error) {
	name, length, ok := markup.Line(s)
	if !ok || length == 0 || length > MaxName {
		return "", BadName(field, length)
	}
	return name, nil
}

// ParseEmail returns s as an email address, in lower case. It returns BadEmail.
func ParseEmail(s string) (string, error) {
	if !markup.Text(s) { // lower case would make other characters of bytes that are no UTF-8
		return "", BadEmail()
	}
	email := strings.ToLower(strings.TrimSpace(s))
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || parsed.Name != "" || len(email) > 254 ||
		strings.ContainsAny(email, "\r\n\t") {
		return "", BadEmail()
	}
	return email, nil
}
