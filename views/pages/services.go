package pages

import (
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// ServicesProps is a company's service accounts. Name and Errors are of the form for another.
type ServicesProps struct {
	Page     views.Page
	Services []accounts.Service
	More     bool
	Name     string
	Errors   views.Errors
}

// ServiceProps is a service account with its tokens. Secret is a new one, shown once.
type ServiceProps struct {
	Page    views.Page
	Service accounts.Service
	Tokens  []accounts.Token
	More    bool
	Form    TokenForm
	Secret  string
}

// codesText says how many reference codes a service account may pop.
func codesText(b accounts.RefBudget) string {
	if b.PerDay == 0 {
		return "none"
	}
	return views.Thousands(int64(b.PerDay)) + " a day, " + views.Thousands(int64(b.PerCall)) + " in a call"
}
