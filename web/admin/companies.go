package admin

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

func (h *Handlers) Companies(c echo.Context) error {
	return h.showCompanies(c, http.StatusOK, admin.CompanyForm{})
}

func (h *Handlers) showCompanies(c echo.Context, code int, form admin.CompanyForm) error {
	after, err := respond.Cursor[id.Company](c, "after")
	if err != nil {
		return err
	}
	companies, more, err := h.console.Companies(c.Request().Context(), after)
	if err != nil {
		return err
	}
	return respond.Render(c, code, admin.CompaniesPage(admin.CompaniesProps{
		Page: h.controlRoom(c, "Companies"), Companies: companies, More: more, Form: form}))
}

// Company shows the figures of a company.
func (h *Handlers) Company(c echo.Context) error {
	return h.showCompany(c, http.StatusOK, nil, nil)
}

// showCompany shows a company, with a rejected quota if it is not nil.
func (h *Handlers) showCompany(c echo.Context, code int, quota *string, errs views.Errors) error {
	company, err := h.console.Company(c.Request().Context(), c.Param("slug"))
	if err != nil {
		return err
	}
	usage, err := h.console.UsageOf(c.Request().Context(), company.ID)
	if err != nil {
		return err
	}
	props := admin.CompanyProps{Page: h.controlRoom(c, company.Name), Company: company, Usage: usage,
		Quota: files.Size(usage.Quota), Errors: errs}
	if quota != nil {
		props.Quota = *quota
	}
	return respond.Render(c, code, admin.CompanyPage(props))
}

// SetQuota sets how many bytes the files of a company may have.
func (h *Handlers) SetQuota(c echo.Context) error {
	quota := c.FormValue("quota")
	company, err := h.console.SetQuota(c.Request().Context(), c.Param("slug"), quota)
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		return h.showCompany(c, code, &quota, messages)
	}
	return h.respond.SeeOther(c, views.CompanyPath(company.Slug), "The quota is saved.")
}

func (h *Handlers) OpenCompany(c echo.Context) error {
	form := admin.CompanyForm{Name: c.FormValue("company"), Slug: c.FormValue("slug")}
	opened, err := respond.Once(c, func(once *workflows.Once[accounts.Company]) (accounts.Company, error) {
		return h.console.OpenCompany(c.Request().Context(), form.Name, form.Slug, once)
	})
	if err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showCompanies(c, code, form)
	}
	return h.respond.SeeOther(c, views.HomePath(opened.Slug), "The company "+opened.Name+" was created.")
}
