package accounts

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/outbound"
)

// Provider is the metadata and the keys of an issuer.
type Provider struct {
	oidc       *oidc.Provider
	http       *http.Client
	endpoint   oauth2.Endpoint
	scopes     []string
	endSession string
	userInfo   bool // it has an endpoint with claims that the ID token lacks
}

// issuerLimits bound responses of an issuer. Redirects are not followed.
var issuerLimits = outbound.Limits{Redirects: -1, Header: 10 * time.Second, Total: 20 * time.Second, Bytes: 1 << 20}

// transport has go-oidc and oauth2 use the client that reaches allowed addresses alone.
type transport struct{ client *outbound.Client }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	return t.client.Do(req.Clone(req.Context()), issuerLimits)
}

// signingAlgorithms are those of a key pair. A signature with the client secret, or none, does not prove the issuer.
var signingAlgorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384,
	oidc.PS512, oidc.EdDSA}

// Discover reads the metadata of the issuer with an address. It returns BadIssuer.
func Discover(ctx context.Context, client *outbound.Client, issuer string) (*Provider, error) {
	u, err := client.Check(issuer)
	if err != nil {
		return nil, BadIssuer(err.Error())
	}
	if len(issuer) > MaxIssuerURL || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || !markup.Text(issuer) {
		return nil, BadIssuer("its address has a query, or is too long. Enter it as the issuer shows it.")
	}
	p := &Provider{http: &http.Client{Transport: transport{client},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	p.oidc, err = oidc.NewProvider(oidc.ClientContext(ctx, p.http), issuer)
	if err != nil {
		return nil, BadIssuer(discoveryError(err))
	}
	var metadata struct {
		Methods    []string `json:"token_endpoint_auth_methods_supported"`
		Scopes     []string `json:"scopes_supported"`
		EndSession string   `json:"end_session_endpoint"`
		UserInfo   string   `json:"userinfo_endpoint"`
		Keys       string   `json:"jwks_uri"`
	}
	if err := p.oidc.Claims(&metadata); err != nil {
		return nil, BadIssuer("its metadata cannot be read.")
	}
	p.endpoint = p.oidc.Endpoint()
	for _, address := range []string{p.endpoint.AuthURL, p.endpoint.TokenURL, metadata.Keys} {
		if _, err := client.Check(address); err != nil {
			return nil, BadIssuer(err.Error())
		}
	}
	p.endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if len(metadata.Methods) > 0 && !slices.Contains(metadata.Methods, "client_secret_basic") {
		p.endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	p.scopes = []string{oidc.ScopeOpenID, "email", "profile"}
	if slices.Contains(metadata.Scopes, "groups") {
		p.scopes = append(p.scopes, "groups")
	}
	if _, err := client.Check(metadata.EndSession); err == nil {
		p.endSession = metadata.EndSession
	}
	_, err = client.Check(metadata.UserInfo)
	p.userInfo = err == nil
	return p, nil
}

// discoveryError is the reason why metadata cannot be read, without the response.
func discoveryError(err error) string {
	var mismatch *oidc.IssuerMismatchError
	if errors.As(err, &mismatch) {
		return fmt.Sprintf("it says that its address is %.300q. Enter that.", mismatch.Discovered)
	}
	var lost outbound.Unreachable
	var slow outbound.TooSlow
	switch {
	case errors.As(err, &lost):
		return lost.Error()
	case errors.As(err, &slow):
		return slow.Error()
	case outbound.IsRefused(err):
		var of *url.Error
		if errors.As(err, &of) {
			return of.Err.Error()
		}
	}
	return "it does not answer at /.well-known/openid-configuration as an issuer does."
}

// Client is this server as an issuer knows it.
type Client struct {
	Issuer   Issuer
	Secret   string
	Redirect string // where the issuer sends browsers back to
}

func (p *Provider) config(of Client) *oauth2.Config {
	endpoint := p.endpoint
	if of.Secret == "" {
		endpoint.AuthStyle = oauth2.AuthStyleInParams // which sends the client's id alone
	}
	return &oauth2.Config{ClientID: of.Issuer.ClientID, ClientSecret: of.Secret, Endpoint: endpoint,
		RedirectURL: of.Redirect, Scopes: p.scopes}
}

// AuthRequest is an authentication request. Again makes the user sign in at the issuer once more.
type AuthRequest struct {
	State, Nonce, Verifier string
	Again                  bool
}

// AuthURL is the address of the issuer for an authentication request.
func (p *Provider) AuthURL(of Client, request AuthRequest) string {
	options := []oauth2.AuthCodeOption{oidc.Nonce(request.Nonce), oauth2.S256ChallengeOption(request.Verifier)}
	if request.Again {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return p.config(of).AuthCodeURL(request.State, options...)
}

// SignOutAddress is where a browser signs out at the issuer, "" if the issuer tells none. It comes back to an address.
func (p *Provider) SignOutAddress(of Client, back string) string {
	if p.endSession == "" {
		return ""
	}
	u, err := url.Parse(p.endSession)
	if err != nil {
		return ""
	}
	query := u.Query()
	query.Set("client_id", of.Issuer.ClientID)
	query.Set("post_logout_redirect_uri", back)
	u.RawQuery = query.Encode()
	return u.String()
}

// Claims are those of an ID token about a user.
type Claims struct {
	Subject  string
	Email    string // "" if it is none
	Verified bool   // the issuer has checked the address
	Name     string
	Groups   []string
}

// authSkew is how far the clock of an issuer may be off.
const authSkew = time.Minute

// Exchange exchanges a code for the claims of an ID token, after checks of its signature, issuer, audience, time and
// nonce, and with Again of the time of the sign-in at the issuer, which is not before since. Address, name and groups that
// it lacks are read from the issuer's user info. It returns IssuerRefused or IssuerUnreachable.
func (p *Provider) Exchange(
	ctx context.Context, of Client, request AuthRequest, code string, since, now time.Time,
) (Claims, error) {
	ctx = oidc.ClientContext(ctx, p.http)
	token, err := p.config(of).Exchange(ctx, code, oauth2.VerifierOption(request.Verifier))
	if err != nil {
		var refused *oauth2.RetrieveError
		if errors.As(err, &refused) && refused.Response != nil &&
			refused.Response.StatusCode < http.StatusInternalServerError {
			return Claims{}, IssuerRefused(err)
		}
		return Claims{}, IssuerUnreachable(of.Issuer.Name, err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Claims{}, IssuerRefused(errors.New("there is no ID token"))
	}
	verifier := p.oidc.Verifier(&oidc.Config{ClientID: of.Issuer.ClientID, SupportedSigningAlgs: signingAlgorithms,
		Now: func() time.Time { return now }})
	verified, err := verifier.Verify(ctx, raw)
	if err != nil {
		return Claims{}, IssuerRefused(err)
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(request.Nonce)) != 1 {
		return Claims{}, IssuerRefused(errors.New("the nonce is another"))
	}
	if err := checkToken(of.Issuer, verified, request.Again, since); err != nil {
		return Claims{}, IssuerRefused(err)
	}
	claimed := claimSet{}
	if err := verified.Claims(&claimed); err != nil {
		return Claims{}, IssuerRefused(err)
	}
	if p.userInfo && claimed.lacks(of.Issuer) {
		if err := p.addUserInfo(ctx, of.Issuer, token, verified.Subject, claimed); err != nil {
			return Claims{}, err
		}
	}
	return claimed.about(verified.Subject, of.Issuer), nil
}

// checkToken checks what go-oidc does not.
func checkToken(issuer Issuer, token *oidc.IDToken, again bool, since time.Time) error {
	var claimed struct {
		Party    string `json:"azp"`
		AuthTime int64  `json:"auth_time"`
	}
	if err := token.Claims(&claimed); err != nil {
		return err
	}
	switch {
	case token.Subject == "" || len(token.Subject) > 255:
		return errors.New("the subject is empty or too long")
	case (len(token.Audience) > 1 || claimed.Party != "") && claimed.Party != issuer.ClientID:
		return errors.New("it was made for another program")
	case again && time.Unix(claimed.AuthTime, 0).Before(since.Add(-authSkew)):
		return errors.New("the user was not asked again")
	}
	return nil
}

// claimSet are claims about a user by their names.
type claimSet map[string]json.RawMessage

// claimNames are the claims that are read: an issuer need not put them into an ID token (OpenID Connect Core, 5.4).
func claimNames(issuer Issuer) []string {
	names := []string{"email", "name"}
	if issuer.GroupsClaim != "" {
		names = append(names, issuer.GroupsClaim)
	}
	return names
}

// lacks reports whether a claim that is read is not there.
func (s claimSet) lacks(issuer Issuer) bool {
	return slices.ContainsFunc(claimNames(issuer), func(name string) bool { return s[name] == nil })
}

// addUserInfo adds the claims that are read and not there from the issuer's user info, which must be of the same subject.
// An address comes with whether it was checked. It returns IssuerRefused or IssuerUnreachable.
func (p *Provider) addUserInfo(
	ctx context.Context, issuer Issuer, token *oauth2.Token, subject string, to claimSet,
) error {
	info, err := p.oidc.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return IssuerUnreachable(issuer.Name, err)
	}
	if info.Subject != subject {
		return IssuerRefused(errors.New("the user info is about another subject"))
	}
	more := claimSet{}
	if err := info.Claims(&more); err != nil {
		return IssuerRefused(err)
	}
	if to["email"] == nil {
		to["email_verified"] = more["email_verified"]
	}
	for _, name := range claimNames(issuer) {
		if to[name] == nil {
			to[name] = more[name]
		}
	}
	return nil
}

// about are the claims about a subject.
func (s claimSet) about(subject string, issuer Issuer) Claims {
	claims := Claims{Subject: subject, Groups: groupsIn(s[issuer.GroupsClaim])}
	if email, err := ParseEmail(textIn(s["email"])); err == nil {
		claims.Email = email
		claims.Verified = strings.Trim(string(s["email_verified"]), `"`) == "true" // some send it as a text
	}
	if name, err := ParseName("name", textIn(s["name"])); err == nil {
		claims.Name = name
	}
	return claims
}

// textIn reads a claim that is a text, "" if it is none.
func textIn(claim json.RawMessage) (text string) {
	if json.Unmarshal(claim, &text) != nil {
		return ""
	}
	return text
}

// mostGroups bounds the groups that are read of a user.
const mostGroups = 2000

// groupsIn reads a claim that has groups: a list, or one.
func groupsIn(claim json.RawMessage) (groups []string) {
	if json.Unmarshal(claim, &groups) == nil {
		return groups[:min(len(groups), mostGroups)]
	}
	var one string
	if json.Unmarshal(claim, &one) == nil && one != "" {
		return []string{one}
	}
	return nil
}
