package accounts

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// MaxPasskeys is how many passkeys an account may have: the page shows them all.
const MaxPasskeys = 20

// Passkey is a key pair of an account, of which an authenticator has the private key.
type Passkey struct {
	ID        id.Passkey
	Name      string
	CreatedAt time.Time
	UsedAt    *time.Time
	ClonedAt  *time.Time // when a copy of it may have been in use; it signs nobody in any more
}

// RelyingParty is the server as browsers know it: passkeys belong to its host name, and answers come from its origin.
type RelyingParty struct{ ID, Origin string }

// RelyingPartyOf returns the relying party of a public URL; ok is false if browsers have no passkeys there: they need
// a host name, and https or localhost.
func RelyingPartyOf(base string) (party RelyingParty, ok bool) {
	at, err := url.Parse(base)
	if err != nil || at.Host == "" {
		return RelyingParty{}, false
	}
	name := strings.ToLower(at.Hostname())
	if _, err := netip.ParseAddr(name); err == nil || at.Scheme != "https" && name != "localhost" {
		return RelyingParty{}, false
	}
	return RelyingParty{ID: name, Origin: at.Scheme + "://" + strings.ToLower(at.Host)}, true
}

func (p RelyingParty) webauthn() (*webauthn.WebAuthn, error) {
	if p == (RelyingParty{}) {
		return nil, NoPasskeysHere()
	}
	w, err := webauthn.New(&webauthn.Config{RPID: p.ID, RPDisplayName: "Counterfoil", RPOrigins: []string{p.Origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementPreferred,
			UserVerification: protocol.VerificationPreferred},
	})
	if err != nil {
		return nil, fmt.Errorf("configure passkeys: %w", err)
	}
	return w, nil
}

// keyHolder is an account as the library knows it.
type keyHolder struct {
	account Account
	handle  []byte
	keys    []webauthn.Credential
}

func (h keyHolder) WebAuthnID() []byte                         { return h.handle }
func (h keyHolder) WebAuthnName() string                       { return h.account.Email }
func (h keyHolder) WebAuthnDisplayName() string                { return h.account.Name }
func (h keyHolder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

func credential(row db.Passkey) webauthn.Credential {
	return webauthn.Credential{ID: row.CredentialID, PublicKey: row.PublicKey,
		Flags:         webauthn.NewCredentialFlags(protocol.AuthenticatorFlags(row.Flags)),
		Authenticator: webauthn.Authenticator{SignCount: row.SignCount}}
}

func descriptor(row db.Passkey) protocol.CredentialDescriptor {
	return protocol.CredentialDescriptor{Type: protocol.PublicKeyCredentialType, CredentialID: row.CredentialID}
}

// PasskeysOf returns the passkeys of an account, the oldest first.
func PasskeysOf(ctx context.Context, q *db.Queries, account ID) ([]Passkey, error) {
	rows, err := passkeyRows(ctx, q, account)
	list := make([]Passkey, len(rows))
	for i, row := range rows {
		list[i] = Passkey{ID: row.ID, Name: row.Name, CreatedAt: row.CreatedAt, UsedAt: row.UsedAt, ClonedAt: row.ClonedAt}
	}
	return list, err
}

func passkeyRows(ctx context.Context, q *db.Queries, account ID) ([]db.Passkey, error) {
	rows, err := db.Read(q.PasskeysOf(ctx, account))
	if err != nil {
		return nil, fmt.Errorf("read passkeys: %w", err)
	}
	return rows, nil
}

// NewPasskeyOptions are what a browser makes a passkey by, as JSON. handle is what authenticators know the account
// by.
func NewPasskeyOptions(
	ctx context.Context, q *db.Queries, party RelyingParty, account Account, handle, challenge []byte,
) (json.RawMessage, error) {
	w, err := party.webauthn()
	if err != nil {
		return nil, err
	}
	rows, err := passkeyRows(ctx, q, account.ID)
	if err != nil {
		return nil, err
	}
	options, _, err := w.BeginRegistration(keyHolder{account: account, handle: handle},
		func(o *protocol.PublicKeyCredentialCreationOptions) error {
			o.Challenge = challenge
			for _, row := range rows {
				o.CredentialExcludeList = append(o.CredentialExcludeList, descriptor(row))
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("make options of a passkey: %w", err)
	}
	return json.Marshal(options.Response)
}

// PasskeyOptions are what a browser signs in by, as JSON: with a passkey of an account, or with any if the account is
// 0, which then has to verify its user.
func PasskeyOptions(
	ctx context.Context, q *db.Queries, party RelyingParty, account ID, challenge []byte,
) (json.RawMessage, error) {
	w, err := party.webauthn()
	if err != nil {
		return nil, err
	}
	var rows []db.Passkey
	verification := protocol.VerificationRequired
	if account != 0 {
		verification = protocol.VerificationPreferred
		if rows, err = passkeyRows(ctx, q, account); err != nil {
			return nil, err
		}
	}
	options, _, err := w.BeginDiscoverableLogin(func(o *protocol.PublicKeyCredentialRequestOptions) error {
		o.Challenge, o.UserVerification = challenge, verification
		for _, row := range rows {
			o.AllowedCredentials = append(o.AllowedCredentials, descriptor(row))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("make options of passkeys: %w", err)
	}
	return json.Marshal(options.Response)
}

// NewPasskey is a browser's answer to NewPasskeyOptions.
type NewPasskey struct {
	parsed *protocol.ParsedCredentialCreationData
}

// ParseNewPasskey reads an answer, or returns BadPasskey.
func ParseNewPasskey(answer string) (NewPasskey, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return NewPasskey{}, BadPasskey(err)
	}
	return NewPasskey{parsed}, nil
}

// Challenge is the one that was answered.
func (n NewPasskey) Challenge() []byte {
	return decoded(n.parsed.Response.CollectedClientData.Challenge)
}

// decoded is nil for what is no challenge.
func decoded(text string) []byte {
	challenge, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return challenge
}

// AddPasskey gives an account a passkey. It returns BadName, BadPasskey, PasskeyConflict or TooManyPasskeys.
func AddPasskey(
	ctx context.Context, tx *db.Tx, party RelyingParty, account Account, handle []byte, name string, answer NewPasskey,
) error {
	name, err := ParseName("name", name)
	if err != nil {
		return err
	}
	w, err := party.webauthn()
	if err != nil {
		return err
	}
	session := webauthn.SessionData{Challenge: answer.parsed.Response.CollectedClientData.Challenge,
		RelyingPartyID: party.ID, UserID: handle, UserVerification: protocol.VerificationPreferred,
		CredParams: webauthn.CredentialParametersDefault()}
	made, err := w.CreateCredential(keyHolder{account: account, handle: handle}, session, answer.parsed)
	if err != nil {
		return BadPasskey(err)
	}
	rows, err := passkeyRows(ctx, tx.Queries, account.ID)
	if err != nil {
		return err
	}
	if len(rows) >= MaxPasskeys {
		return TooManyPasskeys()
	}
	err = tx.CreatePasskey(ctx, db.CreatePasskeyParams{AccountID: account.ID, CredentialID: made.ID, UserHandle: handle,
		PublicKey: made.PublicKey, SignCount: made.Authenticator.SignCount, Flags: made.Flags.MsgpByte(), Name: name,
		CreatedAt: tx.Now})
	if db.IsDuplicate(err, "uq_passkey_credential") {
		return PasskeyConflict()
	}
	if err != nil {
		return fmt.Errorf("store a passkey: %w", err)
	}
	return nil
}

// PasskeyAnswer is a browser's answer to PasskeyOptions.
type PasskeyAnswer struct {
	parsed *protocol.ParsedCredentialAssertionData
}

// ParsePasskeyAnswer reads an answer, or returns BadPasskey.
func ParsePasskeyAnswer(answer string) (PasskeyAnswer, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return PasskeyAnswer{}, BadPasskey(err)
	}
	return PasskeyAnswer{parsed}, nil
}

// Challenge is the one that was answered.
func (a PasskeyAnswer) Challenge() []byte {
	return decoded(a.parsed.Response.CollectedClientData.Challenge)
}

// UsedPasskey is a passkey that answered.
type UsedPasskey struct {
	Account Account
	Name    string
	id      id.Passkey
	count   uint32
	cloned  bool
}

// CheckPasskey returns whose passkey an answer is of. An account other than 0 must be that, and without one the
// authenticator must have verified its user. It returns BadPasskey.
func CheckPasskey(
	ctx context.Context, q *db.Queries, party RelyingParty, account ID, answer PasskeyAnswer,
) (UsedPasskey, error) {
	w, err := party.webauthn()
	if err != nil {
		return UsedPasskey{}, err
	}
	row, err := db.Read(q.PasskeyByCredential(ctx, answer.parsed.RawID))
	if db.IsNotFound(err) || err == nil && account != 0 && row.AccountID != account {
		return UsedPasskey{}, BadPasskey(errors.New("it is no passkey of the account"))
	}
	if err != nil {
		return UsedPasskey{}, fmt.Errorf("read a passkey: %w", err)
	}
	owner, err := ByID(ctx, q, row.AccountID)
	if err != nil {
		return UsedPasskey{}, err
	}
	holder := keyHolder{account: owner, handle: row.UserHandle, keys: []webauthn.Credential{credential(row)}}
	session := webauthn.SessionData{Challenge: answer.parsed.Response.CollectedClientData.Challenge,
		RelyingPartyID: party.ID, UserID: row.UserHandle, UserVerification: protocol.VerificationPreferred}
	if account == 0 {
		session.UserVerification = protocol.VerificationRequired
		if !bytes.Equal(answer.parsed.Response.UserHandle, row.UserHandle) {
			return UsedPasskey{}, BadPasskey(errors.New("it does not say whose it is"))
		}
	}
	used, err := w.ValidateLogin(holder, session, answer.parsed)
	if err != nil {
		return UsedPasskey{}, BadPasskey(err)
	}
	return UsedPasskey{Account: owner, Name: row.Name, id: row.ID,
		count:  answer.parsed.Response.AuthenticatorData.Counter,
		cloned: used.Authenticator.CloneWarning || row.ClonedAt != nil}, nil
}

// Use records a use of the passkey. cloned: its count is one that it had before, or the passkey was marked, so that a
// copy may be in use; it is marked then, and is not to sign anybody in.
func (u UsedPasskey) Use(ctx context.Context, tx *db.Tx) (cloned bool, err error) {
	if !u.cloned {
		n, err := tx.UsePasskey(ctx, db.UsePasskeyParams{Count: u.count, Now: &tx.Now, ID: u.id})
		if err != nil || n > 0 {
			return false, err
		}
	}
	if err := tx.MarkPasskeyCloned(ctx, &tx.Now, u.id); err != nil {
		return false, fmt.Errorf("mark a passkey: %w", err)
	}
	return true, nil
}

// RenamePasskey gives a passkey of an account another name. It returns BadName or FactorNotFound.
func RenamePasskey(ctx context.Context, tx *db.Tx, account ID, passkey id.Passkey, name string) error {
	name, err := ParseName("name", name)
	if err != nil {
		return err
	}
	n, err := tx.RenamePasskey(ctx, db.RenamePasskeyParams{Name: name, ID: passkey, AccountID: account})
	if err != nil {
		return fmt.Errorf("rename a passkey: %w", err)
	}
	if n == 0 {
		return FactorNotFound()
	}
	return nil
}

// RemovePasskey takes a passkey of an account away. It returns FactorNotFound.
func RemovePasskey(ctx context.Context, tx *db.Tx, account ID, passkey id.Passkey) error {
	n, err := tx.DeletePasskey(ctx, passkey, account)
	if err != nil {
		return fmt.Errorf("remove a passkey: %w", err)
	}
	if n == 0 {
		return FactorNotFound()
	}
	return nil
}

// UseChallenge returns BadPasskey if a challenge was answered before.
func UseChallenge(ctx context.Context, tx *db.Tx, challenge []byte) error {
	err := tx.UseChallenge(ctx, HashToken(string(challenge)), tx.Now)
	if db.IsDuplicate(err, "PRIMARY") {
		return BadPasskey(errors.New("the challenge was answered before"))
	}
	if err != nil {
		return fmt.Errorf("use a challenge: %w", err)
	}
	return nil
}
