package pages

import (
	"strings"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/savedviews"
	"github.com/counterfoil/counterfoil/views"
)

// SavedViewsProps are the views that the user sees. Alert says why one was not pinned.
type SavedViewsProps struct {
	Page  views.Page
	List  savedviews.Listed
	Alert string
}

// SavedViewForm is the input of the form of a saved view.
type SavedViewForm struct {
	ID      id.SavedView // 0 for a new one
	Version uint64
	Name    string
	Layout  savedviews.Layout
	Filter  views.Filter
	Shared  bool
	Pinned  bool // of a new one
	Stale   bool // someone else changed it meanwhile
	Errors  views.Errors
}

// SavedViewProps is the form of a view, or asks whether to delete it.
type SavedViewProps struct {
	Page       views.Page
	Slug       string // of its board, "" for all boards
	BoardTitle string
	Form       SavedViewForm
	MayShare   bool
	Others     []savedviews.View // those of the board that the user can change in place of a new one
}

func (props SavedViewProps) heading() string {
	if props.Form.ID == 0 {
		return "Save as a view"
	}
	return "Change the view"
}

func (props SavedViewProps) action() string {
	company := props.Page.Actor.Company.Slug
	if props.Form.ID == 0 {
		return views.BoardViewsPath(company, props.Slug)
	}
	return views.SavedViewPath(company, props.Form.ID)
}

// back is where to go without saving.
func (props SavedViewProps) back() (path, name string) {
	company := props.Page.Actor.Company.Slug
	if props.Form.ID == 0 {
		return props.Form.Filter.In(views.LayoutPath(company, props.Slug, props.Form.Layout)), props.BoardTitle
	}
	return views.SavedViewsPath(company), "Views"
}

// groupsHint says which layouts have groups.
func (props SavedViewProps) groupsHint() string {
	if props.Slug == "" {
		return "Of a list, or the columns of a board."
	}
	return "Of the layout List."
}

// sharedWith says who sees a shared view.
func (props SavedViewProps) sharedWith() string {
	if props.Slug == "" {
		return "With all members but guests; each sees what they may."
	}
	return "With everyone who sees the board."
}

// fields are the names of the fields that the view has as a list.
func (props SavedViewProps) fields() string {
	list := savedviews.ParseFields(props.Form.Filter.Fields)
	names := make([]string, len(list))
	for i, field := range list {
		names[i] = fieldName(field)
	}
	return strings.Join(append([]string{"Key", "Title"}, names...), ", ")
}

// replacing is the form of another view, with what this one shows.
func (props SavedViewProps) replacing(other savedviews.View) string {
	return props.Form.Filter.In(views.EditSavedViewPath(props.Page.Actor.Company.Slug, other.ID) + "?layout=" + string(props.Form.Layout))
}

// changes reports whether the user may change a view.
func (props SavedViewsProps) changes(v savedviews.View) bool {
	return v.ChangedBy(props.Page.Actor.Account.ID, props.Page.Actor.Manages())
}

// copyOf is the form of a copy of a view.
func (props SavedViewsProps) copyOf(v savedviews.View) string {
	return views.NewSavedViewPath(props.Page.Actor.Company.Slug, v.Slug, v.Layout, views.FilterOf(v))
}
