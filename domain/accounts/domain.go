package accounts

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

const (
	// MaxDomains is how many mail domains a company has.
	MaxDomains = 20
	// MaxDomain is how many characters the name of a domain has.
	MaxDomain = 253
	// domainCheckedEvery is how often a verified domain is looked at again.
	domainCheckedEvery = 24 * time.Hour
)

// Domain is a mail domain of a company. Held says that a DNS record shows that it is the company's.
type Domain struct {
	ID        id.Domain
	Company   id.Company
	Name      string // in ASCII and lower case
	Code      string
	Held      bool
	CheckedAt time.Time // zero if it never was

	due *time.Time
}

// DomainRecord is the name of the TXT record that proves the holder of a domain.
func DomainRecord(domain string) string { return "_counterfoil." + domain }

// Record is the value of the TXT record.
func (d Domain) Record() string { return "counterfoil-verification=" + d.Code }

var domainName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

// publicDomains give addresses to everybody.
var publicDomains = []string{
	"aol.com", "fastmail.com", "gmail.com", "gmx.at", "gmx.ch", "gmx.com", "gmx.de", "gmx.net", "googlemail.com",
	"hey.com", "hotmail.com", "icloud.com", "laposte.net", "libero.it", "live.com", "mac.com", "mail.com", "mail.ru",
	"mailbox.org", "me.com", "msn.com", "naver.com", "orange.fr", "outlook.com", "pm.me", "posteo.de", "proton.me",
	"protonmail.com", "qq.com", "t-online.de", "tuta.com", "tutanota.com", "web.de", "yahoo.co.jp", "yahoo.co.uk",
	"yahoo.com", "yandex.com", "yandex.ru", "ymail.com", "zoho.com", "126.com", "163.com",
}

// ParseDomain returns a domain's name in ASCII and lower case. It returns BadDomain or PublicDomain.
func ParseDomain(text string) (string, error) {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "@"), ".")
	name, err := idna.Lookup.ToASCII(text)
	if err != nil || len(name) > MaxDomain || !domainName.MatchString(name) {
		return "", BadDomain()
	}
	if slices.Contains(publicDomains, name) {
		return "", PublicDomain(name)
	}
	return name, nil
}

// domainOf is the domain of an address, in ASCII.
func domainOf(email string) string {
	_, name, _ := strings.Cut(email, "@")
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil {
		return ""
	}
	return ascii
}

// AddDomain adds a domain that has to be verified. The caller holds LockRoles. It returns BadDomain, PublicDomain,
// DomainConflict or TooManyDomains.
func AddDomain(ctx context.Context, tx *db.Tx, company id.Company, text string) (name string, err error) {
	if name, err = ParseDomain(text); err != nil {
		return "", err
	}
	there, err := DomainsOf(ctx, tx.Queries, company)
	if err != nil {
		return "", err
	}
	if len(there) >= MaxDomains {
		return "", TooManyDomains()
	}
	err = tx.CreateDomain(ctx, db.CreateDomainParams{CompanyID: company, Name: name, Code: strings.ToLower(rand.Text()),
		CreatedAt: tx.Now})
	if db.IsDuplicate(err, "uq_company_domain_name") {
		return "", DomainConflict()
	}
	if err != nil {
		return "", fmt.Errorf("add a domain: %w", err)
	}
	return name, nil
}

// DomainsOf returns the domains of a company by name.
func DomainsOf(ctx context.Context, q *db.Queries, company id.Company) ([]Domain, error) {
	return domainsFrom(db.Read(q.DomainsOfCompany(ctx, company, MaxDomains)))
}

// DueDomains returns some domains that are to be looked at again.
func DueDomains(ctx context.Context, q *db.Queries, now time.Time, limit int) ([]Domain, error) {
	return domainsFrom(db.Read(q.DueDomains(ctx, &now, int32(limit))))
}

func domainsFrom(rows []db.CompanyDomain, err error) ([]Domain, error) {
	if err != nil {
		return nil, fmt.Errorf("read domains: %w", err)
	}
	list := make([]Domain, len(rows))
	for i, row := range rows {
		list[i] = domainFrom(row)
	}
	return list, nil
}

func domainFrom(row db.CompanyDomain) Domain {
	return Domain{ID: row.ID, Company: row.CompanyID, Name: row.Name, Code: row.Code, Held: row.Held.Valid,
		CheckedAt: orZero(row.CheckedAt), due: row.DueAt}
}

// DomainByID returns a domain of a company, or DomainNotFound.
func DomainByID(ctx context.Context, q *db.Queries, company id.Company, domain id.Domain) (Domain, error) {
	row, err := db.Read(q.DomainByID(ctx, domain, company))
	if db.IsNotFound(err) {
		return Domain{}, DomainNotFound()
	}
	if err != nil {
		return Domain{}, fmt.Errorf("read domain: %w", err)
	}
	return domainFrom(row), nil
}

// RemoveDomain removes a domain of a company. It returns DomainNotFound.
func RemoveDomain(ctx context.Context, tx *db.Tx, company id.Company, domain id.Domain) error {
	n, err := tx.DeleteDomain(ctx, domain, company)
	if err != nil {
		return fmt.Errorf("remove a domain: %w", err)
	}
	if n == 0 {
		return DomainNotFound()
	}
	return nil
}

// HoldDomain records that a domain is its company's. It returns DomainConflict if another company holds it.
func HoldDomain(ctx context.Context, tx *db.Tx, domain Domain) error {
	now, next := tx.Now, tx.Now.Add(domainCheckedEvery)
	err := tx.HoldDomain(ctx, db.HoldDomainParams{CheckedAt: &now, DueAt: &next, ID: domain.ID, CompanyID: domain.Company})
	if db.IsDuplicate(err, "uq_company_domain_held") {
		return DomainConflict()
	}
	if err != nil {
		return fmt.Errorf("hold a domain: %w", err)
	}
	return nil
}

// LoseDomain records that a domain is not shown to be its company's any more. It reports whether it was.
func LoseDomain(ctx context.Context, tx *db.Tx, domain id.Domain) (lost bool, err error) {
	now := tx.Now
	n, err := tx.LoseDomain(ctx, &now, domain)
	if err != nil {
		return false, fmt.Errorf("lose a domain: %w", err)
	}
	return n > 0, nil
}

// TakeDueDomain reports whether the caller, of several at once, is to look at a domain that is due.
func TakeDueDomain(ctx context.Context, tx *db.Tx, domain Domain) (mine bool, err error) {
	next := tx.Now.Add(domainCheckedEvery)
	n, err := tx.TakeDueDomain(ctx, db.TakeDueDomainParams{Next: &next, ID: domain.ID, DueAt: domain.due})
	if err != nil {
		return false, fmt.Errorf("take a domain that is due: %w", err)
	}
	return n > 0, nil
}

// HolderOf returns the company that holds the domain of an address, 0 if none does.
func HolderOf(ctx context.Context, q *db.Queries, email string) (id.Company, error) {
	name := domainOf(email)
	if name == "" {
		return 0, nil
	}
	company, err := db.Read(q.HeldDomain(ctx, sql.NullString{String: name, Valid: true}))
	if db.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read who holds a domain: %w", err)
	}
	return company, nil
}

// Resolver looks TXT records up, as net.Resolver does.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// lookupWithin is the time for the records of a domain.
const lookupWithin = 10 * time.Second

// Proves reports whether a domain has the company's record. It returns DomainUnreachable if that is not known.
func (d Domain) Proves(ctx context.Context, resolver Resolver) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupWithin)
	defer cancel()
	records, err := resolver.LookupTXT(ctx, DomainRecord(d.Name)+".")
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		return false, nil
	}
	if err != nil {
		return false, DomainUnreachable(d.Name, err)
	}
	return slices.ContainsFunc(records, func(r string) bool { return strings.TrimSpace(r) == d.Record() }), nil
}
