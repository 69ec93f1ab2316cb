package accounts

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

const (
	// MaxIssuers is how many issuers a company has of its own.
	MaxIssuers = 5
	// issuersShown bounds those that count for a company, an operator's included.
	issuersShown = 20
	// MaxIssuerRules is how many rules an issuer has in a company.
	MaxIssuerRules = 100
	// MaxIssuerURL and the like bound the settings of an issuer, in characters.
	MaxIssuerURL, MaxIssuerName, MaxClientID, MaxClientSecret = 500, 100, 255, 1000
	// MaxGroupsClaim and MaxGroupAtIssuer bound the name of a claim, and that of a group in it.
	MaxGroupsClaim, MaxGroupAtIssuer = 100, 255
	// companiesOfIssuer bounds the companies that one of an operator counts for.
	companiesOfIssuer = 200
)

// Issuer signs users in (OpenID Connect).
type Issuer struct {
	ID          id.Issuer
	Company     id.Company // that it belongs to, 0 if an operator configured it
	URL         string     // its identifier
	ClientID    string     // as which it knows this server
	Name        string
	GroupsClaim string // the claim that has a user's groups
	// JoinByDomain and OwnersByGroup are of the company that it was read for: users with an address of a verified domain
	// join; a group may make an owner.
	JoinByDomain, OwnersByGroup bool
}

// SignInSettings is how a company is signed in to.
type SignInSettings struct {
	Issuers []Issuer
	Domains []Domain
}

// IssuerInCompany is an issuer with its rules in a company, and the groups that they can name.
type IssuerInCompany struct {
	Issuer Issuer
	Own    bool // of the company, not of an operator
	Rules  []IssuerRule
	Groups []Group
}

// Way is the way of a session that the issuer opened or confirmed, in companies that the issuer counts for.
func (i Issuer) Way() Way { return Way(wayIssuer + strconv.FormatUint(uint64(i.ID), 10)) }

const wayIssuer = "oidc-"

// IsIssuer reports whether a way is by an issuer.
func (w Way) IsIssuer() bool { return strings.HasPrefix(string(w), wayIssuer) }

func issuerSecret(issuer id.Issuer) secrets.Name {
	return secrets.Name{Kind: secrets.Issuer, Owner: uint64(issuer)}
}

// IssuerDraft is the input for an issuer. URL is for a new one alone; Secret "" keeps the one before, or is none.
type IssuerDraft struct {
	Name, URL, ClientID, Secret, GroupsClaim string
	JoinByDomain, OwnersByGroup              bool
}

// Parse returns the draft without spaces around its texts, or all errors: BadIssuerField.
func (d IssuerDraft) Parse() (IssuerDraft, error) {
	var wrong []error
	line := func(field, what string, value *string, most int) {
		text, length, ok := markup.Line(*value)
		if !ok || length == 0 || length > most {
			wrong = append(wrong, BadIssuerField(field, what, most))
		}
		*value = text
	}
	if d.GroupsClaim == "" {
		d.GroupsClaim = "groups"
	}
	line("name", "a name", &d.Name, MaxIssuerName)
	line("client", "the client ID", &d.ClientID, MaxClientID)
	line("groups", "the name of a claim", &d.GroupsClaim, MaxGroupsClaim)
	if d.Secret = strings.TrimSpace(d.Secret); len(d.Secret) > MaxClientSecret || !markup.Text(d.Secret) {
		wrong = append(wrong, BadIssuerField("secret", "a secret", MaxClientSecret))
	}
	return d, fault.Join(wrong...)
}

// AddIssuer stores an issuer that counts for companies: of one company, or of an operator if owner is 0. The caller
// holds LockRoles, or is an operator. It returns TooManyIssuers.
func AddIssuer(
	ctx context.Context, tx *db.Tx, keys *secrets.Keys, owner id.Company, draft IssuerDraft, companies ...id.Company,
) (Issuer, error) {
	var of *id.Company
	if owner != 0 {
		of = &owner
		there, err := IssuersOf(ctx, tx.Queries, owner)
		if err != nil {
			return Issuer{}, err
		}
		own := slices.DeleteFunc(there, func(i Issuer) bool { return i.Company != owner })
		if len(own) >= MaxIssuers {
			return Issuer{}, TooManyIssuers()
		}
	}
	n, err := tx.CreateIssuer(ctx, db.CreateIssuerParams{CompanyID: of, Url: draft.URL, ClientID: draft.ClientID,
		Name: draft.Name, GroupsClaim: draft.GroupsClaim, CreatedAt: tx.Now})
	if err != nil {
		return Issuer{}, fmt.Errorf("store an issuer: %w", err)
	}
	issuer := Issuer{ID: id.Issuer(n), Company: owner, URL: draft.URL, ClientID: draft.ClientID, Name: draft.Name,
		GroupsClaim: draft.GroupsClaim}
	for _, company := range companies {
		if err := tx.AddIssuerTo(ctx, company, issuer.ID); err != nil {
			return Issuer{}, fmt.Errorf("add an issuer to a company: %w", err)
		}
	}
	if draft.Secret == "" {
		return issuer, nil
	}
	return issuer, keys.Put(ctx, tx, issuerSecret(issuer.ID), []byte(draft.Secret))
}

// SaveIssuer changes an issuer in a company, and its own settings only if it belongs to the company.
func SaveIssuer(
	ctx context.Context, tx *db.Tx, keys *secrets.Keys, company id.Company, issuer Issuer, draft IssuerDraft,
) error {
	if err := tx.SaveIssuerFor(ctx, db.SaveIssuerForParams{JoinByDomain: draft.JoinByDomain,
		OwnersByGroup: draft.OwnersByGroup, CompanyID: company, IssuerID: issuer.ID}); err != nil {
		return fmt.Errorf("save an issuer: %w", err)
	}
	if issuer.Company != company {
		return nil
	}
	if err := tx.SaveIssuer(ctx, db.SaveIssuerParams{Name: draft.Name, ClientID: draft.ClientID,
		GroupsClaim: draft.GroupsClaim, ID: issuer.ID}); err != nil {
		return fmt.Errorf("save an issuer: %w", err)
	}
	if draft.Secret == "" {
		return nil
	}
	return keys.Put(ctx, tx, issuerSecret(issuer.ID), []byte(draft.Secret))
}

// RemoveIssuer removes an issuer with its rules and all links to it: the sessions that it opened open nothing any more.
func RemoveIssuer(ctx context.Context, tx *db.Tx, issuer id.Issuer) error {
	n, err := tx.DeleteIssuer(ctx, issuer)
	if err != nil {
		return fmt.Errorf("remove an issuer: %w", err)
	}
	if n == 0 {
		return IssuerNotFound()
	}
	return secrets.Delete(ctx, tx, issuerSecret(issuer))
}

// IssuerSecret returns the client secret of an issuer, "" if it has none.
func IssuerSecret(ctx context.Context, q *db.Queries, keys *secrets.Keys, issuer id.Issuer) (string, error) {
	secret, err := keys.Get(ctx, q, issuerSecret(issuer))
	if db.IsNotFound(err) {
		return "", nil
	}
	return string(secret), err
}

func issuerFrom(row db.Issuer) Issuer {
	issuer := Issuer{ID: row.ID, URL: row.Url, ClientID: row.ClientID, Name: row.Name, GroupsClaim: row.GroupsClaim}
	if row.CompanyID != nil {
		issuer.Company = *row.CompanyID
	}
	return issuer
}

// IssuerByID returns an issuer, or IssuerNotFound.
func IssuerByID(ctx context.Context, q *db.Queries, issuer id.Issuer) (Issuer, error) {
	row, err := db.Read(q.IssuerByID(ctx, issuer))
	if db.IsNotFound(err) {
		return Issuer{}, IssuerNotFound()
	}
	if err != nil {
		return Issuer{}, fmt.Errorf("read issuer: %w", err)
	}
	return issuerFrom(row), nil
}

// IssuersOf returns the issuers that count for a company.
func IssuersOf(ctx context.Context, q *db.Queries, company id.Company) ([]Issuer, error) {
	rows, err := db.Read(q.IssuersOfCompany(ctx, company, issuersShown))
	if err != nil {
		return nil, fmt.Errorf("read issuers: %w", err)
	}
	list := make([]Issuer, len(rows))
	for i, row := range rows {
		list[i] = issuerFrom(db.Issuer{ID: row.ID, CompanyID: row.CompanyID, Url: row.Url, ClientID: row.ClientID,
			Name: row.Name, GroupsClaim: row.GroupsClaim})
		list[i].JoinByDomain, list[i].OwnersByGroup = row.JoinByDomain, row.OwnersByGroup
	}
	return list, nil
}

// IssuerFor returns an issuer that counts for a company, or IssuerNotFound.
func IssuerFor(ctx context.Context, q *db.Queries, company id.Company, issuer id.Issuer) (Issuer, error) {
	list, err := IssuersOf(ctx, q, company)
	if err != nil {
		return Issuer{}, err
	}
	at := slices.IndexFunc(list, func(i Issuer) bool { return i.ID == issuer })
	if at < 0 {
		return Issuer{}, IssuerNotFound()
	}
	return list[at], nil
}

// IssuersOfSlug returns the issuers that count for the company with a slug, none if there is no such company.
func IssuersOfSlug(ctx context.Context, q *db.Queries, slug string) ([]Issuer, error) {
	if !companySlug.MatchString(slug) {
		return nil, nil
	}
	return issuersFrom(db.Read(q.IssuersOfSlug(ctx, slug, issuersShown)))
}

// IssuersOfOperators returns the issuers that operators configured.
func IssuersOfOperators(ctx context.Context, q *db.Queries) ([]Issuer, error) {
	return issuersFrom(db.Read(q.IssuersOfOperators(ctx, issuersShown)))
}

func issuersFrom(rows []db.Issuer, err error) ([]Issuer, error) {
	if err != nil {
		return nil, fmt.Errorf("read issuers: %w", err)
	}
	list := make([]Issuer, len(rows))
	for i, row := range rows {
		list[i] = issuerFrom(row)
	}
	return list, nil
}

// IssuerCompany is a company that an issuer counts for, with the rights of the issuer there.
type IssuerCompany struct {
	Company                     Company
	JoinByDomain, OwnersByGroup bool
}

// CompaniesOfIssuer returns the companies that an issuer counts for.
func CompaniesOfIssuer(ctx context.Context, q *db.Queries, issuer id.Issuer) ([]IssuerCompany, error) {
	rows, err := db.Read(q.CompaniesOfIssuer(ctx, issuer, companiesOfIssuer))
	if err != nil {
		return nil, fmt.Errorf("read the companies of an issuer: %w", err)
	}
	list := make([]IssuerCompany, len(rows))
	for i, row := range rows {
		list[i] = IssuerCompany{Company: Company{ID: row.ID, Slug: row.Slug, Name: row.Name}, JoinByDomain: row.JoinByDomain,
			OwnersByGroup: row.OwnersByGroup}
	}
	return list, nil
}

// RequireIssuer has a company open to sessions alone that one of its issuers opened, or to all again. It reports whether
// that changes it.
func RequireIssuer(ctx context.Context, tx *db.Tx, company id.Company, required bool) (changed bool, err error) {
	n, err := tx.RequireIssuer(ctx, db.RequireIssuerParams{Required: required, ID: company})
	if err != nil {
		return false, fmt.Errorf("require an issuer: %w", err)
	}
	return n > 0, nil
}

// IssuerRule gives users with a group at an issuer a role in a company, "" for none, and a group of it, 0 for none.
type IssuerRule struct {
	ID    id.IssuerRule
	Claim string // the group at the issuer
	Role  string
	Group Group // ID and Name
}

// IssuerRules returns the rules of an issuer in a company.
func IssuerRules(ctx context.Context, q *db.Queries, company id.Company, issuer id.Issuer) ([]IssuerRule, error) {
	rows, err := db.Read(q.IssuerRules(ctx, db.IssuerRulesParams{CompanyID: company, IssuerID: issuer,
		Limit: MaxIssuerRules}))
	if err != nil {
		return nil, fmt.Errorf("read the rules of an issuer: %w", err)
	}
	list := make([]IssuerRule, len(rows))
	for i, row := range rows {
		list[i] = IssuerRule{ID: row.ID, Claim: row.Claim, Role: row.Role, Group: Group{Name: row.GroupName}}
		if row.GroupID != nil {
			list[i].Group.ID = *row.GroupID
		}
	}
	return list, nil
}

// AddIssuerRule adds a rule. The caller holds LockRoles. It returns BadIssuerRule, IssuerRuleConflict or GroupNotFound.
func AddIssuerRule(ctx context.Context, tx *db.Tx, company id.Company, issuer Issuer, rule IssuerRule) error {
	claim, length, ok := markup.Line(rule.Claim)
	switch {
	case !ok || length == 0 || length > MaxGroupAtIssuer:
		return BadIssuerRule("claim", "Enter the group as the issuer names it.")
	case rule.Role != "" && rank(rule.Role) == 0:
		return BadIssuerRule("role", "Choose one of the roles.")
	case rule.Role == Owner && !issuer.OwnersByGroup:
		return BadIssuerRule("role", "Allow first that groups make owners: above, with the settings of this issuer.")
	case rule.Role == "" && rule.Group.ID == 0:
		return BadIssuerRule("role", "Choose a role, a group, or both.")
	}
	there, err := IssuerRules(ctx, tx.Queries, company, issuer.ID)
	if err != nil {
		return err
	}
	if len(there) >= MaxIssuerRules {
		return BadIssuerRule("claim", fmt.Sprintf("There are %d rules, the most allowed. Remove one first.", MaxIssuerRules))
	}
	row := db.CreateIssuerRuleParams{CompanyID: company, IssuerID: issuer.ID, Claim: claim, Role: rule.Role}
	if rule.Group.ID != 0 {
		if _, err := GroupByID(ctx, tx.Queries, company, rule.Group.ID); err != nil {
			return err
		}
		row.GroupID = &rule.Group.ID
	}
	err = tx.CreateIssuerRule(ctx, row)
	if db.IsDuplicate(err, "uq_issuer_rule_claim") {
		return IssuerRuleConflict()
	}
	if err != nil {
		return fmt.Errorf("add a rule of an issuer: %w", err)
	}
	return nil
}

// RemoveIssuerRule removes a rule of an issuer in a company, if there is one.
func RemoveIssuerRule(
	ctx context.Context, tx *db.Tx, company id.Company, issuer id.Issuer, rule id.IssuerRule,
) (removed bool, err error) {
	n, err := tx.DeleteIssuerRule(ctx, db.DeleteIssuerRuleParams{ID: rule, CompanyID: company, IssuerID: issuer})
	if err != nil {
		return false, fmt.Errorf("remove a rule of an issuer: %w", err)
	}
	return n > 0, nil
}

// Granted is the result of the rules for groups at an issuer in a company. Role is the highest, "" if none gives one; Decides says that
// there are rules for roles, so that the issuer decides them.
type Granted struct {
	Role    string
	Decides bool
	In, Out []id.Group // groups that it is a member of, and that it is not, of those that rules name
}

// Grant returns the result of rules for a user with groups at the issuer. owners says that a rule may make an owner.
func Grant(rules []IssuerRule, groups []string, owners bool) (granted Granted) {
	for _, rule := range rules {
		has := slices.Contains(groups, rule.Claim)
		if rule.Role != "" && (rule.Role != Owner || owners) {
			granted.Decides = true
			if has && rank(rule.Role) > rank(granted.Role) {
				granted.Role = rule.Role
			}
		}
		switch of := rule.Group.ID; {
		case of == 0:
		case has:
			granted.In = append(granted.In, of)
		default:
			granted.Out = append(granted.Out, of)
		}
	}
	granted.Out = slices.DeleteFunc(granted.Out, func(of id.Group) bool { return slices.Contains(granted.In, of) })
	return granted
}

// RoleFor is the role that a member with a role gets, "" if it keeps that: what the groups give; without that no more
// than a member's. Owners are made and unmade by groups only if that is allowed.
func (g Granted) RoleFor(now string, owners bool) string {
	wanted := g.Role
	if wanted == "" && rank(now) > rank(Member) {
		wanted = Member
	}
	if !g.Decides || wanted == "" || wanted == now || now == Owner && !owners {
		return ""
	}
	return wanted
}

// SetRoleByIssuer gives a member the role that an issuer gives. The company keeps its last owner. The caller holds the
// lock of LockCompany. It reports whether that changed.
func SetRoleByIssuer(
	ctx context.Context, tx *db.Tx, company id.Company, member CompanyMember, role string,
) (changed bool, err error) {
	if member.Role == Owner {
		owners, err := tx.FirstOwners(ctx, company)
		if err != nil {
			return false, fmt.Errorf("read owners: %w", err)
		}
		if len(owners) < 2 {
			return false, nil
		}
	}
	account := member.Account.ID
	err = tx.PublishSightBy(ctx, company, account, func() error {
		return tx.ChangeRole(ctx, db.ChangeRoleParams{Role: role, CompanyID: company, AccountID: account})
	})
	if err != nil {
		return false, fmt.Errorf("change role: %w", err)
	}
	if rank(role) < rank(member.Role) {
		if err := endLinksBy(ctx, tx, company, account); err != nil {
			return false, err
		}
	}
	return true, EndResets(ctx, tx, account)
}

// Identity is an issuer of an account's companies, with the subject that the account is linked to, "" for none.
type Identity struct {
	Issuer  Issuer // ID, Company, Name and URL
	Subject string
}

// IdentitiesOf returns the issuers that an account can be linked to, and its links.
func IdentitiesOf(ctx context.Context, q *db.Queries, account ID) ([]Identity, error) {
	rows, err := db.Read(q.IssuersOfAccount(ctx, account, 50))
	if err != nil {
		return nil, fmt.Errorf("read identities: %w", err)
	}
	list := make([]Identity, len(rows))
	for i, row := range rows {
		list[i] = Identity{Issuer: issuerFrom(db.Issuer{ID: row.ID, CompanyID: row.CompanyID, Url: row.Url, Name: row.Name}),
			Subject: string(row.Subject)}
	}
	return list, nil
}

// ByIdentity returns the account that an issuer knows under a subject, or NotLinked or Deactivated.
func ByIdentity(ctx context.Context, q *db.Queries, issuer Issuer, subject string) (Account, error) {
	account, err := db.Read(q.IdentityAccount(ctx, issuer.ID, []byte(subject)))
	if db.IsNotFound(err) {
		return Account{}, NotLinked(issuer.Name)
	}
	if err != nil {
		return Account{}, fmt.Errorf("read identity: %w", err)
	}
	found, err := ByID(ctx, q, account)
	if err == nil && found.Deactivated {
		err = Deactivated("")
	}
	return found, err
}

// Link has an issuer know an account under a subject. It returns IdentityConflict.
func Link(ctx context.Context, tx *db.Tx, issuer Issuer, subject string, account ID) error {
	now := tx.Now
	err := tx.CreateIdentity(ctx, db.CreateIdentityParams{IssuerID: issuer.ID, Subject: []byte(subject),
		AccountID: account, CreatedAt: now, UsedAt: &now})
	if db.IsDuplicate(err, "PRIMARY") || db.IsDuplicate(err, "uq_account_identity_account") {
		return IdentityConflict(issuer.Name)
	}
	if err != nil {
		return fmt.Errorf("link an account: %w", err)
	}
	return nil
}

// UseIdentity notes that an identity signed in.
func UseIdentity(ctx context.Context, tx *db.Tx, issuer id.Issuer, subject string) error {
	now := tx.Now
	err := tx.UseIdentity(ctx, db.UseIdentityParams{UsedAt: &now, IssuerID: issuer, Subject: []byte(subject)})
	if err != nil {
		return fmt.Errorf("note the use of an identity: %w", err)
	}
	return nil
}

// Unlink removes an account's link to an issuer, and ends the account's sessions. It returns IssuerNotFound.
func Unlink(ctx context.Context, tx *db.Tx, account ID, issuer id.Issuer) error {
	n, err := tx.DeleteIdentity(ctx, account, issuer)
	if err != nil {
		return fmt.Errorf("remove the link to an issuer: %w", err)
	}
	if n == 0 {
		return IssuerNotFound()
	}
	return EndSessions(ctx, tx, account)
}

// AddWayFor records that a session proved its account by a way that counts for one company.
func AddWayFor(ctx context.Context, tx *db.Tx, session SessionID, company id.Company, way Way) error {
	err := tx.AddSessionWay(ctx, db.AddSessionWayParams{SessionID: session, CompanyID: company, Way: string(way),
		At: tx.Now})
	if err != nil {
		return fmt.Errorf("record a way of a session: %w", err)
	}
	return nil
}

// LockMembers serialises changes of members in a company, as LockRoles does, for what has no actor.
func LockMembers(ctx context.Context, tx *db.Tx, company id.Company) error {
	if err := tx.LockCompany(ctx, company); err != nil {
		return fmt.Errorf("lock company: %w", err)
	}
	return nil
}
