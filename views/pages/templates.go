package pages

import (
	"strconv"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// TemplatesProps is the list of a board's templates. Write says that the user may change them.
type TemplatesProps struct {
	Page  views.Page
	Board boards.Board
	Write bool
	List  []tickets.Template
	// Deleted are those that can be restored by whoever may write.
	Deleted []tickets.DeletedTemplate
	Alert   string // what is in the way of a restoration
}

// TemplateForm is the input of the form of a template. ID is 0 for a new one.
type TemplateForm struct {
	TicketForm
	ID     id.Template
	Name   string
	Public bool
	Stale  bool // it was changed meanwhile: Version is now that of the change
}

// TemplateProps is the page of a template.
type TemplateProps struct {
	Page  views.Page
	Board boards.Board
	Form  TemplateForm
}

func (props TemplateProps) action() string {
	company := props.Page.Actor.Company.Slug
	if props.Form.ID == 0 {
		return views.TemplatesPath(company, props.Board.Slug)
	}
	return views.TemplatePath(company, props.Board.Slug, props.Form.ID)
}

func (props TemplateProps) heading() string {
	if props.Form.ID == 0 {
		return "New template"
	}
	return "Template"
}

// began says what the form of a new ticket began with.
func (props NewTicketProps) began() string {
	if of := props.Form.CopyOf; of != nil {
		return "copy " + of.String()
	}
	return "template " + templateNumber(props.Form.Template)
}

// templates leads to the form as each template begins it, and to a blank one.
func (props NewTicketProps) templates() (links []views.TemplateLink) {
	for _, t := range append([]tickets.Template{{Name: "Blank"}}, props.Templates...) {
		path := views.NewFromTemplatePath(props.Page.Actor.Company.Slug, props.Board.Slug, props.Form.Column, t.ID)
		links = append(links, views.TemplateLink{Path: path, Name: t.Name, Current: t.ID == props.Form.Template})
	}
	return links
}

// templateNumber is "" for none.
func templateNumber(template id.Template) string {
	if template == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(template), 10)
}
