package workflows

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// A sign-in at an issuer. The state that comes back from there says itself when it ends, for which issuer it is, and
// for which account if it is to link one, under a signature; the nonce and the verifier follow from it. So nothing is
// stored for strangers who begin a sign-in: the browser keeps the state in a cookie. A state is taken once.

// Offsets in a state: random bytes, when it ends, the issuer, the account to link or 0, flags, the signature.
const (
	stateEnd     = 16
	stateIssuer  = stateEnd + 8
	stateAccount = stateIssuer + 8
	stateFlags   = stateAccount + 8
	stateMAC     = stateFlags + 1
	stateSize    = stateMAC + 32

	flagAgain = 1
)

var stateText = base64.RawURLEncoding

// providers keeps the metadata of issuers for a while.
type providers struct {
	asking singleflight.Group

	mu   sync.Mutex
	list map[id.Issuer]knownProvider
}

type knownProvider struct {
	*accounts.Provider

	url string
	at  time.Time
}

const (
	providerLife  = time.Hour
	mostProviders = 1000
)

// provider returns the metadata of an issuer, or IssuerUnreachable.
func (w *Workflows) provider(ctx context.Context, issuer accounts.Issuer) (*accounts.Provider, error) {
	known := &w.providers
	known.mu.Lock()
	found, ok := known.list[issuer.ID]
	known.mu.Unlock()
	if ok && found.url == issuer.URL && time.Since(found.at) < providerLife {
		return found.Provider, nil
	}
	made, err, _ := known.asking.Do(issuer.URL, func() (any, error) {
		return accounts.Discover(context.WithoutCancel(ctx), w.issuers, issuer.URL)
	})
	if err != nil {
		return nil, accounts.IssuerUnreachable(issuer.Name, err)
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.list == nil || len(known.list) >= mostProviders {
		known.list = map[id.Issuer]knownProvider{}
	}
	provider := made.(*accounts.Provider)
	known.list[issuer.ID] = knownProvider{provider, issuer.URL, time.Now()}
	return provider, nil
}

// client is this server as an issuer knows it, with the address of the callback.
func (w *Workflows) client(ctx context.Context, issuer accounts.Issuer, redirect string) (accounts.Client, error) {
	secret, err := accounts.IssuerSecret(ctx, w.db.Queries, w.keys, issuer.ID)
	return accounts.Client{Issuer: issuer, Secret: secret, Redirect: redirect}, err
}

// authRequest returns the authentication request with a state.
func (w *Workflows) authRequest(ctx context.Context, state []byte) (q accounts.AuthRequest, err error) {
	text := hex.EncodeToString(state)
	nonce, err := w.sign(ctx, "issuer nonce", text)
	if err != nil {
		return q, err
	}
	verifier, err := w.sign(ctx, "issuer verifier", text)
	if err != nil {
		return q, err
	}
	return accounts.AuthRequest{State: stateText.EncodeToString(state), Nonce: stateText.EncodeToString(nonce),
		Verifier: stateText.EncodeToString(verifier), Again: state[stateFlags]&flagAgain != 0}, nil
}

func (w *Workflows) signState(ctx context.Context, state []byte) ([]byte, error) {
	return w.sign(ctx, "issuer state", hex.EncodeToString(state[:stateMAC]))
}

// IssuerRedirect leads a browser to an issuer. The browser keeps the cookie for the callback.
type IssuerRedirect struct {
	Issuer          accounts.Issuer
	Address, Cookie string
}

// IssuerRequest is a request to sign in at an issuer.
type IssuerRequest struct {
	Issuer   id.Issuer
	Redirect string
	Link     accounts.ID // the account to link, 0 for none
	Again    bool        // the user is to be asked though they are signed in there
	Next     string      // the path after it
}

// StartIssuer begins a sign-in at an issuer. It returns IssuerNotFound or IssuerUnreachable.
func (w *Workflows) StartIssuer(ctx context.Context, ask IssuerRequest) (start IssuerRedirect, err error) {
	if start.Issuer, err = accounts.IssuerByID(ctx, w.db.Queries, ask.Issuer); err != nil {
		return start, err
	}
	provider, err := w.provider(ctx, start.Issuer)
	if err != nil {
		return start, err
	}
	client, err := w.client(ctx, start.Issuer, ask.Redirect)
	if err != nil {
		return start, err
	}
	state := make([]byte, stateMAC, stateSize)
	rand.Read(state[:stateEnd]) // it does not return errors
	binary.BigEndian.PutUint64(state[stateEnd:], uint64(w.db.Now().Add(challengeLife).Unix()))
	binary.BigEndian.PutUint64(state[stateIssuer:], uint64(ask.Issuer))
	binary.BigEndian.PutUint64(state[stateAccount:], uint64(ask.Link))
	if ask.Again {
		state[stateFlags] = flagAgain
	}
	mac, err := w.signState(ctx, state)
	if err != nil {
		return start, err
	}
	q, err := w.authRequest(ctx, append(state, mac...))
	if err != nil {
		return start, err
	}
	start.Address = provider.AuthURL(client, q)
	start.Cookie = q.State + "." + stateText.EncodeToString([]byte(ask.Next))
	return start, nil
}

// IssuerCallback is a request of a browser that an issuer sent back.
type IssuerCallback struct {
	Issuer   id.Issuer
	Redirect string
	Cookie   string
	// State, Code, From and Error are parameters of the address.
	State, Code, From, Error string
	// Account is that of the browser's session, 0 for none, with the ids of the session. Own says that no issuer opened
	// the session.
	Account accounts.ID
	Own     bool
	Session accounts.SessionID
	Row     id.Session
	Browser Browser
}

// IssuerSignIn is the result of a sign-in at an issuer.
type IssuerSignIn struct {
	Issuer    accounts.Issuer
	Account   accounts.Account
	Companies []accounts.Company // that the session opens by it
	// Linked says that the account was linked. Entered says that the session that there was opens the companies. Without
	// both, a new session with the id Session does.
	Linked, Entered bool
	Session         accounts.SessionID
	Next            string
}

// issuerProof is a callback whose state and claims were checked.
type issuerProof struct {
	issuer accounts.Issuer
	claims accounts.Claims
	link   accounts.ID
	again  bool
	next   string
}

// FinishIssuer takes the callback of an issuer: it signs the user in, joins the companies that let strangers in, lets the
// user of a session into companies that require the issuer, or links the account. It returns IssuerRefused,
// IssuerUnreachable, IssuerNotFound, NotLinked, NotAdmitted, OtherIdentity, IdentityConflict or TooManyJoins.
func (w *Workflows) FinishIssuer(ctx context.Context, callback IssuerCallback) (done IssuerSignIn, err error) {
	r, err := w.checkCallback(ctx, callback)
	if err != nil {
		return done, err
	}
	switch {
	case r.link != 0:
		done, err = w.linkIdentity(ctx, r, callback)
	case callback.Account != 0:
		done, err = w.enterByIssuer(ctx, r, callback)
	default:
		done, err = w.signInByIssuer(ctx, r, callback.Browser)
	}
	done.Issuer, done.Next = r.issuer, r.next
	if err != nil {
		return done, fmt.Errorf("sign in at an issuer: %w", err)
	}
	return done, nil
}

// checkCallback checks a callback, once, and exchanges its code.
func (w *Workflows) checkCallback(ctx context.Context, callback IssuerCallback) (r issuerProof, err error) {
	refuse := func(why string) (issuerProof, error) { return r, accounts.IssuerRefused(errors.New(why)) }
	kept, next, _ := strings.Cut(callback.Cookie, ".")
	if kept == "" || subtle.ConstantTimeCompare([]byte(kept), []byte(callback.State)) != 1 {
		return refuse("the state is not this browser's")
	}
	state, err := stateText.DecodeString(callback.State)
	if err != nil || len(state) != stateSize {
		return refuse("the state is none")
	}
	mac, err := w.signState(ctx, state)
	if err != nil {
		return r, err
	}
	if !hmac.Equal(mac, state[stateMAC:]) {
		return refuse("the state is not ours")
	}
	if id.Issuer(binary.BigEndian.Uint64(state[stateIssuer:])) != callback.Issuer {
		return refuse("the state is for another issuer")
	}
	ends := time.Unix(int64(binary.BigEndian.Uint64(state[stateEnd:])), 0)
	if w.db.Now().After(ends) {
		return refuse("the state is too old")
	}
	if callback.Error != "" || callback.Code == "" {
		return refuse("the issuer says: " + callback.Error)
	}
	r.link = accounts.ID(binary.BigEndian.Uint64(state[stateAccount:]))
	if r.link != 0 && (!callback.Own || callback.Account != r.link) {
		return refuse("the browser is not signed in to the account to link")
	}
	if decoded, err := stateText.DecodeString(next); err == nil {
		r.next = string(decoded)
	}
	if r.issuer, err = accounts.IssuerByID(ctx, w.db.Queries, callback.Issuer); err != nil {
		return r, err
	}
	if callback.From != "" && callback.From != r.issuer.URL {
		return refuse("another issuer answers")
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error { return accounts.UseChallenge(ctx, tx, state) })
	if errors.Is(err, accounts.CodeBadPasskey) {
		return refuse("the state was used before")
	}
	if err != nil {
		return r, err
	}
	q, err := w.authRequest(ctx, state)
	if err != nil {
		return r, err
	}
	provider, err := w.provider(ctx, r.issuer)
	if err != nil {
		return r, err
	}
	client, err := w.client(ctx, r.issuer, callback.Redirect)
	if err != nil {
		return r, err
	}
	r.again = q.Again
	r.claims, err = provider.Exchange(ctx, client, q, callback.Code, ends.Add(-challengeLife), w.db.Now())
	return r, err
}

// linkIdentity links an account that the browser is signed in to.
func (w *Workflows) linkIdentity(
	ctx context.Context, r issuerProof, callback IssuerCallback,
) (done IssuerSignIn, err error) {
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		account, err := accounts.ByID(ctx, tx.Queries, r.link)
		if err != nil {
			return err
		}
		done = IssuerSignIn{Account: account, Linked: true, Session: callback.Session}
		if done.Companies, err = w.openByIssuer(ctx, tx, r.issuer, account, callback.Session); err != nil {
			return err
		}
		if err := accounts.Link(ctx, tx, r.issuer, r.claims.Subject, account.ID); err != nil {
			return err
		}
		return recordByIssuer(ctx, tx, done.Companies, account, r.issuer, accounts.AuditIdentityLinked)
	})
	return done, err
}

// enterByIssuer lets the user of a session into the companies that the issuer counts for.
func (w *Workflows) enterByIssuer(
	ctx context.Context, r issuerProof, callback IssuerCallback,
) (done IssuerSignIn, err error) {
	var roles roleChanges
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		roles = nil
		account, err := accounts.ByIdentity(ctx, tx.Queries, r.issuer, r.claims.Subject)
		if errors.Is(err, accounts.CodeNotLinked) || err == nil && account.ID != callback.Account {
			return accounts.OtherIdentity(r.issuer.Name)
		}
		if err != nil {
			return err
		}
		done = IssuerSignIn{Account: account, Entered: true, Session: callback.Session}
		if err := accounts.UseIdentity(ctx, tx, r.issuer.ID, r.claims.Subject); err != nil {
			return err
		}
		if roles, err = w.followGroups(ctx, tx, r, account, false); err != nil {
			return err
		}
		if r.again && callback.Row != 0 {
			if err := accounts.Confirm(ctx, tx, callback.Row); err != nil {
				return err
			}
		}
		done.Companies, err = w.openByIssuer(ctx, tx, r.issuer, account, callback.Session)
		return err
	})
	w.forgetBearers(roles)
	return done, err
}

// signInByIssuer signs in the account that the issuer knows, or a new one if a company admits it. Of a browser that is not
// known it gives the companies that the session opens a notice.
func (w *Workflows) signInByIssuer(
	ctx context.Context, r issuerProof, browser Browser,
) (done IssuerSignIn, err error) {
	_, err = accounts.ByIdentity(ctx, w.db.Queries, r.issuer, r.claims.Subject)
	if errors.Is(err, accounts.CodeNotLinked) {
		err = w.countJoin(ctx, fmt.Sprint("issuer ", r.issuer.ID)) // whoever runs it may guess addresses
	}
	if err != nil {
		return done, err
	}
	var roles roleChanges
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		roles = nil
		account, err := accounts.ByIdentity(ctx, tx.Queries, r.issuer, r.claims.Subject)
		fresh := errors.Is(err, accounts.CodeNotLinked)
		if fresh {
			account, err = w.openForIssuer(ctx, tx, r)
		}
		if err != nil {
			return err
		}
		done = IssuerSignIn{Account: account, Session: accounts.NewSessionID()}
		if err := accounts.UseIdentity(ctx, tx, r.issuer.ID, r.claims.Subject); err != nil {
			return err
		}
		if roles, err = w.followGroups(ctx, tx, r, account, fresh); err != nil {
			return err
		}
		if done.Companies, err = w.openByIssuer(ctx, tx, r.issuer, account, done.Session); err != nil {
			return err
		}
		if err := recordByIssuer(ctx, tx, done.Companies, account, r.issuer, accounts.AuditSignedIn); err != nil || fresh {
			return err
		}
		return w.noticeByIssuer(ctx, tx, done, browser)
	})
	w.forgetBearers(roles)
	return done, err
}

// noticeByIssuer gives the notice of a sign-in in a browser that is not known, in the companies that it opens.
func (w *Workflows) noticeByIssuer(ctx context.Context, tx *db.Tx, done IssuerSignIn, browser Browser) error {
	known, err := w.device(ctx, forNotices, done.Account.Email, browser.Cookie)
	if err != nil || known != "" {
		return err
	}
	for _, company := range done.Companies {
		if err := tickets.GiveNoticeIn(ctx, tx, company.ID, done.Account.ID, done.Account.ID, tickets.NoticeSignIn,
			browser.in(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// recordByIssuer records a use of an issuer in the audit logs of companies.
func recordByIssuer(
	ctx context.Context, tx *db.Tx, companies []accounts.Company, account accounts.Account, issuer accounts.Issuer,
	kind string,
) error {
	for _, company := range companies {
		detail := accounts.AuditDetail{Name: issuer.Name}
		if err := accounts.Record(ctx, tx, company.ID, account.ID, kind, detail); err != nil {
			return err
		}
	}
	return nil
}

// openForIssuer makes an account without a password, if a company admits it. An address that another account has proves
// nothing: the result is as if no company admitted it.
func (w *Workflows) openForIssuer(ctx context.Context, tx *db.Tx, r issuerProof) (accounts.Account, error) {
	no := accounts.NotLinked(r.issuer.Name)
	if r.claims.Email == "" || !r.claims.Verified {
		return accounts.Account{}, no
	}
	admitted, err := w.admissions(ctx, tx, r)
	if err != nil {
		return accounts.Account{}, err
	}
	if len(admitted) == 0 {
		return accounts.Account{}, no
	}
	name := r.claims.Name
	if name == "" {
		name, _, _ = strings.Cut(r.claims.Email, "@")
	}
	account, err := accounts.Open(ctx, tx, accounts.Draft{Name: name, Email: r.claims.Email})
	if errors.Is(err, accounts.CodeEmailConflict) {
		return accounts.Account{}, no
	}
	if err != nil {
		return accounts.Account{}, err
	}
	if err := accounts.Link(ctx, tx, r.issuer, r.claims.Subject, account.ID); err != nil {
		return accounts.Account{}, err
	}
	for _, in := range admitted {
		if err := accounts.LockMembers(ctx, tx, in.company.ID); err != nil {
			return accounts.Account{}, err
		}
		if _, err := accounts.Join(ctx, tx, in.company.ID, account, in.role); err != nil {
			return accounts.Account{}, err
		}
		detail := accounts.AuditDetail{Role: in.role, Name: r.issuer.Name}
		if err := accounts.Record(ctx, tx, in.company.ID, account.ID, accounts.AuditJoined, detail); err != nil {
			return accounts.Account{}, err
		}
	}
	return account, nil
}

type admission struct {
	company accounts.Company
	role    string
}

// admissions returns the companies that admit a new account: by a group with a role, or by a domain that the company
// holds.
func (w *Workflows) admissions(ctx context.Context, tx *db.Tx, r issuerProof) (list []admission, err error) {
	companies, err := accounts.CompaniesOfIssuer(ctx, tx.Queries, r.issuer.ID)
	if err != nil {
		return nil, err
	}
	holder, err := accounts.HolderOf(ctx, tx.Queries, r.claims.Email)
	if err != nil {
		return nil, err
	}
	for _, in := range companies {
		rules, err := accounts.IssuerRules(ctx, tx.Queries, in.Company.ID, r.issuer.ID)
		if err != nil {
			return nil, err
		}
		role := accounts.Grant(rules, r.claims.Groups, in.OwnersByGroup).Role
		if role == "" && in.JoinByDomain && holder == in.Company.ID {
			role = accounts.Member
		}
		if role != "" {
			list = append(list, admission{in.Company, role})
		}
	}
	return list, nil
}

// roleChanges are the hashes of tokens whose account has another role.
type roleChanges [][]byte

// followGroups gives a member the role and the groups that the groups at the issuer give.
func (w *Workflows) followGroups(
	ctx context.Context, tx *db.Tx, r issuerProof, account accounts.Account, joined bool,
) (changed roleChanges, err error) {
	companies, err := accounts.CompaniesOfIssuer(ctx, tx.Queries, r.issuer.ID)
	if err != nil {
		return nil, err
	}
	for _, in := range companies {
		rules, err := accounts.IssuerRules(ctx, tx.Queries, in.Company.ID, r.issuer.ID)
		if err != nil {
			return nil, err
		}
		if len(rules) == 0 {
			continue
		}
		if err := accounts.LockMembers(ctx, tx, in.Company.ID); err != nil {
			return nil, err
		}
		member, err := accounts.MemberByID(ctx, tx.Queries, db.SightOfAll(in.Company.ID), account.ID)
		if errors.Is(err, accounts.CodeMemberNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		granted := accounts.Grant(rules, r.claims.Groups, in.OwnersByGroup)
		if err := w.followIn(ctx, tx, in.Company.ID, member, granted); err != nil {
			return nil, err
		}
		role := granted.RoleFor(member.Role, in.OwnersByGroup)
		if joined || role == "" {
			continue
		}
		hashes, err := w.changeRoleByIssuer(ctx, tx, r.issuer, in.Company.ID, member, role)
		if err != nil {
			return nil, err
		}
		changed = append(changed, hashes...)
	}
	return changed, nil
}

func (w *Workflows) changeRoleByIssuer(
	ctx context.Context, tx *db.Tx, issuer accounts.Issuer, company id.Company, member accounts.CompanyMember, role string,
) (hashes [][]byte, err error) {
	done, err := accounts.SetRoleByIssuer(ctx, tx, company, member, role)
	if err != nil || !done {
		return nil, err
	}
	detail := accounts.AuditDetail{Member: member.Account.NameAndEmail(), Role: role, Was: member.Role, By: issuer.Name}
	if err := accounts.Record(ctx, tx, company, 0, accounts.AuditRoleChanged, detail); err != nil {
		return nil, err
	}
	return accounts.TokenHashes(ctx, tx, company, member.Account.ID)
}

// followIn has a member in the groups that rules give, and in no other that they name.
func (w *Workflows) followIn(
	ctx context.Context, tx *db.Tx, company id.Company, member accounts.CompanyMember, granted accounts.Granted,
) error {
	for _, group := range granted.In {
		_, err := accounts.AddToGroup(ctx, tx, company, group, member.Account.ID)
		if err != nil && !errors.Is(err, accounts.CodeTooManyGroupMembers) {
			return err
		}
	}
	for _, group := range granted.Out {
		err := accounts.DropFromGroup(ctx, tx, company, group, member.Account.ID)
		if err != nil && !errors.Is(err, accounts.CodeMemberNotFound) {
			return err
		}
	}
	return nil
}

// openByIssuer has a session open the companies of an account that the issuer counts for, and returns them, or
// NotAdmitted if there is none.
func (w *Workflows) openByIssuer(
	ctx context.Context, tx *db.Tx, issuer accounts.Issuer, account accounts.Account, session accounts.SessionID,
) (open []accounts.Company, err error) {
	companies, err := accounts.CompaniesOfIssuer(ctx, tx.Queries, issuer.ID)
	if err != nil {
		return nil, err
	}
	for _, in := range companies {
		_, err := accounts.MemberByID(ctx, tx.Queries, db.SightOfAll(in.Company.ID), account.ID)
		if errors.Is(err, accounts.CodeMemberNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := accounts.AddWayFor(ctx, tx, session, in.Company.ID, issuer.Way()); err != nil {
			return nil, err
		}
		open = append(open, in.Company)
	}
	if len(open) == 0 {
		return nil, accounts.NotAdmitted(issuer.Name)
	}
	return open, nil
}

// EnterByIssuer is Enter for a session that an issuer opened: it opens only the companies that an issuer vouched for,
// as long as that counts for them, and gives nothing that is of the account. It returns SignedOut for others.
func (w *Workflows) EnterByIssuer(
	ctx context.Context, actor accounts.Actor, session accounts.SessionID,
) (accounts.Actor, error) {
	ways, err := accounts.WaysOf(ctx, w.db.Queries, session, actor.Company.ID)
	if err != nil {
		return accounts.Actor{}, err
	}
	if (accounts.Policy{Issuer: true}).Check(ways) != nil {
		return accounts.Actor{}, accounts.SignedOut()
	}
	return actor.Confine(), nil
}

// CompanyByIssuer returns the first company that a session opens by an issuer. It returns SignedOut.
func (w *Workflows) CompanyByIssuer(
	ctx context.Context, account accounts.ID, session accounts.SessionID,
) (accounts.Company, error) {
	companies, err := w.Companies(ctx, account)
	if err != nil {
		return accounts.Company{}, err
	}
	for _, m := range companies {
		ways, err := accounts.WaysOf(ctx, w.db.Queries, session, m.Company.ID)
		if err != nil {
			return accounts.Company{}, err
		}
		if (accounts.Policy{Issuer: true}).Check(ways) == nil {
			return m.Company, nil
		}
	}
	return accounts.Company{}, accounts.SignedOut()
}

// SignInIssuers returns the issuers that the sign-in shows: those of operators, and those of the company with a slug.
// If the slug is "", it is that of the only company there is.
func (w *Workflows) SignInIssuers(ctx context.Context, slug string) (list []accounts.Issuer, err error) {
	if slug == "" {
		if slug, err = accounts.OnlyCompany(ctx, w.db.Queries); err != nil {
			return nil, err
		}
	}
	if list, err = accounts.IssuersOfSlug(ctx, w.db.Queries, slug); err != nil {
		return nil, err
	}
	seen := map[id.Issuer]bool{}
	for _, issuer := range list {
		seen[issuer.ID] = true
	}
	all, err := accounts.IssuersOfOperators(ctx, w.db.Queries)
	for _, issuer := range all {
		if !seen[issuer.ID] {
			list = append(list, issuer)
		}
	}
	return list, err
}

// Identities returns the issuers that an account can be linked to, and its links.
func (w *Workflows) Identities(ctx context.Context, account accounts.ID) ([]accounts.Identity, error) {
	return accounts.IdentitiesOf(ctx, w.db.Queries, account)
}

// Unlink removes an account's link to an issuer and ends its sessions: the account returned has the new epoch. It
// returns IssuerNotFound.
func (w *Workflows) Unlink(
	ctx context.Context, account accounts.ID, issuer id.Issuer,
) (changed accounts.Account, err error) {
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		if err := accounts.Unlink(ctx, tx, account, issuer); err != nil {
			return err
		}
		if err := accounts.RecordEverywhere(ctx, tx, account, accounts.AuditIdentityRemoved); err != nil {
			return err
		}
		changed, err = accounts.ByID(ctx, tx.Queries, account)
		return err
	})
	if err != nil {
		return accounts.Account{}, fmt.Errorf("remove the link to an issuer: %w", err)
	}
	return changed, nil
}

// Issuer returns an issuer, or IssuerNotFound.
func (w *Workflows) Issuer(ctx context.Context, issuer id.Issuer) (accounts.Issuer, error) {
	return accounts.IssuerByID(ctx, w.db.Queries, issuer)
}

// SignOutAddress is where a browser signs out at an issuer and comes back from, "" if the issuer tells none now.
func (w *Workflows) SignOutAddress(
	ctx context.Context, issuer id.Issuer, back string,
) (of accounts.Issuer, address string, err error) {
	if of, err = accounts.IssuerByID(ctx, w.db.Queries, issuer); err != nil {
		return of, "", err
	}
	provider, err := w.provider(ctx, of)
	if errors.Is(err, accounts.CodeIssuerUnreachable) {
		return of, "", nil
	}
	if err != nil {
		return of, "", err
	}
	return of, provider.SignOutAddress(accounts.Client{Issuer: of}, back), nil
}

// TakeRecoveryCode lets an owner into a company that requires its issuer, by a recovery code. It returns WrongCode, or
// TooManyAttempts without checking the code.
func (w *Workflows) TakeRecoveryCode(ctx context.Context, step SecondStep) error {
	if step.Code == "" {
		return accounts.WrongRecoveryCode() // no attempt
	}
	attempt, err := w.countCode(ctx, step)
	if err != nil {
		return fmt.Errorf("recovery code: %w", err)
	}
	err = w.db.InTx(ctx, func(tx *db.Tx) error {
		err := accounts.UseRecoveryCode(ctx, tx, step.Account.ID, step.Code)
		if errors.Is(err, accounts.CodeWrongCode) {
			return accounts.WrongRecoveryCode()
		}
		if err != nil {
			return err
		}
		if err := attempt.Succeed(ctx, tx); err != nil {
			return err
		}
		return w.secondWay(ctx, tx, step, accounts.WayRecovery)
	})
	if err != nil {
		return fmt.Errorf("recovery code: %w", err)
	}
	return nil
}
