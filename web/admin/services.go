package admin

import (
	"math"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web/respond"
)

// Services are the service accounts of all companies.
func (h *Handlers) Services(c echo.Context) error {
	before, err := respond.Cursor[accounts.ID](c, "before")
	if err != nil {
		return err
	}
	var props admin.ServicesProps
	if props.Services, props.More, err = h.console.Services(c.Request().Context(), before); err != nil {
		return err
	}
	props.Page = h.controlRoom(c, "Service accounts")
	return respond.Render(c, http.StatusOK, admin.ServicesPage(props))
}

// serviceOfPath returns the service account that the path names.
func (h *Handlers) serviceOfPath(c echo.Context) (accounts.Service, error) {
	account, err := respond.RowID[accounts.ID](c.Param("account"), accounts.ServiceNotFound())
	if err != nil {
		return accounts.Service{}, err
	}
	return h.console.Service(c.Request().Context(), account)
}

// Service is the form for the budget of a service account.
func (h *Handlers) Service(c echo.Context) error {
	service, err := h.serviceOfPath(c)
	if err != nil {
		return err
	}
	return h.showService(c, http.StatusOK, service, admin.NewBudgetForm(service.Budget))
}

func (h *Handlers) showService(c echo.Context, code int, service accounts.Service, form admin.BudgetForm) error {
	return respond.Render(c, code,
		admin.ServicePage(admin.ServiceProps{Page: h.controlRoom(c, service.Name), Service: service, Form: form}))
}

// GrantRefs sets how many reference codes a service account may pop.
func (h *Handlers) GrantRefs(c echo.Context) error {
	service, err := h.serviceOfPath(c)
	if err != nil {
		return err
	}
	form := admin.BudgetForm{PerDay: c.FormValue("per_day"), PerCall: c.FormValue("per_call")}
	whole := func(text string) uint32 {
		n, err := strconv.ParseUint(plainNumber(text), 10, 32)
		if err != nil {
			n = math.MaxUint32 // which no budget has
		}
		return uint32(n)
	}
	budget := accounts.RefBudget{PerDay: whole(form.PerDay), PerCall: whole(form.PerCall)}
	if err := h.console.GrantRefs(c.Request().Context(), service.ID, budget); err != nil {
		messages, code, ok := respond.Rejected(err)
		if !ok {
			return err
		}
		form.Errors = messages
		return h.showService(c, code, service, form)
	}
	return h.respond.SeeOther(c, views.AdminServicesPath, "The budget of "+service.Name+" is saved.")
}

// Images are the images that runs stored.
func (h *Handlers) Images(c echo.Context) error {
	before, err := respond.Cursor[uint64](c, "before")
	if err != nil {
		return err
	}
	var props admin.ImagesProps
	if props.Images, props.More, err = h.console.RunImages(c.Request().Context(), before); err != nil {
		return err
	}
	props.Page = h.controlRoom(c, "Stored images")
	return respond.Render(c, http.StatusOK, admin.ImagesPage(props))
}
