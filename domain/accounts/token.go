package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// tokenPrefix lets users and scanners recognise a token.
const tokenPrefix = "cfl_"

// newSecret returns 256 random bits as text that is safe in a URL.
func newSecret() string {
	secret := make([]byte, 32)
	rand.Read(secret)
	return base64.RawURLEncoding.EncodeToString(secret)
}

// HashToken is the stored hash of a token or of a link's secret: SHA-256, because they are random enough to need no
// slower one.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// TokenDraft is the content of a new token. Days is its lifetime; 0 is unlimited.
type TokenDraft struct {
	Name   string
	Scopes []string
	Days   int
}

// TokenDays are the lifetimes that the form offers.
var TokenDays = []int{0, 30, 90, 365}

const (
	// DefaultTokenDays is the lifetime of a token if none is chosen.
	DefaultTokenDays = 90
	// MaxTokenDays is the longest lifetime that the command line gives.
	MaxTokenDays = 3650
)

// Token is an API token without its secret.
type Token struct {
	ID        id.Token
	Account   Account // ID and Name
	Company   Company // Slug and Name, in lists of several companies
	Name      string
	Scopes    []string
	CreatedAt time.Time
	ExpiresAt *time.Time // nil: never
	UsedAt    *time.Time // nil: not yet; to a minute
}

// CheckToken returns the draft as the actor can have it, or all its errors: BadName, NoScopes, BadScope or BadDays.
func CheckToken(draft TokenDraft, actor Actor) (TokenDraft, error) {
	name, badName := ParseName("token", draft.Name)
	draft.Name = name
	scopes, badScopes := actor.ParseScopes(draft.Scopes)
	draft.Scopes = scopes
	var badDays error
	if !slices.Contains(TokenDays, draft.Days) {
		badDays = BadDays()
	}
	if err := fault.Join(badName, badScopes, badDays); err != nil {
		return TokenDraft{}, err
	}
	return draft, nil
}

// ParseScopes returns the scopes, each once and in the order of Scopes. It returns NoScopes, or BadScope for one that
// does not exist or that the actor's account does not hold.
func (a Actor) ParseScopes(scopes []string) ([]string, error) {
	if len(scopes) == 0 {
		return nil, NoScopes()
	}
	for _, scope := range scopes {
		if !slices.Contains(Scopes, scope) || !a.Holds(scope) {
			return nil, BadScope(scope)
		}
	}
	return slices.DeleteFunc(slices.Clone(Scopes), func(scope string) bool { return !slices.Contains(scopes, scope) }), nil
}

// OpenToken adds an API token with 256 random bits from a checked draft and returns it; only its hash is stored.
func OpenToken(ctx context.Context, tx *db.Tx, company id.Company, account ID, draft TokenDraft) (string, error) {
	token := tokenPrefix + newSecret()
	row := db.CreateTokenParams{
		CompanyID: company, AccountID: account, Name: draft.Name, Hash: HashToken(token),
		Scopes: strings.Join(draft.Scopes, " "), CreatedAt: tx.Now,
	}
	if draft.Days > 0 {
		end := tx.Now.AddDate(0, 0, draft.Days)
		row.ExpiresAt = &end
	}
	if err := tx.CreateToken(ctx, row); err != nil {
		return "", fmt.Errorf("create token: %w", err)
	}
	return token, nil
}

// ByToken returns the actor of a token with those of its scopes that the account holds now, and when it was last used. It returns BadToken if the token is unknown,
// revoked or expired, or if its owner has left the company.
func ByToken(ctx context.Context, q *db.Queries, token string, now time.Time) (Actor, *time.Time, error) {
	row, err := db.Read(q.BearerByHash(ctx, HashToken(token), &now))
	if db.IsNotFound(err) {
		return Actor{}, nil, BadToken()
	}
	if err != nil {
		return Actor{}, nil, fmt.Errorf("read token: %w", err)
	}
	actor := Actor{
		Account: Account{ID: row.AccountID, Email: row.Email, Name: row.AccountName, Operator: row.Operator,
			Epoch: row.SessionEpoch},
		Company: Company{ID: row.CompanyID, Slug: row.CompanySlug, Name: row.CompanyName},
		Role:    row.Role, Handle: row.Handle, Token: row.TokenID,
	}
	if row.Service != 0 {
		service := Service{ID: actor.Account.ID, Company: actor.Company, Name: actor.Account.Name,
			Budget: RefBudget{PerDay: row.PerDay}}
		epoch := actor.Account.Epoch
		actor = service.actor(row.Scopes)
		actor.Account.Epoch, actor.Token = epoch, row.TokenID
	}
	scopes := strings.Fields(row.Scopes)
	if noun, ok := strings.CutSuffix(row.Scopes, ":write"); ok && actor.Service { // to write is to read what it answers
		scopes = append(scopes, noun+":read")
	}
	actor.Scopes = slices.DeleteFunc(scopes, func(scope string) bool { return !actor.Holds(scope) })
	return actor, row.LastUsedAt, nil
}

// TokenUsed stores that a token was used, unless that was stored within the last minute.
func TokenUsed(ctx context.Context, q *db.Queries, token id.Token, now time.Time) error {
	before := now.Add(-UsedEvery)
	if err := q.UseToken(ctx, db.UseTokenParams{Now: &now, ID: token, Before: &before}); err != nil {
		return fmt.Errorf("store that a token was used: %w", err)
	}
	return nil
}

// UsedEvery is how often it is stored that a token was used.
const UsedEvery = time.Minute

// Tokens returns a page of a member's tokens that were not revoked, the newest first: those with an id below before,
// or from the newest if it is 0.
func Tokens(
	ctx context.Context, q *db.Queries, company id.Company, account ID, before id.Token, limit int,
) ([]Token, error) {
	rows, err := db.Read(q.TokensOf(ctx, db.TokensOfParams{AccountID: account, CompanyID: company,
		Before: beforeOrMax(before), Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	list := make([]Token, len(rows))
	for i, row := range rows {
		list[i] = tokenFrom(db.TokensOfOthersRow(row))
	}
	return list, nil
}

// TokensOfOthers returns a page of all other members' tokens, as Tokens does.
func TokensOfOthers(
	ctx context.Context, q *db.Queries, company id.Company, account ID, before id.Token, limit int,
) ([]Token, error) {
	rows, err := db.Read(q.TokensOfOthers(ctx, db.TokensOfOthersParams{CompanyID: company, AccountID: account,
		Before: beforeOrMax(before), Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	list := make([]Token, len(rows))
	for i, row := range rows {
		list[i] = tokenFrom(row)
	}
	return list, nil
}

func tokenFrom(row db.TokensOfOthersRow) Token {
	return Token{
		ID: row.ID, Account: Account{ID: row.AccountID, Name: row.AccountName}, Name: row.Name,
		Scopes:    strings.Fields(row.Scopes),
		CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, UsedAt: row.LastUsedAt,
	}
}

// beforeOrMax is the id that a page begins below: above all ids if before is 0.
func beforeOrMax[T ~uint64](before T) T {
	if before == 0 {
		return math.MaxInt64
	}
	return before
}

// RevokeToken ends a token of a company and returns it with its hash. It returns TokenNotFound, also for another
// member's token if the actor does not manage the company.
func RevokeToken(ctx context.Context, tx *db.Tx, actor Actor, token id.Token) (Token, []byte, error) {
	row, err := tx.LiveToken(ctx, token, actor.Company.ID)
	if db.IsNotFound(err) || err == nil && row.AccountID != actor.Account.ID && !actor.Manages() {
		return Token{}, nil, TokenNotFound()
	}
	if err != nil {
		return Token{}, nil, fmt.Errorf("read token: %w", err)
	}
	if err := tx.RevokeToken(ctx, &tx.Now, token); err != nil {
		return Token{}, nil, fmt.Errorf("revoke token: %w", err)
	}
	return Token{ID: row.ID, Account: Account{ID: row.AccountID}, Name: row.Name}, row.Hash, nil
}

// TokenHashes returns the hashes of a member's tokens in a company.
func TokenHashes(ctx context.Context, tx *db.Tx, company id.Company, account ID) (hashes [][]byte, err error) {
	rows, err := tx.LiveTokensOf(ctx, account, company)
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	for _, row := range rows {
		hashes = append(hashes, row.Hash)
	}
	return hashes, nil
}

// revokeTokensOf ends all of a member's tokens in a company and returns their hashes.
func revokeTokensOf(ctx context.Context, tx *db.Tx, company id.Company, account ID) (hashes [][]byte, err error) {
	rows, err := tx.LiveTokensOf(ctx, account, company)
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	for _, row := range rows {
		if err := tx.RevokeToken(ctx, &tx.Now, row.ID); err != nil {
			return nil, fmt.Errorf("revoke token: %w", err)
		}
		hashes = append(hashes, row.Hash)
	}
	return hashes, nil
}

// TokensOfAccount returns a page of an account's tokens in all companies, as Tokens does.
func TokensOfAccount(ctx context.Context, q *db.Queries, account ID, before id.Token, limit int) ([]Token, error) {
	rows, err := db.Read(q.TokensOfAccount(ctx, db.TokensOfAccountParams{AccountID: account,
		Before: beforeOrMax(before), Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	list := make([]Token, len(rows))
	for i, row := range rows {
		list[i] = Token{
			ID: row.ID, Company: Company{Slug: row.CompanySlug, Name: row.CompanyName}, Name: row.Name,
			Scopes: strings.Fields(row.Scopes), CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, UsedAt: row.LastUsedAt,
		}
	}
	return list, nil
}

// RevokeOwnToken ends a token of an account in any company, and returns it, with the id of its company, and its hash.
// It returns TokenNotFound.
func RevokeOwnToken(ctx context.Context, tx *db.Tx, account ID, token id.Token) (Token, []byte, error) {
	row, err := tx.LiveTokenOfAccount(ctx, token, account)
	if db.IsNotFound(err) {
		return Token{}, nil, TokenNotFound()
	}
	if err != nil {
		return Token{}, nil, fmt.Errorf("read token: %w", err)
	}
	if err := tx.RevokeToken(ctx, &tx.Now, token); err != nil {
		return Token{}, nil, fmt.Errorf("revoke token: %w", err)
	}
	return Token{ID: row.ID, Company: Company{ID: row.CompanyID}, Name: row.Name}, row.Hash, nil
}

// EndTokens ends all tokens of an account, in all companies, and records it if there were any. The caller has locked the
// account, so that no token is made meanwhile.
func EndTokens(ctx context.Context, tx *db.Tx, account ID) error {
	ended, err := tx.RevokeTokensOfAccount(ctx, &tx.Now, account)
	if err != nil {
		return fmt.Errorf("end tokens: %w", err)
	}
	if ended == 0 {
		return nil
	}
	return RecordEverywhere(ctx, tx, account, AuditTokensEnded)
}

// LockEpoch keeps an account's sessions and tokens from being ended before the transaction ends. It returns SignedOut
// if the actor's were ended since it was read.
func LockEpoch(ctx context.Context, tx *db.Tx, actor Actor) error {
	epoch, err := tx.LockEpoch(ctx, actor.Account.ID)
	if err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	if epoch != actor.Account.Epoch {
		return SignedOut()
	}
	return nil
}

// ValidTokens returns those of some tokens that a program may use.
func ValidTokens(ctx context.Context, q *db.Queries, tokens []id.Token, now time.Time) ([]id.Token, error) {
	valid, err := db.Read(q.ValidTokens(ctx, tokens, &now))
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	return valid, nil
}

// Epochs returns the epochs of accounts.
func Epochs(ctx context.Context, q *db.Queries, list []ID) (map[ID]uint64, error) {
	rows, err := db.Read(q.Epochs(ctx, list))
	if err != nil {
		return nil, fmt.Errorf("read epochs: %w", err)
	}
	epochs := make(map[ID]uint64, len(rows))
	for _, row := range rows {
		epochs[row.ID] = row.SessionEpoch
	}
	return epochs, nil
}
