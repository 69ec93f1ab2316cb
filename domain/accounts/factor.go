package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// Factors is what an account has beside its password.
type Factors struct {
	TOTP          bool // an authenticator app
	Passkeys      int
	RecoveryCodes int // that are left
}

// Any reports whether there is a second factor. Recovery codes are none: they stand in for one.
func (f Factors) Any() bool { return f.TOTP || f.Passkeys > 0 }

// FactorsOf returns the second factors of an account.
func FactorsOf(ctx context.Context, q *db.Queries, account ID) (Factors, error) {
	row, err := db.Read(q.SecondFactors(ctx, account))
	if err != nil {
		return Factors{}, fmt.Errorf("read second factors: %w", err)
	}
	return Factors{TOTP: row.Totp, Passkeys: int(row.Passkeys), RecoveryCodes: int(row.Codes)}, nil
}

// Authenticator apps make a code of 6 digits every 30 seconds (RFC 6238), with a secret of 160 bits.
const (
	totpPeriod = 30
	totpSkew   = 1 // how many steps a clock may be off
	totpSecret = 20
)

var (
	totpOptions  = totp.ValidateOpts{Period: totpPeriod, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}
	totpEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)
)

// TOTPKey is the secret of an authenticator app that is being set up, in base32.
type TOTPKey string

// NewTOTPKey returns a random one.
func NewTOTPKey() TOTPKey {
	secret := make([]byte, totpSecret)
	rand.Read(secret) // it does not return errors
	return TOTPKey(totpEncoding.EncodeToString(secret))
}

// ParseTOTPKey returns a key as NewTOTPKey made it, or BadTOTPKey.
func ParseTOTPKey(s string) (TOTPKey, error) {
	secret, err := totpEncoding.DecodeString(s)
	if err != nil || len(secret) != totpSecret {
		return "", BadTOTPKey()
	}
	return TOTPKey(s), nil
}

// Grouped is the key in groups of four, to type.
func (k TOTPKey) Grouped() string { return grouped(string(k)) }

func grouped(s string) string {
	var groups []string
	for len(s) > 4 {
		groups, s = append(groups, s[:4]), s[4:]
	}
	return strings.Join(append(groups, s), " ")
}

// URL is the key as apps scan it, for an account on a host.
func (k TOTPKey) URL(host, email string) string {
	return "otpauth://totp/" + url.PathEscape(host+":"+email) + "?secret=" + string(k) +
		"&issuer=" + url.QueryEscape(host)
}

// step returns the step that a code is of, one that a clock may be off included; ok is false if it is of none.
func (k TOTPKey) step(code string, now time.Time) (step uint64, ok bool) {
	present := now.Unix() / totpPeriod
	for at := present - totpSkew; at <= present+totpSkew; at++ { // all of them, so that the time says nothing
		want, err := totp.GenerateCodeCustom(string(k), time.Unix(at*totpPeriod, 0), totpOptions)
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, ok = uint64(at), true
		}
	}
	return step, ok
}

func totpName(account ID) secrets.Name {
	return secrets.Name{Kind: secrets.TOTP, Owner: uint64(account)}
}

// SetUpTOTP gives an account an authenticator app, once a code shows that the app has the key. It returns WrongCode or
// TOTPConflict.
func SetUpTOTP(ctx context.Context, tx *db.Tx, keys *secrets.Keys, account ID, key TOTPKey, code string) error {
	step, ok := key.step(digits(code), tx.Now)
	if !ok {
		return WrongCode()
	}
	err := tx.CreateTOTP(ctx, db.CreateTOTPParams{AccountID: account, LastStep: step, CreatedAt: tx.Now})
	if db.IsDuplicate(err, "PRIMARY") {
		return TOTPConflict()
	}
	if err != nil {
		return fmt.Errorf("store an authenticator app: %w", err)
	}
	return keys.Put(ctx, tx, totpName(account), []byte(key))
}

// digits is a code without the spaces that apps show in it.
func digits(code string) string { return strings.Join(strings.Fields(code), "") }

// UseCode returns by which way a code is a second factor of an account: each code once. It returns WrongCode.
func UseCode(ctx context.Context, tx *db.Tx, keys *secrets.Keys, account ID, code string) (Way, error) {
	if code = digits(code); len(code) != 6 {
		return WayRecovery, useRecoveryCode(ctx, tx, account, code)
	}
	return WayTOTP, useTOTP(ctx, tx, keys, account, code)
}

func useTOTP(ctx context.Context, tx *db.Tx, keys *secrets.Keys, account ID, code string) error {
	secret, err := keys.Get(ctx, tx.Queries, totpName(account))
	if db.IsNotFound(err) {
		return WrongCode()
	}
	if err != nil {
		return err
	}
	step, ok := TOTPKey(secret).step(code, tx.Now)
	if !ok {
		return WrongCode()
	}
	n, err := tx.UseTOTPStep(ctx, db.UseTOTPStepParams{Step: step, AccountID: account})
	if err != nil {
		return fmt.Errorf("use a code: %w", err)
	}
	if n == 0 {
		return WrongCode() // it was used before
	}
	return nil
}

// RemoveTOTP takes an account's authenticator app away. It returns FactorNotFound.
func RemoveTOTP(ctx context.Context, tx *db.Tx, account ID) error {
	n, err := tx.DeleteTOTP(ctx, account)
	if err != nil {
		return fmt.Errorf("remove an authenticator app: %w", err)
	}
	if n == 0 {
		return FactorNotFound()
	}
	return secrets.Delete(ctx, tx, totpName(account))
}

// RemovedFactor ends the sessions of an account that lost a second factor. If that was its last, its recovery codes
// go, and session, which goes on, counts as one with a password alone.
func RemovedFactor(ctx context.Context, tx *db.Tx, account ID, session SessionID) error {
	if err := EndSessions(ctx, tx, account); err != nil {
		return err
	}
	left, err := FactorsOf(ctx, tx.Queries, account)
	if err != nil || left.Any() {
		return err
	}
	if err := tx.DeleteRecoveryCodes(ctx, account); err != nil {
		return fmt.Errorf("remove recovery codes: %w", err)
	}
	return dropSecondWays(ctx, tx, session)
}

// RemoveFactors takes all second factors of an account away, and ends its sessions. It reports whether there were any.
func RemoveFactors(ctx context.Context, tx *db.Tx, account ID) (any bool, err error) {
	had, err := FactorsOf(ctx, tx.Queries, account)
	if err != nil {
		return false, err
	}
	if _, err := tx.DeleteTOTP(ctx, account); err != nil {
		return false, fmt.Errorf("remove second factors: %w", err)
	}
	if err := tx.DeletePasskeysOf(ctx, account); err != nil {
		return false, fmt.Errorf("remove second factors: %w", err)
	}
	if err := secrets.Delete(ctx, tx, totpName(account)); err != nil {
		return false, err
	}
	return had.Any(), RemovedFactor(ctx, tx, account, nil)
}

// Recovery codes have 80 random bits each, so their hashes cannot be reversed.
const (
	recoveryCodes  = 10
	recoveryLength = 16 // of base32
)

// MakeRecoveryCodes gives an account new recovery codes in place of those before, and returns them.
func MakeRecoveryCodes(ctx context.Context, tx *db.Tx, account ID) ([]string, error) {
	if err := tx.DeleteRecoveryCodes(ctx, account); err != nil {
		return nil, fmt.Errorf("remove recovery codes: %w", err)
	}
	codes := make([]string, recoveryCodes)
	for i := range codes {
		code := strings.ToLower(rand.Text()[:recoveryLength])
		row := db.CreateRecoveryCodeParams{AccountID: account, Hash: HashToken(code), CreatedAt: tx.Now}
		if err := tx.CreateRecoveryCode(ctx, row); err != nil {
			return nil, fmt.Errorf("store a recovery code: %w", err)
		}
		codes[i] = strings.ReplaceAll(grouped(code), " ", "-")
	}
	return codes, nil
}

// UseRecoveryCode uses one of an account's recovery codes, each once. It returns WrongCode.
func UseRecoveryCode(ctx context.Context, tx *db.Tx, account ID, code string) error {
	return useRecoveryCode(ctx, tx, account, digits(code))
}

func useRecoveryCode(ctx context.Context, tx *db.Tx, account ID, code string) error {
	code = strings.ToLower(strings.ReplaceAll(code, "-", ""))
	if len(code) != recoveryLength {
		return WrongCode()
	}
	now := tx.Now
	n, err := tx.UseRecoveryCode(ctx, db.UseRecoveryCodeParams{Now: &now, AccountID: account, Hash: HashToken(code)})
	if err != nil {
		return fmt.Errorf("use a recovery code: %w", err)
	}
	if n == 0 {
		return WrongCode()
	}
	return nil
}
