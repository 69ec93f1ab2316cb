package accounts

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// CheckCompany returns all errors of a company's name and slug: BadName or BadCompanySlug. A slug of "" is made from
// the name, so it is not reported beside a bad name.
func CheckCompany(name, slug string) error {
	_, badName := ParseName("company", name)
	_, badSlug := ParseCompanySlug(cmp.Or(slug, SlugFrom(name)))
	if slug == "" && badName != nil {
		badSlug = nil
	}
	return fault.Join(badName, badSlug)
}

// OpenCompany adds a company; its slug is made from the name if it is "". It returns BadName, BadCompanySlug or
// CompanyConflict.
func OpenCompany(ctx context.Context, tx *db.Tx, slug, name string) (Company, error) {
	if err := CheckCompany(name, slug); err != nil {
		return Company{}, err
	}
	name, _ = ParseName("company", name)
	slug, _ = ParseCompanySlug(cmp.Or(slug, SlugFrom(name)))
	n, err := tx.CreateCompany(ctx, db.CreateCompanyParams{Slug: slug, Name: name, CreatedAt: tx.Now})
	if db.IsDuplicate(err, "uq_company_slug") {
		return Company{}, CompanyConflict(slug)
	}
	if err != nil {
		return Company{}, fmt.Errorf("create company: %w", err)
	}
	return Company{ID: id.Company(n), Slug: slug, Name: name}, nil
}

// Draft is the content of a new account. PasswordHash is from HashPassword.
type Draft struct {
	Name, Email  string
	PasswordHash string
	Operator     bool
}

// CheckAccount returns all errors of a new account in a company: BadName, BadEmail, or those of CheckPassword.
func CheckAccount(name, email, password string, company Company) error {
	_, badName := parseUserName(name)
	_, badEmail := ParseEmail(email)
	return fault.Join(badName, badEmail, CheckPassword(password, email, company.Name, company.Slug))
}

// Open adds an account. It returns BadName, BadEmail or EmailConflict.
func Open(ctx context.Context, tx *db.Tx, draft Draft) (Account, error) {
	name, badName := parseUserName(draft.Name)
	email, badEmail := ParseEmail(draft.Email)
	if err := fault.Join(badName, badEmail); err != nil {
		return Account{}, err
	}
	n, err := tx.CreateAccount(ctx, db.CreateAccountParams{
		Email: email, Name: name, PasswordHash: draft.PasswordHash, Operator: draft.Operator, CreatedAt: tx.Now,
	})
	if db.IsDuplicate(err, "uq_account_email") {
		return Account{}, EmailConflict()
	}
	if err != nil {
		return Account{}, fmt.Errorf("create account: %w", err)
	}
	return Account{ID: ID(n), Email: email, Name: name, Operator: draft.Operator, Epoch: 1,
		Display: Display{Theme: Themes[0], Density: Densities[0]}}, nil
}

// Join makes an account a member of a company, with a free handle made from its name. It returns AlreadyMember, or
// NotMember for the requester.
func Join(ctx context.Context, tx *db.Tx, company id.Company, account Account, role string) (handle string, err error) {
	if account.Email == Requester {
		return "", NotMember()
	}
	wanted := handlesFor(account)
	taken, err := tx.HandlesAmong(ctx, company, wanted)
	if err != nil {
		return "", fmt.Errorf("read handles: %w", err)
	}
	wanted = slices.DeleteFunc(wanted, func(handle string) bool { return slices.Contains(taken, handle) })
	err = tx.PublishSightBy(ctx, company, account.ID, func() error { // for one who is back
		handle, err = createMembership(ctx, tx, company, account, role, wanted)
		return err
	})
	return handle, err
}

// createMembership returns the handle: the first of those wanted that is free, or a random one.
func createMembership(
	ctx context.Context, tx *db.Tx, company id.Company, account Account, role string, wanted []string,
) (handle string, err error) {
	for {
		if len(wanted) == 0 { // all its handles are taken
			wanted = []string{fmt.Sprintf("%s-%d", handleFrom(account), manyNamesakes+rand.IntN(10_000_000))}
		}
		handle, wanted = wanted[0], wanted[1:]
		err := tx.CreateMembership(ctx, db.CreateMembershipParams{
			CompanyID: company, AccountID: account.ID, Role: role, Handle: handle, CreatedAt: tx.Now,
		})
		if db.IsDuplicate(err, "uq_membership_handle") {
			continue // taken meanwhile
		}
		if db.IsDuplicate(err, "PRIMARY") {
			return "", AlreadyMember()
		}
		if err != nil {
			return "", fmt.Errorf("create membership: %w", err)
		}
		return handle, nil
	}
}

// manyNamesakes bounds the number in the handles of users of one name.
const manyNamesakes = 50

// handlesFor are an account's candidate handles, the best first: ana, ana-2, ana-3.
func handlesFor(account Account) []string {
	handles := []string{handleFrom(account)}
	for n := 2; n < manyNamesakes; n++ {
		handles = append(handles, fmt.Sprintf("%s-%d", handles[0], n))
	}
	return handles
}

// CloseSetup marks the installation as set up. It returns SetupClosed to all but the first.
func CloseSetup(ctx context.Context, tx *db.Tx, first id.Company) error {
	err := tx.ClaimInstallation(ctx, first, tx.Now)
	if db.IsDuplicate(err, "PRIMARY") {
		return SetupClosed()
	}
	if err != nil {
		return fmt.Errorf("close setup: %w", err)
	}
	return nil
}

// Installed reports whether the instance was set up.
func Installed(ctx context.Context, q *db.Queries) (bool, error) {
	installed, err := db.Read(q.InstallationExists(ctx))
	if err != nil {
		return false, fmt.Errorf("read installation: %w", err)
	}
	return installed, nil
}

// ByPassword returns the account with that address and password, or WrongPassword. An unknown
// address takes as long as a wrong password. Callers from a known browser do not wait for others.
func ByPassword(ctx context.Context, q *db.Queries, email, password string, known bool) (Account, error) {
	row, err := db.Read(q.AccountByEmail(ctx, strings.ToLower(strings.TrimSpace(email))))
	if err != nil && !db.IsNotFound(err) {
		return Account{}, fmt.Errorf("read account: %w", err)
	}
	exists := err == nil && row.Email != Requester && row.PasswordHash != ""
	if !exists {
		row.PasswordHash = noPassword
	}
	match, err := VerifyPassword(ctx, password, row.PasswordHash, known)
	if err != nil {
		return Account{}, fmt.Errorf("verify password: %w", err)
	}
	if !match || !exists {
		return Account{}, WrongPassword()
	}
	account := accountFrom(row)
	account.KnownAt, account.PasswordAsked = orZero(row.KnownAt), row.PasswordAskedAt != nil
	return account, nil
}

func accountFrom(row db.Account) Account {
	return Account{ID: row.ID, Email: row.Email, Name: row.Name, Operator: row.Operator, Epoch: row.SessionEpoch,
		Deactivated: row.DeactivatedAt != nil,
		Display:     Display{Theme: row.Theme, Density: row.Density, TimeZone: row.TimeZone, Dates: row.Dates}, Avatar: row.Avatar}
}

// ByEmail returns the account with an address, or NotMember if there is none.
func ByEmail(ctx context.Context, q *db.Queries, email string) (Account, error) {
	row, err := db.Read(q.AccountByEmail(ctx, strings.ToLower(strings.TrimSpace(email))))
	if db.IsNotFound(err) || row.Email == Requester {
		return Account{}, NotMember()
	}
	if err != nil {
		return Account{}, fmt.Errorf("read account: %w", err)
	}
	return accountFrom(row), nil
}

// ByID returns an account, or NotMember if there is none.
func ByID(ctx context.Context, q *db.Queries, account ID) (Account, error) {
	row, err := db.Read(q.AccountByID(ctx, account))
	if db.IsNotFound(err) {
		return Account{}, NotMember()
	}
	if err != nil {
		return Account{}, fmt.Errorf("read account: %w", err)
	}
	return accountFrom(row), nil
}

// CompaniesOf returns the companies that an account belongs to, the first joined first.
func CompaniesOf(ctx context.Context, q *db.Queries, account ID) ([]Membership, error) {
	rows, err := db.Read(q.CompaniesOfAccount(ctx, account))
	if err != nil {
		return nil, fmt.Errorf("read companies: %w", err)
	}
	list := make([]Membership, len(rows))
	for i, row := range rows {
		list[i] = Membership{Company: Company{ID: row.ID, Slug: row.Slug, Name: row.Name}, Role: row.Role}
	}
	return list, nil
}

// CompanyBySlug returns a company, or UnknownCompany.
func CompanyBySlug(ctx context.Context, q *db.Queries, slug string) (Company, error) {
	if !companySlug.MatchString(slug) { // as in InCompany
		return Company{}, UnknownCompany(slug)
	}
	row, err := db.Read(q.CompanyBySlug(ctx, slug))
	if db.IsNotFound(err) {
		return Company{}, UnknownCompany(slug)
	}
	if err != nil {
		return Company{}, fmt.Errorf("read company: %w", err)
	}
	return Company{ID: row.ID, Slug: row.Slug, Name: row.Name}, nil
}

// OnlyCompany returns the slug of the only company there is, "" if there are several.
func OnlyCompany(ctx context.Context, q *db.Queries) (string, error) {
	list, err := db.Read(q.FirstCompanies(ctx))
	if err != nil {
		return "", fmt.Errorf("read companies: %w", err)
	}
	if len(list) != 1 {
		return "", nil
	}
	return list[0], nil
}

// CountCompanies returns how many companies there are, up to a limit.
func CountCompanies(ctx context.Context, q *db.Queries, limit int) (int, error) {
	list, err := db.Read(q.CompaniesAfter(ctx, 0, int32(limit)))
	if err != nil {
		return 0, fmt.Errorf("count companies: %w", err)
	}
	return len(list), nil
}

// CompanyListed is a company in a list of all companies.
type CompanyListed struct {
	Company
	CreatedAt time.Time
}

// Companies returns companies by id, above after.
func Companies(ctx context.Context, q *db.Queries, after id.Company, limit int) ([]CompanyListed, error) {
	rows, err := db.Read(q.ListCompanies(ctx, after, int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("read companies: %w", err)
	}
	list := make([]CompanyListed, len(rows))
	for i, row := range rows {
		list[i] = CompanyListed{Company{ID: row.ID, Slug: row.Slug, Name: row.Name}, row.CreatedAt}
	}
	return list, nil
}

// CompanyFigures are the figures of a company, without its contents.
type CompanyFigures struct {
	CompanyListed
	Policy                    Policy
	Members, Boards, Webhooks int       // more than CompanyCounted: there are others
	Owners                    []Account // the first OwnersShown; one more: there are others
}

// How far the figures of a company count.
const (
	CompanyCounted = 1000
	OwnersShown    = 20
)

// FiguresOf returns the figures of the company with a slug, or NotMember if there is none.
func FiguresOf(ctx context.Context, q *db.Queries, slug string) (f CompanyFigures, err error) {
	if !companySlug.MatchString(slug) {
		return f, NotMember()
	}
	row, err := db.Read(q.CompanyBySlug(ctx, slug))
	if db.IsNotFound(err) {
		return f, NotMember()
	}
	if err != nil {
		return f, fmt.Errorf("read company: %w", err)
	}
	f.CompanyListed = CompanyListed{Company{ID: row.ID, Slug: row.Slug, Name: row.Name}, row.CreatedAt}
	f.Policy = Policy{SecondFactor: row.SecondFactor, Issuer: row.IssuerRequired}
	figures, err := db.Read(q.CompanyFigures(ctx, db.CompanyFiguresParams{CompanyID: row.ID}))
	if err != nil {
		return f, fmt.Errorf("read figures of company: %w", err)
	}
	f.Members, f.Boards, f.Webhooks = int(figures.Members), int(figures.Boards), int(figures.Webhooks)
	owners, err := db.Read(q.OwnersOf(ctx, row.ID))
	if err != nil {
		return f, fmt.Errorf("read owners: %w", err)
	}
	for _, owner := range listed(owners) {
		f.Owners = append(f.Owners, owner.Account)
	}
	return f, nil
}

// InCompany returns the account as an actor in a company, or NotMember: for a stranger and for an
// unknown company alike.
func InCompany(ctx context.Context, q *db.Queries, slug string, account ID) (Actor, error) {
	if !companySlug.MatchString(slug) { // the database would ignore spaces, and fail on what is not ASCII
		return Actor{}, NotMember()
	}
	rows, err := db.Read(q.MemberBySlug(ctx, slug, account))
	if err != nil {
		return Actor{}, fmt.Errorf("read membership: %w", err)
	}
	if len(rows) == 0 {
		return Actor{}, NotMember()
	}
	row := rows[0]
	actor := Actor{
		Account: Account{ID: row.AccountID, Email: row.Email, Name: row.AccountName, Operator: row.Operator,
			Epoch: row.SessionEpoch, Avatar: row.Avatar,
			Display: Display{Theme: row.Theme, Density: row.Density, TimeZone: row.TimeZone, Dates: row.Dates}},
		Company: Company{ID: row.CompanyID, Slug: row.CompanySlug, Name: row.CompanyName},
		Role:    row.Role, Handle: row.Handle, Stopped: row.Stopped.Bool, Pins: row.Pins,
		Policy: Policy{SecondFactor: row.SecondFactor, Issuer: row.IssuerRequired, Recovery: row.Role == Owner},
	}
	for _, r := range rows {
		if r.OtherID != 0 {
			actor.Others = append(actor.Others, Company{ID: r.OtherID, Slug: r.OtherSlug, Name: r.OtherName})
		}
	}
	if row.Unread {
		sight := actor.Sight()
		unread, err := db.Read(q.UnreadOf(ctx, db.UnreadOfParams{
			AccountID: sight.Reader, CompanyID: sight.Company, Reach: sight.Reach,
		}))
		if err != nil {
			return Actor{}, fmt.Errorf("count unread: %w", err)
		}
		actor.Unread = int(unread)
	}
	return actor, nil
}
