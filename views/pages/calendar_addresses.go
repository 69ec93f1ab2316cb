package pages

import (
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/views"
)

// CalendarAddressesProps are the calendar addresses of the user: of the user's work, and of the views that the user sees.
type CalendarAddressesProps struct {
	Page      views.Page
	Views     savedviews.Listed
	Addresses map[id.SavedView]savedviews.Address
	Made      id.SavedView // what the new address is of
	Secret    string       // of the new address, "" for none
	New       string       // the new address itself, if it still leads somewhere
	Alert     string       // why none was made
}

// calendar is what an address can be of.
type calendar struct {
	View        id.SavedView
	Name, Board string
}

// calendars are the user's work and all views.
func (props CalendarAddressesProps) calendars() []calendar {
	list := []calendar{{savedviews.OfWork, "My work", ""}}
	for _, v := range append(props.Views.Own, props.Views.Shared...) {
		list = append(list, calendar{v.ID, v.Name, v.Slug})
	}
	return list
}

// madeOf is the name of what the new address is of.
func (props CalendarAddressesProps) madeOf() string {
	for _, c := range props.calendars() {
		if c.View == props.Made {
			return c.Name
		}
	}
	return ""
}
