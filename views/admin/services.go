package admin

import (
	"strconv"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/views"
)

// ServicesProps are the service accounts of all companies.
type ServicesProps struct {
	Page     views.Page
	Services []accounts.Service
	More     bool
}

// ServiceProps is a service account with the form for its budget.
type ServiceProps struct {
	Page    views.Page
	Service accounts.Service
	Form    BudgetForm
}

// BudgetForm is the input of its form.
type BudgetForm struct {
	PerDay, PerCall string
	Errors          views.Errors
}

// NewBudgetForm is the form before any input.
func NewBudgetForm(b accounts.RefBudget) BudgetForm {
	return BudgetForm{PerDay: strconv.Itoa(int(b.PerDay)), PerCall: strconv.Itoa(int(max(1, b.PerCall)))}
}

func budgetText(b accounts.RefBudget) string {
	if b.PerDay == 0 {
		return "none"
	}
	return views.Thousands(int64(b.PerDay)) + " a day, " + views.Thousands(int64(b.PerCall)) + " in a call"
}

// ImagesProps are images that runs stored.
type ImagesProps struct {
	Page   views.Page
	Images []images.OfRun
	More   bool
}

// imagePath is the path of an image, and smallPath that of its small copy.
func imagePath(i images.OfRun) string { return images.Image{Hash: i.Hash}.Path(i.Company) }

func smallPath(i images.OfRun) string { return images.ThumbnailOf(i.Company, imagePath(i)) }

// sizeText is how large an image is.
func sizeText(i images.OfRun) string {
	return views.Number(uint64(i.Width)) + " × " + views.Number(uint64(i.Height)) + ", " + views.Bytes(int64(i.Bytes))
}
