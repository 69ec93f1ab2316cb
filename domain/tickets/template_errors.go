package tickets

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeTemplateNotFound: the board has no such template, or not any more. Read its list of templates.
const CodeTemplateNotFound fault.Code = "Template.NotFound"

func TemplateNotFound() error {
	return fault.NotFound.New(CodeTemplateNotFound, "template",
		"There is no such template on this board, or it was deleted. Choose another.")
}

// CodeBadTemplateName: the name of a template is empty, too long or not text. Shorten or retype it.
const CodeBadTemplateName fault.Code = "Template.BadName"

func BadTemplateName(text bool, length int) error {
	message := "The name has invalid or invisible characters. Type it again instead of pasting it."
	switch {
	case !text:
	case length == 0:
		message = "Enter a name for the template."
	case length > MaxTemplateName:
		message = fmt.Sprintf("The name has %d characters; shorten it to %d.", length, MaxTemplateName)
	}
	return fault.Invalid.New(CodeBadTemplateName, "name", message)
}

// CodeTemplateNameTaken: another template of the board has this name. Choose another name.
const CodeTemplateNameTaken fault.Code = "Template.NameTaken"

func TemplateNameTaken(name string) error {
	return fault.Conflict.New(CodeTemplateNameTaken, "name",
		"This board has a template “"+name+"” already. Choose another name, or rename that one.")
}

// CodeTooManyTemplates: the board has as many templates as it can. Delete one first.
const CodeTooManyTemplates fault.Code = "Template.TooMany"

func TooManyTemplates() error {
	return fault.Conflict.New(CodeTooManyTemplates, "",
		fmt.Sprintf("A board has at most %d templates. Delete one first.", MaxTemplates))
}

// CodeTemplateStale: the template was changed since the version that was sent. Read it again, then repeat the edit if
// it is still wanted.
const CodeTemplateStale fault.Code = "Template.Stale"

// TemplateStale reports an edit that was based on an older version of the template.
type TemplateStale struct{ Current Template }

func (e TemplateStale) Error() string {
	return "Someone else changed this template in the meantime. What you typed is still here: look at theirs, then save " +
		"again to replace it."
}

func (e TemplateStale) Unwrap() error { return fault.Conflict.New(CodeTemplateStale, "", e.Error()) }
