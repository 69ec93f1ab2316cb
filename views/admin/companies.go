package admin

import (
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// CompanyForm is the input of the form for a new company.
type CompanyForm struct {
	Name, Slug string
	Errors     views.Errors
}

// CompaniesProps are the companies of an operator.
type CompaniesProps struct {
	Page      views.Page
	Companies []accounts.Membership
	Form      CompanyForm
}
