package accounts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// A service account is an account of a program: no member of its company, so that it is in no list of members, has no
// handle and no inbox; with no address and no password, so that it cannot sign in. Its tokens have one scope each.

// serviceMark ends the stored name of each service account, so that it is shown wherever the name is. No user can have
// such a name.
const serviceMark = " (service account)"

// MaxServiceName leaves room for the mark.
const MaxServiceName = MaxName - len(serviceMark)

// Service is a service account.
type Service struct {
	ID        ID
	Company   Company
	Name      string // with its mark
	CreatedAt time.Time
	Budget    RefBudget
}

// RefBudget is how many reference codes a service account may pop: none if PerDay is 0.
type RefBudget struct{ PerDay, PerCall uint32 }

// marked reports whether a name looks like that of a service account.
func marked(name string) bool {
	return strings.HasSuffix(strings.ToLower(strings.Join(strings.Fields(name), " ")), strings.TrimSpace(serviceMark))
}

// parseUserName is ParseName for the name of a user. It also returns ServiceName.
func parseUserName(s string) (string, error) {
	name, err := ParseName("name", s)
	if err == nil && marked(name) {
		return "", ServiceName()
	}
	return name, err
}

// OpenService adds a service account to the actor's company. It returns BadName or ServiceName.
func OpenService(ctx context.Context, tx *db.Tx, actor Actor, name string) (Service, error) {
	name, length, ok := markup.Line(name)
	switch {
	case !ok || length == 0 || length > MaxServiceName:
		return Service{}, BadName("service", length)
	case marked(name):
		return Service{}, ServiceName()
	}
	name += serviceMark
	n, err := tx.CreateAccount(ctx, db.CreateAccountParams{Email: "service-" + newSecret(), Name: name, CreatedAt: tx.Now})
	if err != nil {
		return Service{}, fmt.Errorf("create account: %w", err)
	}
	service := Service{ID: ID(n), Company: actor.Company, Name: name, CreatedAt: tx.Now}
	err = tx.CreateServiceAccount(ctx, db.CreateServiceAccountParams{AccountID: service.ID, CompanyID: actor.Company.ID,
		CreatedBy: actor.Account.ID, CreatedAt: tx.Now})
	if err != nil {
		return Service{}, fmt.Errorf("create service account: %w", err)
	}
	return service, nil
}

// Services returns a page of a company's service accounts, the newest first: those below before, or from the newest if
// it is 0.
func Services(ctx context.Context, q *db.Queries, company id.Company, before ID, limit int) ([]Service, error) {
	rows, err := db.Read(q.ServiceAccounts(ctx, db.ServiceAccountsParams{CompanyID: company, Before: beforeOrMax(before),
		Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read service accounts: %w", err)
	}
	list := make([]Service, len(rows))
	for i, row := range rows {
		list[i] = serviceFrom(db.ServiceAccountRow(row))
	}
	return list, nil
}

// AllServices is Services of all companies.
func AllServices(ctx context.Context, q *db.Queries, before ID, limit int) ([]Service, error) {
	rows, err := db.Read(q.AllServiceAccounts(ctx, beforeOrMax(before), int32(limit)))
	if err != nil {
		return nil, fmt.Errorf("read service accounts: %w", err)
	}
	list := make([]Service, len(rows))
	for i, row := range rows {
		list[i] = serviceFrom(db.ServiceAccountRow(row))
	}
	return list, nil
}

// ServiceByID returns a service account of any company, or ServiceNotFound.
func ServiceByID(ctx context.Context, q *db.Queries, account ID) (Service, error) {
	row, err := db.Read(q.ServiceAccount(ctx, account))
	if db.IsNotFound(err) {
		return Service{}, ServiceNotFound()
	}
	if err != nil {
		return Service{}, fmt.Errorf("read service account: %w", err)
	}
	return serviceFrom(row), nil
}

func serviceFrom(row db.ServiceAccountRow) Service {
	return Service{ID: row.AccountID, Company: Company{ID: row.CompanyID, Slug: row.CompanySlug, Name: row.CompanyName},
		Name: row.Name, CreatedAt: row.CreatedAt, Budget: RefBudget{row.PerDay, row.PerCall}}
}

// Spending is the budget of a service account with its use today.
type Spending struct {
	RefBudget
	Spent uint64
	Rest  time.Duration // of the day, by the database's clock
}

// LockService locks a service account until the transaction ends, and returns its spending. It returns
// ServiceNotFound.
func LockService(ctx context.Context, tx *db.Tx, account ID) (Spending, error) {
	row, err := tx.LockServiceAccount(ctx, account)
	if db.IsNotFound(err) {
		return Spending{}, ServiceNotFound()
	}
	if err != nil {
		return Spending{}, fmt.Errorf("lock service account: %w", err)
	}
	return Spending{RefBudget{row.PerDay, row.PerCall}, uint64(row.Spent), time.Duration(row.SecondsLeft+1) * time.Second}, nil
}

// SpendRefs records how many codes a locked service account has popped today.
func SpendRefs(ctx context.Context, tx *db.Tx, account ID, spent uint64) error {
	if err := tx.SpendRefs(ctx, uint32(spent), account); err != nil {
		return fmt.Errorf("count codes of a service account: %w", err)
	}
	return nil
}

// GrantRefs sets the budget of a locked service account.
func GrantRefs(ctx context.Context, tx *db.Tx, account ID, budget RefBudget) error {
	err := tx.GrantRefs(ctx, db.GrantRefsParams{PerDay: budget.PerDay, PerCall: budget.PerCall, AccountID: account})
	if err != nil {
		return fmt.Errorf("grant reference codes: %w", err)
	}
	return nil
}

// EndService deletes a locked service account, with its tokens, and returns their hashes. Its name stays in histories.
func EndService(ctx context.Context, tx *db.Tx, service Service) ([][]byte, error) {
	if err := tx.EndServiceAccount(ctx, &tx.Now, service.ID); err != nil {
		return nil, fmt.Errorf("end service account: %w", err)
	}
	return revokeTokensOf(ctx, tx, service.Company.ID, service.ID)
}

// ServiceScopes are the scopes that a token of the service account can have.
func (s Service) Scopes() []string { return s.actor("").HeldScopes() }

// actor is the service account with a token of a scope: to read it is like a viewer, to write like a member, and to pop
// codes like a guest whom no board names.
func (s Service) actor(scope string) Actor {
	a := Actor{Account: Account{ID: s.ID, Name: s.Name}, Company: s.Company, Role: Member, Service: true,
		PopsRefs: s.Budget.PerDay > 0}
	switch {
	case scope == PopRefs:
		a.Role = Guest
	case scope != "" && !strings.HasSuffix(scope, ":write"):
		a.Role = Viewer
	}
	return a
}

// CheckServiceToken is CheckToken for a service account: it also returns OneScope, or NoBudget.
func CheckServiceToken(draft TokenDraft, service Service) (TokenDraft, error) {
	if slices.Contains(draft.Scopes, PopRefs) && service.Budget.PerDay == 0 {
		return draft, NoBudget()
	}
	draft, err := CheckToken(draft, service.actor(""))
	if err == nil && len(draft.Scopes) > 1 {
		err = OneScope()
	}
	return draft, err
}

// CodeServiceNotFound: there is no such service account. See the list of service accounts.
const CodeServiceNotFound fault.Code = "Service.NotFound"

func ServiceNotFound() error {
	return fault.NotFound.New(CodeServiceNotFound, "",
		"This service account does not exist. It may have been deleted: see the list of service accounts.")
}

// CodeServiceName: the name ends as those of service accounts do. Choose another name.
const CodeServiceName fault.Code = "Account.ServiceName"

func ServiceName() error {
	return fault.Invalid.New(CodeServiceName, "name",
		"“(service account)” is added to the names of service accounts, and no name can end in it. Leave it out.")
}

// CodeOneScope: a token of a service account has one scope. Choose one, and make another token for another.
const CodeOneScope fault.Code = "Token.OneScope"

func OneScope() error {
	return fault.Invalid.New(CodeOneScope, "scopes", "A token of a service account has one scope. Choose one.")
}

// CodeNoBudget: the service account may pop no codes. Ask an operator for a budget first.
const CodeNoBudget fault.Code = "Service.NoBudget"

func NoBudget() error {
	return fault.Invalid.New(CodeNoBudget, "scopes",
		"This service account has no budget of reference codes. Ask an operator of the server for one first.")
}

// CodeBadBudget: a budget of codes is out of bounds. Send a number in the bounds that the message names.
const CodeBadBudget fault.Code = "Service.BadBudget"

func BadBudget(field, message string) error { return fault.Invalid.New(CodeBadBudget, field, message) }

// MaxRefsPerDay bounds a budget.
const MaxRefsPerDay = 10_000_000

// Check returns BadBudget for each number out of bounds; perCall is the most that one pop can take.
func (b RefBudget) Check(perCall uint32) error {
	var day, call error
	if b.PerDay > MaxRefsPerDay {
		day = BadBudget("per_day", "Enter 0 to 10,000,000 codes.")
	}
	if b.PerCall > perCall || b.PerDay > 0 && b.PerCall == 0 {
		call = BadBudget("per_call", fmt.Sprintf("Enter 1 to %d codes.", perCall))
	}
	return fault.Join(day, call)
}
