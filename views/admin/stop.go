package admin

import "github.com/counterfoil/counterfoil/views"

// StopForm is the input of the form that stops all runs.
type StopForm struct {
	Reason string
	Errors views.Errors
}

// StopProps are for the page of the stop of all runs.
type StopProps struct {
	Page   views.Page
	Active int // runs
	More   bool
	Form   StopForm
}

// active says how many runs there are to stop, or to go on.
func (p StopProps) active() string {
	if p.Active == 1 && !p.More {
		return "1 run is active now."
	}
	return atLeast(p.Active, p.More) + " runs are active now."
}
