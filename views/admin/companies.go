package admin

import (
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/views"
)

// CompanyForm is the input of the form for a new company.
type CompanyForm struct {
	Name, Slug string
	Errors     views.Errors
}

// CompaniesProps is a page of all companies, with the form for a new one.
type CompaniesProps struct {
	Page      views.Page
	Companies []accounts.CompanyListed
	More      bool
	Form      CompanyForm
}

// CompanyProps is a company.
type CompanyProps struct {
	Page    views.Page
	Company accounts.CompanyFigures
	Usage   files.Usage
	Quota   string // the input
	Errors  views.Errors
}

func counted(n int) string {
	return atLeast(min(n, accounts.CompanyCounted), n > accounts.CompanyCounted)
}

func requiredText(required bool) string {
	if required {
		return "required"
	}
	return "not required"
}
