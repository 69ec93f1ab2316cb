package public

import (
	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// RequestForm is the input of a public form.
type RequestForm struct {
	Nonce, Title, Description, Email string
	Challenge, Proof                 string      // of a form that asks for a proof of work
	Template                         id.Template // that it began with
	Errors                           views.Errors
}

// Sent is the form as it is sent to a board.
func (f RequestForm) Sent(company, board string) requests.Submission {
	return requests.Submission{Company: company, Board: board, Nonce: f.Nonce, Title: f.Title, Description: f.Description,
		Email: f.Email, Challenge: f.Challenge, Proof: f.Proof, Template: f.Template}
}

// RequestProps is the page of a public form. Slug is that of its address.
type RequestProps struct {
	Page  views.Page
	Board requests.OpenForm
	Slug  string
	Form  RequestForm

	Templates []tickets.Template // to begin with
}

// templates leads to the form as each template begins it, and to a blank one.
func (p RequestProps) templates() (links []views.TemplateLink) {
	for _, t := range p.Templates {
		path := views.FormFromTemplatePath(p.Board.CompanySlug, p.Slug, t.ID)
		links = append(links, views.TemplateLink{Path: path, Name: t.Name, Current: t.ID == p.Form.Template})
	}
	blank := views.FormPath(p.Board.CompanySlug, p.Slug)
	return append(links, views.TemplateLink{Path: blank, Name: "Something else", Current: p.Form.Template == 0})
}

// proof are the attributes of a form that asks for a proof of work.
func (p RequestProps) proof() templ.Attributes {
	if !p.Board.Proof {
		return nil
	}
	return templ.Attributes{"data-proof": views.Number(requests.ProofBits)}
}

// ReceiptProps is the page after a request is sent.
type ReceiptProps struct {
	Page  views.Page
	Found requests.TrackedTicket
	Link  string // the private one
	Box   string // path of the form for a code
}

// TrackedProps is the page of a code or a private link. List are public comments, oldest first.
type TrackedProps struct {
	Page         views.Page
	Found        requests.TrackedTicket
	Token, Nonce string
	Sent         *tickets.FirstTexts // nil if it is not shown
	List         []views.Comment
	Older, Newer bool
	Form         views.CommentForm
}

// stateWords are a request's states in words.
var stateWords = map[string]struct{ word, says string }{
	requests.Received:   {"Received", "We have not started yet."},
	requests.InProgress: {"In progress", "We are working on it."},
	requests.Done:       {"Done", "The work is done."},
}
