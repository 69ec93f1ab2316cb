package respond

import (
	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// codeBadOperator: the form says neither to make nor to remove an operator. Use the page's buttons.
const codeBadOperator fault.Code = "Operator.BadSwitch"

func badOperator() error {
	return fault.Invalid.New(codeBadOperator, "operator", "Use one of the buttons of the page.")
}

// OperatorSwitch reports whether a form makes an operator, or no longer one. It returns badOperator.
func OperatorSwitch(c echo.Context) (bool, error) {
	switch c.FormValue("operator") {
	case "yes":
		return true, nil
	case "no":
		return false, nil
	}
	return false, badOperator()
}
