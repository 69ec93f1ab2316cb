package views

import (
	"github.com/counterfoil/counterfoil/domain/accounts"
)

// CompanyForm is what was typed into the form for another company.
type CompanyForm struct {
	Name, Slug string
	Errors     Errors
}

// CompaniesProps are the companies of an operator.
type CompaniesProps struct {
	Page      Page
	Companies []accounts.Membership
	Form      CompanyForm
}
